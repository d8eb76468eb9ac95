/* way_names.c - a tool that has names instead of handles, and so adds the
   names of each record again.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ways.h"

#include <stdlib.h>

struct names
{
  const struct workload *work;
  struct cgw_names *names;
  struct cgw_writer *w;
  void *libcgw; /* contender_libcgw's context */
};

static void *
names_open (const struct workload *w, struct sink *sink,
            const struct setup *setup, struct script *script)
{
  struct names *s = bench_allocate (1, sizeof *s);
  struct script handles = *script;

  s->work = w;
  s->libcgw = contender_libcgw.open (w, sink, setup, &handles);
  s->names = contender_names (s->libcgw);
  s->w = contender_writer (s->libcgw);
  return s;
}

static void
names_close (void *context)
{
  struct names *s = context;

  contender_libcgw.close (s->libcgw);
  free (s);
}

static bool
names_begin (void *context)
{
  return contender_libcgw.begin (((struct names *)context)->libcgw);
}

/* The position with handles in place of indices.  As a tool would, it names
   the file only where it is not the function's own.  */
static struct cgw_pos
find_names (const struct names *s, const struct cgw_pos *pos)
{
  char *const *texts = s->work->names;
  const struct bench_fn *f = &s->work->fns[pos->fn.handle];
  struct cgw_file file = cgw_add_file (s->names, texts[f->file]);
  struct cgw_object object = cgw_add_object (s->names, texts[f->object]);
  struct cgw_pos found = *pos;

  found.fn = cgw_add_fn (s->names, texts[f->name], file, object);
  found.file.handle = 0;
  if (pos->file.handle != f->file)
    found.file = cgw_add_file (s->names, texts[pos->file.handle]);
  return found;
}

static int
names_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  const struct names *s = context;
  struct cgw_pos found = find_names (s, pos);

  return (int)cgw_cost (s->w, &found, cost, n);
}

static int
names_call (void *context, const struct cgw_pos *from,
            const struct cgw_pos *to, uint64_t count,
            const uint64_t *inclusive_cost, size_t n)
{
  const struct names *s = context;
  struct cgw_pos caller = find_names (s, from);
  struct cgw_pos callee = find_names (s, to);

  return (int)cgw_call (s->w, &caller, &callee, count, inclusive_cost, n);
}

static bool
names_end (void *context)
{
  return contender_libcgw.end (((struct names *)context)->libcgw);
}

const struct contender way_names = { .name = "names",
                                     .open = names_open,
                                     .close = names_close,
                                     .begin = names_begin,
                                     .cost = names_cost,
                                     .call = names_call,
                                     .end = names_end,
                                     .check = check_strict };
