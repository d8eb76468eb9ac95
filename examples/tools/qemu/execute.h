/* execute.h - counts what a virtual processor executes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef EXECUTE_H
#define EXECUTE_H 1

#include "vcpu.h"

#include <cgw.h>

/* No block is of this function.  */
extern const struct function vcpu_no_function;

struct vcpu *vcpu_new (uint32_t number, uint32_t index, bool is_system,
                       struct vcpu_events events, bool has_jumps);

/* From the beginning, contexts are counted, not lines: vcpu_move moves those.  */
void vcpu_want_contexts (struct vcpu *v, struct cgw_names *names);

void vcpu_free (struct vcpu *v);

/* A block was executed, of the running function, which does not count.  */
static inline void
vcpu_pass (struct vcpu *v, const struct block *block)
{
  if (block->transfer != TRANSFER_JUMP)
    v->function = &vcpu_no_function;
  v->last = block;
}

/* Where the executions of a block count.  */
static inline bool
vcpu_has_count (const struct vcpu *v, const struct block *block)
{
  return v->boards.vcpu == 0 || block->number < v->n_counts;
}

/* A block of the running function was executed, which counts.  */
static inline void
vcpu_count (struct vcpu *v, struct block *block)
{
  vcpu_pass (v, block);
  if (v->boards.vcpu == 0)
    block->executions.first++;
  else
    v->counts[block->number]++;
  v->calls.counters.of[EVENT_INSTRUCTIONS] += block->n;
  if (v->events.has_blocks)
    v->calls.counters.of[vcpu_event_blocks (v->events)]++;
}

/* A block is executed.  It counts if calls do.  */
void vcpu_execute (struct vcpu *v, struct block *block);

/* A usual block is executed, where all count, and jumps do not.  */
void vcpu_follow (struct vcpu *v, struct block *block);
static inline void
vcpu_execute_usual (struct vcpu *v, struct block *block)
{
  if (block->function != v->function || !vcpu_has_count (v, block))
    vcpu_follow (v, block);
  else
    vcpu_count (v, block);
}

/* What a signal interrupted goes on with the next block.  */
void vcpu_resume (struct vcpu *v);

/* The instruction of a number reads or writes memory.  VCPU_LINKAGE is any one
   of a procedure linkage table.  */
#define VCPU_LINKAGE UINT32_MAX
void vcpu_access (struct vcpu *v, uint32_t instruction, bool is_write);

/* Moves all that was executed since the last time to a profile and to counts of
   jumps.  Calls that are open stay so.  */
void vcpu_move (struct vcpu *v, struct cgw_profile *profile,
                struct jumps *jumps);

/* Forgets what was executed, but for the open calls.  */
void vcpu_forget (struct vcpu *v);

/* For a vcpu of the parent whose thread is not in a forked child: clears QEMU's
   numbers, which another vcpu may get.  The rest stays as it is, for the thread
   may have been about to change it.  */
void vcpu_abandon (struct vcpu *v);

#endif /* EXECUTE_H */
