/* stacks.h - a table of distinct stacks, with a count and costs each.

   Samples repeat: a stack that was seen before costs little more than hashing
   and comparing its frames.  expand.h turns the stacks into self costs and
   calls, when the profile is written.

   With many stacks, look-ups miss the cache, so they must touch little memory.
   A slot has the offset of its stack; a stack has one word per frame; and each
   distinct frame is kept once, because frames repeat even more than stacks.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STACKS_H
#define CGWI_STACKS_H 1

#include "spot.h"

#include "cgw.h"

/* A stack.  Behind it are the costs of the events, then where the spot of each
   frame is, in units of 8 bytes, the leaf first.  */
struct cgwi_stack
{
  uint64_t count;    /* 0: it has been expanded */
  uint32_t n_frames;
  uint32_t size;     /* of all, in units of 8 bytes */
  uint64_t costs[];
};

/* Open addressing.  */
struct cgwi_stack_slot
{
  uint32_t hash;
  uint32_t at; /* where the stack is, in units of 8 bytes, plus 1; or 0 */
};

struct cgwi_stacks
{
  unsigned positions;
  size_t n_costs;
  struct cgwi_stack_slot *slots;
  uint32_t mask;     /* the number of slots, a power of two, minus 1 */
  uint32_t n;        /* of stacks that have a slot */
  uint32_t most;
  uint64_t *units;   /* the stacks, one behind the other */
  size_t n_units;
  size_t capacity;
  /* The distinct frames, without costs.  They have handles instead of indices,
     so that they compare with the caller's as they are.  */
  struct cgwi_table spots;
};

/* A stack as the caller gives it.  */
struct cgwi_frames
{
  const struct cgw_pos *at; /* the leaf first */
  uint32_t n;
  uint32_t root;            /* handle of a function outside all, or 0 */
  uint32_t hash;
};

void cgwi_stacks_init (struct cgwi_stacks *s, unsigned positions,
                       size_t n_costs);

/* Return the first stack, or the one behind another; NULL: there is none.  */
struct cgwi_stack *cgwi_stacks_next (const struct cgwi_stacks *s,
                                     const struct cgwi_stack *stack);

/* Return a stack, or NULL.  Set the hash of f.  */
struct cgwi_stack *cgwi_stacks_find (const struct cgwi_stacks *s,
                                     struct cgwi_frames *f);

/* Add a stack that was looked for, with count and costs 0.  NULL: no
   memory.  */
struct cgwi_stack *cgwi_stacks_add (struct cgwi_stacks *s,
                                    const struct cgwi_memory *m,
                                    const struct cgwi_frames *f);

/* The same, but do not let it be found: it is to be dropped.  */
struct cgwi_stack *cgwi_stacks_push (struct cgwi_stacks *s,
                                     const struct cgwi_memory *m,
                                     const struct cgwi_frames *f);
void cgwi_stacks_drop (struct cgwi_stacks *s, const struct cgwi_stack *last);

static inline const struct cgwi_spot *
cgwi_stacks_spot (const struct cgwi_stacks *s, uint32_t at)
{
  return (const void *) (s->spots.entries + (size_t) at * 8);
}

/* Return a stack's frame, which has handles; 0 is the leaf.  */
static inline const struct cgwi_spot *
cgwi_stack_frame (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
                  size_t i)
{
  const uint32_t *frames = (const void *) &stack->costs[s->n_costs];

  return cgwi_stacks_spot (s, frames[i]);
}

/* Remove all stacks, and free the memory.  */
void cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m);

#endif
