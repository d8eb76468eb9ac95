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

CALL (begin_part, cgw_begin_part, t.w, &t.part)

static void
check_begin_part (enum cgw_status status)
{
  unsigned mask = t.finishing ? BIT (CGW_OK) | BIT (CGW_EFINISHED)
                              : BIT (CGW_OK);

  expect_status ("cgw_begin_part", status, mask);
  t.begun |= status == CGW_OK;
}

CALL (comment, cgw_comment, t.w, "a comment")
CALL (flush, cgw_flush, t.w)

static void
check_call (enum cgw_status status)
{
  expect_status ("the call", status,
                 t.finishing ? BIT (CGW_OK) | BIT (CGW_EFINISHED)
                               : BIT (CGW_OK));
}

static enum cgw_status
call_stats (void)
{
  uint64_t recorded[N_EVENTS], lost[N_EVENTS];
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status status;

  s.n_costs = N_EVENTS;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  get_stats (&s, &status);
  return status;
}

CALL_AS (error, cgw_error, enum cgw_status, cgw_error (t.w, NULL),
         t.finishing || (t.seen & BIT (result)) ? CGW_OK : result)
CALL_AS (errno, cgw_errno, int, cgw_errno (t.w),
         result == 0 ? CGW_OK : CGW_EIO)
CALL_SENTENCE (explain, cgw_explain, t.w)
CALL (finish, cgw_finish, t.w)

static void
check_finish (enum cgw_status status)
{
  unsigned mask = BIT (CGW_OK)
                  | (t.seen & (BIT (CGW_ELOST) | BIT (CGW_EBUSY)));

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
  { "first part", "cgw_begin_part", OPENS, 0, NULL, call_begin_part,
    check_begin_part },
  { "first part hook", "cgw_begin_part", OPENS | HOOK | SMALL_BUFFER | WRITES,
    0, NULL, call_begin_part, check_begin_part },
  { "next part", "cgw_begin_part", 0, 0, prepare_records, call_begin_part,
    check_begin_part },
  { "next part written", "cgw_begin_part", SMALL_BUFFER | WRITES, 0,
    prepare_records, call_begin_part, check_begin_part },
  { "next part full ring", "cgw_begin_part", SMALL_RING, 0, prepare_records,
    call_begin_part, check_begin_part },
  { "comment", "cgw_comment", 0, 0, prepare_records, call_comment,
    check_call },
  { "flush", "cgw_flush", WRITES, 0, prepare_records, call_flush,
    check_call },
  { "flush hook", "cgw_flush", WRITES | HOOK, 0, prepare_records, call_flush,
    check_call },
  { "flush deferred", "cgw_flush", WRITES | HOOK, 0, prepare_deferred,
    call_flush, check_call },
  { "flush deferred cachegrind", "cgw_flush", WRITES | HOOK | CACHEGRIND, 0,
    prepare_deferred, call_flush, check_call },
  { "flush cachegrind", "cgw_flush", WRITES | CACHEGRIND, 0, prepare_records,
    call_flush, check_call },
  { "stats", "cgw_get_stats", 0, 0, prepare_records, call_stats, check_call },
  { "error", "cgw_error", 0, 0, prepare_records, call_error, check_call },
  { "errno", "cgw_errno", 0, 0, prepare_records, call_errno, check_call },
  { "explain", "cgw_explain", 0, 0, prepare_records, call_explain,
    check_call },
  { "finish", "cgw_finish", WRITES | FINISHES, 0, prepare_records,
    call_finish, check_finish },
  { "finish hook", "cgw_finish", WRITES | FINISHES | HOOK, 0, prepare_records,
    call_finish, check_finish },
  { "finish owned", "cgw_finish", WRITES | FINISHES | OWNED, 0,
    prepare_records, call_finish, check_finish },
  { "finish replacing", "cgw_finish", WRITES | FINISHES | OWNED | REPLACES, 0,
    prepare_records, call_finish, check_finish },
  { "salvage", "cgw_salvage", WRITES | FINISHES, 0, prepare_records,
    call_salvage, check_salvage },
  { "salvage hook", "cgw_salvage", WRITES | FINISHES | HOOK, 0,
    prepare_records, call_salvage, check_salvage },
  { "salvage owned", "cgw_salvage", WRITES | FINISHES | OWNED, 0,
    prepare_records, call_salvage, check_salvage },
  { "salvage replacing", "cgw_salvage",
    WRITES | FINISHES | OWNED | REPLACES, 0, prepare_records, call_salvage,
    check_salvage },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
