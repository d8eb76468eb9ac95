/* thread_calls.c - the calls of one thread.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "thread_calls.h"

#include "../run/tree.h"
#include "clock.h"

#include <string.h>

#define NONE UINT32_MAX

bool calls_are_trees;

/* Tags.  That of an open call has the stack pointer of the function, by which
   jumps are found, and its index in `known`, by which returns are.  Stacks are
   aligned to 16 bytes where addresses have 64 bits, of which 48 are used.  */

enum
{
  INDEX_BITS = 20,
  STACK_UNUSED = sizeof (void *) > 4 ? 4 : 0
};
#define KNOWN_MAX (UINT32_C (1) << INDEX_BITS)

/* In trees, the rest is for calls whose callers are cut.  */
#define CONTEXTS_MAX (KNOWN_MAX / 8 * 7)

static uint64_t
stack_part (uintptr_t stack)
{
  return (uint64_t) (stack >> STACK_UNUSED) << INDEX_BITS >> INDEX_BITS;
}

static uint64_t
make_tag (uintptr_t stack, uint32_t index)
{
  return stack_part (stack) << INDEX_BITS | index;
}

static uint64_t
tag_stack (uint64_t tag)
{
  return tag >> INDEX_BITS;
}

static const struct known *
tag_known (const struct calls *c, uint64_t tag)
{
  return c->known + (tag & (KNOWN_MAX - 1));
}

/* Functions and places, in a hash table of their own.  That of base/table.h
   calls malloc, which may be the function that is traced, and ends the program
   when there is no memory; and what each call runs must be inlined.  */

static size_t
hash (uintptr_t fn, uintptr_t site, uintptr_t from)
{
  uint64_t h = (uint64_t) fn * 0x9e3779b97f4a7c15u;

  h = (h ^ site ^ (uint64_t) from << 17) * 0x94d049bb133111ebu;
  return (size_t) (h ^ h >> 32);
}

/* The slot of what is known, or an empty one, which each call looks for.  */
static inline const uint32_t *
find_first (const struct calls *c, uintptr_t fn, uintptr_t site,
            uintptr_t from)
{
  size_t mask = c->first_mask;

  for (size_t i = hash (fn, site, from) & mask;; i = (i + 1) & mask)
    {
      const struct known *k;
      if (c->first[i] == 0)
        return c->first + i;
      k = c->known + (c->first[i] - 1);
      if (k->fn == fn && k->site == site && k->from == from)
        return c->first + i;
    }
}

/* The slot of what is known, or the empty one where it belongs.  */
static uint32_t *
find_slot (const struct calls *c, const struct known *wanted)
{
  size_t mask = c->n_slots - 1;

  for (size_t i = hash (wanted->fn, wanted->site,
                        wanted->from ^ (uintptr_t) wanted->context << 3)
                  & mask;;
       i = (i + 1) & mask)
    {
      const struct known *k;
      if (c->slots[i] == 0)
        return c->slots + i;
      k = c->known + (c->slots[i] - 1);
      if (k->fn == wanted->fn && k->site == wanted->site
          && k->from == wanted->from && k->context == wanted->context)
        return c->slots + i;
    }
}

/* Twice as much room.  */
static bool
grow (struct calls *c)
{
  static const uint32_t no_slot;
  uint32_t n = c->n_slots == 0 ? 256 : 2 * c->n_slots;
  void *known = arena_resize (&c->arena, c->known, n / 2 * sizeof *c->known);
  void *slots;

  if (!known)
    return false;
  c->known = known;
  slots = arena_resize (&c->arena, NULL, n * sizeof *c->slots);
  if (!slots)
    return false;
  memset (slots, 0, n * sizeof *c->slots);
  arena_resize (&c->arena, c->slots, 0);
  c->slots = slots;
  c->n_slots = n;
  c->first = calls_are_trees ? &no_slot : slots;
  c->first_mask = calls_are_trees ? 0 : n - 1;
  for (uint32_t i = 0; i < c->n_known; i++)
    *find_slot (c, c->known + i) = i + 1;
  return true;
}

/* Writes a number before what is there already.  Returns where it begins.  */
static char *
put_number (char *end, uintptr_t number)
{
  do
    {
      *--end = "0123456789abcdef"[number & 15];
      number >>= 4;
    }
  while (number != 0);
  return end;
}

/* The name of a function: its address.  That of a context has its number behind
   it, which is not 0.  */
static struct cgw_fn
add_name (struct calls *c, uintptr_t address, uint32_t context)
{
  char name[2 * (sizeof address + sizeof context) + 4];
  char *p = name + sizeof name - 1;

  *p = '\0';
  if (context != 0)
    {
      p = put_number (p, context);
      *--p = SUMS_CONTEXT;
    }
  p = put_number (p, address);
  *--p = 'x';
  *--p = '0';
  return cgw_add_fn (c->names, p, (struct cgw_file){ 0 },
                     (struct cgw_object){ 0 });
}

