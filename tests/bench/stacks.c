/* stacks.c - whole call stacks, as samples of a program have them.

   The program: 2,000 functions.  Half of them call from one place only, the
   others from two to eight; each place calls one other function.  A sample
   starts in the first function and goes down 29 calls: of a function's places
   the first is taken with probability 1/2, else the second with 1/2, and so
   on.  It ends at one of 16 addresses of the function where it is then.
   Functions can recur.  Of equal stacks one is kept.

   So stacks share their outer frames, and calls that are deep in different
   stacks are still the same few thousand edges.  In the other shape,
   own_places, each place of the call tree calls from an address of its
   own, as if all were inlined or compiled anew: nearly as many edges as places
   in the tree, the most that stacks can have.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "workload.h"

#include <stdlib.h>

enum
{
  FNS = 2000,
  FILES = 100,
  PLACES = 8, /* to call from, at most */
  LEAVES = 16, /* addresses where a function is sampled */
  DEPTH = 30
};

enum shape
{
  PROGRAM,
  OWN_PLACES,
  SHAPES
};

struct stacks
{
  struct workload w;      /* the names */
  struct cgw_pos *frames; /* of each stack the leaf first */
  struct cgw_profile *p;
};

struct world
{
  struct stacks stacks[SHAPES];
  uint32_t *order; /* the stacks that are added, one after another */
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

static void
set_add (struct set *s, uint64_t number)
{
  size_t i = number & (s->n_slots - 1);

  while (s->slots[i] != 0 && s->slots[i] != number)
    i = (i + 1) & (s->n_slots - 1);
  s->n += s->slots[i] == 0;
  s->slots[i] = number;
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

/* Puts a stack into frames; returns a number for it.  */
static uint64_t
take_walk (const struct stacks *s, struct cgw_pos *frames,
           const struct program *p, uint64_t *random, enum shape shape)
{
  uint32_t fn = 0;
  uint64_t way = 0;

  for (size_t i = DEPTH; i-- > 0;)
    {
      uint32_t place = i == 0 ? PLACES + random_below (random, LEAVES)
                              : choose_place (p, fn, random);
      way = mix (way, place);
      uint32_t offset = shape == OWN_PLACES && i > 0
                            ? (uint32_t)(way & 0xffffffu) * 4
                            : place * 16;
      frames[i]
          = (struct cgw_pos){ .fn = s->w.fns[fn],
                              .instr = BASE + (uint64_t)PER_FN * fn + offset,
                              .line = 1 + offset / 16 % 100000 };
      if (i > 0)
        fn = p->callees[fn][place];
    }
  return way;
}

/* n distinct stacks.  */
static void
stacks_make (struct stacks *s, struct heap *heap, size_t n, enum shape shape)
{
  struct program *p = bench_allocate (1, sizeof *p);
  struct set stacks;
  uint64_t random = 1;

  workload_empty (&s->w, heap, 0, FNS, FILES);
  s->frames = bench_allocate (n * DEPTH, sizeof *s->frames);
  set_open (&stacks, n);
  make_program (p, &random);
  while (stacks.n < n)
    set_add (&stacks, take_walk (s, &s->frames[stacks.n * DEPTH], p, &random,
                                 shape));
  if (cgw_profile_new (&s->p, s->w.names, 1, CGW_INSTR_LINE) != CGW_OK)
    bench_fail ("cgw_profile_new");
  free (stacks.slots);
  free (p);
}

static void
stacks_free (struct stacks *s)
{
  cgw_profile_free (s->p);
  workload_free (&s->w);
  free (s->frames);
}

/* Those added are in a scattered order, each as often as another.  */
static void *
stacks_open (const struct group *g)
{
  struct world *w = bench_allocate (1, sizeof *w);

  (void)g;
  for (int shape = 0; shape < SHAPES; shape++)
    stacks_make (&w->stacks[shape], NULL, bench.distinct, (enum shape)shape);
  w->order = workload_order (bench.steps);
  return w;
}

static void
stacks_close (void *world)
{
  struct world *w = world;

  for (int shape = 0; shape < SHAPES; shape++)
    stacks_free (&w->stacks[shape]);
  free (w->order);
  free (w);
}

/* The frames of stack i.  A profiler has just unwound the stack that it adds,
   so they are in the cache: the next stack's are brought there.  */
static const struct cgw_pos *
unwind (const struct world *w, enum shape shape, size_t i)
{
  const struct cgw_pos *frames = w->stacks[shape].frames;
  const char *next
      = (const char *)&frames[w->order[(i + 1) % bench.steps]
                              % bench.distinct * DEPTH];

  for (size_t k = 0; k < DEPTH * sizeof *frames; k += 64)
    __builtin_prefetch (next + k);
  return &frames[w->order[i] % bench.distinct * DEPTH];
}

static int
add (const struct world *w, enum shape shape, size_t i)
{
  const uint64_t cost = 1 + i % 97;

  return (int)cgw_profile_stack (w->stacks[shape].p, unwind (w, shape, i),
                                 DEPTH, 1, &cost, 1);
}

static int
add_program (void *world, size_t i)
{
  return add (world, PROGRAM, i);
}

static int
add_own_places (void *world, size_t i)
{
  return add (world, OWN_PLACES, i);
}

static int
add_nothing (void *world, size_t i)
{
  const uint64_t cost = 1 + i % 97;

  __asm__ volatile ("" : : "r"(unwind (world, PROGRAM, i)), "r"(&cost));
  return 0;
}

/* What each stack takes that is new.  */
static void
stacks_weigh (const struct group *g, void *world)
{
  size_t n = 5 * bench.distinct;

  (void)world;
  for (int shape = 0; shape < SHAPES; shape++)
    {
      struct heap heap = { 0 };
      struct stacks s;
      const uint64_t cost = 1;

      stacks_make (&s, &heap, n, (enum shape)shape);
      size_t before = heap.bytes;
      for (size_t i = 0; i < n; i++)
        if (cgw_profile_stack (s.p, &s.frames[i * DEPTH], DEPTH, 1, &cost, 1)
            != CGW_OK)
          bench_fail ("cgw_profile_stack");
      print_value (g, g->subjects[shape].name, "bytes",
                   (double)(heap.bytes - before) / (double)n);
      stacks_free (&s);
    }
}

static const struct subject subjects[]
    = { { "program", "of a program", add_program, NULL },
        { "own_places", "each call from a place of its own", add_own_places,
          NULL },
        { "nothing", "the replay alone", add_nothing, NULL } };

const struct group stacks_group
    = { .name = "stacks",
        .title = "a known stack of 30 frames; bytes of a new one",
        .base = "-",
        .subjects = subjects,
        .n = 3,
        .each = 1,
        .runs = 7,
        .open = stacks_open,
        .close = stacks_close,
        .finish = stacks_weigh };
