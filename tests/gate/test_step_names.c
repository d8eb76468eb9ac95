/* test_step_names.c - the scenes of names: added, found again, and where the
   tables grow.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <stdio.h>

/* A scene's argument: what is added, and whether its table grows.  */
enum table { OBJECT, SOURCE, FUNCTION, AGAIN, TABLES };
enum { GROWS = TABLES };

#define MOST_NAMES 100

static uint32_t handle; /* what the call under step returned */
static char name[60];

static uint32_t
add (struct cgw_names *names, enum table table, const char *text)
{
  static const struct cgw_file no_file;
  static const struct cgw_object no_object;
  uint32_t result = 0;

  switch (table)
    {
    case OBJECT:
      STEPPED (result = cgw_add_object (names, text).handle);
      break;
    case SOURCE:
      STEPPED (result = cgw_add_file (names, text).handle);
      break;
    default:
      STEPPED (result = cgw_add_fn (names, text, no_file, no_object).handle);
      break;
    }
  return result;
}

static void
number_name (unsigned i)
{
  snprintf (name, sizeof name, "a name of some length, number %u", i);
}

/* Which of some names takes most memory when it is added after those before:
   by trying.  */
static unsigned
find_growth (enum table table)
{
  struct world kept = t;
  size_t most = 0;
  unsigned found = 0;

  t.names = world_names ();
  world_add_functions ();
  for (unsigned i = 0; i < MOST_NAMES; i++)
    {
      size_t before = heap_used ();
      number_name (i);
      add (t.names, table, name);
      if (heap_used () - before > most)
        {
          most = heap_used () - before;
          found = i;
        }
    }
  cgw_names_free (t.names);
  t = kept;
  return found;
}

static void
prepare (void)
{
  static unsigned growth[TABLES];
  static bool found[TABLES];
  enum table table = (enum table) (t.scene->argument % TABLES);

  submit_all (OTHER);
  number_name (0);
  if (table == AGAIN)
    add (t.names, table, name);
  if (t.scene->argument < GROWS)
    return;
  if (!found[table])
    {
      growth[table] = find_growth (table);
      found[table] = true;
    }
  for (unsigned i = 0; i < growth[table]; i++)
    {
      number_name (i);
      add (t.names, table, name);
    }
  number_name (growth[table]);
}

static enum cgw_status
call (void)
{
  errno = MARKER;
  handle = add (t.names, (enum table) (t.scene->argument % TABLES), name);
  expect_errno (t.scene->function);
  return CGW_OK;
}

/* The name is there to be found again, and a function's for records.  */
static void
check (enum cgw_status status)
{
  enum table table = (enum table) (t.scene->argument % TABLES);

  (void) status;
  EXPECT (handle != 0, "%s: no handle", t.scene->function);
  EXPECT (add (t.names, table, name) == handle, "%s: another handle",
          t.scene->function);
  if (table >= FUNCTION)
    submit (COST, &(struct cgw_pos){ { handle }, { 0 }, 5, 0 }, NULL);
}

#define SCENE(name, function, argument)                                       \
  { name, function, NAMES_CALL, argument, prepare, call, check }

static struct cgw_names *own;

static enum cgw_status
call_new (void)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  enum cgw_status status;

  o.allocate = heap_hook;
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

CALL_VOID (free, cgw_names_free, own)

const struct scene name_scenes[] = {
  SCENE ("add object", "cgw_add_object", OBJECT),
  SCENE ("add object growing", "cgw_add_object", GROWS + OBJECT),
  SCENE ("add file", "cgw_add_file", SOURCE),
  SCENE ("add file growing", "cgw_add_file", GROWS + SOURCE),
  SCENE ("add fn", "cgw_add_fn", FUNCTION),
  SCENE ("add fn growing", "cgw_add_fn", GROWS + FUNCTION),
  SCENE ("add fn again", "cgw_add_fn", AGAIN),
  { "names new", "cgw_names_new", NAMES_CALL, 0, NULL, call_new, NULL },
  { "names free", "cgw_names_free", NAMES_CALL, 0, prepare_own, call_free,
    NULL },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
