/* test_step_records.c - the scenes of the four record calls.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

/* What makes a record take another way through the library.  */
enum way { PLAIN, WRITTEN, INLINED, NEW_NAME, PAGE, FULL_RING, WAYS };

/* A scene's argument says both.  */
#define ARGUMENT(kind, way) ((kind) * WAYS + (way))

/* Whether the next record, of 8 bytes or more, would straddle a page.  */
static bool
near_page (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cgw_get_stats (t.w, &s);
  return (s.written + s.buffered) % 4096 > 4088;
}

static void
prepare (void)
{
  struct cgw_pos here = { t.fn[MAIN], { 0 }, 10, 0 };
  struct cgw_pos other = { t.fn[OTHER], { 0 }, 20, 0 };

  submit (COST, &other, NULL);
  submit (COST, &here, NULL);
  while (t.scene->argument % WAYS == PAGE && !near_page ())
    submit (COST, &here, NULL);
}

static enum cgw_status
call (void)
{
  enum kind kind = (enum kind) (t.scene->argument / WAYS);
  enum way way = (enum way) (t.scene->argument % WAYS);
  struct cgw_pos from = { t.fn[way == NEW_NAME ? FRESH : MAIN], { 0 }, 11, 0 };
  struct cgw_pos to = { t.fn[kind == CALL || kind == BARE_CALL ? OTHER : MAIN],
                        { 0 }, 12, 0 };

  if (way == INLINED)
    from.file = t.inlined;
  return submit (kind, &from, &to);
}

/* submit has judged the status.  */
static void
check (enum cgw_status status)
{
  (void) status;
}

#define SCENE(name, function, kind, way, traits)                              \
  { name, function, traits, ARGUMENT (kind, way), prepare, call, check }
#define SCENES_OF(name, function, kind)                                       \
  SCENE (name " plain", function, kind, PLAIN, 0),                            \
  SCENE (name " written", function, kind, WRITTEN, SMALL_BUFFER),    \
  SCENE (name " inlined", function, kind, INLINED, 0),                        \
  SCENE (name " new name", function, kind, NEW_NAME, 0),                      \
  SCENE (name " page", function, kind, PAGE, 0),                              \
  SCENE (name " full ring", function, kind, FULL_RING, SMALL_RING)

const struct scene record_scenes[] = {
  SCENES_OF ("one cost", "cgw_cost", ONE_COST),
  SCENES_OF ("cost", "cgw_cost", COST),
  SCENE ("no cost", "cgw_cost", BARE_COST, PLAIN, 0),
  SCENES_OF ("call", "cgw_call", CALL),
  SCENE ("call without cost", "cgw_call", BARE_CALL, PLAIN, 0),
  SCENES_OF ("jump", "cgw_jump", JUMP),
  SCENES_OF ("cond jump", "cgw_cond_jump", COND_JUMP),
  SCENE ("cost hook", "cgw_cost", COST, WRITTEN, SMALL_BUFFER | HOOK),
  SCENE ("cachegrind cost", "cgw_cost", COST, PLAIN, CACHEGRIND),
  SCENE ("cachegrind cost written", "cgw_cost", COST, WRITTEN,
         CACHEGRIND | SMALL_BUFFER),
  SCENE ("cachegrind call", "cgw_call", CALL, PLAIN, CACHEGRIND),
  SCENE ("cachegrind call full ring", "cgw_call", CALL, PLAIN,
         CACHEGRIND | SMALL_RING),
  SCENE ("cachegrind jump", "cgw_jump", JUMP, PLAIN, CACHEGRIND),
  SCENE ("cachegrind cond jump", "cgw_cond_jump", COND_JUMP, PLAIN,
         CACHEGRIND),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
