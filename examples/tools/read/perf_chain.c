/* perf_chain.c - the call stack of a sample of perf.data: from addresses to
   positions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_data.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

/* In newer headers only.  Behind that marker is a number, by which the kernel
   gives the user's addresses later; they are left out.  */
#define CONTEXT_USER_DEFERRED ((uint64_t) -640)

/* More are found anew, so that the memory does not grow with the time that a
   program runs.  */
enum { MOST_PLACES = 1 << 21 };

/* Most addresses of a sample were in the samples just before it, too.  */
enum { KNOWN_BITS = 13, KNOWN_PLACES = 1 << KNOWN_BITS };

/* Places.  */

/* What neither the resolver nor the kernel's symbols know.  */
static struct import_frame
other_frame (enum mode mode, uint64_t address)
{
  struct import_frame frame = { .address = address };

  if (mode == MODE_HYPERVISOR)
    frame.object = "[hypervisor]";
  if (mode == MODE_GUEST_KERNEL)
    frame.object = "[guest.kernel]";
  if (mode == MODE_GUEST_USER)
    frame.object = "[guest]";
  return frame;
}

static void
add_position (struct perf *p, struct cgw_pos pos)
{
  p->positions = resize_for (p->positions, p->n_positions, &p->position_room,
                             sizeof *p->positions);
  p->positions[p->n_positions++] = pos;
}

static void
add_frame_position (struct perf *p, struct import_frame frame)
{
  struct cgw_pos pos;

  import_place (p->im, &frame, 1, &pos);
  add_position (p, pos);
}

static void
add_places (struct perf *p, struct place_entry *e, struct location location)
{
  struct places places = resolve (&p->resolver, location, e->is_call);

  for (uint32_t i = 0; i < places.n; i++)
    add_position (p, places.at[i].pos);
  e->is_main = places.at[places.n - 1].is_main;
}

/* A call's address is that of its last byte.  */
static void
find_place (struct perf *p, uint32_t process, struct place_entry *e)
{
  uint64_t address = e->address - e->is_call;
  struct location location;

  e->first = p->n_positions;
  if (e->mode == MODE_USER)
    {
      maps_find (&p->maps, process, address, &location);
      add_places (p, e, location);
    }
  else if (e->mode != MODE_KERNEL)
    add_frame_position (p, other_frame ((enum mode) e->mode, address));
  else if (kernel_locate (&p->kernel, address, &location))
    add_places (p, e, location);
  else
    add_frame_position (p, kernel_frame (&p->kernel, address));
  e->n = p->n_positions - e->first;
}

static const struct table empty_places
    = { .key_size = 2 * sizeof (uint64_t),
        .entry_size = sizeof (struct place_entry) };

static const struct place_entry *
look_up (struct perf *p, uint32_t process, const struct place_entry *key)
{
  struct place_entry *e;

  if (p->places.n == MOST_PLACES)
    {
      table_free (&p->places);
      p->places = empty_places;
      p->n_positions = 0;
      memset (p->known, 0, KNOWN_PLACES * sizeof *p->known);
    }
  e = table_add (&p->places, key);
  if (e->n == 0) /* it is new */
    find_place (p, process, e);
  return e;
}

static const struct place_entry *
place_of (struct perf *p, uint32_t process, enum mode mode, uint64_t address,
          bool is_call)
{
  uint32_t space
      = p->spaces[mode == MODE_USER ? process : KERNEL_PROCESS].number;
  uint64_t hash
      = (address + space) * UINT64_C (0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS);
  struct place_entry *known = &p->known[hash];

  if (known->n == 0 || known->address != address || known->space != space
      || known->mode != mode || known->is_call != is_call)
    {
      struct place_entry key = { .address = address,
                                 .space = space,
                                 .mode = (uint16_t) mode,
                                 .is_call = is_call };

      *known = *look_up (p, process, &key);
    }
  return known;
}

void
perf_chains_begin (struct perf *p)
{
  struct cgw_file no_file = { 0 };
  struct cgw_object no_object = { 0 };

  p->cut = cgw_add_fn (p->im->names, "(cut)", no_file, no_object);
  p->places = empty_places;
  p->known = resize (NULL, KNOWN_PLACES, sizeof *p->known);
  memset (p->known, 0, KNOWN_PLACES * sizeof *p->known);
}

void
perf_chains_end (struct perf *p)
{
  table_free (&p->places);
  free (p->known);
  free (p->positions);
  free (p->frames);
}

/* Stacks.  */

static void
add_frame (struct perf *p, uint32_t process, enum mode mode,
           uint64_t address, bool is_call)
{
  const struct place_entry *e = place_of (p, process, mode, address, is_call);

  p->frames = resize_for (p->frames, p->n_frames + e->n, &p->frame_room,
                          sizeof *p->frames);
  memcpy (p->frames + p->n_frames, p->positions + e->first,
          e->n * sizeof *p->frames);
  p->n_frames += e->n;
  if (e->is_main)
    p->main = p->n_frames;
}

/* Markers among the addresses of a call chain say whose those behind them
   are.  */
static bool
is_marker (uint64_t address)
{
  return address >= PERF_CONTEXT_MAX;
}

