/* stacks.c - call stacks as samples of a program have them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include <stdlib.h>

enum
{
  FNS = 2000,
  FILES = 100,
  PLACES = 8, /* to call from, at most */
  LEAVES = 16 /* addresses where a function is sampled */
};

/* A function's places are 16 bytes from each other, its leaves are behind
   them.  */
#define BASE 0x401000u
#define PER_FN 0x1000u

static uint32_t
random_below (uint64_t *random, uint32_t n)
{
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*random >> 33) % n;
}

/* Numbers that were seen, by open addressing; never 0.  */
struct set
{
  uint64_t *slots;
  size_t n_slots;
  size_t n;
};

static void
set_open (struct set *s, size_t most)
{
  *s = (struct set){ .n_slots = 64 };
  while (s->n_slots < 2 * most)
    s->n_slots *= 2;
  s->slots = bench_allocate (s->n_slots, sizeof *s->slots);
}

/* Whether it is new.  */
static bool
set_add (struct set *s, uint64_t number)
{
  size_t i = number & (s->n_slots - 1);

  while (s->slots[i] != 0 && s->slots[i] != number)
    i = (i + 1) & (s->n_slots - 1);
  if (s->slots[i] == number)
    return false;
  s->slots[i] = number;
  s->n++;
  return true;
}

/* A number for a way through the program that is one step longer.  */
static uint64_t
mix (uint64_t way, uint64_t step)
{
  way = (way ^ (step + 1)) * 0x9e3779b97f4a7c15u;
  way ^= way >> 29;
  way *= 0xbf58476d1ce4e5b9u;
  way ^= way >> 32;
  return way != 0 ? way : 1;
}

struct program
{
  uint32_t n_places[FNS];
  uint32_t callees[FNS][PLACES];
};

static void
make_program (struct program *p, uint64_t *random)
{
  for (size_t fn = 0; fn < FNS; fn++)
    {
      p->n_places[fn] = 1;
      if (random_below (random, 2) == 0)
        p->n_places[fn] = 2 + random_below (random, PLACES - 1);
      for (size_t i = 0; i < p->n_places[fn]; i++)
        p->callees[fn][i] = random_below (random, FNS);
    }
}

static uint32_t
choose_place (const struct program *p, uint32_t fn, uint64_t *random)
{
  uint32_t place = 0;

  while (place + 1 < p->n_places[fn] && random_below (random, 2) == 0)
    place++;
  return place;
}

/* A stack, outermost frame first.  */
struct walk
{
  uint32_t fns[STACKS_DEPTH];
  uint32_t places[STACKS_DEPTH];
  uint64_t ways[STACKS_DEPTH]; /* from the first function to this frame */
};

static void
take_walk (struct walk *w, const struct program *p, uint64_t *random)
{
  uint32_t fn = 0;
  uint64_t way = 0;

  for (size_t i = 0; i < STACKS_DEPTH; i++)
    {
      bool leaf = i + 1 == STACKS_DEPTH;
      uint32_t place = leaf ? PLACES + random_below (random, LEAVES)
                            : choose_place (p, fn, random);
      way = mix (way, place);
      w->fns[i] = fn;
      w->places[i] = place;
      w->ways[i] = way;
      fn = leaf ? fn : p->callees[fn][place];
    }
}

/* The address of a frame in its function.  */
static uint32_t
address (const struct walk *w, size_t i, enum stacks_shape shape)
{
  if (shape == STACKS_OWN_PLACES && i + 1 < STACKS_DEPTH)
    return (uint32_t)(w->ways[i] & 0xffffffu) * 4;
  return w->places[i] * 16;
}

static void
add_frames (struct stacks *s, const struct walk *w, enum stacks_shape shape)
{
  for (size_t i = STACKS_DEPTH; i-- > 0;)
    {
      uint32_t offset = address (w, i, shape);
      workload_add (&s->frames, w->fns[i],
                    BASE + (uint64_t)PER_FN * w->fns[i] + offset,
                    1 + offset / 16 % 100000);
    }
}

/* Counts the places in the call tree, and the edges.  */
static void
note_frames (const struct stacks *s, const struct walk *w, struct set *places,
             struct set *edges)
{
  const struct bench_event *leaf
      = &s->frames.script.events[s->frames.script.n - STACKS_DEPTH];

  for (size_t i = 0; i < STACKS_DEPTH; i++)
    {
      set_add (places, w->ways[i]);
      if (i + 1 < STACKS_DEPTH)
        set_add (edges,
                 mix (mix (leaf[STACKS_DEPTH - 1 - i].pos.instr, w->fns[i]),
                      w->fns[i + 1]));
    }
}

static void
make_added (struct stacks *s, size_t n)
{
  uint32_t *order = workload_order (n);
  struct script *added = &s->added;

  *added = (struct script){ .n = n, .n_events = 1 };
  added->events = bench_allocate (n + 1, sizeof *added->events);
  added->costs = bench_allocate (n, sizeof *added->costs);
  for (size_t i = 0; i < n; i++)
    {
      added->events[i].pos.instr = order[i] % s->n;
      added->costs[i] = 1 + i % 97;
    }
  free (order);
}

void
stacks_make (struct stacks *s, size_t n, size_t added,
             enum stacks_shape shape)
{
  struct program *p = bench_allocate (1, sizeof *p);
  struct set stacks, places, edges;
  struct walk w;
  uint64_t random = 1;

  s->n = n;
  workload_empty (&s->frames, n * STACKS_DEPTH, 1, FNS, FILES);
  set_open (&stacks, n);
  set_open (&places, n * STACKS_DEPTH);
  set_open (&edges, n * STACKS_DEPTH);
  make_program (p, &random);
  while (stacks.n < n)
    {
      take_walk (&w, p, &random);
      if (!set_add (&stacks, w.ways[STACKS_DEPTH - 1]))
        continue;
      add_frames (s, &w, shape);
      note_frames (s, &w, &places, &edges);
    }
  s->n_places = places.n;
  s->n_edges = edges.n;
  make_added (s, added);
  free (stacks.slots);
  free (places.slots);
  free (edges.slots);
  free (p);
}

void
stacks_free (struct stacks *s)
{
  workload_free (&s->frames);
  free (s->added.events);
  free (s->added.costs);
}
