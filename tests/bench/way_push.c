/* way_push.c - what a handler does that has only addresses: it pushes.  The
   samples are drained in between, into the sink, and that time is told apart.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ways.h"

#include <stdlib.h>
#include <string.h>

enum
{
  SLOTS = 4096
};

struct pushes
{
  void *memory;
  size_t n_events;
  struct cgw_recorder *recorder;
  size_t waiting;
  double drained; /* ns */
  struct sink *sink;
};

static void *
pushes_open (const struct workload *w, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  struct pushes *p = bench_allocate (1, sizeof *p);

  (void)w, (void)setup;
  p->sink = sink;
  p->n_events = script->n_events;
  p->memory = bench_allocate (cgw_recorder_size (SLOTS, 1, p->n_events), 1);
  return p;
}

static void
pushes_close (void *context)
{
  struct pushes *p = context;

  free (p->memory);
  free (p);
}

static bool
pushes_begin (void *context)
{
  struct pushes *p = context;

  p->recorder = cgw_recorder_init (p->memory, SLOTS, 1, p->n_events);
  p->waiting = 0;
  p->drained = 0;
  return p->recorder != NULL;
}

static void
take (void *context, const struct cgw_sample *sample)
{
  sink_write (context, sample->frames, sizeof *sample->frames);
  sink_write (context, sample->cost, sample->n_costs * sizeof *sample->cost);
}

static void
drain (struct pushes *p)
{
  double start = bench_time ();

  cgw_recorder_drain (p->recorder, take, p->sink);
  p->waiting = 0;
  p->drained += bench_time () - start;
}

static int
pushes_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  struct pushes *p = context;

  if (p->waiting++ == SLOTS)
    {
      drain (p);
      p->waiting = 1;
    }
  return (int)cgw_recorder_push (p->recorder, 0, &pos->instr, 1, cost, n);
}

static int
pushes_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  (void)to, (void)count;
  return pushes_cost (context, from, inclusive_cost, n);
}

static bool
pushes_end (void *context)
{
  drain (context);
  return true;
}

/* The same samples in the same order.  */
static bool
check_samples (const struct workload *w, const char *bytes, size_t n,
               char *why, size_t size)
{
  const struct script *s = &w->script;
  size_t of_costs = s->n_events * sizeof *s->costs;
  size_t each = sizeof (uint64_t) + of_costs;

  if (n != s->n * each)
    {
      snprintf (why, size, "%zu bytes of samples", n);
      return false;
    }
  for (size_t i = 0; i < s->n; i++, bytes += each)
    if (memcmp (bytes, &s->events[i].pos.instr, sizeof (uint64_t)) != 0
        || memcmp (bytes + sizeof (uint64_t), &s->costs[i * s->n_events],
                   of_costs)
               != 0)
      {
        snprintf (why, size, "sample %zu", i);
        return false;
      }
  return true;
}

static double
pushes_drained (void *context)
{
  return ((struct pushes *)context)->drained;
}

const struct contender way_push = { .name = "push",
                                    .open = pushes_open,
                                    .close = pushes_close,
                                    .begin = pushes_begin,
                                    .cost = pushes_cost,
                                    .call = pushes_call,
                                    .end = pushes_end,
                                    .check = check_samples,
                                    .apart = pushes_drained };
