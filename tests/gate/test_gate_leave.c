/* test_gate_leave.c - calls that a handler leaves by longjmp: what they hold
   stays held, what is put off for them is counted, and the file is whole.

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

/* Inside the write the hook may have taken more than the writer knows.  */
static void
check_left_file (bool in_write, const char *what)
{
  struct profile *p = must_read (g.bytes, g.n, READER_UNFINISHED, what);
  struct cgw_stats s = CGW_STATS_INIT;

  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  cr_assert_geq (p->cost_lines + p->calls + p->jump_lines, s.recorded, "%s",
                 what);
  profile_free (p);
  if (!in_write)
    ledger_balance_file (&g.ledger, g.w, g.bytes, g.n, READER_UNFINISHED,
                         what);
}

static void
stays_finished (const char *what)
{
  cr_assert_eq (gate_record (&g, GATE_COST), CGW_EFINISHED, "%s", what);
  cr_assert_eq (gate_record (&g, GATE_JUMP), CGW_EFINISHED, "%s", what);
  cr_assert_eq (cgw_finish (g.w), CGW_EFINISHED, "%s", what);
  cr_assert_eq (cgw_flush (g.w), CGW_EFINISHED, "%s", what);
  cr_assert_eq (gate_begin (&g, 2), CGW_EFINISHED, "%s", what);
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
finish_after (unsigned long at, size_t buffer_size)
{
  const char *what = gate_what (buffer_size == 1
                                    ? "finish after leaving a write"
                                    : "finish after leaving a record", at);
  enum cgw_status status;
  bool left;

  open_with (buffer_size);
  left = leave_a_cost (at);
  if (left)
    fill_queue (what);
  status = cgw_finish (g.w);
  if (status == CGW_EBUSY)
    check_left_file (buffer_size == 1, what);
  else
    ledger_balance_file (&g.ledger, g.w, g.bytes, g.n, READER_STRICT, what);
  stays_finished (what);
  write_again (what);
  return left;
}

static void
sweep_finish (size_t buffer_size, unsigned long stride, const char *name)
{
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, name);
       finish_after (at, buffer_size); at += stride)
    continue;
}

Test (gate_leave, a_record_then_finish)
{
  STEP_OR_SKIP ();
  sweep_finish (0, 3, "a record, then finish");
}

Test (gate_leave, a_write_then_finish)
{
  STEP_OR_SKIP ();
  sweep_finish (1, 7, "a write, then finish");
}

/* Only cgw_finish, cgw_reset and cgw_free are of use then.  */
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
  cgw_free (g.w);
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
call_add_fn (void *context)
{
  struct gate *gate = context;
  cgw_add_fn (gate->w, "a new name", (struct cgw_file){ 0 },
              (struct cgw_object){ 0 });
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

/* cgw_finish that was left itself may have refused records, or finished.  */
static bool
leave_call (void (*call) (void *), const char *name, unsigned long at)
{
  const char *what = gate_what (name, at);
  enum cgw_status status;
  bool left;

  open_with (0);
  left = step_and_leave (at, call, NULL, &g);
  gate_records (&g);
  status = cgw_finish (g.w);
  cr_assert (status == CGW_OK || (left && status == CGW_EBUSY)
                 || (call == call_finish && status == CGW_EFINISHED),
             "%s: %s", what, cgw_strerror (status));
  cr_assert_eq (cgw_finish (g.w), CGW_EFINISHED, "%s", what);
  check_left_file (call == call_flush || call == call_finish, what);
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

Test (gate_leave, cgw_add_fn)
{
  sweep (call_add_fn, "leave cgw_add_fn");
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

/* What was recorded before a call was left is in the file, not only counted:
   the call was not inside write(2).  */

static sigjmp_buf out;

static void
jump_out (struct gate *gate)
{
  (void) gate;
  siglongjmp (out, 1);
}

Test (gate_leave, records_before_it_are_written)
{
  struct cgw_stats s = CGW_STATS_INIT;

  open_with (0);
  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  cr_assert_gt (s.buffered, 0);
  g.in_allocate = jump_out;
  if (sigsetjmp (out, 1) == 0)
    for (char name[] = "a-name"; ; name[0]++) /* until a table grows */
      cgw_add_fn (g.w, name, (struct cgw_file){ 0 },
                  (struct cgw_object){ 0 });
  g.in_allocate = NULL;
  cr_assert_eq (cgw_finish (g.w), CGW_EBUSY);
  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  cr_expect_eq (s.recorded, GATE_KINDS);
  cr_expect_eq (s.lost, 0);
  cr_expect_eq (s.written, g.n);
  gate_check (&g, READER_UNFINISHED, "left in cgw_add_fn");
}

/* A handler's cgw_finish inside a write is left, too, with the write: the next
   one ends the file all the same.  */

static void
leave_finish_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  gate_records (gate);
  was_left = step_and_leave (leave_at, call_finish, NULL, gate);
  siglongjmp (out, 1);
}

static bool
leave_handlers_finish (unsigned long at)
{
  const char *what = gate_what ("leave a handler's cgw_finish", at);
  enum cgw_status status;

  open_with (0);
  leave_at = at;
  g.in_write = leave_finish_in_hook;
  if (sigsetjmp (out, 1) == 0)
    cgw_flush (g.w);
  status = cgw_finish (g.w);
  cr_assert (status == CGW_EBUSY || status == CGW_EFINISHED, "%s: %s", what,
             cgw_strerror (status));
  stays_finished (what);
  check_left_file (true, what);
  write_again (what);
  return was_left;
}

Test (gate_leave, a_handlers_cgw_finish)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1; leave_handlers_finish (at); at++)
    continue;
}
