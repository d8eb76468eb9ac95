/* positions.c - sums by position: the library's, and a table's by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "contender.h"

#include <stdlib.h>

enum
{
  PER_FN = 100,  /* positions */
  PER_FILE = 10, /* functions */
  KNOWN = 1000,
  N = 2 /* those that write */
};

struct positions
{
  struct workload w;
  struct sink sink;
  struct entrant entrants[N];
};

struct known
{
  struct workload w;
  struct cgw_profile *p;
};

static void
add_position (struct workload *w, size_t i)
{
  workload_add (w, i / PER_FN, 0x401000 + 5 * i,
                (uint32_t)(1 + i / 3 % 10000));
}

/* n positions in random order, each once, and then all again in another
   order.  */
static void
positions_make (struct workload *w, struct heap *heap, size_t n)
{
  size_t n_fns = (n + PER_FN - 1) / PER_FN;
  uint32_t *order = workload_order (n);

  workload_empty (w, heap, 2 * n, n_fns, (n_fns + PER_FILE - 1) / PER_FILE);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[i]);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[order[i]]);
  free (order);
}

static void *
positions_open (const struct group *g)
{
  struct positions *p = bench_allocate (1, sizeof *p);

  positions_make (&p->w, NULL, bench.positions);
  p->sink.fd = -1;
  for (size_t i = 0; i < N; i++)
    entrant_open (&p->entrants[i], g->subjects[i].contender, &p->w, &p->sink);
  return p;
}

static void
positions_close (void *world)
{
  struct positions *p = world;

  for (size_t i = 0; i < N; i++)
    entrant_close (&p->entrants[i]);
  workload_free (&p->w);
  free (p);
}

/* Each position is new, and then each is known.  Adding each once and writing
   them is a run, too: the sums are other ones, but as many.  */
static void
positions_run (void *world, size_t i, double *values)
{
  struct entrant *e = &((struct positions *)world)->entrants[i];
  size_t n = e->script.n / 2;

  entrant_begin (e);
  values[0] = entrant_replay (e, 0, n) / (double)n;
  values[1] = entrant_replay (e, n, n) / (double)n;
  values[2] = values[0] + entrant_end (e) / (double)n;
}

static void
positions_check (const struct group *g, void *world)
{
  struct positions *p = world;
  struct profile *read[N];
  size_t n;

  for (size_t i = 0; i < N; i++)
    read[i] = entrant_read (&p->entrants[i], g->subjects[i].name, &n);
  must_be_same (read[0], read[1], g->name, g->subjects[1].name);
  for (size_t i = 0; i < N; i++)
    profile_free (read[i]);
}

static void
positions_weigh (const struct group *g)
{
  struct heap heap = { 0 };
  struct sink sink = { .fd = -1 };
  struct entrant e;
  struct workload w;
  size_t n = bench.positions;

  positions_make (&w, &heap, n);
  entrant_open (&e, &contender_profile, &w, &sink);
  entrant_begin (&e);
  size_t before = heap.bytes;
  entrant_replay (&e, 0, e.script.n);
  print_value (g, "libcgw", "bytes",
               (double)(heap.bytes - before) / (double)n);
  entrant_close (&e);
  workload_free (&w);
}

static const struct subject subjects[N]
    = { { "libcgw", "cgw_profile", NULL, &contender_profile },
        { "table", "a hash table, sorted, and fprintf", NULL,
          &contender_table } };
static const char *const columns[] = { "new_ns", "known_ns", "once_ns" };

const struct group positions_group
    = { .name = "positions",
        .title = "a cost added at a position, in random order: new; known; new "
                 "and then written",
        .base = "table",
        .subjects = subjects,
        .n = N,
        .runs = 11,
        .open = positions_open,
        .close = positions_close,
        .columns = columns,
        .n_columns = 3,
        .run = positions_run,
        .check = positions_check,
        .weigh = positions_weigh };

/* Known positions, over and over.  */

static int
add_known (void *world, size_t i)
{
  const struct known *k = world;
  const struct script *s = &k->w.script;

  return (int)cgw_profile_cost (k->p, &s->events[i % KNOWN].pos,
                                &s->costs[i % KNOWN], 1);
}

static int
add_nothing (void *world, size_t i)
{
  const struct known *k = world;
  const struct script *s = &k->w.script;

  return do_nothing (k->p, &s->events[i % KNOWN].pos, &s->costs[i % KNOWN], 1,
                     NULL);
}

static void *
known_open (const struct group *g)
{
  struct known *k = bench_allocate (1, sizeof *k);

  (void)g;
  positions_make (&k->w, NULL, KNOWN);
  if (cgw_profile_new (&k->p, k->w.names, 1, CGW_INSTR_LINE) != CGW_OK)
    bench_fail ("cgw_profile_new");
  return k;
}

static void
known_close (void *world)
{
  struct known *k = world;

  cgw_profile_free (k->p);
  workload_free (&k->w);
  free (k);
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
        .each = 1,
        .runs = 11,
        .open = known_open,
        .close = known_close };
