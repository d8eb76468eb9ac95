/* execute.c - counts what a virtual processor executes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "execute.h"

#include "../base/memory.h"
#include "follow.h"

#include <stdlib.h>
#include <string.h>

const struct function vcpu_no_function;

struct vcpu *
vcpu_new (uint32_t number, uint32_t index, bool is_system,
          struct vcpu_events events, bool has_jumps)
{
  struct vcpu *v = resize (NULL, 1, sizeof *v);

  memset (v, 0, sizeof *v);
  v->function = &vcpu_no_function;
  v->number = number;
  v->boards.vcpu = index;
  v->events = events;
  v->has_jumps = has_jumps;
  jumps_begin (&v->jumps);
  calls_begin (&v->calls, vcpu_n_events (events), is_system);
  return v;
}

void
vcpu_want_contexts (struct vcpu *v, struct cgw_names *names)
{
  calls_want_contexts (&v->calls, names, v->number);
}

void
vcpu_free (struct vcpu *v)
{
  calls_free (&v->calls);
  free (v->are_handlers);
  free (v->counts);
  free (v->linkage);
  free (v->accesses);
  free (v->boards.boards);
  jumps_free (&v->jumps);
  free (v);
}

/* Execution.  */

/* What leads to another object is a cost of the block that called.  */

static void
add_linkage (struct vcpu *v, uint32_t event, uint64_t cost)
{
  uint32_t site = v->last->site;

  v->linkage
      = resize_for (v->linkage, site, &v->n_linkage, sizeof *v->linkage);
  v->linkage[site].of[event] += cost;
}

static void
count_linkage (struct vcpu *v, const struct block *block)
{
  if (!v->calls.is_counting)
    return;
  add_linkage (v, EVENT_INSTRUCTIONS, block->n);
  v->calls.counters.of[EVENT_INSTRUCTIONS] += block->n;
  if (v->events.has_blocks)
    {
      add_linkage (v, vcpu_event_blocks (v->events), 1);
      v->calls.counters.of[vcpu_event_blocks (v->events)]++;
    }
}

/* Whether a block of another kind belongs to the one before.  */
static bool
pass (struct vcpu *v, const struct block *block)
{
  if (block->kind == BLOCK_REPEAT)
    return v->last->last == block->start;
  v->linked = v->last;
  count_linkage (v, block);
  return true;
}

/* Whether a block of the running function was reached by a jump.  A system call
   that a signal has interrupted is made again, which is none.  */
static bool
is_jump (const struct vcpu *v, const struct block *block)
{
  const struct block *last = v->last;

  return last != NULL && last->transfer == TRANSFER_JUMP
         && last->function == block->function && last->end != block->start
         && (!last->stays || last->target == block->start);
}

/* The block may begin or end calls.  */
static inline void
find_calls (struct vcpu *v, struct block *block)
{
  if (block->function == v->function)
    return;
  follow (v, block);
  v->function = block->function;
}

static inline void
count (struct vcpu *v, struct block *block)
{
  if (!vcpu_has_count (v, block))
    v->counts = resize_for (v->counts, block->number, &v->n_counts,
                            sizeof *v->counts);
  vcpu_count (v, block);
}

void
vcpu_follow (struct vcpu *v, struct block *block)
{
  find_calls (v, block);
  count (v, block);
}

void
vcpu_execute (struct vcpu *v, struct block *block)
{
  if (block->kind != BLOCK_USUAL && v->last != NULL && pass (v, block))
    return;
  find_calls (v, block);
  if (!v->calls.is_counting)
    {
      vcpu_pass (v, block);
      return;
    }
  if (v->has_jumps && is_jump (v, block))
    jumps_take (&v->jumps, v->last->site, block->head);
  count (v, block);
}

void
vcpu_resume (struct vcpu *v)
{
  v->is_resumed = true;
  v->function = &vcpu_no_function;
}

