/* way_profile.c - a tool that adds up before it writes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ways.h"

#include <stdlib.h>

struct summed
{
  struct cgw_profile *p;
  void *libcgw; /* contender_libcgw's context */
  struct sink *sink;
};

static void *
summed_open (const struct workload *w, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  struct summed *s = bench_allocate (1, sizeof *s);

  s->sink = sink;
  s->libcgw = contender_libcgw.open (w, sink, setup, script);
  if (cgw_profile_new (&s->p, contender_names (s->libcgw), script->n_events,
                       w->positions)
      != CGW_OK)
    bench_fail ("cgw_profile_new");
  return s;
}

struct cgw_profile *
way_profile_sums (void *context)
{
  return ((struct summed *)context)->p;
}

struct cgw_names *
way_profile_names (void *context)
{
  return contender_names (((struct summed *)context)->libcgw);
}

static void
summed_close (void *context)
{
  struct summed *s = context;

  cgw_profile_free (s->p);
  contender_libcgw.close (s->libcgw);
  free (s);
}

static bool
summed_begin (void *context)
{
  struct summed *s = context;

  return cgw_profile_clear (s->p) == CGW_OK
         && cgw_reset (contender_writer (s->libcgw), s->sink->fd) == CGW_OK;
}

static int
summed_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  return (int)cgw_profile_cost (((struct summed *)context)->p, pos, cost, n);
}

static int
summed_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  return (int)cgw_profile_call (((struct summed *)context)->p, from, to, count,
                                inclusive_cost, n);
}

static bool
summed_end (void *context)
{
  struct summed *s = context;

  return cgw_profile_write (s->p, contender_writer (s->libcgw),
                            contender_part (s->libcgw))
             == CGW_OK
         && contender_libcgw.end (s->libcgw);
}

const struct contender way_profile = { .name = "libcgw",
                                       .open = summed_open,
                                       .close = summed_close,
                                       .begin = summed_begin,
                                       .cost = summed_cost,
                                       .call = summed_call,
                                       .end = summed_end,
                                       .check = check_strict };
