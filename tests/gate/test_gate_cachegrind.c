/* test_gate_cachegrind.c - records that a file with CGW_CACHEGRIND does not
   write: whatever interrupts them, they are counted once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <errno.h>
#include <string.h>

TestSuite (gate_cachegrind, .timeout = 600);

static struct gate g;

static void
open_with (unsigned flags, size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_CACHEGRIND | flags;
  o.buffer_size = buffer_size;
  o.queue_slots = 64;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 3), CGW_OK);
}

static void
close_it (enum cgw_status status, const char *what)
{
  enum cgw_status got = cgw_finish (g.w);

  cr_assert_eq (got, status, "%s: %s", what, cgw_strerror (got));
  ledger_balance (&g.ledger, g.w, what);
  gate_free (&g);
}

/* How many count lines the file has, that of "[lost]" aside.  */
static unsigned
count_lines (void)
{
  unsigned n = 0;

  g.bytes[g.n] = '\0';
  for (char *line = g.bytes; line != NULL && *line != '\0';
       line = strchr (line, '\n') != NULL ? strchr (line, '\n') + 1 : NULL)
    n += *line >= '0' && *line <= '9';
  return n;
}

/* What comes before the call under step: nothing in the buffer, a count line,
   silent records behind one, one that is written.  */
enum before { NOTHING, A_LINE, SILENT, WRITTEN_LINE, BEFORES };

static void
prepare (enum before before)
{
  open_with (0, 0);
  if (before == NOTHING)
    {
      cr_assert_eq (cgw_flush (g.w), CGW_OK);
      return;
    }
  gate_record (&g, GATE_COST);
  if (before == SILENT)
    gate_records (&g);
  if (before == WRITTEN_LINE)
    cr_assert_eq (cgw_flush (g.w), CGW_OK);
}

static enum gate_kind kind;

static void
call_record (void *context)
{
  struct gate *gate = context;
  struct cgw_pos from = { .fn = gate->fn, .line = 11 };
  struct cgw_pos to = { .fn = gate->other, .line = 22 };

  gate->status
      = kind == GATE_COST ? cgw_cost (gate->w, &from, gate_costs, 3)
        : kind == GATE_CALL
            ? cgw_call (gate->w, &from, &to, 4, gate_costs, 3)
        : kind == GATE_JUMP ? cgw_jump (gate->w, &from, &to, 5)
                            : cgw_cond_jump (gate->w, &from, &to, 5, 6);
  gate->came_back = true;
}

static const char *what;

/* The handler's own record comes first: it is put off, or written.  */
static void
record_and_salvage (void *context)
{
  struct gate *gate = context;

  gate_records (gate);
  cgw_salvage (gate->w);
}

static void
begin_entry (void)
{
  g.came_back = false;
  ledger_begin (&g.ledger, gate_costs, kind == GATE_COST ? 3 : 0);
}

static void
end_entry (void)
{
  if (g.came_back)
    ledger_end (&g.ledger, g.status, gate_costs, kind == GATE_COST ? 3 : 0);
}

/* A call that was left keeps the writer: only then nobody counts.  The file has
   whole lines.  */
static void
check_salvaged (void)
{
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status status = cgw_get_stats (g.w, &s);

  cr_assert (status == CGW_OK || (status == CGW_EBUSY && !g.came_back), "%s",
             what);
  if (status == CGW_OK)
    ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (gate_record (&g, GATE_COST), CGW_EFINISHED, "%s", what);
  cr_assert_eq (g.bytes[g.n - 1], '\n', "%s", what);
  gate_free (&g);
}

/* One run with the handler after an instruction of the call.  False: the call
   has fewer.  The handler leaves the call, or returns to it.  */
static bool
interrupted (enum before before, unsigned long at, bool leaves)
{
  bool more;

  prepare (before);
  begin_entry ();
  more = leaves ? step_and_leave (at, call_record, record_and_salvage, &g)
                : step (at, call_record, record_and_salvage, &g) >= at;
  end_entry ();
  cgw_salvage (g.w);
  check_salvaged ();
  return more;
}

