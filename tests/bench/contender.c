/* contender.c - runs contenders; and one that writes nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include "../support/reader.h"

#include <stdio.h>
#include <stdlib.h>

void
entrant_open (struct entrant *e, const struct contender *c,
              const struct workload *w, struct sink *sink)
{
  *e = (struct entrant){ c, c->open (c, w, sink), sink, w->script };
}

void
entrant_close (struct entrant *e)
{
  e->contender->close (e->context);
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) static int
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
    bench_fail ("a contender");
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
    bench_fail ("a contender");
  return end - start;
}

double
entrant_end (struct entrant *e)
{
  double start = bench_time ();
  bool ok = e->contender->end (e->context);
  double end = bench_time ();

  if (!ok)
    bench_fail ("a contender");
  return end - start;
}

double
entrant_run (struct entrant *e)
{
  entrant_begin (e);
  double ns = entrant_replay (e, 0, e->script.n);
  return (ns + entrant_end (e)) / (double)e->script.n;
}

struct profile *
read_sink (struct sink *s, const char *name)
{
  char why[512];
  struct profile *p
      = profile_read (s->bytes, s->n, READER_LENIENT, why, sizeof why);

  sink_forget (s);
  if (!p)
    {
      fprintf (stderr, "bench: %s: wrong: %s\n", name, why);
      exit (1);
    }
  return p;
}

struct profile *
entrant_read (struct entrant *e, const char *name, size_t *n)
{
  e->sink->keep = true;
  entrant_run (e);
  *n = e->sink->n;
  return read_sink (e->sink, name);
}

void
must_be_same (const struct profile *a, const struct profile *b,
              const char *group, const char *name)
{
  char why[512];

  if (profile_same (a, b, why, sizeof why))
    return;
  fprintf (stderr, "bench: %s, %s: wrong: %s\n", group, name, why);
  exit (1);
}

/* What the replay itself costs.  */

static void *
nothing_open (const struct contender *c, const struct workload *w,
              struct sink *sink)
{
  (void)c, (void)w;
  return sink;
}

static void
nothing_close (void *context)
{
  (void)context;
}

static bool
nothing_begin (void *context)
{
  (void)context;
  return true;
}

static int
nothing_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  (void)context, (void)pos, (void)cost, (void)n;
  return 0;
}

static int
nothing_call (void *context, const struct cgw_pos *from,
              const struct cgw_pos *to, uint64_t count,
              const uint64_t *inclusive_cost, size_t n)
{
  (void)context, (void)from, (void)to, (void)count;
  (void)inclusive_cost, (void)n;
  return 0;
}

const struct contender contender_nothing = { .open = nothing_open,
                                             .close = nothing_close,
                                             .begin = nothing_begin,
                                             .cost = nothing_cost,
                                             .call = nothing_call,
                                             .end = nothing_begin };
