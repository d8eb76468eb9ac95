/* test_gate_leave.c - calls that a handler leaves by longjmp: what they hold
   stays held until a reset, and cgw_salvage leaves a whole file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <setjmp.h>
#include <string.h>

TestSuite (gate_leave, .timeout = 600);

#define SLOTS 8

static struct gate g;

static void
open_with (size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = buffer_size;
  o.queue_slots = SLOTS;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
}

/* A cost that is left somewhere stays open in the ledger.  */

static void
make_cost (void *context)
{
  struct gate *gate = context;
  struct cgw_pos pos = { .fn = gate->other, .line = 33 };

  gate->status = cgw_cost (gate->w, &pos, gate_costs, 2);
  gate->came_back = true;
}

static bool
leave_a_cost (unsigned long at)
{
  bool left;

  g.came_back = false;
  ledger_begin (&g.ledger, gate_costs, 2);
  left = step_and_leave (at, make_cost, NULL, &g);
  if (g.came_back)
    ledger_end (&g.ledger, g.status, gate_costs, 2);
  return left;
}

/* Records until the queue is full, if the writer is held: those that found a
   place, then lost ones, never a place again.  */
static void
fill_queue (const char *what)
{
  bool full = false;

  for (int i = 0; i < 3 * SLOTS; i++)
    {
      enum cgw_status status = gate_record (&g, i % GATE_KINDS);
      cr_assert (status == CGW_ELOST || (status == CGW_OK && !full),
                 "%s: record %d: %s", what, i, cgw_strerror (status));
      full |= status == CGW_ELOST;
    }
}

/* Ends the file of a call that may have been left, and checks it.  Nobody counts
   any more; if the call was inside its write, nothing more is written.  */
static void
salvage (bool left, bool in_write, const char *what)
{
  enum cgw_status status = cgw_flush (g.w);
  bool held = status == CGW_EBUSY;
  struct cgw_stats s = CGW_STATS_INIT;
  struct profile *p;

  cr_assert (status == CGW_OK || status == CGW_EFINISHED || (left && held),
             "%s: %s", what, cgw_strerror (status));
  cr_assert_eq (cgw_get_stats (g.w, &s), held ? CGW_EBUSY : CGW_OK, "%s",
                what);
  status = cgw_salvage (g.w);
  cr_assert (held ? status == CGW_ELOST || status == CGW_EFINISHED
                  : status == CGW_OK || status == CGW_EFINISHED
                        || status == cgw_error (g.w, NULL),
             "%s: cgw_salvage: %s", what, cgw_strerror (status));
  p = must_read (g.bytes, g.n, held ? READER_UNFINISHED : READER_STRICT, what);
  cr_assert_leq (p->cost_lines + p->calls + p->jump_lines
                     - lost_lines (g.bytes, g.n),
                 ledger_taken (&g.ledger) + g.ledger.open, "%s", what);
  if (!(held && in_write))
    cr_assert_geq (p->cost_lines + p->calls + p->jump_lines, GATE_KINDS, "%s",
                   what);
  profile_free (p);
  if (!held)
    ledger_balance_file (&g.ledger, g.w, g.bytes, g.n, READER_STRICT, what);
}

static void
stays_finished (const char *what)
{
  enum cgw_status flushed = cgw_flush (g.w);

  cr_assert_eq (gate_record (&g, GATE_COST), CGW_EFINISHED, "%s", what);
  cr_assert_eq (gate_record (&g, GATE_JUMP), CGW_EFINISHED, "%s", what);
  cr_assert_eq (cgw_salvage (g.w), CGW_EFINISHED, "%s", what);
  cr_assert (flushed == CGW_EBUSY || flushed == CGW_EFINISHED, "%s", what);
  cr_assert_eq (cgw_finish (g.w), flushed, "%s", what);
}

static void
write_again (const char *what)
{
  cr_assert_eq (gate_reset (&g, -1), CGW_OK, "%s", what);
  g.n = 0;
  cr_assert_eq (gate_begin (&g, 3), CGW_OK, "%s", what);
  gate_records (&g);
  gate_end (&g, CGW_OK, what);
}

/* One run; false when the call has fewer instructions.  */
static bool
salvage_after (unsigned long at, size_t buffer_size)
{
  const char *what = gate_what (buffer_size == 1
                                    ? "salvage after leaving a write"
                                    : "salvage after leaving a record", at);
  bool left;

  open_with (buffer_size);
  left = leave_a_cost (at);
  if (left)
    fill_queue (what);
  salvage (left, buffer_size == 1, what);
  stays_finished (what);
  write_again (what);
  return left;
}

static void
sweep_salvage (size_t buffer_size, unsigned long stride, const char *name)
{
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, name);
       salvage_after (at, buffer_size); at += stride)
    continue;
}

Test (gate_leave, a_record_then_salvage)
{
  STEP_OR_SKIP ();
  sweep_salvage (0, 3, "a record, then salvage");
}

Test (gate_leave, a_write_then_salvage)
{
  STEP_OR_SKIP ();
  sweep_salvage (1, 7, "a write, then salvage");
}

