/* stacks_expanded.c - each stack expanded when it is added, as the library
   once did it: one more call for each distinct edge, found in a hash table,
   and the cost for the outermost edge into each function.  Hash, table and the
   lists of what a stack has are the library's of then.  At the end the sums
   are handed to a cgw_profile, which writes them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../ways.h"
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#define NO_CALLEE UINT32_MAX /* a position alone, for self cost */

/* It has no padding, for it is hashed and compared as bytes.  */
struct key
{
  uint32_t fn;
  uint32_t source;
  uint32_t line;
  uint32_t callee;
  uint64_t instr;
};

struct entry
{
  struct key key;
  uint64_t count;
  uint64_t cost;
  uint32_t seen; /* index in the list of a stack's edges, if it is there */
};

struct table
{
  struct entry *entries; /* in the order of adding */
  uint32_t n;
  uint32_t room;
  uint32_t *slots; /* open addressing: index + 1, or 0 */
  uint32_t n_slots;
};

struct expanded
{
  struct entrant profile; /* of way_profile */
  const struct bench_event *frames; /* with indices of functions */
  struct cgw_fn *fns;               /* the handle for each index */
  struct table self;
  struct table edges;
  uint32_t seen[STACKS_DEPTH]; /* the edges of a stack, outermost first */
  uint32_t n_seen;
  uint32_t *of_fn; /* index in that list of the first edge into a function */
};

static uint32_t
hash (const struct key *key)
{
  uint64_t words[3];
  uint64_t h = 0;

  memcpy (words, key, sizeof words);
  for (int i = 0; i < 3; i++)
    {
      h = (h ^ words[i]) * UINT64_C (0x9e3779b97f4a7c15);
      h ^= h >> 32;
    }
  return (uint32_t)h;
}

static void
put_slot (struct table *t, uint32_t index)
{
  uint32_t i = hash (&t->entries[index].key) & (t->n_slots - 1);

  while (t->slots[i] != 0)
    i = (i + 1) & (t->n_slots - 1);
  t->slots[i] = index + 1;
}

static void
grow_slots (struct table *t)
{
  t->n_slots = t->n_slots == 0 ? 64 : t->n_slots * 2;
  free (t->slots);
  t->slots = bench_allocate (t->n_slots, sizeof *t->slots);
  for (uint32_t i = 0; i < t->n; i++)
    put_slot (t, i);
}

static void
grow_entries (struct table *t)
{
  t->room += t->room / 2 + 32;
  t->entries = realloc (t->entries, t->room * sizeof *t->entries);
  if (!t->entries)
    bench_fail ("an allocation");
}

static struct entry *
find (struct table *t, const struct key *key)
{
  uint32_t mask = t->n_slots - 1;

  if (t->n_slots == 0)
    return NULL;
  for (uint32_t i = hash (key) & mask; t->slots[i] != 0; i = (i + 1) & mask)
    if (memcmp (&t->entries[t->slots[i] - 1].key, key, sizeof *key) == 0)
      return &t->entries[t->slots[i] - 1];
  return NULL;
}

/* The entry of a key, which is all zeros if it is new.  */
static struct entry *
find_or_add (struct table *t, const struct key *key)
{
  struct entry *e = find (t, key);

  if (e)
    return e;
  if (t->n >= t->n_slots - t->n_slots / 4)
    grow_slots (t);
  if (t->n == t->room)
    grow_entries (t);
  t->entries[t->n] = (struct entry){ .key = *key };
  put_slot (t, t->n);
  return &t->entries[t->n++];
}

static void
table_clear (struct table *t)
{
  free (t->entries);
  free (t->slots);
  *t = (struct table){ .n = 0 };
}

static struct key
make_key (const struct bench_event *frame, uint32_t callee)
{
  const struct cgw_pos *pos = &frame->pos;

  return (struct key){ .fn = pos->fn.handle,
                       .line = pos->line,
                       .callee = callee,
                       .instr = pos->instr };
}

static bool
is_seen (const struct expanded *x, const struct entry *edge, uint32_t index)
{
  return edge->seen < x->n_seen && x->seen[edge->seen] == index;
}

