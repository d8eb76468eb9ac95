/* replay.c - runs a contender once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) int
bench_replay (const struct script *s, const struct contender *c, void *context)
{
  const struct bench_event *end = s->events + s->n;
  const uint64_t *cost = s->costs;
  int failed = 0;

  for (const struct bench_event *e = s->events; e < end; e++)
    {
      if (e->call == 0)
        failed |= c->cost (context, &e->pos, cost, s->n_events);
      else
        {
          const struct bench_call *call = &s->calls[e->call - 1];
          failed |= c->call (context, &e->pos, &call->to, call->count, cost,
                             s->n_events);
        }
      cost += s->n_events;
    }
  return failed;
}

double
bench_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double
bench_run_times (const struct script *s, const struct contender *c,
                 void *context, size_t times)
{
  double start = bench_time ();
  bool ok = c->begin (context);
  for (size_t i = 0; ok && i < times; i++)
    ok = bench_replay (s, c, context) == 0;
  ok = ok && c->end (context);
  double end = bench_time ();

  if (!ok)
    {
      fprintf (stderr, "bench: %s failed\n", c->name);
      exit (1);
    }
  return end - start;
}

double
bench_run (const struct script *s, const struct contender *c, void *context)
{
  return bench_run_times (s, c, context, 1);
}
