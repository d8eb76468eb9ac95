/* thread_sums.c - keeps the sums of a thread's calls.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "thread_sums.h"

#include <stdlib.h>
#include <string.h>

/* Sums that are being copied.  */
struct list
{
  struct arena *arena;
  const struct cgw_names *names;
  struct sum *sums;
  size_t n;
  size_t room;
};

static bool
add (struct list *l, const struct sum *sums, size_t n)
{
  if (l->room - l->n < n)
    {
      size_t room = 2 * l->room + n;
      struct sum *larger
          = arena_resize (l->arena, l->sums, room * sizeof *larger);

      if (!larger)
        return false;
      l->sums = larger;
      l->room = room;
    }
  if (n != 0)
    memcpy (l->sums + l->n, sums, n * sizeof *sums);
  l->n += n;
  return true;
}

/* The address of a function, and the number of its context, or 0.  */
static uintptr_t
address_of (const struct list *l, struct cgw_fn fn, uint64_t *context)
{
  char *end;
  uintptr_t address = (uintptr_t) strtoull (
      cgw_fn_name (l->names, fn, NULL, NULL), &end, 16);

  *context = *end == SUMS_CONTEXT ? strtoull (end + 1, NULL, 16) : 0;
  return address;
}

static enum cgw_status
add_cost (void *list, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  struct list *l = list;
  uint64_t context;
  struct sum sum = { .fn = address_of (l, pos->fn, &context) };

  sum.from = (uintptr_t) context;
  memcpy (sum.costs, cost, n * sizeof *cost);
  return add (l, &sum, 1) ? CGW_OK : CGW_ENOMEM;
}

_Static_assert (EVENTS == 2, "room for two numbers");

static enum cgw_status
add_call (void *list, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct list *l = list;
  uint64_t contexts[2];
  struct sum sum = { .fn = address_of (l, to->fn, &contexts[SUM_CALLEE]),
                     .caller
                     = address_of (l, from->fn, &contexts[SUM_CALLER]),
                     .from = (uintptr_t) from->instr,
                     .count = count };

  memcpy (sum.costs, contexts[SUM_CALLEE] != 0 ? contexts : cost,
          n * sizeof *cost);
  return add (l, &sum, 1) ? CGW_OK : CGW_ENOMEM;
}

bool
sums_copy (const struct sums *s, struct cgw_profile *p,
           const struct cgw_names *names, struct sums *copy,
           struct arena *arena)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  struct list l = { .arena = arena, .names = names };
  bool ok;

  visitor.context = &l;
  visitor.cost = add_cost;
  visitor.call = add_call;
  ok = add (&l, s->all, s->n)
       && (!p || cgw_profile_visit (p, &visitor) == CGW_OK);
  *copy = (struct sums){ l.sums, l.n, s->are_missing };
  return ok;
}

void
sums_add (struct sums *s, struct cgw_profile *p,
          const struct cgw_names *names, struct arena *arena)
{
  struct sums all;
  struct sum *kept = NULL;

  if (sums_copy (s, p, names, &all, arena))
    kept = memory_keep (all.n * sizeof *kept);
  if (kept)
    {
      if (all.n != 0)
        memcpy (kept, all.all, all.n * sizeof *kept);
      s->all = kept;
      s->n = all.n;
    }
  else
    s->are_missing = true;
  arena_resize (arena, all.all, 0);
}
