/* test_step_parts.c - the scenes of a file's course: parts, comments, writing,
   counts, the end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

/* Some records, the last of them new to what was written.  */
static void
prepare_records (void)
{
  submit_all (OTHER);
  submit_all (MAIN);
}

static void
prepare_deferred (void)
{
  prepare_records ();
  t.defers = true;
}

static void
prepare_full_disk (void)
{
  submit_all (OTHER);
  for (int i = 0; i < 40; i++)
    submit_all (MAIN);
  world_fill_disk (true);
}

CALL_AS (begin_part, cgw_begin_part, enum cgw_status,
         cgw_begin_part (t.w, &t.part),
         (t.begun = t.begun || result == CGW_OK, result))
CALL (flush, cgw_flush, t.w)

CALL_AS (error, cgw_error, enum cgw_status, cgw_error (t.w, NULL),
         t.finishing || (t.seen & BIT (result)) ? CGW_OK : result)
CALL (finish, cgw_finish, t.w)

static void
check_finish (enum cgw_status status)
{
  unsigned mask = BIT (CGW_OK)
                  | (t.seen & (BIT (CGW_ELOST) | BIT (CGW_EBUSY)
                               | BIT (CGW_EIO)));

  if (t.finishing)
    mask |= BIT (CGW_EFINISHED);
  expect_status (t.scene->function, status, mask);
  t.finishing = true;
}

CALL (salvage, cgw_salvage, t.w)

static void
check_salvage (enum cgw_status status)
{
  check_finish (status);
  t.salvaged = t.salvaged || status != CGW_EFINISHED;
}

const struct scene part_scenes[] = {
  { "first part", "cgw_begin_part", OPENS, 0, NULL, call_begin_part, NULL },
  { "first part hook", "cgw_begin_part", OPENS | HOOK | SMALL_BUFFER, 0,
    NULL, call_begin_part, NULL },
  { "next part", "cgw_begin_part", 0, 0, prepare_records, call_begin_part,
    NULL },
  { "next part written", "cgw_begin_part", SMALL_BUFFER, 0, prepare_records,
    call_begin_part, NULL },
  { "next part full ring", "cgw_begin_part", SMALL_RING, 0, prepare_records,
    call_begin_part, NULL },
  { "flush", "cgw_flush", 0, 0, prepare_records, call_flush, NULL },
  { "flush hook", "cgw_flush", HOOK, 0, prepare_records, call_flush, NULL },
  { "flush deferred", "cgw_flush", HOOK, 0, prepare_deferred, call_flush,
    NULL },
  { "flush deferred cachegrind", "cgw_flush", HOOK | CACHEGRIND, 0,
    prepare_deferred, call_flush, NULL },
  { "flush cachegrind", "cgw_flush", CACHEGRIND, 0, prepare_records,
    call_flush, NULL },
  { "error", "cgw_error", 0, 0, prepare_records, call_error, NULL },
  { "finish", "cgw_finish", FINISHES, 0, prepare_records, call_finish,
    check_finish },
  { "finish hook", "cgw_finish", FINISHES | HOOK, 0, prepare_records,
    call_finish, check_finish },
  { "finish owned", "cgw_finish", FINISHES | OWNED, 0, prepare_records,
    call_finish, check_finish },
  { "finish replacing", "cgw_finish", FINISHES | OWNED | REPLACES, 0,
    prepare_records, call_finish, check_finish },
  { "finish full disk", "cgw_finish", FINISHES | OWNED | FULL_DISK, 0,
    prepare_full_disk, call_finish, check_finish },
  { "salvage", "cgw_salvage", FINISHES, 0, prepare_records, call_salvage,
    check_salvage },
  { "salvage hook", "cgw_salvage", FINISHES | HOOK, 0, prepare_records,
    call_salvage, check_salvage },
  { "salvage owned", "cgw_salvage", FINISHES | OWNED, 0, prepare_records,
    call_salvage, check_salvage },
  { "salvage replacing", "cgw_salvage", FINISHES | OWNED | REPLACES, 0,
    prepare_records, call_salvage, check_salvage },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
