/* test_step.c - handlers that interrupt each public function at each of its
   instructions, whatever they do there.

   Tables of scenes, in each of which one function is stepped through, times a
   table of actions.  A function without a scene of its own has one for each of
   its rows in calls.def.

   make check tries a boundary of some combinations; make check-full, which sets
   CGW_FULL in the environment, a few of more; with CGW_STRESS it is all of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"
#include "test_step.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

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

/* test_calls sees that each function has a row.  */
Test (step, each_row_has_a_scene)
{
  /* They look into constant tables, or compute from their arguments.  */
  static const char aloof[] = "cgw_version cgw_strerror cgw_recorder_size";

  for (unsigned i = 0; i < n_rows; i++)
    cr_expect (rows[i].call != NULL || has_own_scene (rows[i].function)
                   || strstr (aloof, rows[i].function) != NULL,
               "no scene for %s", rows[i].function);
}

/* The long form takes hours.  */
#define SWEEP(name, scenes)                                                   \
  Test (step, name, .timeout = 100000)                                        \
  {                                                                           \
    sweep (#name, scenes);                                                    \
  }

SWEEP (records, record_scenes)
SWEEP (parts, part_scenes)
SWEEP (writers_that_come_and_go, open_scenes)
SWEEP (names, name_scenes)
SWEEP (profiles, profile_scenes)
SWEEP (rows, row_scenes ())
SWEEP (recorders, recorder_scenes)
