/* written.c - a writer into memory, and what the strict reader says of the
   bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "written.h"

#include "heap.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EVENTS 8

/* The write hook.  */
static ssize_t
take (void *context, const void *bytes, size_t n)
{
  struct written *f = context;

  if (f->fail != 0)
    {
      errno = f->fail;
      return -1;
    }
  if (f->n + n + 1 > f->room)
    {
      f->room = 2 * (f->n + n + 1);
      f->bytes = realloc (f->bytes, f->room);
      cr_assert_not_null (f->bytes);
    }
  memcpy (f->bytes + f->n, bytes, n);
  f->n += n;
  f->bytes[f->n] = '\0';
  return (ssize_t) n;
}

struct cgw_writer *
written_open_with (struct written *f, struct cgw_names *names,
                   const struct cgw_options *o)
{
  struct cgw_options options = CGW_OPTIONS_INIT;

  if (o != NULL)
    options = *o;
  memset (f, 0, sizeof *f);
  f->names = names;
  f->flags = options.flags;
  f->bytes = calloc (1, 1);
  cr_assert_not_null (f->bytes);
  f->room = 1;
  options.write = take;
  options.write_context = f;
  cr_assert_eq (cgw_open_fd (&f->w, names, -1, &options), CGW_OK);
  return f->w;
}

struct cgw_writer *
written_open (struct written *f, const struct cgw_options *o)
{
  written_open_with (f, make_names (NULL), o);
  f->own_names = true;
  return f->w;
}

struct cgw_part
written_part_of (const struct cgw_event *events, size_t n)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = n;
  return part;
}

enum cgw_status
written_part (struct cgw_writer *w, const char *events, unsigned positions)
{
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_event list[MOST_EVENTS] = { { NULL, NULL, NULL } };
  char *names = strdup (events);
  char *rest;
  enum cgw_status status;

  cr_assert_not_null (names);
  for (char *name = strtok_r (names, " ", &rest); name != NULL;
       name = strtok_r (NULL, " ", &rest))
    {
      cr_assert_lt (part.n_events, MOST_EVENTS);
      list[part.n_events++].name = name;
    }
  part.events = list;
  part.positions = positions;
  status = cgw_begin_part (w, &part);
  free (names);
  return status;
}

struct cgw_writer *
written_begin (struct written *f, unsigned flags, const char *events,
               unsigned positions)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  written_open (f, &o);
  cr_assert_eq (written_part (f->w, events, positions), CGW_OK);
  return f->w;
}

struct cgw_fn
written_fn (struct cgw_names *names, const char *object, const char *file,
            const char *name)
{
  struct cgw_object o = { 0 };
  struct cgw_file l = { 0 };

  if (object != NULL)
    o = cgw_add_object (names, object);
  if (file != NULL)
    l = cgw_add_file (names, file);
  return cgw_add_fn (names, name, l, o);
}

struct cgw_pos
written_line (struct cgw_fn fn, uint32_t line)
{
  return (struct cgw_pos){ .fn = fn, .line = line };
}

struct cgw_pos
written_instr (struct cgw_fn fn, uint64_t instr)
{
  return (struct cgw_pos){ .fn = fn, .instr = instr };
}

struct cgw_pos
written_inline (struct cgw_fn fn, struct cgw_file file, uint32_t line)
{
  return (struct cgw_pos){ .fn = fn, .file = file, .line = line };
}

void
written_cost (struct cgw_writer *w, struct cgw_pos pos, uint64_t cost)
{
  cr_assert_eq (cgw_cost (w, &pos, &cost, 1), CGW_OK);
}

void
written_call (struct cgw_writer *w, struct cgw_pos from, struct cgw_pos to,
              uint64_t cost)
{
  cr_assert_eq (cgw_call (w, &from, &to, 1, &cost, 1), CGW_OK);
}

static const char *
case_name (const struct written *f)
{
  return f->name != NULL ? f->name : "the file";
}

void
written_read (struct written *f)
{
  unsigned flags = f->reader_flags;
  char error[200] = "";

  if (f->flags & CGW_PLAIN_NAMES)
    flags |= READER_PLAIN;
  if (f->flags & CGW_ABSOLUTE)
    flags |= READER_ABSOLUTE;
  if (f->flags & CGW_KEEP_ZEROS)
    flags |= READER_KEEP_ZEROS;
  if (f->flags & CGW_NO_PAD)
    flags |= READER_NO_PAD;
  if (f->flags & CGW_ZERO_CALLS)
    flags |= READER_ALLOW_ZERO_CALLS;
  if (f->profile != NULL)
    profile_free (f->profile);
  f->profile = profile_read (f->bytes, f->n, flags, error, sizeof error);
  cr_assert_not_null (f->profile,
                      "%s: refused by the strict reader: %s\n%.8000s",
                      case_name (f), error, f->bytes);
}

void
written_end (struct written *f, enum cgw_status status)
{
  enum cgw_status got = cgw_finish (f->w);

  cr_assert_eq (got, status, "%s: cgw_finish: %s", case_name (f),
                cgw_strerror (got));
  cgw_free (f->w);
  f->w = NULL;
  written_read (f);
}

const char *
written_body (const struct written *f)
{
  const char *line = strstr (f->bytes, "\nevents:");

  cr_assert_not_null (line);
  line = strchr (line + 1, '\n') + 1;
  if (strncmp (line, "summary:", 8) == 0)
    line = strchr (line, '\n') + 1;
  return line;
}

void
written_free (struct written *f)
{
  cgw_free (f->w);
  if (f->own_names)
    cgw_names_free (f->names);
  if (f->profile != NULL)
    profile_free (f->profile);
  free (f->bytes);
  memset (f, 0, sizeof *f);
}
