/* contender_libcgw.c - the library, through its public API: its writer, with
   default options and others.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdlib.h>

struct libcgw
{
  struct cgw_names *names;
  struct cgw_writer *w;
  struct cgw_options options;
  struct sink *sink;
  struct cgw_part part;
  struct cgw_event *events;
};

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
libcgw_open (const struct contender *c, const struct workload *work,
             struct sink *sink)
{
  struct libcgw *l = bench_allocate (1, sizeof *l);

  l->names = work->names;
  l->options = (struct cgw_options)CGW_OPTIONS_INIT;
  l->options.flags = c->flags;
  l->options.buffer_size = c->buffer_size;
  if (sink->fd < 0)
    {
      l->options.write = sink_write;
      l->options.write_context = sink;
    }
  l->sink = sink;
  describe_part (l, work);
  return l;
}

static void
libcgw_close (void *context)
{
  struct libcgw *l = context;

  cgw_free (l->w);
  free (l->events);
  free (l);
}

static bool
libcgw_begin (void *context)
{
  struct libcgw *l = context;

  cgw_free (l->w);
  return cgw_open_fd (&l->w, l->names, l->sink->fd, &l->options) == CGW_OK
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

struct cgw_writer *
contender_writer (void *context)
{
  return ((struct libcgw *)context)->w;
}

#define LIBCGW(...)                                                           \
  {                                                                           \
    .open = libcgw_open, .close = libcgw_close, .begin = libcgw_begin,        \
    .cost = libcgw_cost, .call = libcgw_call, .end = libcgw_end, __VA_ARGS__  \
  }
const struct contender contender_libcgw = LIBCGW (.flags = 0),
                       contender_threads = LIBCGW (.flags = CGW_THREADS),
                       contender_no_pad = LIBCGW (.flags = CGW_NO_PAD),
                       contender_absolute
                       = LIBCGW (.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES),
                       contender_4k = LIBCGW (.buffer_size = 4096);
#undef LIBCGW
