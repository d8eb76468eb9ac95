/* test_step.c - handlers that interrupt each public function at each of its
   instructions, whatever they do there.

   Tables of scenes, in each of which one function is stepped through, times a
   table of actions.  A function without a scene of its own has one for each of
   its rows in calls.def.  The list of functions comes from cgw.h, and one
   without a scene fails the test.

   make check tries a boundary of some combinations; make check-full, which sets
   CGW_FULL in the environment, a few of more; with CGW_STRESS it is all of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"
#include "test_step.h"

#include <criterion/criterion.h>
#include <stdio.h>
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

/* That a table grows is another scene than to add a name.  */
static bool
has_own_scene (const char *function)
{
  static const struct scene *const tables[]
      = { record_scenes, part_scenes, open_scenes, name_scenes + 3,
          profile_scenes, recorder_scenes };

  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const struct scene *s = tables[i]; s->name != NULL; s++)
      if (strcmp (s->function, function) == 0)
        return true;
  return false;
}

/* The scenes of rows.  */

static void
prepare_row (void)
{
  submit_all (OTHER);
  calls_make (t.names, t.w);
  t.profile = p;
}

static enum cgw_status
call_row (void)
{
  enum cgw_status status;

  errno = MARKER;
  STEPPED (status = rows[t.scene->argument].call ());
  expect_errno (t.scene->function);
  return status;
}

static void
check_row (enum cgw_status status)
{
  const struct row *r = &rows[t.scene->argument];

  expect_status (t.scene->name, status,
                 BIT (r->expected[ALONE])
                     | (t.finishing && r->object == WRITER
                            ? BIT (r->expected[FINISHED])
                            : 0));
  calls_free ();
  t.profile = NULL;
}

static const struct scene *
row_scenes (void)
{
  static struct scene scenes[100];
  static char scene_names[100][60];
  unsigned n = 0;

  for (unsigned i = 0; i < n_rows; i++)
    if (rows[i].call != NULL && !has_own_scene (rows[i].function))
      {
        snprintf (scene_names[n], sizeof *scene_names, "%s%s%s",
                  rows[i].function, *rows[i].variant != 0 ? " " : "",
                  rows[i].variant);
        scenes[n] = (struct scene){
          .name = scene_names[n], .function = rows[i].function,
          .traits = rows[i].object == NAMES ? NAMES_CALL : 0,
          .argument = (int) i, .prepare = prepare_row, .call = call_row,
          .check = check_row };
        n++;
      }
  return scenes;
}

static bool
has_scene (const char *function)
{
  for (const struct scene *s = row_scenes (); s->name != NULL; s++)
    if (strcmp (s->function, function) == 0)
      return true;
  for (size_t i = 0; i < sizeof aloof / sizeof *aloof; i++)
    if (strcmp (aloof[i].function, function) == 0)
      return true;
  return has_own_scene (function);
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
  ALONE (ADD_NAMES),
  ALONE (SUMS),
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
  TWO (RECORDS, ADD_NAMES),
  TWO (RECORDS, FORK_RETURN),
  TWO (RECORDS, FORK_NEW),
  TWO (RECORDS, LEAVE),
  TWO (RECORDS, LEAVE_FREE),
  TWO (FLUSH, RECORDS),
  TWO (FINISH, RECORDS),
  TWO (SALVAGE, RECORDS),
  TWO (STATS, RECORDS),
  TWO (ADD_NAMES, RECORDS),
  TWO (FORK_NEW, RECORDS),
  TWO (FINISH, SALVAGE),
  TWO (SALVAGE, SALVAGE),
  TWO (SALVAGE, FORK_RETURN),
  TWO (SALVAGE, LEAVE),
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

Test (step, rows, .timeout = LONGEST)
{
  sweep ("rows", row_scenes ());
}

Test (step, recorders, .timeout = LONGEST)
{
  sweep ("recorders", recorder_scenes);
}
