/* positions.c - sums by position: the library's and other tables', one beside
   the other.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "positions.h"
#include "../ways.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  PER_FN = 100, /* positions */
  PER_FILE = 10 /* functions */
};

static void
add_position (struct workload *w, size_t i)
{
  workload_add (w, i / PER_FN, 0x401000 + 5 * i,
                (uint32_t)(1 + i / 3 % 10000));
}

/* n positions in random order, each once, and then all again in another order;
   one event.  */
static void
positions_make (struct workload *w, size_t n)
{
  size_t n_fns = (n + PER_FN - 1) / PER_FN;
  uint32_t *order = workload_order (n);

  workload_empty (w, 2 * n, 1, n_fns, (n_fns + PER_FILE - 1) / PER_FILE);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[i]);
  for (size_t i = 0; i < n; i++)
    add_position (w, order[order[i]]);
  free (order);
}

/* What a table added up, written through the library.  */

void
sums_open (struct sums *s, const struct workload *from, size_t n)
{
  s->w = *from;
  s->w.borrowed = true;
  s->w.script = (struct script){ .n_events = from->script.n_events };
  s->w.script.events = bench_allocate (n, sizeof *s->w.script.events);
  s->w.script.costs
      = bench_allocate (n * s->w.script.n_events, sizeof *s->w.script.costs);
  s->room = n;
}

void
sums_take (struct sums *s, const struct cgw_pos *pos, const uint64_t *cost)
{
  struct script *script = &s->w.script;

  if (script->n == s->room)
    abort ();
  script->events[script->n].pos = *pos;
  memcpy (&script->costs[script->n * script->n_events], cost,
          script->n_events * sizeof *cost);
  script->n++;
}

void
sums_write (struct sums *s, struct sink *sink)
{
  struct entrant e;

  entrant_open (&e, &contender_libcgw, &s->w, sink, NULL);
  entrant_run (&e);
  entrant_close (&e);
  workload_free (&s->w);
}

/* The contenders.  */

static const struct contender *const summers[] = {
  &way_profile,
#ifdef BENCH_UTHASH
  &sum_uthash,
#endif
#ifdef BENCH_CXX
  &sum_unordered_map,
#endif
};

enum
{
  N = sizeof summers / sizeof *summers,
  LIBCGW = 0
};

/* What configure did not find.  */
static const char left_out[] =
#ifndef BENCH_UTHASH
    "  (without uthash: there is no uthash.h)\n"
#endif
#ifndef BENCH_CXX
    "  (without unordered_map: there is no compiler for C++17)\n"
#endif
    "";

bool
check_positions (const struct size *size, bool differ)
{
  struct sink sink = { .fd = -1 };
  struct workload w, truth;
  bool ok = true;
  size_t n;

  positions_make (&w, size->positions);
  workload_multiply (&truth, &w, 1);
  truth.script.costs[0] += differ;
  for (size_t i = 0; i < N; i++)
    {
      struct entrant e;

      entrant_open (&e, summers[i], &w, &sink, NULL);
      ok &= entrant_check (&e, &truth, "positions", summers[i]->name, &n);
      entrant_close (&e);
    }
  printf ("positions: %d contenders\n%s", N, left_out);
  workload_free (&truth);
  workload_free (&w);
  return ok;
}

/* Each position is new, and then each is known.  */
static void
run (void *context, size_t i, double *values)
{
  struct entrant *e = (struct entrant *)context + i;
  size_t n = e->script.n / 2;

  entrant_begin (e);
  values[0] = entrant_replay (e, 0, n) / (double)n;
  values[1] = entrant_replay (e, n, n) / (double)n;
}

static void
print_times (const struct quartiles q[2 * N], size_t n, size_t runs)
{
  printf ("\nns per cost added, %zu positions in random order, median "
          "(quartiles) of %zu runs\n"
          "  %-18s %-24s    each is known\n",
          n, runs, "", "each is new");
  for (size_t i = 0; i < N; i++)
    {
      printf ("  %-18s", summers[i]->name);
      print_quartiles (&q[2 * i]);
      print_quartiles (&q[2 * i + 1]);
      putchar ('\n');
    }
  fputs (left_out, stdout);
  for (size_t i = 0; i < N; i++)
    {
      const char *name = summers[i]->name;

      print_figure ("profile_ns_new_", name, "", q[2 * i].median);
      print_figure ("profile_ns_known_", name, "", q[2 * i + 1].median);
      if (i == LIBCGW)
        continue;
      print_figure ("profile_new_against_", name, "",
                    q[LIBCGW].median / q[2 * i].median);
      print_figure ("profile_against_", name, "",
                    q[LIBCGW + 1].median / q[2 * i + 1].median);
    }
}

void
measure_positions (const struct size *size)
{
  size_t runs = runs_wanted (11);
  struct sink sink = { .fd = -1 };
  struct entrant tables[N];
  struct quartiles q[2 * N];
  struct workload w;

  positions_make (&w, size->positions);
  for (size_t i = 0; i < N; i++)
    entrant_open (&tables[i], summers[i], &w, &sink, NULL);
  run_rounds (N, 2, runs, run, tables, q);
  print_times (q, size->positions, runs);
  for (size_t i = 0; i < N; i++)
    entrant_close (&tables[i]);
  workload_free (&w);
}

void
measure_positions_memory (const struct size *size)
{
  size_t n = size->positions;
  struct heap heap = { 0 };
  struct setup setup = { .heap = &heap };
  struct sink sink = { .fd = -1 };
  struct entrant e;
  struct workload w;

  positions_make (&w, n);
  entrant_open (&e, &way_profile, &w, &sink, &setup);
  entrant_begin (&e);
  size_t before = heap.bytes;
  entrant_replay (&e, 0, e.script.n);
  double bytes = (double)(heap.bytes - before) / (double)n;
  entrant_close (&e);
  workload_free (&w);
  printf ("\nbytes in use per\n  position of %zu %8.1f\n", n, bytes);
  print_figure ("profile_bytes_per_position", "", "", bytes);
}

/* Instructions: a thousand known positions, over and over.  */

enum
{
  KNOWN = 1000
};

struct counted
{
  enum cgw_status (*add) (struct cgw_profile *p, const struct cgw_pos *pos,
                          const uint64_t *cost, size_t n);
  struct cgw_profile *p;
  struct script script;
};

/* What the replay takes by itself.  */
static enum cgw_status
do_nothing (struct cgw_profile *p, const struct cgw_pos *pos,
            const uint64_t *cost, size_t n)
{
  (void)p, (void)pos, (void)cost, (void)n;
  return CGW_OK;
}

static int
add_known (void *context, size_t i)
{
  struct counted *c = context;
  size_t k = i % KNOWN;

  return (int)c->add (c->p, &c->script.events[k].pos, &c->script.costs[k], 1);
}

void
count_positions (void)
{
  struct sink sink = { .fd = -1 };
  struct entrant e;
  struct workload w;

  positions_make (&w, KNOWN);
  entrant_open (&e, &way_profile, &w, &sink, NULL);
  struct counted c
      = { do_nothing, way_profile_sums (e.context), e.script };
  count_steps ("nothing_cost", add_known, &c, 1);
  c.add = cgw_profile_cost;
  count_steps ("cost", add_known, &c, 1);
  entrant_close (&e);
  workload_free (&w);
}
