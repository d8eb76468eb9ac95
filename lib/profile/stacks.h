/* stacks.h - whole stacks, each once, with a count and costs.

   Samples repeat: a stack that was seen before costs little more than hashing
   and comparing its frames.  expand.h turns the stacks into self costs and
   calls, when the profile is written.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STACKS_H
#define CGWI_STACKS_H 1

#include "spot.h"

/* An entry of the table of stacks, before its costs.  */
struct cgwi_stack
{
  uint64_t hash;
  uint64_t count;
  size_t first;      /* of its frames, in the list; the leaf */
  uint32_t n_frames;
  uint32_t unused;
};

struct cgwi_stacks
{
  struct cgwi_table table;
  /* The distinct frames, without costs.  They have handles instead of
     indices: so a frame compares with the caller's as it is.  */
  struct cgwi_table spots;
  uint32_t *frames;        /* of all stacks: indices of spots */
  size_t n_frames;
  size_t capacity;
};

void cgwi_stacks_init (struct cgwi_stacks *s, size_t n_costs);

static inline struct cgwi_stack *
cgwi_stacks_at (const struct cgwi_stacks *s, uint32_t index)
{
  return cgwi_table_entry (&s->table, index);
}

/* Return a stack's frame, which has handles; 0 is the leaf.  */
static inline const struct cgwi_spot *
cgwi_stack_frame (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
                  size_t i)
{
  return cgwi_table_entry (&s->spots, s->frames[stack->first + i]);
}

/* Make room for one more stack of that many frames.  False: no memory.  */
bool cgwi_stacks_reserve (struct cgwi_stacks *s, const struct cgwi_memory *m,
                          size_t n_frames);

/* Append a frame of the stack that is being added.  False: no memory.  */
bool cgwi_stacks_push (struct cgwi_stacks *s, const struct cgwi_memory *m,
                       const struct cgwi_spot *frame);

/* Add the stack of the last n_frames frames, or drop them.  Return its
   index.  */
uint32_t cgwi_stacks_end (struct cgwi_stacks *s, uint64_t hash,
                          uint32_t n_frames);
void cgwi_stacks_drop (struct cgwi_stacks *s, size_t n_frames);

/* Remove the stacks that were added last, until n are left.  */
void cgwi_stacks_truncate (struct cgwi_stacks *s, uint32_t n);

/* Remove all stacks, and free the memory.  */
void cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m);

#endif
