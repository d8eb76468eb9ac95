/* by_hand.c - a call tracer as one writes it by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "by_hand.h"

#include <string.h>

struct by_hand by_hand;

void
by_hand_begin (void)
{
  memset (&by_hand, 0, sizeof by_hand);
  by_hand.top = by_hand.stack;
}

static struct by_hand_edge *
find_edge (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  uint64_t h = ((uintptr_t)at * 31 + (uintptr_t)callee) * 0x9e3779b97f4a7c15u;
  size_t i = (size_t)(h >> 40);
  struct by_hand_edge *e;

  for (;; i++)
    {
      e = &by_hand.edges[i % BY_HAND_EDGES];
      if (e->callee == callee && e->at == at)
        return e;
      if (!e->callee)
        break;
    }
  e->at = at;
  e->callee = callee;
  return e;
}

void
by_hand_enter (const struct cgw_pos *at, const struct cgw_pos *callee,
               uint64_t counter)
{
  *by_hand.top++
      = (struct by_hand_level){ find_edge (at, callee), counter, 0 };
}

void
by_hand_leave (uint64_t counter)
{
  struct by_hand_level *level = --by_hand.top;
  struct by_hand_edge *edge = level->edge;
  uint64_t cost = counter - level->start;

  edge->count++;
  edge->inclusive += cost;
  edge->self += cost - level->inner;
  if (level > by_hand.stack)
    level[-1].inner += cost;
}
