/* measure_positions.c - sums by position: the library's and other tables', one
   beside the other.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../replay.h"
#include "../runs.h"
#include "../ways.h"
#include "positions.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The way to use the library is here the library.  */
static const char *
name (const struct contender *c)
{
  return c == &way_profile ? "libcgw" : c->name;
}

/* A contender, ready to run.  */
struct table
{
  const struct contender *c;
  void *context;
  struct script first; /* each position is new */
  struct script again; /* each is known */
  double *ns_new;
  double *ns_known;
};

static void
table_open (struct table *t, const struct contender *c,
            const struct workload *w, struct sink *sink)
{
  t->c = c;
  t->first = w->script;
  t->context = c->open (w, sink, &t->first);
  t->again = t->first;
  t->first.n = t->again.n /= 2;
  t->again.events += t->first.n;
  t->again.costs += t->first.n * t->first.n_events;
}

static void
fail (const struct table *t)
{
  fprintf (stderr, "profile: %s failed\n", name (t->c));
  exit (1);
}

/* Makes the sums.  */
static void
table_run (struct table *t, double *ns_new, double *ns_known)
{
  if (!t->c->begin (t->context))
    fail (t);
  double start = bench_time ();
  int failed = bench_replay (&t->first, t->c, t->context);
  double middle = bench_time ();
  failed |= bench_replay (&t->again, t->c, t->context);
  double end = bench_time ();
  if (failed)
    fail (t);
  *ns_new = (middle - start) / (double)t->first.n;
  *ns_known = (end - middle) / (double)t->again.n;
}

static bool
check_table (const struct contender *c, const struct workload *w,
             const struct workload *truth)
{
  struct sink sink = { .fd = -1, .keep = true };
  struct table t;
  char why[512];
  double ignored;
  size_t n;

  table_open (&t, c, w, &sink);
  table_run (&t, &ignored, &ignored);
  if (!c->end (t.context))
    fail (&t);
  const char *bytes = sink_bytes (&sink, &n);
  bool ok = c->check (truth, bytes, n, why, sizeof why);
  if (!ok)
    fprintf (stderr, "positions, %s: wrong: %s\n", name (c), why);
  c->close (t.context);
  sink_close (&sink);
  return ok;
}

bool
check_positions (const struct size *size, bool differ)
{
  struct workload w, truth;
  bool ok = true;

  positions_make (&w, size->positions);
  workload_multiply (&truth, &w, 1);
  truth.script.costs[0] += differ;
  for (size_t i = 0; i < N; i++)
    ok &= check_table (summers[i], &w, &truth);
  printf ("positions: %d contenders\n%s", N, left_out);
  workload_free (&truth);
  workload_free (&w);
  return ok;
}

/* They take turns, and each round begins with another one; round 0 warms
   up.  */
static void
run_rounds (struct table tables[N], size_t runs)
{
  for (size_t run = 0; run <= runs; run++)
    for (size_t i = 0; i < N; i++)
      {
        struct table *t = &tables[(i + run) % N];
        double ns_new, ns_known;
        table_run (t, &ns_new, &ns_known);
        if (run == 0)
          continue;
        t->ns_new[run - 1] = ns_new;
        t->ns_known[run - 1] = ns_known;
      }
}

static void
print_times (struct table tables[N], size_t n, size_t runs)
{
  struct quartiles fresh[N], known[N];

  printf ("\nns per cost added, %zu positions in random order, median "
          "(quartiles) of %zu runs\n"
          "  %-18s %-24s    each is known\n",
          n, runs, "", "each is new");
  for (size_t i = 0; i < N; i++)
    {
      fresh[i] = quartiles (tables[i].ns_new, runs);
      known[i] = quartiles (tables[i].ns_known, runs);
      printf ("  %-18s %8.1f (%6.1f -%6.1f) %8.1f (%6.1f -%6.1f)\n",
              name (tables[i].c), fresh[i].median, fresh[i].first,
              fresh[i].third, known[i].median, known[i].first, known[i].third);
    }
  fputs (left_out, stdout);
  for (size_t i = 0; i < N; i++)
    {
      print_figure ("profile_ns_new_", name (tables[i].c), "",
                    fresh[i].median);
      print_figure ("profile_ns_known_", name (tables[i].c), "",
                    known[i].median);
      if (i == LIBCGW)
        continue;
      print_figure ("profile_new_against_", name (tables[i].c), "",
                    fresh[LIBCGW].median / fresh[i].median);
      print_figure ("profile_against_", name (tables[i].c), "",
                    known[LIBCGW].median / known[i].median);
    }
}

void
measure_positions (const struct size *size)
{
  size_t runs = runs_wanted (11);
  struct sink sink = { .fd = -1 };
  struct table tables[N];
  struct workload w;

  positions_make (&w, size->positions);
  for (size_t i = 0; i < N; i++)
    {
      table_open (&tables[i], summers[i], &w, &sink);
      tables[i].ns_new = bench_allocate (runs, sizeof (double));
      tables[i].ns_known = bench_allocate (runs, sizeof (double));
    }
  run_rounds (tables, runs);
  print_times (tables, size->positions, runs);
  for (size_t i = 0; i < N; i++)
    {
      tables[i].c->close (tables[i].context);
      free (tables[i].ns_new);
      free (tables[i].ns_known);
    }
  workload_free (&w);
}
