/* vcpu.h - what a virtual processor executes: how often each block, and who
   calls whom.  A program has one for each thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef VCPU_H
#define VCPU_H 1

#include "call_stack.h"
#include "jump_counts.h"

#include <stdbool.h>
#include <stdint.h>

/* The events of a profile, in this order: instructions, then reads and writes
   of memory and executed blocks, as far as they are wanted.  */
struct vcpu_events
{
  bool has_accesses;
  bool has_blocks;
};
enum
{
  EVENT_INSTRUCTIONS,
  EVENT_READS,
  EVENT_WRITES
};
static inline uint32_t
vcpu_event_blocks (struct vcpu_events e)
{
  return e.has_accesses ? 3 : 1;
}
static inline uint32_t
vcpu_n_events (struct vcpu_events e)
{
  return vcpu_event_blocks (e) + e.has_blocks;
}

struct vcpu
{
  uint32_t number; /* in the order of their beginnings, from 1 */
  struct boards boards;
  struct vcpu_events events;
  struct calls calls;
  bool *are_handlers;       /* of interrupts: what begins with a block, by its
                               number */
  uint32_t n_handlers;
  uint64_t save_at;         /* so many instructions */
  const struct block *last; /* NULL: none was executed yet */
  const struct function *function; /* of that, if it ended by a jump; else
                                      vcpu_no_function: what comes next may
                                      begin or end calls */
  const struct block *linked; /* a procedure linkage table has led on from this
                                 block; or NULL */
  bool is_resumed;          /* what a signal interrupted goes on */
  uint64_t *counts;         /* of executions, by the number of the block; the
                               first vcpu's are in the blocks */
  struct costs *linkage;    /* of what leads from a site to other objects, by
                               its number */
  uint32_t n_counts;
  uint32_t n_linkage;
  struct costs *accesses;   /* reads and writes of an instruction, by its
                               number */
  uint32_t n_accesses;
  bool has_jumps;
  struct jumps jumps;
};

#endif /* VCPU_H */
