/* count.c - replays whose instructions valgrind counts (see count.sh).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>

static void
count_contender (const struct contender *c, const struct workload *w,
                 const char *name)
{
  struct sink sink = { .fd = -1 };
  struct entrant e;

  entrant_open (&e, c, w, &sink);
  bench_run (&e.script, c, e.context);
  printf ("replay %zu %s %s\n", e.script.n, c->name, name);
  entrant_close (&e);
}

/* The slow contenders would take minutes in all configurations.  */
static bool
counts_all (const struct configuration *c)
{
  return c->positions == CGW_INSTR_LINE && c->n_events != 9;
}

void
count_configuration (const struct configuration *c, const struct workload *w)
{
  for (size_t i = 0; i < N_CONTENDERS; i++)
    if (!contenders[i]->slow || counts_all (c))
      count_contender (contenders[i], w, c->name);
}

/* Two lengths: their difference is free of what comes once.  */
void
count_steps (void)
{
  static const size_t lengths[] = { 10000, 110000 };

  for (size_t i = 0; i < 2; i++)
    {
      struct workload w;
      workload_steps (&w, lengths[i], 1, 1);
      count_contender (&contender_libcgw, &w, "steps");
      count_contender (&contender_nothing, &w, "steps");
      workload_free (&w);
    }
}
