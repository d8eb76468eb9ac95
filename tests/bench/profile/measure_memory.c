/* measure_memory.c - what the library's sums take in memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../counted.h"
#include "../replay.h"
#include "../runs.h"
#include "../ways.h"
#include "positions.h"
#include "profile.h"
#include "stacker.h"

#include <stdio.h>
#include <stdlib.h>

static struct sink nowhere = { .fd = -1 };

static void
fail (void)
{
  fputs ("profile: libcgw failed\n", stderr);
  exit (1);
}

static struct cgw_options
counting (size_t *used)
{
  struct cgw_options options = CGW_OPTIONS_INIT;

  options.allocate = counted_allocate;
  options.allocate_context = used;
  return options;
}

/* Bytes for n positions.  */
static double
measure_positions_memory (size_t n)
{
  size_t used = 0;
  struct cgw_options options = counting (&used);
  struct workload w;

  positions_make (&w, n);
  struct script script = w.script;
  void *context = way_profile_with (&w, &nowhere, &script, &options);
  if (!way_profile.begin (context))
    fail ();
  size_t before = used;
  if (bench_replay (&script, &way_profile, context) != 0)
    fail ();
  size_t after = used;
  way_profile.close (context);
  workload_free (&w);
  return (double)(after - before);
}

/* Bytes for n distinct stacks.  */
static double
measure_stacks_memory (const struct stacks *s)
{
  size_t used = 0;
  struct cgw_options options = counting (&used);
  const struct stacker *k = &stacker_libcgw;
  uint32_t *order = stacks_order (s, s->n);
  void *context = k->open (s, &nowhere, &options);

  if (!k->begin (context))
    fail ();
  size_t before = used;
  if (profile_replay_stacks (k->add, context, order, s->n) != 0)
    fail ();
  size_t after = used;
  k->close (context);
  free (order);
  return (double)(after - before);
}

static void
measure_shape (size_t n, enum stacks_shape shape, const char *suffix)
{
  struct stacks s;

  stacks_make (&s, n, shape);
  double bytes = measure_stacks_memory (&s);
  double frames = (double)n * STACKS_DEPTH;
  printf ("  frame of %zu distinct stacks %8.1f   (100 frames are %.1f places "
          "in the call tree,\n%58.1f edges)\n",
          n, bytes / frames, 100 * (double)s.n_places / frames,
          100 * (double)s.n_edges / frames);
  print_figure ("profile_bytes_per_frame", suffix, "", bytes / frames);
  print_figure ("profile_bytes_per_place", suffix, "",
                bytes / (double)s.n_places);
  stacks_free (&s);
}

void
measure_memory (const struct size *size)
{
  double bytes = measure_positions_memory (size->positions);

  printf ("\nbytes in use per\n  position of %zu %8.1f\n", size->positions,
          bytes / (double)size->positions);
  print_figure ("profile_bytes_per_position", "", "",
                bytes / (double)size->positions);
  measure_shape (5 * size->distinct, STACKS_PROGRAM, "");
  measure_shape (5 * size->distinct, STACKS_OWN_PLACES, "_own_places");
}
