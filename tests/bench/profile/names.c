/* names.c - what a tool pays that has names in its hands for each event, and
   no handles: it finds a known file and a known function, both given with
   their lengths.  Beside it, two events of a tracer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../contender.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  PAIRS = 1000,
  ROUND = 200000, /* pairs in a run */
  PATH = 60,      /* bytes */
  NAME = 25
};

/* As those of a PHP program: paths begin alike, and so do names.  */
static struct
{
  struct cgw_names *names;
  char paths[PAIRS][PATH + 1];
  char texts[PAIRS][NAME + 1];
  struct cgw_pos fns[PAIRS];
  struct cgw_profile *p;
  struct cgw_tracer *t;
  uint64_t counter;
} world;

/* Not inlined, as the library's calls.  */
__attribute__ ((noinline)) static int
do_nothing (const void *a, const void *b, size_t n)
{
  __asm__ volatile ("" : : "r"(a), "r"(b), "r"(n));
  return 0;
}

static struct cgw_fn
find (size_t k)
{
  struct cgw_file file = cgw_add_file_n (world.names, world.paths[k], PATH);

  return cgw_add_fn_n (world.names, world.texts[k], NAME, file,
                       (struct cgw_object){ 0 });
}

/* Pairs come in the same scattered order again and again.  */
static int
find_pair (void *context, size_t i)
{
  const uint32_t *order = context;
  size_t k = order[i % PAIRS];

  return find (k).handle != world.fns[k].fn.handle;
}

static int
enter_and_leave (void *context, size_t i)
{
  const uint32_t *order = context;
  const struct cgw_pos *fn = &world.fns[order[i % PAIRS]];

  world.counter += 3;
  int failed = (int)cgw_tracer_enter (world.t, NULL, fn, 0, &world.counter);
  world.counter += 5;
  return failed | (int)cgw_tracer_leave (world.t, &world.counter);
}

/* What the replay takes by itself.  */
static int
call_nothing (void *context, size_t i)
{
  const uint32_t *order = context;
  const struct cgw_pos *fn = &world.fns[order[i % PAIRS]];

  world.counter += 8;
  return do_nothing (world.names, fn, PATH) | do_nothing (world.t, fn, NAME);
}

enum
{
  PAIR,
  EVENTS,
  NOTHING,
  N
};

static const struct
{
  const char *name;
  const char *title;
  int (*step) (void *context, size_t i);
} ways[N] = { { "pair", "found by their lengths", find_pair },
              { "events", "enter and leave", enter_and_leave },
              { "nothing", "", call_nothing } };

static uint32_t *
open_world (void)
{
  world.names = make_names (NULL);
  for (size_t i = 0; i < PAIRS; i++)
    {
      snprintf (world.paths[i], sizeof world.paths[i],
                "/var/www/app/vendor/http-kernel/Controller/Command%06zu.php",
                i);
      snprintf (world.texts[i], sizeof world.texts[i],
                "Kernel\\Item%04zu->getValue", i);
      world.fns[i] = (struct cgw_pos){ .fn = find (i) };
    }
  if (strlen (world.paths[0]) != PATH || strlen (world.texts[0]) != NAME
      || cgw_profile_new (&world.p, world.names, 1, CGW_LINE) != CGW_OK
      || cgw_tracer_new (&world.t, world.p, NULL) != CGW_OK
      || cgw_tracer_enter (world.t, NULL, &world.fns[0], 0, &world.counter)
             != CGW_OK)
    bench_fail ("the world of names");
  return workload_order (PAIRS);
}

static void
close_world (uint32_t *order)
{
  cgw_profile_free (world.p);
  cgw_names_free (world.names);
  free (order);
}

/* Nanoseconds per pair.  */
static void
run (void *context, size_t i, double *values)
{
  double start = bench_time ();

  if (counted_steps (ways[i].step, context, ROUND) != 0)
    bench_fail (ways[i].name);
  values[0] = (bench_time () - start) / ROUND;
}

void
measure_names (void)
{
  size_t runs = runs_wanted (11);
  uint32_t *order = open_world ();
  struct quartiles q[N];

  run_rounds (N, 1, runs, run, order, q);
  printf ("\nns per known file and function, of %d in a scattered order, "
          "median (quartiles)\nof %zu runs\n",
          PAIRS, runs);
  for (size_t i = 0; i < NOTHING; i++)
    {
      q[i].median -= q[NOTHING].median;
      q[i].first -= q[NOTHING].median;
      q[i].third -= q[NOTHING].median;
      printf ("  %-24s", ways[i].title);
      print_quartiles (&q[i]);
      putchar ('\n');
    }
  for (size_t i = 0; i < NOTHING; i++)
    print_figure ("names_ns_", ways[i].name, "", q[i].median);
  print_figure ("names_against_events", "", "",
                q[PAIR].median / q[EVENTS].median);
  close_world (order);
}

void
count_names (void)
{
  uint32_t *order = open_world ();
  char name[40];

  for (size_t i = 0; i < N; i++)
    {
      snprintf (name, sizeof name, "names_%s", ways[i].name);
      count_steps (name, ways[i].step, order, 1);
    }
  close_world (order);
}
