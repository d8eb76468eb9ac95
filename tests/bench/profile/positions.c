/* positions.c - many positions in random order.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "positions.h"

#include <stdlib.h>

enum
{
  PER_FN = 100, /* positions */
  PER_FILE = 10 /* functions */
};

static void
add_position (struct workload *w, size_t i)
{
  workload_add (w, i / PER_FN, 0x401000 + 5 * i,
                (uint32_t)(1 + i / 3 % 10000));
}

void
positions_make (struct workload *w, size_t n)
{
  size_t n_fns = (n + PER_FN - 1) / PER_FN;
  uint32_t *order = workload_order (n);

  workload_empty (w, 2 * n, 1, n_fns, (n_fns + PER_FILE - 1) / PER_FILE);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[i]);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[order[i]]);
  free (order);
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) int
profile_replay_costs (add_cost *add, struct cgw_profile *p,
                      const struct script *s, size_t n, size_t times)
{
  int failed = 0;

  for (size_t i = 0; i < times; i++)
    for (size_t k = 0; k < n; k++)
      failed |= (int)add (p, &s->events[k].pos, &s->costs[k], 1);
  return failed;
}
