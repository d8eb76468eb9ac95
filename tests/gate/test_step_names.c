/* test_step_names.c - the scenes in which a table of names grows, and those of
   the names themselves; the others are rows of calls.def.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <stdio.h>

/* A scene's argument.  */
enum table { OBJECT, SOURCE, FUNCTION, TABLES };

#define MOST_NAMES 100

static uint32_t handle; /* what the call under step returned */
static char name[60];

static uint32_t
add (struct cgw_names *names, unsigned i)
{
  uint32_t result = 0;

  snprintf (name, sizeof name, "a name of some length, number %u", i);
  errno = MARKER;
  switch (t.scene->argument)
    {
    case OBJECT:
      STEPPED (result = cgw_add_object (names, name).handle);
      break;
    case SOURCE:
      STEPPED (result = cgw_add_file (names, name).handle);
      break;
    default:
      STEPPED (result = cgw_add_fn (names, name, (struct cgw_file){ 0 },
                                    (struct cgw_object){ 0 }).handle);
      break;
    }
  expect_errno (t.scene->function);
  return result;
}

/* Which of some names takes most memory when it is added after those before:
   by trying.  */
static unsigned
find_growth (void)
{
  struct world kept = t;
  struct cgw_names *names = world_names ();
  size_t most = 0;
  unsigned found = 0;

  world_add_functions (names);
  for (unsigned i = 0; i < MOST_NAMES; i++)
    {
      size_t before = heap.bytes;
      add (names, i);
      if (heap.bytes - before > most)
        {
          most = heap.bytes - before;
          found = i;
        }
    }
  cgw_names_free (names);
  t = kept;
  return found;
}

static unsigned growth[TABLES];

static void
prepare (void)
{
  unsigned *next = &growth[t.scene->argument];

  if (*next == 0)
    *next = find_growth ();
  submit_all (OTHER);
  for (unsigned i = 0; i < *next; i++)
    add (t.names, i);
}

static enum cgw_status
call (void)
{
  handle = add (t.names, growth[t.scene->argument]);
  return CGW_OK;
}

/* The name is there to be found again, and a function's for records.  */
static void
check (enum cgw_status status)
{
  (void) status;
  EXPECT (handle != 0, "no handle");
  EXPECT (add (t.names, growth[t.scene->argument]) == handle, "another handle");
  if (t.scene->argument == FUNCTION)
    submit (COST, &(struct cgw_pos){ { handle }, { 0 }, 5, 0 }, NULL);
}

static struct cgw_names *own;

static enum cgw_status
call_new (void)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  enum cgw_status status;

  o.allocate = step_allocate;
  o.allocate_context = &heap;
  errno = MARKER;
  STEPPED (status = cgw_names_new (&own, &o));
  expect_errno ("cgw_names_new");
  cgw_names_free (own);
  return status;
}

static void
prepare_own (void)
{
  own = world_names ();
}

CALL_AS (free, cgw_names_free, int, (cgw_names_free (own), 0), CGW_OK)

const struct scene name_scenes[] = {
  { "objects grow", "cgw_add_object", NAMES_CALL, OBJECT, prepare, call,
    check },
  { "files grow", "cgw_add_file", NAMES_CALL, SOURCE, prepare, call, check },
  { "fns grow", "cgw_add_fn", NAMES_CALL, FUNCTION, prepare, call, check },
  { "names new", "cgw_names_new", NAMES_CALL, 0, NULL, call_new, NULL },
  { "names free", "cgw_names_free", NAMES_CALL, 0, prepare_own, call_free,
    NULL },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
