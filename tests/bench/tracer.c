/* tracer.c - calls that are traced: in a program, and one pair of enter and
   leave.

   The program has LEVELS levels of four functions, each of which calls two of
   the next level, from two of its four places.  A run has 2^LEVELS - 1 calls,
   and nobody recurs, so that all who trace it must find the same.  What is
   measured is a counter, as if a clock stood still while the tracer works.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "contender.h"

#include <stdlib.h>
#include <string.h>

enum
{
  LEVELS = 20,
  WIDTH = 4,
  FNS = LEVELS * WIDTH,
  PER_RUN = (1 << LEVELS) - 1,
  OTHERS = 10000 /* calls that are too many to be recent */
};

/* A call site by hand: the edge of its last call.  */
struct site
{
  const struct cgw_pos *callee;
  struct cgw_edge edge;
};

/* Where the functions are.  */
static struct
{
  struct workload w;
  struct sink sink;
  struct entrant e; /* of contender_profile */
  struct cgw_tracer *t;
  uint64_t counter;
  int failed; /* 0, or what a call returned */
  struct cgw_pos fns[FNS];
  struct cgw_pos places[FNS][WIDTH];
  /* From each place to its function, looked up by the tracer.  */
  struct cgw_edge edges[FNS][WIDTH];
  struct site sites[FNS][WIDTH];
  struct cgw_pos others[OTHERS];
  uint32_t *order;
} world;

/* By hand: a stack of its own, and a hash table of edges.  Nothing is checked,
   and the stack does not grow.  */

enum
{
  HAND_EDGES = 1024 /* a power of two, and more than there are */
};

struct hand_edge
{
  const struct cgw_pos *at;
  const struct cgw_pos *callee; /* NULL: no edge */
  uint64_t count;
  uint64_t inclusive;
  uint64_t self; /* of the function, from this place */
};

static struct
{
  struct hand_edge edges[HAND_EDGES];
  struct hand_level
  {
    struct hand_edge *edge;
    uint64_t start;
    uint64_t inner; /* cost of the calls below */
  } stack[LEVELS + 1], *top;
} hand;

static struct hand_edge *
find_edge (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  uint64_t h = ((uintptr_t)at * 31 + (uintptr_t)callee) * 0x9e3779b97f4a7c15u;

  for (size_t i = (size_t)(h >> 40);; i++)
    {
      struct hand_edge *e = &hand.edges[i % HAND_EDGES];

      if (e->callee == callee && e->at == at)
        return e;
      if (e->callee)
        continue;
      e->at = at;
      e->callee = callee;
      return e;
    }
}

__attribute__ ((noinline)) static void
hand_enter (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  world.counter += 3;
  *++hand.top = (struct hand_level){ find_edge (at, callee), world.counter, 0 };
}

__attribute__ ((noinline)) static void
hand_leave (void)
{
  struct hand_level *level = hand.top--;

  world.counter += 5;
  uint64_t cost = world.counter - level->start;
  level->edge->count++;
  level->edge->inclusive += cost;
  level->edge->self += cost - level->inner;
  level[-1].inner += cost;
}

/* By the library.  */

static inline void
enter (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  world.counter += 3;
  world.failed
      |= (int)cgw_tracer_enter (world.t, at, callee, 0, &world.counter);
}

static inline void
enter_edge (struct cgw_edge edge)
{
  world.counter += 3;
  world.failed
      |= (int)cgw_tracer_enter_edge (world.t, edge, 0, &world.counter);
}

static inline void
enter_site (struct site *site, const struct cgw_pos *at,
            const struct cgw_pos *callee)
{
  if (site->callee != callee)
    {
      world.failed
          |= (int)cgw_tracer_edge (world.t, at, callee, &site->edge);
      site->callee = callee;
    }
  enter_edge (site->edge);
}

static inline void
leave (void)
{
  world.counter += 5;
  world.failed |= (int)cgw_tracer_leave (world.t, &world.counter);
}

/* The program, traced by these two statements, in which `fn` calls `callee`,
   from the place of the same number.  */
#define PROGRAM(name, before, after)                                          \
  static uint64_t name (size_t fn, uint64_t x)                                \
  {                                                                           \
    uint64_t sum = 0;                                                         \
                                                                              \
    if (fn >= FNS - WIDTH)                                                    \
      return x >> 32 ^ fn;                                                    \
    for (int n = 0; n < 2; n++)                                               \
      {                                                                       \
        x = x * 6364136223846793005u + 1442695040888963407u;                  \
        size_t place = x >> 62;                                               \
        size_t callee = (fn / WIDTH + 1) * WIDTH + place;                     \
        before;                                                               \
        sum += name (callee, x);                                              \
        after;                                                                \
      }                                                                       \
    return sum;                                                               \
  }