/* The index of what becomes known.  NONE: no memory.  */
static uint32_t
add_known (struct calls *c, const struct known *new)
{
  if (new->name.handle == 0
      || (2 * (c->n_known + 1) > c->n_slots
          && (c->n_known == KNOWN_MAX || !grow (c))))
    return NONE;
  c->known[c->n_known] = *new;
  *find_slot (c, new) = c->n_known + 1;
  return c->n_known++;
}

/* Trees.  */

/* In place of the index of a caller.  */
#define NO_CALLER (NONE - 1)
#define CUT_CALLER (NONE - 2)

/* The caller of a context, as tree.h has it.  */
static uint32_t
caller_of_next (const struct calls *c)
{
  if (c->top == 0)
    return NO_CALLER;
  return cgw_tracer_depth (c->tracer) >= TREE_DEPTH
             ? CUT_CALLER
             : tag_known (c, c->top)->context;
}

/* The index of the context of a function that is called now.  */
static uint32_t
find_context (struct calls *c, uintptr_t fn)
{
  struct known wanted = { .fn = fn, .context = caller_of_next (c) };
  uint32_t index = *find_slot (c, &wanted) - 1;

  if (index == NONE && wanted.context != CUT_CALLER
      && c->n_known >= CONTEXTS_MAX)
    {
      wanted.context = CUT_CALLER;
      index = *find_slot (c, &wanted) - 1;
    }
  if (index != NONE)
    return index;
  wanted.name = add_name (c, fn,
                          (c->n_before + c->n_known + 1)
                              | (wanted.context == CUT_CALLER ? SUMS_CUT : 0));
  return add_known (c, &wanted);
}

static uint32_t
know_in_tree (struct calls *c, uintptr_t fn, uintptr_t site, uintptr_t from)
{
  struct known wanted = { fn, site, from, { 0 }, find_context (c, fn) };
  uint32_t index;

  if (wanted.context == NONE)
    return NONE;
  index = *find_slot (c, &wanted) - 1;
  if (index != NONE)
    return index;
  wanted.name = c->known[wanted.context].name;
  return add_known (c, &wanted);
}

/* What a call does not find at once.  */
static __attribute__ ((noinline)) uint32_t
know_unusual (struct calls *c, uintptr_t fn, uintptr_t site, uintptr_t from)
{
  struct known new = { fn, site, from, { 0 }, 0 };

  if (calls_are_trees)
    return know_in_tree (c, fn, site, from);
  new.name = add_name (c, fn, 0);
  return add_known (c, &new);
}

static inline uint32_t
know (struct calls *c, uintptr_t fn, uintptr_t site, uintptr_t from)
{
  uint32_t index = *find_first (c, fn, site, from) - 1;

  return index != NONE ? index : know_unusual (c, fn, site, from);
}

/* Begin and end.  */

static bool
make_profile (struct calls *c)
{
  struct cgw_names_options options = CGW_NAMES_OPTIONS_INIT;

  options.allocate = arena_resize;
  options.allocate_context = &c->arena;
  return cgw_names_new (&c->names, &options) == CGW_OK
         && cgw_profile_new (&c->profile, c->names, EVENTS, CGW_INSTR)
                == CGW_OK;
}

bool
calls_open (struct calls *c, clockid_t clock)
{
  struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;

  c->clock = clock;
  options.n_counters = EVENTS;
  return grow (c) && make_profile (c)
         && cgw_tracer_new (&c->tracer, c->profile, &options) == CGW_OK;
}

/* Frees all but the sums.  */
static void
free_open (struct calls *c)
{
  c->n_before += calls_are_trees ? c->n_known : 0;
  cgw_profile_free (c->profile);
  cgw_names_free (c->names);
  arena_resize (&c->arena, c->known, 0);
  arena_resize (&c->arena, c->slots, 0);
  arena_free (&c->arena);
  c->tracer = NULL;
  c->profile = NULL;
  c->names = NULL;
  c->known = NULL;
  c->slots = NULL;
  c->n_known = c->n_slots = 0;
}

void
calls_close (struct calls *c)
{
  if (c->tracer)
    {
      calls_end (c);
      sums_add (&c->sums, c->profile, c->names, &c->arena);
    }
  free_open (c);
}

bool
calls_copy (struct calls *c, struct calls *copy)
{
  uint64_t counters[EVENTS] = { clock_now (c->clock), c->n };

  if (c->tracer)
    cgw_tracer_sync (c->tracer, counters);
  copy->n = c->n;
  if (sums_copy (&c->sums, c->tracer ? c->profile : NULL, c->names,
                 &copy->sums, &copy->arena))
    return true;
  calls_free_copy (copy);
  return false;
}

