/* passed.c - what an emulator pays for each instruction: a tracer passes through
   the positions of basic blocks, each of which costs 1.  By one call for a
   block, or by a move and a cost for each position.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../contender.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  BLOCKS = 400,
  LENGTH = 8,
  ROUND = 50000 /* blocks in a run */
};

static struct
{
  struct cgw_names *names;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  struct cgw_pos blocks[BLOCKS][LENGTH];
} world;

static const uint64_t one = 1;

static const struct cgw_pos *
block (void *context, size_t i)
{
  const uint32_t *order = context;

  return world.blocks[order[i % BLOCKS]];
}

static int
run_block (void *context, size_t i)
{
  return (int)cgw_tracer_run (world.t, block (context, i), LENGTH, &one, 1,
                              NULL);
}

static int
move_through (void *context, size_t i)
{
  const struct cgw_pos *pos = block (context, i);
  int failed = 0;

  for (int k = 0; k < LENGTH; k++)
    {
      failed |= (int)cgw_tracer_move (world.t, &pos[k], NULL);
      failed |= (int)cgw_tracer_cost (world.t, NULL, &one, 1);
    }
  return failed;
}

/* What the replay takes by itself.  */
static int
pass_nothing (void *context, size_t i)
{
  const struct cgw_pos *pos = block (context, i);

  __asm__ volatile ("" : : "r"(pos));
  return 0;
}

enum
{
  RUN,
  MOVES,
  NOTHING,
  N
};

static const struct
{
  const char *name;
  const char *title;
  int (*step) (void *context, size_t i);
} ways[N] = { { "run", "a run for each block", run_block },
              { "moves", "a move and a cost each", move_through },
              { "nothing", "", pass_nothing } };

static uint32_t *
open_world (void)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_pos start;

  world.names = make_names (NULL);
  start = (struct cgw_pos){ .fn = cgw_add_fn (world.names, "f",
                                              (struct cgw_file){ 0 },
                                              (struct cgw_object){ 0 }) };
  for (size_t i = 0; i < BLOCKS; i++)
    for (size_t k = 0; k < LENGTH; k++)
      world.blocks[i][k].instr = 0x1000 + (i * LENGTH + k) * 4;
  o.n_counters = 0;
  if (cgw_profile_new (&world.p, world.names, 1, CGW_INSTR) != CGW_OK
      || cgw_tracer_new (&world.t, world.p, &o) != CGW_OK
      || cgw_tracer_enter (world.t, NULL, &start, 0, NULL) != CGW_OK)
    bench_fail ("the world of blocks");
  return workload_order (BLOCKS);
}

static void
close_world (uint32_t *order)
{
  cgw_profile_free (world.p);
  cgw_names_free (world.names);
  free (order);
}

/* Nanoseconds per position.  */
static void
run (void *context, size_t i, double *values)
{
  double start = bench_time ();

  if (counted_steps (ways[i].step, context, ROUND) != 0)
    bench_fail (ways[i].name);
  values[0] = (bench_time () - start) / ROUND / LENGTH;
}

void
measure_passed (void)
{
  size_t runs = runs_wanted (11);
  uint32_t *order = open_world ();
  struct quartiles q[N];

  run_rounds (N, 1, runs, run, order, q);
  printf ("\nns per position that a tracer passes, in blocks of %d, median "
          "(quartiles)\nof %zu runs\n",
          LENGTH, runs);
  for (size_t i = 0; i < NOTHING; i++)
    {
      printf ("  %-24s", ways[i].title);
      print_quartiles (&q[i]);
      putchar ('\n');
      print_figure ("passed_ns_", ways[i].name, "", q[i].median);
    }
  close_world (order);
}

void
count_passed (void)
{
  uint32_t *order = open_world ();
  char name[40];

  for (size_t i = 0; i < N; i++)
    {
      snprintf (name, sizeof name, "passed_%s", ways[i].name);
      count_steps (name, ways[i].step, order, LENGTH);
    }
  close_world (order);
}
