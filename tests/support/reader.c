/* reader.c - the test-suite's own reader of callgrind files: line by line.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void
say (struct reader *r, const char *format, va_list args)
{
  int n = snprintf (r->error, r->error_size, "%" PRIu64 ": ", r->line);
  if (n > 0 && (size_t) n < r->error_size)
    vsnprintf (r->error + n, r->error_size - (size_t) n, format, args);
}

bool
reader_fail (struct reader *r, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  say (r, format, args);
  va_end (args);
  return false;
}

bool
reader_rule (struct reader *r, bool kept, const char *format, ...)
{
  if (kept || !r->strict)
    return true;
  va_list args;
  va_start (args, format);
  say (r, format, args);
  va_end (args);
  return false;
}

/* Readers skip a line of no known kind, and complain.  */
bool
reader_other_line (struct reader *r)
{
  return reader_rule (r, false, "line that some reader does not know");
}

char *
reader_copy (struct reader_span text)
{
  size_t n = (size_t) (text.end - text.at);
  char *copy = profile_resize (NULL, n + 1);
  memcpy (copy, text.at, n);
  copy[n] = 0;
  return copy;
}

bool
reader_is (struct reader_span text, const char *word)
{
  size_t n = (size_t) (text.end - text.at);
  return n == strlen (word) && !memcmp (text.at, word, n);
}

void
reader_trim (struct reader_span *text)
{
  while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
    text->at++;
  while (text->at < text->end
         && (text->end[-1] == ' ' || text->end[-1] == '\t'))
    text->end--;
}

/* The bytes of a line: what breaks some reader.  */

/* The character at *at, which moves behind it; -1 when it is not UTF-8: a
   stray or missing byte, an overlong form, a surrogate, past U+10FFFF.  */
static long
utf8_char (const unsigned char **at, const unsigned char *end)
{
  static const long smallest[] = { 0, 0x80, 0x800, 0x10000 };
  unsigned char first = *(*at)++;
  if (first < 0x80)
    return first;
  int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc0 || first > 0xf7 || end - *at < more)
    return -1;
  long c = first & (0x3f >> more);
  for (int i = 0; i < more; i++)
    {
      unsigned char next = *(*at)++;
      if ((next & 0xc0) != 0x80)
        return -1;
      c = c << 6 | (next & 0x3f);
    }
  bool bad = c < smallest[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000);
  return bad ? -1 : c;
}

/* Why a character may not be in a file, or NULL.  */
static const char *
bad_char (long c)
{
  if (c < 0)
    return "not valid UTF-8";
  if (c == 0)
    return "NUL byte";
  if (c == '\t')
    return "tab";
  if (c == '\r')
    return "carriage return";
  if (c < 0x20 || (c >= 0x7f && c < 0xa0))
    return "control character";
  if (c == 0x2028 || c == 0x2029)
    return "line separator U+2028 or U+2029";
  return NULL;
}

static bool
check_chars (struct reader *r, struct reader_span text)
{
  const unsigned char *at = (const unsigned char *) text.at;
  const unsigned char *end = (const unsigned char *) text.end;
  while (at < end)
    {
      if (*at >= 0x20 && *at < 0x7f)
        {
          at++;
          continue;
        }
      const char *why = bad_char (utf8_char (&at, end));
      if (why)
        return reader_fail (r, "%s", why);
    }
  return true;
}

static bool
check_line (struct reader *r, struct reader_span text)
{
  if (!r->strict && memchr (text.at, 0, (size_t) (text.end - text.at)))
    return reader_fail (r, "NUL byte");
  return (!r->strict || check_chars (r, text))
         && reader_rule (r, text.at == text.end || *text.at != ' ',
                         "blank at the start of the line")
         && reader_rule (r, text.at == text.end || text.end[-1] != ' ',
                         "blank at the end of the line");
}

/* Lines.  */

/* The first three lines of a strict file: gprof2dot reads nothing when they
   are not these, directly after each other.  */
static bool
opening (struct reader *r)
{
  if (r->line == 1)
    return reader_rule (r, reader_is (r->text, "# callgrind format"),
                        "first line is not the format's marker");
  if (r->line == 2)
    return reader_rule (r, reader_is (r->text, "version: 1"),
                        "second line is not version: 1");
  size_t n = strlen ("creator:");
  struct reader_span key = r->text;
  if ((size_t) (key.end - key.at) > n && key.at[n] == ' ')
    key.end = key.at + n;
  return reader_rule (r, reader_is (key, "creator:"),
                      "third line is not creator:");
}

static bool
blank_line (struct reader *r)
{
  r->p->blank_lines++;
  return reader_between_records (r, "blank line");
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
    return reader_other_line (r);
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
  if (!r->strict && r->text.at < r->text.end && r->text.end[-1] == '\r')
    r->text.end--;
  return reader_rule (r, newline, "no newline at the end of the file")
         && check_line (r, r->text);
}

static bool
read_all (struct reader *r)
{
  if (r->bytes == r->end && r->strict && (r->flags & READER_UNFINISHED))
    return true;
  if (!reader_rule (r, (size_t) (r->end - r->bytes) <= UINT32_MAX,
                    "file of 4 GiB or more"))
    return false;
  reader_begin_part (r);
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
  r.p = profile_zeros (1, sizeof *r.p);
  profile_names_init (&r.p->names);
  profile_table_init (&r.id_of, 2, 1);
  profile_table_init (&r.p->fns, FN_KEYS, 0);
  profile_table_init (&r.p->jumps, JUMP_KEYS, JUMP_VALUES);

  bool ok = read_all (&r);
  for (int i = 0; i < IDS_TABLES; i++)
    free (r.ids[i].ids);
  profile_table_free (&r.id_of);
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
