/* count.c - replays whose instructions valgrind counts (see count.sh).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../ways.h"
#include "positions.h"
#include "profile.h"
#include "stacker.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  KNOWN = 1000, /* positions, or stacks, over and over */
  FEW = 1000,
  MANY = 11000
};

static struct sink nowhere = { .fd = -1 };

static const struct cgw_options defaults = CGW_OPTIONS_INIT;

/* What the replay takes by itself.  */

static enum cgw_status
nothing_cost (struct cgw_profile *p, const struct cgw_pos *pos,
              const uint64_t *cost, size_t n)
{
  (void)p;
  (void)pos;
  (void)cost;
  (void)n;
  return CGW_OK;
}

static int
nothing_stack (void *context, size_t stack, uint64_t cost)
{
  (void)context;
  (void)stack;
  (void)cost;
  return 0;
}

static void
print_replay (const char *name, size_t n, int failed)
{
  if (failed)
    {
      fprintf (stderr, "profile: %s failed\n", name);
      exit (1);
    }
  printf ("replay %zu %s\n", n, name);
}

/* The first replay makes all known.  Then two lengths: their difference is
   free of what comes once.  */
static const size_t lengths[] = { MANY, FEW, MANY };

static void
count_costs (void)
{
  struct workload w;

  positions_make (&w, KNOWN);
  struct script script = w.script;
  void *context = way_profile_with (&w, &nowhere, &script, &defaults);
  struct cgw_profile *p = way_profile_sums (context);
  for (size_t i = 0; i < 3; i++)
    {
      size_t n = lengths[i];
      print_replay (
          "nothing_cost", n,
          profile_replay_costs (nothing_cost, p, &script, KNOWN, n / KNOWN));
      print_replay ("cost", n,
                    profile_replay_costs (cgw_profile_cost, p, &script, KNOWN,
                                          n / KNOWN));
    }
  way_profile.close (context);
  workload_free (&w);
}

static void
count_stacks (void)
{
  const struct stacker *k = &stacker_libcgw;
  struct stacks s;

  stacks_make (&s, KNOWN, STACKS_PROGRAM);
  uint32_t *order = stacks_order (&s, MANY);
  void *context = k->open (&s, &nowhere, &defaults);
  for (size_t i = 0; i < 3; i++)
    {
      size_t n = lengths[i];
      print_replay ("nothing_stack", n,
                    profile_replay_stacks (nothing_stack, context, order, n));
      print_replay ("stack", n,
                    profile_replay_stacks (k->add, context, order, n));
    }
  k->close (context);
  free (order);
  stacks_free (&s);
}

void
count_instructions (void)
{
  count_costs ();
  count_stacks ();
}
