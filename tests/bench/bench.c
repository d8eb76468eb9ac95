/* bench.c - the benchmark.

   Usage: bench (--measure | --count | --try) PROFILE [GROUP...]

   --measure  time of all subjects, of these groups or of all
   --count    replays for valgrind (see count.sh)
   --try      as --measure, but once and with little work: is all there?

   report.awk makes tables of what it prints.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench bench;

static const struct group *const all_groups[]
    = { &records_groups[0], &records_groups[1], &records_groups[2],
        &records_groups[3], &records_groups[4], &positions_group,
        &known_group,       &once_group,        &stacks_group,
        &pairs_group,       &names_group,       &push_group };

static const struct mode
{
  const char *name;
  struct bench bench;
  size_t runs; /* or 0: as the group wants */
} modes[] = { { "--measure", { NULL, 1000000, 20000, 200000 }, 0 },
              { "--count", { NULL, 1000, 1000, 11000 }, 0 },
              { "--try", { NULL, 2000, 100, 2000 }, 1 } };

void
print_value (const struct group *g, const char *subject, const char *column,
             double value)
{
  printf ("value %s %s %s %.6g\n", g->name, subject, column, value);
}

void
print_replay (const struct group *g, size_t i, size_t n)
{
  printf ("replay %zu %s %s\n", n, g->name, g->subjects[i].name);
}

int
do_nothing (const void *a, const void *b, const void *c, uint64_t d,
            const void *e)
{
  (void)a, (void)b, (void)c, (void)d, (void)e;
  return 0;
}

/* Not inlined: valgrind counts between its beginning and its end.  */
__attribute__ ((noinline)) int
counted_steps (bench_step *step, void *world, size_t n)
{
  int failed = 0;

  for (size_t i = 0; i < n; i++)
    failed |= step (world, i);
  return failed;
}

/* What run_rounds hands over.  */
struct opened
{
  const struct group *g;
  void *world;
};

static void
run (void *context, size_t i, double *values)
{
  const struct opened *o = context;
  const struct group *g = o->g;

  if (g->run)
    {
      g->run (o->world, i, values);
      return;
    }
  double start = bench_time ();
  if (counted_steps (g->subjects[i].step, o->world, bench.steps) != 0)
    bench_fail (g->subjects[i].name);
  *values = (bench_time () - start) / (double)(bench.steps * g->each);
}

static void
measure (struct opened *o, size_t runs)
{
  static const char *const ns[] = { "ns" };
  const struct group *g = o->g;
  const char *const *columns = g->run ? g->columns : ns;
  size_t per = g->run ? g->n_columns : 1;
  struct quartiles *q = bench_allocate (g->n * per, sizeof *q);

  run_rounds (g->n, per, runs, run, o, q);
  for (size_t i = 0; i < g->n * per; i++)
    printf ("value %s %s %s %.6g %.6g %.6g\n", g->name,
            g->subjects[i / per].name, columns[i % per], q[i].median,
            q[i].first, q[i].third);
  free (q);
  if (g->finish)
    g->finish (g, o->world);
}

/* Three replays: the first makes all known, and the difference of the others is
   free of what comes once.  */
static void
count (const struct opened *o)
{
  static const size_t lengths[] = { 11000, 1000, 11000 };
  const struct group *g = o->g;

  for (size_t i = 0; i < g->n; i++)
    if (g->count)
      g->count (g, o->world, i);
    else
      for (size_t k = 0; g->subjects[i].step && k < 3; k++)
        {
          if (counted_steps (g->subjects[i].step, o->world,
                             lengths[k] / g->each)
              != 0)
            bench_fail (g->subjects[i].name);
          print_replay (g, i, lengths[k]);
        }
}

static bool
is_wanted (const struct group *g, char **names)
{
  bool wanted = !*names;

  for (; *names; names++)
    wanted |= strcmp (*names, g->name) == 0;
  return wanted;
}

static void
act (const struct mode *mode, const struct group *g)
{
  struct opened o = { g, NULL };
  bool counts = strcmp (mode->name, "--count") == 0;

  if (!counts)
    {
      printf ("group %s %s %s\n", g->name, g->base, g->title);
      for (size_t i = 0; i < g->n; i++)
        printf ("row %s %s\n", g->subjects[i].name, g->subjects[i].title);
    }
  o.world = g->open (g);
  if (counts)
    count (&o);
  else
    measure (&o, mode->runs ? mode->runs : g->runs);
  g->close (o.world);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const struct mode *mode = NULL;

  for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; i++)
    if (strcmp (argv[1], modes[i].name) == 0)
      mode = &modes[i];
  if (!mode)
    {
      fputs ("Usage: bench (--measure | --count | --try) PROFILE "
             "[GROUP...]\n",
             stderr);
      return 2;
    }
  bench = mode->bench;
  bench.profile = argv[2];
  for (size_t i = 0; i < sizeof all_groups / sizeof *all_groups; i++)
    if (is_wanted (all_groups[i], argv + 3))
      act (mode, all_groups[i]);
  return fflush (stdout) || ferror (stdout) ? 1 : 0;
}