void
calls_free_copy (struct calls *copy)
{
  arena_resize (&copy->arena, copy->sums.all, 0);
  arena_free (&copy->arena);
}

void
calls_free (struct calls *c)
{
  free_open (c);
  memset (c, 0, sizeof *c);
}

/* Calls.  */

/* Whether a function was inlined into that of an open call: it then shares the
   machine's frame.  */
static bool
shares_frame (const struct calls *c, uint64_t tag, uint64_t stack,
              uintptr_t site)
{
  return tag_stack (tag) == stack && tag_known (c, tag)->site == site;
}

/* Opens a call from the running function.  Calls are counted by a counter: what
   it counts between two events, the function gets that ran between them.  */
static inline bool
open_call (struct calls *c, uint32_t index, uintptr_t stack)
{
  uint64_t top = c->top, tag = make_tag (stack, index);
  const struct known *k = c->known + index;
  struct cgw_pos callee = { .fn = k->name };
  struct cgw_pos at = { .instr = k->from };
  uint64_t counters[EVENTS] = { clock_now (c->clock), c->n };
  enum cgw_status status;

  if (top != 0)
    at.fn = tag_known (c, top)->name;
  status = cgw_tracer_enter (c->tracer, top != 0 ? &at : NULL, &callee, tag,
                             counters);
  c->top = tag;
  c->n++;
  return status != CGW_ENOMEM;
}

bool
calls_enter (struct calls *c, uintptr_t fn, uintptr_t site, uintptr_t here,
             uintptr_t stack)
{
  bool inlined
      = c->top != 0 && shares_frame (c, c->top, stack_part (stack), site);
  uint32_t index = know (c, fn, site, inlined ? here : site);

  return index != NONE && open_call (c, index, stack);
}

/* After calls have ended.  */
static void
look_for_top (struct calls *c)
{
  c->top = cgw_tracer_tag (c->tracer, cgw_tracer_depth (c->tracer));
}

/* Ends all calls but some.  */
static void
unwind (struct calls *c, size_t depth, const uint64_t *counters)
{
  cgw_tracer_unwind (c->tracer, depth, counters);
  look_for_top (c);
}

/* Whether an open call is one of a function.  */
static bool
is_of (const struct calls *c, size_t depth, uintptr_t fn)
{
  return tag_known (c, cgw_tracer_tag (c->tracer, depth))->fn == fn;
}

void
calls_leave (struct calls *c, uintptr_t fn, uint64_t now)
{
  uint64_t counters[EVENTS] = { now, c->n };
  size_t depth;

  if (c->top != 0 && tag_known (c, c->top)->fn == fn)
    {
      cgw_tracer_leave (c->tracer, counters);
      look_for_top (c);
      return;
    }
  depth = cgw_tracer_depth (c->tracer);
  while (depth != 0 && !is_of (c, depth, fn))
    depth--;
  if (depth != 0)
    unwind (c, depth - 1, counters);
}

/* Whether control that goes to a frame with that stack leaves the innermost of
   `depth` calls.  */
static bool
is_cut (const struct calls *c, size_t depth, uint64_t stack, bool to_first)
{
  uint64_t tag = cgw_tracer_tag (c->tracer, depth);

  return tag_stack (tag) < stack
         || (to_first && depth > 1 && tag_stack (tag) == stack
             && shares_frame (c, cgw_tracer_tag (c->tracer, depth - 1), stack,
                              tag_known (c, tag)->site));
}

void
calls_cut (struct calls *c, uintptr_t stack, bool to_first)
{
  uint64_t counters[EVENTS] = { clock_now (c->clock), c->n };
  size_t depth = cgw_tracer_depth (c->tracer);

  while (depth != 0 && is_cut (c, depth, stack_part (stack), to_first))
    depth--;
  unwind (c, depth, counters);
}

void
calls_end (struct calls *c)
{
  uint64_t counters[EVENTS] = { clock_now (c->clock), c->n };

  cgw_tracer_unwind (c->tracer, 0, counters);
  c->top = 0;
}

bool
calls_restart (struct calls *c, clockid_t clock)
{
  struct calls old = *c;
  size_t depth = cgw_tracer_depth (old.tracer);
  bool ok;

  memset (c, 0, sizeof *c);
  ok = calls_open (c, clock);
  for (size_t i = 1; i <= depth && ok; i++)
    {
      uint64_t tag = cgw_tracer_tag (old.tracer, i);
      const struct known *k = tag_known (&old, tag);
      uint32_t index = know (c, k->fn, k->site, k->from);

      ok = index != NONE
           && open_call (c, index, tag_stack (tag) << STACK_UNUSED);
    }
  calls_free (&old);
  return ok;
}
