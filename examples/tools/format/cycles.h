/* cycles.h - which nodes of a graph are in a cycle with each other.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CYCLES_H
#define CYCLES_H 1

#include <stdint.h>

struct cycles_edge
{
  uint32_t from;
  uint32_t to;
};

/* Returns a number below n for each of n nodes, which is the same for those that
   reach each other.  The memory is to be freed.  */
uint32_t *cycles_find (uint32_t n, const struct cycles_edge *edges,
                       uint32_t n_edges);

#endif /* CYCLES_H */
