/* growth_lines.c - cost per line from 10^4 to 10^8 lines: the same records
   over and over, so that what is read stays in the cache.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "growth.h"
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  LEAST = 4,
  MOST = 9,
  BLOCK = 10000,
  FNS = 100
};

/* How often a size is run in one round: the small ones take no time.  */
static size_t
repeats (unsigned digits)
{
  return digits <= 5 ? 20 : digits == 6 ? 5 : 1;
}

/* ns per line of all runs of one size.  */
struct sample
{
  double *values;
  size_t n;
  struct quartiles q;
};

static void
run_size (struct grown *g, unsigned digits, struct sample *s)
{
  size_t times = 1;

  for (unsigned i = LEAST; i < digits; i++)
    times *= 10;
  for (size_t i = 0; i < repeats (digits); i++)
    s->values[s->n++]
        = grown_run (g, 0, times) / ((double)times * (double)BLOCK);
}

static void
print_sizes (struct sample samples[MOST + 1], unsigned most, size_t n_events)
{
  char name[32];

  printf (
      "\nns per cost line, instr+line, %zu counter%s: median (quartiles)\n",
      n_events, n_events == 1 ? "" : "s");
  snprintf (name, sizeof name, "ns_line_%zu", n_events);
  for (unsigned i = LEAST; i <= most; i++)
    {
      struct quartiles *q = &samples[i].q;
      *q = quartiles (samples[i].values, samples[i].n);
      printf ("  10^%u lines %8.2f (%.2f - %.2f)\n", i, q->median, q->first,
              q->third);
    }
  for (unsigned i = LEAST; i <= most; i++)
    print_power (name, i, samples[i].q.median);
  snprintf (name, sizeof name, "growth_percent_lines_%zu", n_events);
  print_figure (
      name, "", "",
      100 * (samples[most].q.median / samples[LEAST + 1].q.median - 1));
}

static void
grow_counters (size_t n_events, unsigned most, size_t runs)
{
  struct grown g;
  struct sample samples[MOST + 1] = { { .n = 0 } };

  workload_steps (&g.w, BLOCK, n_events, FNS);
  grown_open (&g);
  for (unsigned i = LEAST; i <= most; i++)
    samples[i].values
        = bench_allocate (runs * repeats (i), sizeof *samples[i].values);
  for (size_t run = 0; run < runs; run++)
    for (unsigned i = LEAST; i <= most; i++)
      run_size (&g, i, &samples[i]);
  print_sizes (samples, most, n_events);
  for (unsigned i = LEAST; i <= most; i++)
    free (samples[i].values);
  grown_close (&g);
}

void
grow_lines (unsigned most, size_t runs)
{
  grow_counters (1, most, runs);
  grow_counters (13, most, runs);
}
