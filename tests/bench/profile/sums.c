/* sums.c - what a table added up, written through the library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../replay.h"
#include "positions.h"

#include <stdlib.h>
#include <string.h>

void
sums_open (struct sums *s, const struct workload *from, size_t n)
{
  s->w = *from;
  s->w.borrowed = true;
  s->w.script = (struct script){ .n_events = from->script.n_events };
  s->w.script.events = bench_allocate (n, sizeof *s->w.script.events);
  s->w.script.costs
      = bench_allocate (n * s->w.script.n_events, sizeof *s->w.script.costs);
  s->room = n;
}

void
sums_take (struct sums *s, const struct cgw_pos *pos, const uint64_t *cost)
{
  struct script *script = &s->w.script;

  if (script->n == s->room)
    abort ();
  script->events[script->n].pos = *pos;
  memcpy (&script->costs[script->n * script->n_events], cost,
          script->n_events * sizeof *cost);
  script->n++;
}

bool
sums_write (struct sums *s, struct sink *sink)
{
  const struct contender *c = &contender_libcgw;
  struct script script = s->w.script;
  void *context = c->open (&s->w, sink, &script);
  bool ok = c->begin (context) && bench_replay (&script, c, context) == 0
            && c->end (context);

  c->close (context);
  workload_free (&s->w);
  return ok;
}
