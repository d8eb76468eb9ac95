/* reader.c - the test-suite's own reader of callgrind files: line by line.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool
reader_fail (struct reader *r, const char *format, ...)
{
  if (!r->error_size)
    return false;
  int n = snprintf (r->error, r->error_size, "%" PRIu64 ": ", r->line);
  if (n < 0 || (size_t) n >= r->error_size)
    return false;
  va_list args;
  va_start (args, format);
  vsnprintf (r->error + n, r->error_size - (size_t) n, format, args);
  va_end (args);
  return false;
}

/* The first three lines of a strict file: gprof2dot reads nothing when they
   are not these, directly after each other.  */
static bool
opening (struct reader *r)
{
  const char *creator = "creator:";
  size_t length = (size_t) (r->text.end - r->text.at);
  if (r->line == 1)
    return reader_is (r->text, "# callgrind format")
           || reader_fail (r, "first line is not the format's marker");
  if (r->line == 2)
    return reader_is (r->text, "version: 1")
           || reader_fail (r, "second line is not version: 1");
  if (length < strlen (creator) || memcmp (r->text.at, creator, 8)
      || (length > 8 && r->text.at[8] != ' '))
    return reader_fail (r, "third line is not creator:");
  return true;
}

static bool
blank_line (struct reader *r)
{
  r->p->blank_lines++;
  return reader_between_records (r, "blank line");
}

/* A line that is none of the kinds.  Readers skip one that begins with a
   blank, and complain.  */
static bool
other_line (struct reader *r)
{
  if (r->strict)
    return reader_fail (r, "line that some reader does not know");
  r->p->ignored_lines++;
  return true;
}

static bool
is_blank (struct reader_span text)
{
  reader_trim (&text);
  return text.at == text.end;
}

static bool
read_line (struct reader *r)
{
  struct reader_span key = r->text;
  if (r->strict && r->line <= 3)
    return opening (r);
  if (r->strict ? key.at == key.end : is_blank (key))
    return blank_line (r);
  if (*key.at == '#')
    return reader_comment (r, r->text);
  if ((*key.at >= '0' && *key.at <= '9') || strchr ("+-*", *key.at))
    return reader_cost_line (r);

  const char *end = key.at;
  while (end < key.end && *end >= 'a' && *end <= 'z')
    end++;
  if (end == key.at || end == key.end || (*end != ':' && *end != '='))
    return other_line (r);
  key.end = end;
  struct reader_span value = { end + 1, r->text.end };
  return *end == ':' ? reader_header_line (r, key, value)
                     : reader_spec_line (r, key, value);
}

/* Takes the next line from *at.  */
static bool
next_line (struct reader *r, const char **at)
{
  const char *newline = memchr (*at, '\n', (size_t) (r->end - *at));
  r->line++;
  r->text = (struct reader_span) { *at, newline ? newline : r->end };
  *at = newline ? newline + 1 : r->end;
  if (r->strict && !newline)
    return reader_fail (r, "no newline at the end of the file");
  if (!r->strict && r->text.at < r->text.end && r->text.end[-1] == '\r')
    r->text.end--;
  return reader_check_line (r, r->text);
}

static bool
read_all (struct reader *r)
{
  if (r->bytes == r->end && r->strict && (r->flags & READER_UNFINISHED))
    return true;
  if (r->strict && (size_t) (r->end - r->bytes) > UINT32_MAX)
    return reader_fail (r, "file of 4 GiB or more");
  if (!reader_begin_part (r))
    return false;
  for (const char *at = r->bytes; at < r->end;)
    if (!next_line (r, &at) || !read_line (r))
      return false;
  r->p->lines = r->line;
  return reader_end_part (r, true);
}

struct profile *
profile_read (const char *bytes, size_t n, unsigned flags, char *error,
              size_t size)
{
  struct reader r;
  memset (&r, 0, sizeof r);
  r.flags = flags;
  r.strict = !(flags & READER_LENIENT);
  r.error = error;
  r.error_size = size;
  r.bytes = n ? bytes : "";
  r.end = r.bytes + n;
  r.fn = r.callee = READER_NO_FN;
  r.p = calloc (1, sizeof *r.p);
  if (!r.p)
    abort ();
  r.p->bytes = n;
  profile_names_init (&r.p->names);
  profile_table_init (&r.p->fns, FN_KEYS, 0);
  profile_table_init (&r.p->jumps, JUMP_KEYS, JUMP_VALUES);

  bool ok = read_all (&r);
  reader_drop_event_lines (&r);
  reader_free_ids (&r);
  free (r.event_lines);
  free (r.numbers);
  if (ok)
    return r.p;
  profile_free (r.p);
  return NULL;
}

/* The whole of a file, or NULL with errno set.  */
static char *
read_bytes (FILE *file, size_t *n)
{
  size_t room = 0;
  char *bytes = NULL;
  *n = 0;
  do
    {
      bytes = profile_grow (bytes, room, &room, 1);
      *n += fread (bytes + *n, 1, room - *n, file);
    }
  while (*n == room);
  if (!ferror (file))
    return bytes;
  free (bytes);
  return NULL;
}

struct profile *
profile_read_file (const char *path, unsigned flags, char *error, size_t size)
{
  size_t n = 0;
  FILE *file = fopen (path, "rb");
  char *bytes = file ? read_bytes (file, &n) : NULL;
  if (!bytes)
    snprintf (error, size, "0: %s", strerror (errno));
  if (file)
    fclose (file);
  struct profile *p
    = bytes ? profile_read (bytes, n, flags, error, size) : NULL;
  free (bytes);
  return p;
}
