/* vcpu.h - what a virtual processor executes: how often each block, and who
   calls whom.  A program has one for each thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef VCPU_H
#define VCPU_H 1

#include "calls.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* The events of a profile, in this order: instructions, then reads and writes of
   memory and executed blocks, as far as they are wanted.  */
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
  struct vcpu_events events;
  struct calls calls;
  bool *are_handlers;       /* of interrupts: functions by number */
  uint32_t n_handlers;
  uint64_t save_at;         /* so many instructions */
  const struct block *last; /* NULL: none was executed yet */
  const struct function *function; /* of that, if it ended by a jump; else
                                      vcpu_no_function: what comes next may
                                      begin or end calls */
  bool is_resumed;          /* what a signal interrupted goes on */
  uint64_t *counts;         /* of executions, by the number of the block */
  struct costs *linkage;    /* of what leads from a site to other objects, by its
                               number */
  uint32_t n_counts;
  uint32_t n_linkage;
  struct costs *accesses;   /* reads and writes of an instruction, by its
                               number */
  uint32_t n_accesses;
};

/* No block is of this function.  */
extern const struct function vcpu_no_function;

struct vcpu *vcpu_new (uint32_t number, bool is_system,
                       struct vcpu_events events);
void vcpu_free (struct vcpu *v);

/* A block was executed, of the running function, which does not count.  */
static inline void
vcpu_pass (struct vcpu *v, const struct block *block)
{
  if (block->transfer != TRANSFER_JUMP)
    v->function = &vcpu_no_function;
  v->last = block;
}

/* The same, of one that counts.  */
static inline void
vcpu_count (struct vcpu *v, const struct block *block)
{
  vcpu_pass (v, block);
  v->counts[block->number]++;
  v->calls.counters.of[EVENT_INSTRUCTIONS] += block->n;
  if (v->events.has_blocks)
    v->calls.counters.of[vcpu_event_blocks (v->events)]++;
}

/* A block is executed.  It counts if calls do.  */
void vcpu_execute (struct vcpu *v, struct block *block);

/* What a signal interrupted goes on with the next block.  */
void vcpu_resume (struct vcpu *v);

/* The same, of a usual block.  False: it may begin or end calls, or has no count
   yet, and vcpu_execute is to be called.  */
static inline bool
vcpu_execute_next (struct vcpu *v, const struct block *block)
{
  if (block->function != v->function || block->number >= v->n_counts)
    return false;
  vcpu_count (v, block);
  return true;
}

/* The instruction of a number reads or writes memory.  VCPU_LINKAGE is any one of
   a procedure linkage table.  */
#define VCPU_LINKAGE UINT32_MAX
void vcpu_access (struct vcpu *v, uint32_t instruction, bool is_write);

/* Moves all that was executed since the last time to a profile.  Calls that are
   open stay so.  */
void vcpu_move (struct vcpu *v, struct cgw_profile *profile);

/* Forgets what was executed, but for the open calls.  */
void vcpu_forget (struct vcpu *v);

#endif /* VCPU_H */