/* cgw_reset and cgw_free take the writer from a call that was left.  */
static bool
reset_after (unsigned long at)
{
  const char *what = gate_what ("reset after leaving a record", at);
  bool left;

  open_with (1);
  left = leave_a_cost (at);
  gate_records (&g);
  write_again (what);
  open_with (1);
  leave_a_cost (at);
  gate_records (&g);
  gate_free (&g);
  return left;
}

Test (gate_leave, a_record_then_reset)
{
  unsigned long stride = step_stride (13);

  STEP_OR_SKIP ();
  for (unsigned long at = step_first (stride, "reset"); reset_after (at);
       at += stride)
    continue;
}

/* Calls of normal code that are left.  */

static void
call_begin (void *context)
{
  struct gate *gate = context;
  gate->status = gate_begin (gate, 2);
}

static void
call_comment (void *context)
{
  struct gate *gate = context;
  gate->status = cgw_comment (gate->w, "a comment");
}

static void
call_flush (void *context)
{
  struct gate *gate = context;
  gate->status = cgw_flush (gate->w);
}

static void
call_finish (void *context)
{
  struct gate *gate = context;
  gate->status = cgw_finish (gate->w);
}

/* Nothing that was left is written twice, or torn.  */
static bool
leave_call (void (*call) (void *), const char *name, unsigned long at)
{
  const char *what = gate_what (name, at);
  bool left;

  open_with (0);
  left = step_and_leave (at, call, NULL, &g);
  gate_records (&g);
  salvage (left, call == call_flush || call == call_finish, what);
  stays_finished (what);
  write_again (what);
  return left;
}

static void
sweep (void (*call) (void *), const char *name)
{
  unsigned long stride = step_stride (23);

  STEP_OR_SKIP ();
  for (unsigned long at = step_first (stride, name);
       leave_call (call, name, at); at += stride)
    continue;
}

Test (gate_leave, cgw_begin_part)
{
  sweep (call_begin, "leave cgw_begin_part");
}

Test (gate_leave, cgw_comment)
{
  sweep (call_comment, "leave cgw_comment");
}

Test (gate_leave, cgw_flush)
{
  sweep (call_flush, "leave cgw_flush");
}

Test (gate_leave, cgw_finish)
{
  sweep (call_finish, "leave cgw_finish");
}

/* A handler's own call, left while it puts a record off: the call that it
   interrupted goes on, and at most one place in the queue is gone.  */

static unsigned long leave_at;
static bool was_left;
static unsigned places[4]; /* found in each round */

static void
leave_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  was_left = leave_a_cost (leave_at);
}

/* How many records the queue takes.  */
static unsigned
count_places (struct gate *gate)
{
  unsigned n = 0;

  while (n < 2 * SLOTS && gate_record (gate, n % GATE_KINDS) == CGW_OK)
    n++;
  return n;
}

static int round_number;

static void
count_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  places[round_number] = count_places (gate);
}

/* Something to write, and a flush, in whose write it happens.  */
static void
flush_with (void (*in_write) (struct gate *), const char *what)
{
  cr_assert_eq (gate_record (&g, GATE_COST), CGW_OK, "%s", what);
  g.in_write = in_write;
  cr_assert_eq (cgw_flush (g.w), CGW_OK, "%s", what);
  cr_assert (g.in_write == NULL, "%s: nothing was written", what);
}

static bool
leave_putting_off (unsigned long at)
{
  const char *what = gate_what ("leave a record that is put off", at);

  open_with (0);
  leave_at = at;
  flush_with (leave_in_hook, what);
  ledger_balance (&g.ledger, g.w, what);
  for (round_number = 0; round_number < 4; round_number++)
    {
      flush_with (count_in_hook, what);
      ledger_balance (&g.ledger, g.w, what);
      cr_assert (places[round_number] == SLOTS
                     || places[round_number] == SLOTS - 1,
                 "%s: %u places", what, places[round_number]);
    }
  gate_end (&g, CGW_ELOST, what);
  return was_left;
}

Test (gate_leave, a_record_that_is_put_off)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1; leave_putting_off (at); at += step_stride (1))
    ;
}

/* A handler's cgw_salvage inside a write is left, too, with the write.  */

static sigjmp_buf out;

static void
call_salvage (void *context)
{
  struct gate *gate = context;
  gate->status = cgw_salvage (gate->w);
}

static void
leave_salvage_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  gate_records (gate);
  was_left = step_and_leave (leave_at, call_salvage, NULL, gate);
  siglongjmp (out, 1);
}

static bool
leave_handlers_salvage (unsigned long at)
{
  const char *what = gate_what ("leave a handler's cgw_salvage", at);

  open_with (0);
  leave_at = at;
  g.in_write = leave_salvage_in_hook;
  if (sigsetjmp (out, 1) == 0)
    cgw_flush (g.w);
  cgw_salvage (g.w);
  profile_free (must_read (g.bytes, g.n, READER_UNFINISHED, what));
  write_again (what);
  return was_left;
}

Test (gate_leave, a_handlers_cgw_salvage)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1; leave_handlers_salvage (at); at++)
    continue;
}