static enum mode
mode_of_marker (uint64_t marker)
{
  switch (marker)
    {
    case PERF_CONTEXT_KERNEL:
      return MODE_KERNEL;
    case PERF_CONTEXT_USER:
      return MODE_USER;
    case PERF_CONTEXT_HV:
      return MODE_HYPERVISOR;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
      return MODE_GUEST_KERNEL;
    case PERF_CONTEXT_GUEST_USER:
      return MODE_GUEST_USER;
    default:
      return MODE_UNKNOWN;
    }
}

/* Ends a stack that is cut off: main, or where else its thread began, costs
   what the stack does, and nobody knows what called what between.  */
static void
end_cut_stack (struct perf *p, const struct thread *t)
{
  for (uint32_t i = 0; i < p->n_frames; i++)
    if (p->frames[i].fn.handle == t->start.handle)
      return;
  p->frames = resize_for (p->frames, p->n_frames + 1, &p->frame_room,
                          sizeof *p->frames);
  p->frames[p->n_frames++] = (struct cgw_pos){ .fn = p->cut };
  if (t->start.handle != 0)
    p->frames[p->n_frames++] = (struct cgw_pos){ .fn = t->start };
}

/* The deepest chain that the kernel writes, if it is not asked for
   another.  */
enum { USUAL_DEPTH = 127 };

/* Adds the addresses of a call chain.  Those that come first in their mode are
   where the processor was; the others are where calls return to.  Returns
   where the user's begin, or n.  */
static uint64_t
add_chain (struct perf *p, uint32_t process, enum mode mode,
           const struct perf_sample *s, uint64_t *depth)
{
  enum mode at = mode;
  bool is_call = false;
  uint64_t user = s->n_chain;

  for (uint64_t i = 0; i < s->n_chain; i++)
    {
      uint64_t address = perf_u64 (s->chain + i * sizeof address);

      if (is_marker (address))
        {
          at = mode_of_marker (address);
          is_call = false;
          i += address == CONTEXT_USER_DEFERRED;
          continue;
        }
      if (at == MODE_USER && user == s->n_chain)
        user = i;
      if (p->n_frames == 0 && s->has_ip && at == mode)
        address = s->ip;
      add_frame (p, process, at, address, is_call);
      is_call = true;
      ++*depth;
    }
  return user;
}

/* The calls that a processor has noted, the last first: from, to, flags.
   Where it was in the last, the chain says, if it has the user's code.  */
static void
add_branches (struct perf *p, uint32_t process, const struct perf_sample *s,
              bool has_leaf)
{
  enum { WORDS = 3 };

  if (!has_leaf && s->n_branches != 0)
    add_frame (p, process, MODE_USER,
               perf_u64 (s->branches + sizeof (uint64_t)), false);
  for (uint64_t i = 0; i < s->n_branches; i++)
    add_frame (p, process, MODE_USER,
               perf_u64 (s->branches + i * WORDS * sizeof (uint64_t)), false);
}

/* The function that a thread began with, by a whole stack: two functions of the
   C library call it.  */
static struct cgw_fn
find_routine (struct perf *p, uint32_t process)
{
  enum { ROUTINE = 3 };
  const struct unwinder *u = &p->unwinder;
  const struct place_entry *e;

  if (u->n < ROUTINE)
    return (struct cgw_fn){ 0 };
  e = place_of (p, process, MODE_USER, u->frames[u->n - ROUTINE].address,
                u->frames[u->n - ROUTINE].is_call);
  return p->positions[e->first + e->n - 1].fn;
}

/* The stack that was copied.  Returns whether it is whole.  */
static bool
add_unwound (struct perf *p, uint32_t process, struct thread *t,
             const struct perf_event_attr *a, const struct perf_sample *s)
{
  struct unwinder *u = &p->unwinder;

  unwinder_unwind (u, process, p->spaces[process].number, a, s);
  for (uint32_t i = 0; i < u->n; i++)
    add_frame (p, process, MODE_USER, u->frames[i].address,
               u->frames[i].is_call);
  if (u->n == 0)
    add_frame (p, process, MODE_USER, unwinder_address (u, a, s), false);
  if (u->is_whole && t->tid != t->pid && t->start.handle == 0)
    t->start = find_routine (p, process);
  return u->is_whole;
}

void
perf_find_stack (struct perf *p, uint32_t process, struct thread *t,
                 enum mode mode, const struct perf_event_attr *a,
                 const struct perf_sample *s)
{
  uint64_t user, depth = 0;
  uint64_t most = a->sample_max_stack != 0 ? a->sample_max_stack : USUAL_DEPTH;
  bool has_calls
      = (a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) != 0
        && s->n_branches != 0;
  struct perf_sample chain = *s;
  bool is_whole = true;

  p->n_frames = p->main = 0;
  if (has_calls)
    for (uint64_t i = 0; i < s->n_chain; i++)
      if (perf_u64 (s->chain + i * sizeof i) == PERF_CONTEXT_USER)
        chain.n_chain = i + 2 <= s->n_chain ? i + 2 : s->n_chain;
  user = add_chain (p, process, mode, &chain, &depth);
  if (has_calls)
    add_branches (p, process, s, user != chain.n_chain);
  else if (user == chain.n_chain && unwinder_can (&p->unwinder, a, s))
    is_whole = add_unwound (p, process, t, a, s);
  else
    is_whole = depth < most;
  if (p->n_frames == 0 && s->has_ip)
    add_frame (p, process, mode, s->ip, false);
  if (p->main != 0)
    t->start = p->frames[p->main - 1].fn;
  if (!is_whole)
    end_cut_stack (p, t);
}
