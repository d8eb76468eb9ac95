/* stacks.h - call stacks as samples of a program have them.

   The program: 2,000 functions.  Half of them call from one place only, the
   others from two to eight; each place calls one other function.  A sample
   starts in the first function and goes down 29 calls: of a function's places
   the first is taken with probability 1/2, else the second with 1/2, and so
   on.  It ends at one of 16 addresses of the function where it is then.
   Functions can recur.  Of equal stacks one is kept.

   So stacks share their outer frames, and calls that are deep in different
   stacks are still the same few thousand edges.  In the other shape,
   STACKS_OWN_PLACES, each place of the call tree calls from an address of its
   own, as if all were inlined or compiled anew: nearly as many edges as places
   in the tree, the most that stacks can have.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STACKS_H
#define STACKS_H 1

#include "../contender.h"

enum
{
  STACKS_DEPTH = 30
};

enum stacks_shape
{
  STACKS_PROGRAM,
  STACKS_OWN_PLACES,
  STACKS_SHAPES
};

struct stacks
{
  struct workload frames; /* as records: of each stack the leaf first */
  size_t n;
  size_t n_places; /* in the call tree */
  size_t n_edges;  /* a position and a function called from it */
  /* What is added, one after another, in a scattered order, each of the
     distinct stacks as often as another: a record is a stack, whose number is
     in pos.instr.  One record more is behind them.  */
  struct script added;
};

/* A profiler has just unwound the stack that it adds, so the frames are in the
   cache.  Brings them there for the stack behind the one at pos; size is that
   of a frame.  */
static inline void
stacks_unwind_next (const struct cgw_pos *pos, const void *frames, size_t size)
{
  size_t stack = STACKS_DEPTH * size;
  const char *next
      = (const char *)frames
        + ((const struct bench_event *)(const void *)pos)[1].pos.instr * stack;

  for (size_t i = 0; i < stack; i += 64)
    __builtin_prefetch (next + i);
}

/* n distinct stacks, and `added` of them.  */
void stacks_make (struct stacks *s, size_t n, size_t added,
                  enum stacks_shape shape);
void stacks_free (struct stacks *s);

/* Those who add stacks.  The workload that they are given is that of the
   frames, in a struct stacks.  */
extern const struct contender stacks_libcgw; /* cgw_profile_stack */

/* Each stack expanded to its edges, in a table of the benchmark's own.  */
extern const struct contender stacks_expanded;

#endif /* STACKS_H */
