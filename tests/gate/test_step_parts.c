/* test_step_parts.c - the scenes of a file's course: parts, comments, writing,
   counts, the end, and a new beginning.

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

/* The file before a reset does not matter: but something is in it, with as many
   events as the scene's argument says.  */
static void
prepare_reset (void)
{
  static const struct cgw_event events[]
      = { { "X", 0, 0 }, { "Y", 0, 0 }, { "Z", 0, 0 } };
  struct cgw_pos here = { t.fn[OTHER], { 0 }, 1, 0 };
  struct cgw_part part = world_part ();

  part.events = events;
  part.n_events = (size_t) t.scene->argument;
  cgw_begin_part (t.w, &part);
  cgw_cost (t.w, &here, (uint64_t[3]){ 1, 2, 3 }, part.n_events);
  cgw_reset (t.w, file_descriptor (SECOND));
  t.n_bytes = 0;
  t.file = SECOND;
  forget_ledger ();
}

static void
prepare_finished (void)
{
  prepare_records ();
  cgw_finish (t.w);
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
CALL (reset, cgw_reset, t.w, file_descriptor (SECOND))
CALL (recreate, cgw_recreate, t.w,
      t.scene->traits & OWNED ? NULL : world_path ())

/* Whatever a handler did, the new file is empty and open; but after its finish
   nobody knows: it may be finished, too.  */
static void
check_new_file (enum cgw_status status, enum file file)
{
  bool finished = t.finishing;
  struct cgw_part part = world_part ();

  expect_status (t.scene->function, status, BIT (CGW_OK));
  EXPECT (t.scene->traits & REPLACES || file_size (file) == 0,
          "%s wrote to the new file", t.scene->function);
  t.n_bytes = 0;
  forget_ledger ();
  t.seen = BIT (CGW_OK) | BIT (CGW_EORDER) | BIT (CGW_EBUSY)
           | (finished ? BIT (CGW_ELOST) : 0);
  t.file = file;
  t.begun = t.finish_begun = t.finishing = t.salvaged = false;
  status = cgw_begin_part (t.w, &part);
  expect_status ("cgw_begin_part after cgw_reset", status,
                 BIT (CGW_OK) | (finished ? BIT (CGW_EFINISHED) : 0));
  t.begun = status == CGW_OK;
  t.finishing = status == CGW_EFINISHED;
}

static void
check_reset (enum cgw_status status)
{
  check_new_file (status, SECOND);
}

static void
check_recreate (enum cgw_status status)
{
  check_new_file (status, FILES);
}

const struct scene part_scenes[] = {
  { "first part", "cgw_begin_part", OPENS, 0, NULL, call_begin_part,
    check_begin_part },
  { "first part hook", "cgw_begin_part", OPENS | HOOK | SMALL_BUFFER | WRITES,
    0, NULL, call_begin_part, check_begin_part },
  { "first part after reset", "cgw_begin_part", OPENS, N_EVENTS,
    prepare_reset, call_begin_part, check_begin_part },
  { "first part after reset, fewer events before", "cgw_begin_part", OPENS, 1,
    prepare_reset, call_begin_part, check_begin_part },
  { "first part after reset, more events before", "cgw_begin_part", OPENS, 3,
    prepare_reset, call_begin_part, check_begin_part },
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
    call_salvage, check_finish },
  { "salvage hook", "cgw_salvage", WRITES | FINISHES | HOOK, 0,
    prepare_records, call_salvage, check_finish },
  { "salvage owned", "cgw_salvage", WRITES | FINISHES | OWNED, 0,
    prepare_records, call_salvage, check_finish },
  { "salvage replacing", "cgw_salvage",
    WRITES | FINISHES | OWNED | REPLACES, 0, prepare_records, call_salvage,
    check_finish },
  { "reset", "cgw_reset", RESETS, 0, prepare_records, call_reset,
    check_reset },
  { "reset before a part", "cgw_reset", RESETS | OPENS, 0, NULL, call_reset,
    check_reset },
  { "reset written", "cgw_reset", RESETS | SMALL_BUFFER, 0, prepare_records,
    call_reset, check_reset },
  { "reset finished", "cgw_reset", RESETS | FINISHES, 0, prepare_finished,
    call_reset, check_reset },
  { "reset owned", "cgw_reset", RESETS | OWNED, 0, prepare_records,
    call_reset, check_reset },
  { "recreate", "cgw_recreate", RESETS, 0, prepare_records, call_recreate,
    check_recreate },
  { "recreate finished", "cgw_recreate", RESETS | FINISHES, 0,
    prepare_finished, call_recreate, check_recreate },
  { "recreate the same", "cgw_recreate", RESETS | OWNED | EMPTIES, 0,
    prepare_records, call_recreate, check_recreate },
  { "recreate replacing", "cgw_recreate", RESETS | OWNED | REPLACES, 0,
    prepare_records, call_recreate, check_recreate },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