PROGRAM (run_plain, (void)0, (void)0)
PROGRAM (run_positions, enter (&world.places[fn][place], &world.fns[callee]),
         leave ())
PROGRAM (run_edges, enter_edge (world.edges[fn][place]), leave ())
PROGRAM (run_sites,
         enter_site (&world.sites[fn][place], &world.places[fn][place],
                     &world.fns[callee]),
         leave ())
PROGRAM (run_hand,
         hand_enter (&world.places[fn][place], &world.fns[callee]),
         hand_leave ())

static uint64_t (*const programs[]) (size_t fn, uint64_t x)
    = { run_edges, run_positions, run_sites, run_hand, run_plain };

enum
{
  N = sizeof programs / sizeof *programs,
  HAND = 3 /* those before it are the library's */
};

/* The function that is called from a place.  */
static const struct cgw_pos *
callee_of (size_t fn, size_t place)
{
  return &world.fns[(fn / WIDTH + 1) % LEVELS * WIDTH + place];
}

static void
tracer_open (void)
{
  world.failed |= (int)cgw_tracer_new (&world.t,
                                       contender_sums (world.e.context), NULL);
  for (size_t i = 0; i < FNS; i++)
    for (size_t k = 0; k < WIDTH; k++)
      world.failed |= (int)cgw_tracer_edge (world.t, &world.places[i][k],
                                            callee_of (i, k),
                                            &world.edges[i][k]);
  memset (world.sites, 0, sizeof world.sites);
}

static void
tracer_close (void)
{
  if (world.failed || cgw_tracer_free (world.t) != CGW_OK)
    bench_fail ("the tracer");
}

static void
open_world (struct heap *heap)
{
  memset (&world, 0, sizeof world);
  world.sink.fd = -1;
  workload_empty (&world.w, heap, 0, FNS, LEVELS);
  for (size_t i = 0; i < FNS; i++)
    {
      struct cgw_pos pos = { .fn = world.w.fns[i],
                             .instr = 0x401000 + 80 * i,
                             .line = (uint32_t)(1 + 15 * i) };

      world.fns[i] = pos;
      for (size_t k = 0; k < WIDTH; k++)
        {
          pos.instr += 16;
          pos.line += 3;
          world.places[i][k] = pos;
        }
    }
  for (size_t i = 0; i < OTHERS; i++)
    {
      world.others[i] = world.places[0][0];
      world.others[i].instr = 0x501000 + 8 * i;
    }
  world.order = workload_order (OTHERS);
  entrant_open (&world.e, &contender_profile, &world.w, &world.sink);
  entrant_begin (&world.e);
}

static void
close_world (void)
{
  entrant_close (&world.e);
  free (world.order);
  workload_free (&world.w);
}

/* Runs a program, with a tracer that knows nothing.  */
static double
trace (size_t i)
{
  entrant_begin (&world.e);
  tracer_open ();
  hand.top = hand.stack;
  if (i < HAND)
    enter (NULL, &world.fns[0]);
  else
    hand_enter (NULL, &world.fns[0]);
  double start = bench_time ();
  uint64_t sum = programs[i](0, 1);
  double ns = bench_time () - start;
  if (i < HAND)
    leave ();
  else
    hand_leave ();
  tracer_close ();
  if (sum != run_plain (0, 1))
    bench_fail ("the program");
  return ns / PER_RUN;
}

static void *
calls_open (const struct group *g)
{
  (void)g;
  open_world (NULL);
  return &world;
}

static void
calls_close (void *w)
{
  (void)w;
  close_world ();
}

static void
calls_run (void *w, size_t i, double *values)
{
  (void)w;
  *values = trace (i);
}

/* The library's ways find the same, and as much as the one by hand.  */
static void
calls_check (const struct group *g, void *w)
{
  struct profile *read[HAND];
  uint64_t by_hand = 0, own;

  (void)w;
  memset (&hand, 0, sizeof hand);
  trace (HAND);
  for (size_t i = 0; i < HAND_EDGES; i++)
    by_hand += hand.edges[i].self;
  for (size_t i = 0; i < HAND; i++)
    {
      trace (i);
      if (cgw_profile_total (contender_sums (world.e.context), &own, 1)
              != CGW_OK
          || own != by_hand)
        bench_fail (g->subjects[i].name);
      world.sink.keep = true;
      entrant_end (&world.e);
      read[i] = read_sink (&world.sink, g->subjects[i].name);
      must_be_same (read[0], read[i], g->name, g->subjects[i].name);
    }
  for (size_t i = 0; i < HAND; i++)
    profile_free (read[i]);
}

