/* positions.c - costs that a profile adds up by position.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "workload.h"

#include <stdlib.h>

enum
{
  PER_FN = 100,  /* positions */
  PER_FILE = 10, /* functions */
  KNOWN = 1000
};

struct positions
{
  struct workload w;
  struct cgw_profile *p;
};

/* n positions in random order, each once, and then all again in another
   order.  */
static struct positions *
positions_new (struct heap *heap, size_t n)
{
  struct positions *p = bench_allocate (1, sizeof *p);
  size_t n_fns = (n + PER_FN - 1) / PER_FN;
  uint32_t *order = workload_order (n);

  workload_empty (&p->w, heap, 2 * n, n_fns,
                  (n_fns + PER_FILE - 1) / PER_FILE);
  for (size_t i = 0; i < 2 * n; i++)
    {
      size_t k = order[i < n ? i : order[i - n]];

      workload_add (&p->w, k / PER_FN, 0x401000 + 5 * k,
                    (uint32_t)(1 + k / 3 % 10000));
    }
  free (order);
  if (cgw_profile_new (&p->p, p->w.names, 1, CGW_INSTR_LINE) != CGW_OK)
    bench_fail ("cgw_profile_new");
  return p;
}

static void *
positions_open (const struct group *g)
{
  return positions_new (NULL, g->variant ? g->variant : bench.positions);
}

static void
positions_close (void *world)
{
  struct positions *p = world;

  cgw_profile_free (p->p);
  workload_free (&p->w);
  free (p);
}

/* Nanoseconds per position.  */
static double
add_positions (struct positions *p, size_t first, size_t n)
{
  const struct script *s = &p->w.script;
  double start = bench_time ();

  for (size_t i = first; i < first + n; i++)
    if (cgw_profile_cost (p->p, &s->events[i].pos, &s->costs[i], 1) != CGW_OK)
      bench_fail ("cgw_profile_cost");
  return (bench_time () - start) / (double)n;
}

/* Each position is new, and then each is known.  */
static void
positions_run (void *world, size_t i, double *values)
{
  struct positions *p = world;
  size_t n = p->w.script.n / 2;

  (void)i;
  if (cgw_profile_clear (p->p) != CGW_OK)
    bench_fail ("cgw_profile_clear");
  values[0] = add_positions (p, 0, n);
  values[1] = add_positions (p, n, n);
}

static void
positions_weigh (const struct group *g, void *world)
{
  struct heap heap = { 0 };
  struct positions *p = positions_new (&heap, bench.positions);
  size_t before = heap.bytes;

  (void)world;
  add_positions (p, 0, p->w.script.n);
  print_value (g, "libcgw", "bytes",
               (double)(heap.bytes - before) / (double)bench.positions);
  positions_close (p);
}

static const struct subject subjects[]
    = { { "libcgw", "cgw_profile", NULL, NULL } };
static const char *const columns[] = { "new_ns", "known_ns" };

const struct group positions_group
    = { .name = "positions",
        .title = "a cost added at a position, in random order: new; known",
        .base = "-",
        .subjects = subjects,
        .n = 1,
        .runs = 11,
        .open = positions_open,
        .close = positions_close,
        .columns = columns,
        .n_columns = 2,
        .run = positions_run,
        .finish = positions_weigh };

/* Known positions, over and over.  */

static int
add_known (void *world, size_t i)
{
  const struct positions *p = world;

  return (int)cgw_profile_cost (p->p, &p->w.script.events[i % KNOWN].pos,
                                &p->w.script.costs[i % KNOWN], 1);
}

static int
add_nothing (void *world, size_t i)
{
  const struct positions *p = world;

  return do_nothing (p->p, &p->w.script.events[i % KNOWN].pos,
                     &p->w.script.costs[i % KNOWN], 1, NULL);
}

static const struct subject known_subjects[]
    = { { "cost", "cgw_profile_cost", add_known, NULL },
        { "nothing", "the replay alone", add_nothing, NULL } };

const struct group known_group
    = { .name = "known",
        .title = "a cost added at one of a thousand known positions",
        .base = "-",
        .subjects = known_subjects,
        .n = 2,
        .variant = KNOWN,
        .each = 1,
        .runs = 11,
        .open = positions_open,
        .close = positions_close };
