/* entrant.c - runs contenders.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdio.h>

void
entrant_open (struct entrant *e, const struct contender *c,
              const struct workload *w, struct sink *sink,
              const struct setup *setup)
{
  *e = (struct entrant){ .contender = c, .sink = sink, .script = w->script,
                         .times = 1 };
  e->context = c->open (w, sink, setup, &e->script);
}

void
entrant_close (struct entrant *e)
{
  e->contender->close (e->context);
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) int
counted_records (const struct script *s, const struct contender *c,
                 void *context)
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

void
entrant_begin (struct entrant *e)
{
  sink_restart (e->sink);
  if (!e->contender->begin (e->context))
    bench_fail (e->contender->name);
}

double
entrant_replay (struct entrant *e, size_t first, size_t n)
{
  struct script s = e->script;

  s.events += first;
  s.costs += first * s.n_events;
  s.n = n;
  double start = bench_time ();
  int failed = counted_records (&s, e->contender, e->context);
  double end = bench_time ();
  if (failed)
    bench_fail (e->contender->name);
  return end - start;
}

double
entrant_end (struct entrant *e)
{
  double start = bench_time ();
  bool ok = e->contender->end (e->context);
  double end = bench_time ();

  if (!ok)
    bench_fail (e->contender->name);
  return end - start;
}

double
entrant_run (struct entrant *e)
{
  double ns = 0;

  entrant_begin (e);
  for (size_t i = 0; i < e->times; i++)
    ns += entrant_replay (e, 0, e->script.n);
  ns += entrant_end (e);
  if (e->contender->apart)
    ns -= e->contender->apart (e->context);
  return ns / (double)(e->times * e->script.n);
}

bool
entrant_check (struct entrant *e, const struct workload *truth,
               const char *what, const char *where, size_t *n)
{
  struct workload sums;
  char why[512];
  bool ok = true;

  workload_multiply (&sums, truth, e->times);
  e->sink->keep = true;
  for (int run = 1; ok && run <= 2; run++)
    {
      entrant_run (e);
      const char *bytes = sink_bytes (e->sink, n);
      ok = e->reader_flags
               ? check_text (&sums, bytes, *n, e->reader_flags, why,
                             sizeof why)
               : e->contender->check (&sums, bytes, *n, why, sizeof why);
      if (!ok)
        fprintf (stderr, "%s, %s, run %d: wrong: %s\n", what, where, run,
                 why);
    }
  sink_forget (e->sink);
  workload_free (&sums);
  return ok;
}

static void
run (void *context, size_t i, double *values)
{
  struct entrant *e = context;

  values[0] = entrant_run (&e[i]);
}

void
run_entrants (struct entrant *e, size_t n, size_t runs, struct quartiles *q)
{
  run_rounds (n, 1, runs, run, e, q);
}