/* One call of each level, over and over.  */

static void
go_down (size_t levels)
{
  for (size_t i = 0; i < levels; i++)
    {
      size_t fn = i % LEVELS * WIDTH;

      enter (&world.places[fn][0], callee_of (fn, 0));
    }
}

static void
come_up (size_t levels)
{
  for (size_t i = 0; i < levels; i++)
    leave ();
}

/* A level of the stack: the edges are known.  */
static void
calls_weigh (const struct group *g)
{
  struct heap heap = { 0 };
  size_t levels = bench.positions;

  close_world ();
  open_world (&heap);
  tracer_open ();
  go_down (100);
  come_up (100);
  size_t before = heap.bytes;
  go_down (levels);
  print_value (g, "positions", "bytes",
               (double)(heap.bytes - before) / (double)levels);
  come_up (levels);
  tracer_close ();
  close_world ();
  open_world (NULL);
}

static const struct subject calls_subjects[N]
    = { { "edge", "cgw_tracer_enter_edge", NULL, NULL },
        { "positions", "cgw_tracer_enter", NULL, NULL },
        { "site", "enter_edge, its edge kept by call site", NULL, NULL },
        { "by_hand", "a stack and a hash table by hand", NULL, NULL },
        { "plain", "the program alone", NULL, NULL } };
static const char *const columns[] = { "ns" };

const struct group calls_group
    = { .name = "calls",
        .title = "a call of a program that is traced; bytes of a level",
        .base = "edge",
        .subjects = calls_subjects,
        .n = N,
        .runs = 11,
        .open = calls_open,
        .close = calls_close,
        .columns = columns,
        .n_columns = 1,
        .run = calls_run,
        .check = calls_check,
        .weigh = calls_weigh };

/* Steps: down and up again.  No function recurs, so each call adds an inclusive
   cost.  */

static int
step_positions (void *w, size_t i)
{
  (void)w, (void)i;
  for (size_t fn = 0; fn < FNS; fn += WIDTH)
    enter (&world.places[fn][0], callee_of (fn, 0));
  come_up (LEVELS);
  return world.failed;
}

static int
step_edges (void *w, size_t i)
{
  (void)w, (void)i;
  for (size_t fn = 0; fn < FNS; fn += WIDTH)
    enter_edge (world.edges[fn][0]);
  come_up (LEVELS);
  return world.failed;
}

static int
step_sites (void *w, size_t i)
{
  (void)w, (void)i;
  for (size_t fn = 0; fn < FNS; fn += WIDTH)
    enter_site (&world.sites[fn][0], &world.places[fn][0],
                callee_of (fn, 0));
  come_up (LEVELS);
  return world.failed;
}

static int
step_others (void *w, size_t i)
{
  (void)w;
  for (size_t k = LEVELS * i; k < LEVELS * (i + 1); k++)
    {
      enter (&world.others[world.order[k % OTHERS]], &world.fns[WIDTH]);
      leave ();
    }
  return world.failed;
}

static int
step_nothing (void *w, size_t i)
{
  (void)w, (void)i;
  for (size_t fn = 0; fn < FNS; fn += WIDTH)
    world.failed |= do_nothing (world.t, &world.places[fn][0],
                                callee_of (fn, 0), 0, &world.counter);
  for (size_t k = 0; k < LEVELS; k++)
    world.failed |= do_nothing (world.t, &world.counter, NULL, 0, NULL);
  return world.failed;
}

static void *
pairs_open (const struct group *g)
{
  (void)g;
  open_world (NULL);
  tracer_open ();
  return &world;
}

static void
pairs_close (void *w)
{
  (void)w;
  tracer_close ();
  close_world ();
}

static const struct subject pairs_subjects[]
    = { { "edge", "cgw_tracer_enter_edge", step_edges, NULL },
        { "recent", "cgw_tracer_enter, a recent call", step_positions, NULL },
        { "other", "cgw_tracer_enter, another call", step_others, NULL },
        { "site", "enter_edge, its edge kept by call site", step_sites, NULL },
        { "nothing", "the replay alone", step_nothing, NULL } };

const struct group pairs_group
    = { .name = "pairs",
        .title = "a call that is entered and left",
        .base = "edge",
        .subjects = pairs_subjects,
        .n = sizeof pairs_subjects / sizeof *pairs_subjects,
        .each = LEVELS,
        .runs = 11,
        .open = pairs_open,
        .close = pairs_close };
