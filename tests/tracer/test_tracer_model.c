/* test_tracer_model.c - tracers against a naive model: random programs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t
below (void *context, uint64_t n)
{
  uint64_t *state = context;

  *state = *state * UINT64_C (6364136223846793005) + 1442695040888963407;
  return (*state >> 33) % n;
}

static bool
is_end (void *context)
{
  (void) context;
  return false;
}

Test (tracer_model, programs)
{
  const char *stress = getenv ("CGW_STRESS");
  unsigned n = stress != NULL ? 100000 : 3000;

  for (unsigned seed = 1; seed <= n; seed++)
    {
      uint64_t state = seed;
      char name[20];

      snprintf (name, sizeof name, "seed %u", seed);
      tracer_model_run (&(struct tracer_model_choices){ below, is_end, &state,
                                                        name });
    }
}
