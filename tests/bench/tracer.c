/* tracer.c - calls that a tracer enters and leaves, twenty levels down and up
   again.  No function recurs, so each call adds an inclusive cost.  The cost
   is a counter, as if a clock stood still while the tracer works.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "workload.h"

#include <stdlib.h>

enum
{
  LEVELS = 20,
  OTHERS = 10000 /* calls that are too many to be recent */
};

struct calls
{
  struct workload w;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  uint64_t counter;
  struct cgw_pos fns[LEVELS];
  struct cgw_pos places[LEVELS]; /* in each function, to call the next one */
  struct cgw_edge edges[LEVELS]; /* of these calls */
  struct cgw_pos others[OTHERS];
  uint32_t *order;
};

static const struct cgw_pos *
callee_of (const struct calls *c, size_t level)
{
  return &c->fns[(level + 1) % LEVELS];
}

static struct calls *
calls_new (struct heap *heap)
{
  struct calls *c = bench_allocate (1, sizeof *c);
  int failed = 0;

  workload_empty (&c->w, heap, 0, LEVELS, LEVELS);
  for (size_t i = 0; i < LEVELS; i++)
    {
      c->fns[i] = (struct cgw_pos){ .fn = c->w.fns[i],
                                    .instr = 0x401000 + 80 * i,
                                    .line = (uint32_t)(1 + 15 * i) };
      c->places[i] = c->fns[i];
      c->places[i].instr += 16;
      c->places[i].line += 3;
    }
  for (size_t i = 0; i < OTHERS; i++)
    {
      c->others[i] = c->places[0];
      c->others[i].instr = 0x501000 + 8 * i;
    }
  c->order = workload_order (OTHERS);
  if (cgw_profile_new (&c->p, c->w.names, 1, CGW_INSTR_LINE) != CGW_OK
      || cgw_tracer_new (&c->t, c->p, NULL) != CGW_OK)
    bench_fail ("cgw_tracer_new");
  for (size_t i = 0; i < LEVELS; i++)
    failed |= (int)cgw_tracer_edge (c->t, &c->places[i], callee_of (c, i),
                                    &c->edges[i]);
  if (failed)
    bench_fail ("cgw_tracer_edge");
  return c;
}

static void *
calls_open (const struct group *g)
{
  (void)g;
  return calls_new (NULL);
}

static void
calls_close (void *world)
{
  struct calls *c = world;

  if (cgw_tracer_free (c->t) != CGW_OK)
    bench_fail ("the tracer");
  cgw_profile_free (c->p);
  workload_free (&c->w);
  free (c->order);
  free (c);
}

static inline int
enter (struct calls *c, const struct cgw_pos *at, const struct cgw_pos *callee)
{
  c->counter += 3;
  return (int)cgw_tracer_enter (c->t, at, callee, 0, &c->counter);
}

static int
go_down (struct calls *c, size_t levels)
{
  int failed = 0;

  for (size_t i = 0; i < levels; i++)
    failed |= enter (c, &c->places[i % LEVELS], callee_of (c, i));
  return failed;
}

static int
come_up (struct calls *c, size_t levels)
{
  int failed = 0;

  for (size_t i = 0; i < levels; i++)
    {
      c->counter += 5;
      failed |= (int)cgw_tracer_leave (c->t, &c->counter);
    }
  return failed;
}

static int
step_recent (void *world, size_t i)
{
  (void)i;
  return go_down (world, LEVELS) | come_up (world, LEVELS);
}

static int
step_edges (void *world, size_t i)
{
  struct calls *c = world;
  int failed = 0;

  (void)i;
  for (const struct cgw_edge *e = c->edges; e < c->edges + LEVELS; e++)
    {
      c->counter += 3;
      failed |= (int)cgw_tracer_enter_edge (c->t, *e, 0, &c->counter);
    }
  return failed | come_up (c, LEVELS);
}

static int
step_others (void *world, size_t i)
{
  struct calls *c = world;
  int failed = 0;

  for (size_t k = LEVELS * i; k < LEVELS * (i + 1); k++)
    failed |= enter (c, &c->others[c->order[k % OTHERS]], &c->fns[1])
              | come_up (c, 1);
  return failed;
}

static int
step_nothing (void *world, size_t i)
{
  struct calls *c = world;
  int failed = 0;

  (void)i;
  for (size_t k = 0; k < LEVELS; k++)
    {
      c->counter += 3;
      failed |= do_nothing (c->t, &c->places[k], callee_of (c, k), 0,
                            &c->counter);
    }
  for (size_t k = 0; k < LEVELS; k++)
    {
      c->counter += 5;
      failed |= do_nothing (c->t, &c->counter, NULL, 0, NULL);
    }
  return failed;
}

/* An open call: the edges are known.  */
static void
calls_weigh (const struct group *g, void *world)
{
  struct heap heap = { 0 };
  struct calls *c = calls_new (&heap);
  size_t levels = bench.positions;

  (void)world;
  int failed = go_down (c, 100) | come_up (c, 100);
  size_t before = heap.bytes;
  failed |= go_down (c, levels);
  print_value (g, "recent", "bytes",
               (double)(heap.bytes - before) / (double)levels);
  if (failed | come_up (c, levels))
    bench_fail ("cgw_tracer_enter");
  calls_close (c);
}

static const struct subject subjects[]
    = { { "edge", "cgw_tracer_enter_edge", step_edges, NULL },
        { "recent", "cgw_tracer_enter, a recent call", step_recent, NULL },
        { "other", "cgw_tracer_enter, another call", step_others, NULL },
        { "nothing", "the replay alone", step_nothing, NULL } };

const struct group pairs_group
    = { .name = "pairs",
        .title = "a call that is entered and left; bytes of an open one",
        .base = "edge",
        .subjects = subjects,
        .n = sizeof subjects / sizeof *subjects,
        .each = LEVELS,
        .runs = 11,
        .open = calls_open,
        .close = calls_close,
        .finish = calls_weigh };
