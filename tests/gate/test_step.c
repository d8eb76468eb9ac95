/* test_step.c - handlers that interrupt each public function at each of its
   instructions, whatever they do there.

   A table of scenes, in each of which one function is stepped through, times
   a table of actions.  A new public function is a new row: the list of them
   comes from cgw.h, and one without a scene fails the test.

   make check tries a boundary of some combinations; make check-full, which sets
   CGW_FULL in the environment, a few of more; with CGW_STRESS it is all of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <criterion/criterion.h>
#include <string.h>

/* Handlers cannot get in the way of these.  */
static const struct
{
  const char *function;
  const char *reason;
} aloof[] = {
  { "cgw_version", "returns a constant" },
  { "cgw_strerror", "looks into a constant table" },
  { "cgw_recorder_size", "computes a number from its arguments" },
};

static bool
has_scene (const char *function)
{
  const struct scene *const tables[]
      = { record_scenes, part_scenes, open_scenes, name_scenes,
          profile_scenes, recorder_scenes, tracer_scenes };

  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const struct scene *s = tables[i]; s->name != NULL; s++)
      if (strcmp (s->function, function) == 0)
        return true;
  for (size_t i = 0; i < sizeof aloof / sizeof *aloof; i++)
    if (strcmp (aloof[i].function, function) == 0)
      return true;
  return false;
}

Test (step, every_public_function_has_a_scene)
{
  static const char *const functions[] = {
#define FUNCTION(name, class) #name,
#include "functions.h"
#undef FUNCTION
  };
  size_t n = sizeof functions / sizeof *functions;

  cr_expect_eq (n, 69, "%zu functions in cgw.h", n);
  for (size_t i = 0; i < n; i++)
    cr_expect (has_scene (functions[i]), "no scene for %s", functions[i]);
}

/* Each action alone; records that are interrupted by each, and each that is
   interrupted by records.  */
#define ALONE(name) { &actions[name], NULL, false }
#define TWO(first, second) { &actions[first], &actions[second], false }

const struct pair pairs[] = {
  ALONE (RECORDS),
  ALONE (FLUSH),
  ALONE (FINISH),
  ALONE (SALVAGE),
  ALONE (STATS),
  ALONE (ERRORS),
  ALONE (NAMES),
  ALONE (SUMS),
  ALONE (OTHER_WRITER),
  ALONE (FORK_RETURN),
  ALONE (FORK_NEW),
  ALONE (LEAVE),
  ALONE (LEAVE_FREE),
  TWO (RECORDS, RECORDS),
  TWO (RECORDS, FLUSH),
  TWO (RECORDS, FINISH),
  TWO (RECORDS, SALVAGE),
  TWO (RECORDS, STATS),
  TWO (RECORDS, ERRORS),
  TWO (RECORDS, NAMES),
  TWO (RECORDS, FORK_RETURN),
  TWO (RECORDS, FORK_NEW),
  TWO (RECORDS, LEAVE),
  TWO (RECORDS, LEAVE_FREE),
  TWO (FLUSH, RECORDS),
  TWO (FINISH, RECORDS),
  TWO (SALVAGE, RECORDS),
  TWO (STATS, RECORDS),
  TWO (NAMES, RECORDS),
  TWO (FORK_NEW, RECORDS),
  TWO (FINISH, SALVAGE),
  TWO (SALVAGE, SALVAGE),
  TWO (SALVAGE, FORK_RETURN),
  TWO (SALVAGE, LEAVE),
  TWO (OTHER_WRITER, OTHER_WRITER),
  { &actions[RECORDS], NULL, true },
  { &actions[STATS], NULL, true },
  { NULL, NULL, false }
};

/* The long form takes hours.  */
#define LONGEST 100000

Test (step, records, .timeout = LONGEST)
{
  sweep ("records", record_scenes);
}

Test (step, parts, .timeout = LONGEST)
{
  sweep ("parts", part_scenes);
}

Test (step, writers_that_come_and_go, .timeout = LONGEST)
{
  sweep ("open", open_scenes);
}

Test (step, names, .timeout = LONGEST)
{
  sweep ("names", name_scenes);
}

Test (step, profiles, .timeout = LONGEST)
{
  sweep ("profiles", profile_scenes);
}

Test (step, tracers, .timeout = LONGEST)
{
  sweep ("tracers", tracer_scenes);
}

Test (step, recorders, .timeout = LONGEST)
{
  sweep ("recorders", recorder_scenes);
}
