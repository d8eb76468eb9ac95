/* by_hand.h - a call tracer as one writes it by hand: a stack of its own, and
   a hash table of edges.  Nothing is checked, and the stack does not grow.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BY_HAND_H
#define BY_HAND_H 1

#include "calls.h"

enum
{
  BY_HAND_DEPTH = 64,
  BY_HAND_EDGES = 1024 /* a power of two, and more than there are */
};

/* A place and what is called from it.  The costs of the function by itself
   are here, too: the sum over its callers.  */
struct by_hand_edge
{
  const struct cgw_pos *at;
  const struct cgw_pos *callee; /* NULL: no edge */
  uint64_t count;
  uint64_t inclusive;
  uint64_t self;
};

struct by_hand
{
  struct by_hand_edge edges[BY_HAND_EDGES];
  struct by_hand_level
  {
    struct by_hand_edge *edge;
    uint64_t start;
    uint64_t inner; /* cost of the calls below */
  } stack[BY_HAND_DEPTH], *top;
};

extern struct by_hand by_hand;

void by_hand_begin (void);
void by_hand_enter (const struct cgw_pos *at, const struct cgw_pos *callee,
                    uint64_t counter);
void by_hand_leave (uint64_t counter);

#endif /* BY_HAND_H */