void
vcpu_access (struct vcpu *v, uint32_t instruction, bool is_write)
{
  uint32_t event = is_write ? EVENT_WRITES : EVENT_READS;

  v->calls.counters.of[event]++;
  if (instruction != VCPU_LINKAGE)
    {
      v->accesses = resize_for (v->accesses, instruction, &v->n_accesses,
                                sizeof *v->accesses);
      v->accesses[instruction].of[event]++;
    }
  else if (v->last != NULL)
    add_linkage (v, event, 1);
}

/* Costs.  */

static void
move_linkage (struct vcpu *v, uint32_t site, struct cgw_profile *profile)
{
  const uint64_t *costs = v->linkage[site].of;

  if (costs[EVENT_INSTRUCTIONS] != 0)
    {
      struct cgw_pos pos = guest_site (site);

      cgw_profile_cost (profile, &pos, costs, vcpu_n_events (v->events));
    }
}

/* A repetition is not counted as an execution, but has accesses.  */
static void
move_block (struct vcpu *v, const struct block *block,
            struct cgw_profile *profile)
{
  uint64_t count = number_get (&block->executions, &v->boards);
  size_t n = vcpu_n_events (v->events);

  if (block->number < v->n_counts)
    count += v->counts[block->number];
  if (v->has_jumps && count != 0 && block->transfer == TRANSFER_JUMP)
    jumps_execute (&v->jumps, block->site, count);
  if (count == 0 && block->kind != BLOCK_REPEAT)
    return;
  for (uint32_t i = 0; i < block->n; i++)
    {
      uint64_t cost[EVENTS_MAX] = { count };
      uint32_t number = block->first + i;
      struct cgw_pos pos;

      if (number < v->n_accesses)
        {
          cost[EVENT_READS] = v->accesses[number].of[EVENT_READS];
          cost[EVENT_WRITES] = v->accesses[number].of[EVENT_WRITES];
        }
      if (v->events.has_blocks)
        cost[vcpu_event_blocks (v->events)] = i == 0 ? count : 0;
      if (count == 0 && (cost[EVENT_READS] | cost[EVENT_WRITES]) == 0)
        continue;
      pos = guest_position (block, i);
      cgw_profile_cost (profile, &pos, cost, n);
    }
}

/* Clears the numbers that QEMU adds to.  */
static void
clear_numbers (struct vcpu *v)
{
  boards_clear (&v->boards);
  if (v->boards.vcpu == 0)
    guest_clear ();
}

/* Clears what is not of calls.  */
static void
clear (struct vcpu *v)
{
  if (v->n_counts != 0)
    memset (v->counts, 0, v->n_counts * sizeof *v->counts);
  if (v->n_linkage != 0)
    memset (v->linkage, 0, v->n_linkage * sizeof *v->linkage);
  if (v->n_accesses != 0)
    memset (v->accesses, 0, v->n_accesses * sizeof *v->accesses);
  jumps_forget (&v->jumps);
  clear_numbers (v);
}

void
vcpu_abandon (struct vcpu *v)
{
  guest_lock ();
  clear_numbers (v);
  guest_unlock ();
}

void
vcpu_forget (struct vcpu *v)
{
  guest_lock ();
  clear (v);
  calls_forget (&v->calls);
  guest_unlock ();
}

static void
move_lines (struct vcpu *v, struct cgw_profile *profile, struct jumps *jumps)
{
  for (uint32_t i = 0; i < guest_blocks (); i++)
    move_block (v, guest_block (i), profile);
  jumps_move (&v->jumps, jumps);
  for (uint32_t i = 0; i < v->n_linkage && i < guest_sites (); i++)
    move_linkage (v, i, profile);
}

void
vcpu_move (struct vcpu *v, struct cgw_profile *profile, struct jumps *jumps)
{
  guest_lock ();
  if (v->calls.contexts.names == NULL)
    move_lines (v, profile, jumps);
  if (v->last != NULL)
    count_unwatched (v, v->last->function);
  calls_move (&v->calls, profile);
  clear (v);
  guest_unlock ();
}
