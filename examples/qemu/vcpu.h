/* vcpu.h - what a virtual processor executes: how often each block, and who
   calls whom.  A program has one for each thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef VCPU_H
#define VCPU_H 1

#include "guest.h"

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
  EVENT_WRITES,
  EVENTS_MAX = 4
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

/* What a vcpu has executed of a block.  */
struct executed
{
  uint64_t count;
  uint64_t linkage[EVENT_WRITES + 1]; /* what led from here to other objects */
  const struct function *callee;      /* the last one, and the call of it */
  struct cgw_edge edge;
};

/* Reads and writes of an instruction.  */
struct accesses
{
  uint64_t reads;
  uint64_t writes;
};

/* An open call.  */
struct frame
{
  const struct function *function;
  uint64_t back;            /* the return address; 0: unknown */
  const struct block *site; /* what called; NULL: nothing here */
  const struct function *expected; /* what the site called before, or NULL */
  bool is_trampoline;       /* it was reached by a return */
};

struct vcpu
{
  uint32_t number; /* in the order of their beginnings, from 1 */
  struct cgw_profile *profile;
  struct cgw_tracer *tracer;
  struct vcpu_events events;
  uint64_t counters[EVENTS_MAX];
  uint64_t save_at;         /* so many instructions */
  const struct block *last; /* NULL: none was executed yet */
  struct frame *frames;     /* as many as the tracer has open calls */
  uint32_t n_frames;
  struct executed *executed; /* by the number of the block */
  uint32_t n_executed;
  struct accesses *accesses; /* by the number of the instruction */
  uint32_t n_accesses;
};

struct vcpu *vcpu_new (uint32_t number, struct cgw_names *names,
                       struct vcpu_events events);
void vcpu_free (struct vcpu *v);

/* A block is executed.  */
void vcpu_execute (struct vcpu *v, struct block *block);

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
