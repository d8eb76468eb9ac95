/* stacks.h - a table of distinct stacks, with a count and costs each.

   Samples repeat: a stack that was seen before costs little more than hashing
   a few of its frames and comparing all.  sums.c turns the stacks into self
   costs and calls, when the profile is written, and keeps them.

   The first stack with the hash of its sample is kept by that hash; others by
   the hash of all their frames.  So the sample suffices for most stacks, and
   no choice of stacks makes many of them share a hash.

   With many stacks, look-ups miss the cache, so they must touch little memory.
   A stack has one word per frame, and each distinct frame is kept once,
   because frames repeat even more than stacks.  A slot has a hash and the
   offset of its stack, two words; the slots of table.h are half as large, but
   have room for small indices only, which would take one more look-up here.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STACKS_H
#define CGWI_STACKS_H 1

#include "table.h"

#include "cgw.h"

/* Return the names of a position, as cgwi_key_names does.  */
static inline uint64_t
cgwi_pos_names (const struct cgw_pos *at)
{
  return (uint64_t) at->file.handle << 32 | at->fn.handle;
}

/* Return the position of a key.  */
static inline struct cgw_pos
cgwi_position (const struct cgwi_key *s)
{
  return (struct cgw_pos){ { s->fn }, { s->file }, s->line, s->instr };
}

/* A stack.  Behind it are the costs of the events, then where the key of each
   frame is, in units of 8 bytes, the leaf first.  */
struct cgwi_stack
{
  uint64_t count;
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
  uint32_t line_mask; /* as those of the profile */
  uint64_t instr_mask;
  size_t n_costs;
  struct cgwi_stack_slot *slots;
  uint32_t mask;     /* the number of slots, a power of two, minus 1 */
  uint32_t n;
  size_t n_units;
  struct cgwi_array units; /* the stacks, one behind the other */
  /* The distinct frames, without costs.  They are as the caller gives them, so
     that they compare without being changed.  */
  struct cgwi_table keys;
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
                       size_t n_costs, const struct cgwi_factors *factors);

/* Return the first stack, or the one behind another; NULL: there is none.  */
struct cgwi_stack *cgwi_stacks_next (const struct cgwi_stacks *s,
                                     const struct cgwi_stack *stack);

/* Return a stack, or NULL.  f->hash is that by which it is, or would be,
   kept.  */
struct cgwi_stack *cgwi_stacks_find (const struct cgwi_stacks *s,
                                     struct cgwi_frames *f);

/* Add a stack that was looked for, with count and costs 0.  NULL: no
   memory.  */
struct cgwi_stack *cgwi_stacks_add (struct cgwi_stacks *s,
                                    const struct cgwi_memory *m,
                                    const struct cgwi_frames *f);

static inline const struct cgwi_key *
cgwi_stacks_key (const struct cgwi_stacks *s, uint32_t at)
{
  return (const void *) ((const uint64_t *) s->keys.entries.at + at);
}

/* Return a stack's frame; 0 is the leaf.  */
static inline struct cgw_pos
cgwi_stack_frame (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
                  size_t i)
{
  const uint32_t *frames = (const void *) &stack->costs[s->n_costs];

  return cgwi_position (cgwi_stacks_key (s, frames[i]));
}

/* Remove all stacks, and free the memory.  */
void cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m);

#endif
