/* rank.c - what each rank has to be reduced.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rank.h"

#include <stdio.h>
#include <stdlib.h>

/* Nanoseconds at a line: of different lengths, and other ones on each
   rank.  */
static uint64_t
cost_at (unsigned long rank, unsigned fn, unsigned line)
{
  return (UINT64_C (37) * fn + line) % 1009 * (1000 + rank % 17);
}

static struct cgw_fn
add (struct cgw_names *names, unsigned long rank, unsigned fn, bool same_names)
{
  char name[100];
  char file[40];

  if (same_names)
    snprintf (name, sizeof name, "solver::Grid<double>::update_%u(int)", fn);
  else
    snprintf (name, sizeof name, "solver::Grid<double>::update_%u(int, %lu)",
              fn, rank);
  snprintf (file, sizeof file, "src/grid_%u.cc", fn / 10);
  return cgw_add_fn (names, name, cgw_add_file (names, file),
                     cgw_add_object (names, "/opt/solver/bin/solver"));
}

static void
check (enum cgw_status status)
{
  if (status == CGW_OK)
    return;
  fprintf (stderr, "bench-mpi: %s\n", cgw_strerror (status));
  exit (EXIT_FAILURE);
}

void
rank_fill (struct cgw_names *names, struct cgw_profile *p, unsigned long rank,
           unsigned n, bool same_names)
{
  struct cgw_fn *fns = malloc (n * sizeof *fns);

  check (fns != NULL ? CGW_OK : CGW_ENOMEM);
  for (unsigned i = 0; i < n; i++)
    fns[i] = add (names, rank, i, same_names);
  for (unsigned i = 0; i < n; i++)
    {
      struct cgw_pos pos = { fns[i], { 0 }, 0, 0 };

      for (unsigned k = 0; k < RANK_LINES; k++)
        {
          uint64_t cost[RANK_EVENTS] = { cost_at (rank, i, k) };

          pos.line = 10 * i + k;
          pos.instr = 0x400000 + 64 * pos.line;
          check (cgw_profile_cost (p, &pos, cost, RANK_EVENTS));
        }
      for (unsigned k = 0; k < RANK_CALLS; k++)
        {
          uint64_t cost[RANK_EVENTS] = { 5 * cost_at (rank, i, k) };
          struct cgw_pos to = { fns[(i + 7 * k + 1) % n], { 0 }, 0, 0 };

          check (cgw_profile_call (p, &pos, &to, 100 + rank % 7, cost,
                                   RANK_EVENTS));
        }
    }
  free (fns);
}

uint64_t
rank_total (unsigned long rank, unsigned n)
{
  uint64_t total = 0;

  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < RANK_LINES; k++)
      total += cost_at (rank, i, k);
  return total;
}