static bool
is_called (const struct expanded *x, uint32_t fn)
{
  uint32_t first = x->of_fn[fn];

  return first < x->n_seen
         && x->edges.entries[x->seen[first]].key.callee == fn;
}

/* Appends the edge to the list, if it is new there.  */
static void
see_edge (struct expanded *x, const struct key *key)
{
  struct entry *edge = find_or_add (&x->edges, key);
  uint32_t index = (uint32_t)(edge - x->edges.entries);

  if (is_seen (x, edge, index))
    return;
  if (!is_called (x, key->callee))
    x->of_fn[key->callee] = x->n_seen;
  edge->seen = x->n_seen;
  x->seen[x->n_seen++] = index;
}

static void
add_seen (struct expanded *x, uint64_t cost)
{
  for (uint32_t i = 0; i < x->n_seen; i++)
    {
      struct entry *edge = &x->edges.entries[x->seen[i]];
      edge->count++;
      if (x->of_fn[edge->key.callee] == i)
        edge->cost += cost;
    }
}

static int
expanded_add (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  struct expanded *x = context;
  const struct bench_event *frames = &x->frames[pos->instr * STACKS_DEPTH];
  struct key key;

  (void)n;
  stacks_unwind_next (pos, x->frames, sizeof *x->frames);
  x->n_seen = 0;
  for (size_t i = STACKS_DEPTH - 1; i > 0; i--)
    {
      key = make_key (&frames[i], frames[i - 1].pos.fn.handle);
      see_edge (x, &key);
    }
  key = make_key (&frames[0], NO_CALLEE);
  find_or_add (&x->self, &key)->cost += *cost;
  add_seen (x, *cost);
  return 0;
}

static void *
expanded_open (const struct workload *w, struct sink *sink,
               const struct setup *setup, struct script *script)
{
  struct expanded *x = bench_allocate (1, sizeof *x);

  entrant_open (&x->profile, &way_profile, w, sink, setup);
  x->frames = w->script.events;
  x->fns = bench_allocate (w->n_fns, sizeof *x->fns);
  x->of_fn = bench_allocate (w->n_fns, sizeof *x->of_fn);
  for (size_t i = 0; i < w->script.n; i++)
    x->fns[x->frames[i].pos.fn.handle] = x->profile.script.events[i].pos.fn;
  *script = ((const struct stacks *)w)->added;
  return x;
}

static void
expanded_close (void *context)
{
  struct expanded *x = context;

  table_clear (&x->self);
  table_clear (&x->edges);
  entrant_close (&x->profile);
  free (x->fns);
  free (x->of_fn);
  free (x);
}

static bool
expanded_begin (void *context)
{
  struct expanded *x = context;

  table_clear (&x->self);
  table_clear (&x->edges);
  return way_profile.begin (x->profile.context);
}

static struct cgw_pos
position (const struct expanded *x, const struct key *key)
{
  return (struct cgw_pos){ .fn = x->fns[key->fn],
                           .line = key->line,
                           .instr = key->instr };
}

static bool
hand_over (const struct expanded *x, struct cgw_profile *p)
{
  int failed = 0;

  for (uint32_t i = 0; i < x->self.n; i++)
    {
      const struct entry *e = &x->self.entries[i];
      struct cgw_pos pos = position (x, &e->key);
      failed |= cgw_profile_cost (p, &pos, &e->cost, 1) != CGW_OK;
    }
  for (uint32_t i = 0; i < x->edges.n; i++)
    {
      const struct entry *e = &x->edges.entries[i];
      struct cgw_pos pos = position (x, &e->key);
      struct cgw_pos to = { .fn = x->fns[e->key.callee] };
      failed
          |= cgw_profile_call (p, &pos, &to, e->count, &e->cost, 1) != CGW_OK;
    }
  return !failed;
}

static bool
expanded_end (void *context)
{
  struct expanded *x = context;

  return hand_over (x, way_profile_sums (x->profile.context))
         && way_profile.end (x->profile.context);
}

const struct contender stacks_expanded = { .name = "expanded",
                                           .open = expanded_open,
                                           .close = expanded_close,
                                           .begin = expanded_begin,
                                           .cost = expanded_add,
                                           .end = expanded_end,
                                           .check = check_strict };
