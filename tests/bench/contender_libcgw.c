/* contender_libcgw.c - the library, through its public API, with default
   options unless others are wanted.  The handles are made before the first
   run.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdlib.h>

struct libcgw
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct sink *sink;
  struct cgw_part part;
  struct cgw_event *events;
  struct script script; /* with the writer's handles */
};

/* The handle of each function and each file of a workload.  */
struct handles
{
  struct cgw_fn *fns;
  struct cgw_file *files;
};

static struct handles
add_names (struct cgw_names *names, const struct workload *work)
{
  struct handles h = { bench_allocate (work->n_fns, sizeof *h.fns),
                       bench_allocate (work->n_names, sizeof *h.files) };

  for (size_t i = 0; i < work->n_fns; i++)
    {
      const struct bench_fn *f = &work->fns[i];
      h.fns[i] = cgw_add_fn (names, work->names[f->name],
                             cgw_add_file (names, work->names[f->file]),
                             cgw_add_object (names, work->names[f->object]));
    }
  for (size_t i = 0; i < work->n_names; i++)
    h.files[i] = cgw_add_file (names, work->names[i]);
  return h;
}

/* Puts handles in place of indices.  As a tool would, it names the file only
   where it is not the function's own.  */
static void
set_handles (struct cgw_pos *pos, const struct workload *work,
             const struct handles *h)
{
  bool own = work->fns[pos->fn.handle].file == pos->file.handle;

  pos->file = own ? (struct cgw_file){ 0 } : h->files[pos->file.handle];
  pos->fn = h->fns[pos->fn.handle];
}

static void
make_script (struct script *s, const struct workload *work,
             const struct handles *h)
{
  const struct script *from = &work->script;

  *s = *from;
  s->events = bench_copy (from->events, s->n, sizeof *s->events);
  s->calls = bench_copy (from->calls, s->n_calls, sizeof *s->calls);
  for (size_t i = 0; i < s->n; i++)
    set_handles (&s->events[i].pos, work, h);
  for (size_t i = 0; i < s->n_calls; i++)
    set_handles (&s->calls[i].to, work, h);
}

static void
describe_part (struct libcgw *l, const struct workload *work)
{
  size_t n = work->script.n_events;

  l->events = bench_allocate (n, sizeof *l->events);
  for (size_t i = 0; i < n; i++)
    l->events[i].name = work->event_names[i];
  l->part = (struct cgw_part)CGW_PART_INIT;
  l->part.events = l->events;
  l->part.n_events = n;
  l->part.positions = work->positions;
}

static void *
libcgw_open (const struct workload *work, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  struct libcgw *l = bench_allocate (1, sizeof *l);
  struct cgw_options options = CGW_OPTIONS_INIT;

  if (setup)
    {
      options.flags = setup->flags;
      options.buffer_size = setup->buffer_size;
    }
  if (sink->fd < 0)
    {
      options.write = sink_write;
      options.write_context = sink;
    }
  l->sink = sink;
  l->names = make_names (setup ? setup->heap : NULL);
  if (cgw_new (&l->w, l->names, sink->fd, &options) != CGW_OK)
    bench_fail ("cgw_new");
  struct handles h = add_names (l->names, work);
  make_script (&l->script, work, &h);
  describe_part (l, work);
  free (h.fns);
  free (h.files);
  *script = l->script;
  return l;
}

static void
libcgw_close (void *context)
{
  struct libcgw *l = context;

  cgw_free (l->w);
  cgw_names_free (l->names);
  free (l->script.events);
  free (l->script.calls);
  free (l->events);
  free (l);
}

static bool
libcgw_begin (void *context)
{
  struct libcgw *l = context;

  return cgw_reset (l->w, l->sink->fd) == CGW_OK
         && cgw_begin_part (l->w, &l->part) == CGW_OK;
}

static int
libcgw_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  return (int)cgw_cost (((struct libcgw *)context)->w, pos, cost, n);
}

static int
libcgw_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  return (int)cgw_call (((struct libcgw *)context)->w, from, to, count,
                        inclusive_cost, n);
}

static bool
libcgw_end (void *context)
{
  return cgw_finish (((struct libcgw *)context)->w) == CGW_OK;
}

struct cgw_names *
contender_names (void *context)
{
  return ((struct libcgw *)context)->names;
}

struct cgw_writer *
contender_writer (void *context)
{
  return ((struct libcgw *)context)->w;
}

const struct cgw_part *
contender_part (void *context)
{
  return &((struct libcgw *)context)->part;
}

const struct contender contender_libcgw = { .name = "libcgw",
                                            .open = libcgw_open,
                                            .close = libcgw_close,
                                            .begin = libcgw_begin,
                                            .cost = libcgw_cost,
                                            .call = libcgw_call,
                                            .end = libcgw_end,
                                            .check = check_strict };