static void
sweep (bool leaves)
{
  static const enum gate_kind kinds[]
      = { GATE_COST, GATE_CALL, GATE_JUMP, GATE_COND_JUMP };
  unsigned long stride = step_stride (3);

  for (enum before before = 0; before < BEFORES; before++)
    for (int i = 0; i < 4; i++)
      {
        kind = kinds[i];
        for (unsigned long at = step_first (stride, "cachegrind");; at += stride)
          {
            what = gate_what (leaves ? "left" : "interrupted", at);
            if (!interrupted (before, at, leaves))
              break;
          }
      }
}

Test (gate_cachegrind, a_salvage_inside_each_record)
{
  STEP_OR_SKIP ();
  sweep (false);
}

Test (gate_cachegrind, a_salvage_and_a_jump_out_of_each_record)
{
  STEP_OR_SKIP ();
  sweep (true);
}

/* Records that were put off, while they are written: each that the handler
   finds undecided is lost, once.  */

static void
put_all_off (struct gate *gate)
{
  gate->in_write = NULL;
  step_pause ();
  gate_records (gate);
  gate_records (gate);
  step_resume ();
}

static void
call_flush (void *context)
{
  struct gate *gate = context;

  gate->in_write = put_all_off;
  gate->status = cgw_flush (gate->w);
  gate->came_back = true;
}

static void
salvage_only (void *context)
{
  struct gate *gate = context;

  gate->in_write = NULL;
  cgw_salvage (gate->w);
}

static bool
deferred (unsigned long at, bool leaves)
{
  bool more;

  open_with (0, 0);
  gate_records (&g);
  g.came_back = false;
  more = leaves ? step_and_leave (at, call_flush, salvage_only, &g)
                : step (at, call_flush, salvage_only, &g) >= at;
  cgw_salvage (g.w);
  check_salvaged ();
  return more;
}

Test (gate_cachegrind, a_salvage_while_deferred_ones_are_written)
{
  unsigned long stride = step_stride (3);

  STEP_OR_SKIP ();
  for (int leaves = 0; leaves < 2; leaves++)
    for (unsigned long at = step_first (stride, "deferred");; at += stride)
      {
        what = gate_what (leaves ? "deferred, left" : "deferred", at);
        if (!deferred (at, leaves))
          break;
      }
}

/* All kinds, put off, with and without threads, a full queue, and a descriptor
   that fails.  */

static void
all_kinds (unsigned flags)
{
  open_with (flags, 0);
  gate_records (&g);
  g.in_write = put_all_off;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  ledger_balance (&g.ledger, g.w, "put off");
  close_it (CGW_OK, "put off");
  cr_assert_eq (count_lines (), 6);
}

Test (gate_cachegrind, deferred_records)
{
  all_kinds (0);
  all_kinds (CGW_THREADS);
}

static void
put_many_off (struct gate *gate)
{
  gate->in_write = NULL;
  for (int i = 0; i < 100; i++)
    gate_record (gate, i % GATE_KINDS);
}

Test (gate_cachegrind, a_full_queue)
{
  open_with (0, 0);
  gate_records (&g);
  g.in_write = put_many_off;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  cr_assert_gt (g.ledger.by_status[CGW_ELOST], 0);
  close_it (CGW_ELOST, "a full queue");
}

/* What has no room is lost, but not what needs none.  At the end the rest of
   the buffer is lost, too; the file has whole lines.  */
Test (gate_cachegrind, a_descriptor_that_fails)
{
  open_with (0, 100);
  gate_records (&g);
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  g.fail = ENOSPC;
  for (int i = 0; i < 20; i++)
    gate_records (&g);
  cr_assert_gt (g.ledger.by_status[CGW_EIO], 0);
  ledger_balance (&g.ledger, g.w, "failing");
  close_it (CGW_EIO, "failing");
  cr_assert_eq (count_lines (), 2);
  cr_assert_eq (g.bytes[g.n - 1], '\n');
}
