/* test_gate.c - what no row of calls.def and no scene of test_step would
   notice: what is lost while another thread is inside the writer, which is
   known, not hoped for, because it stays in the write hook; and mistakes of
   earlier versions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

TestSuite (gate, .timeout = 3600);

static struct gate g;

static void *
flush (void *argument)
{
  (void) argument;
  g.status = cgw_flush (g.w);
  return NULL;
}

static void
open_and_hold (unsigned flags, uint32_t slots)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  o.queue_slots = slots;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g, CGW_OK);
  g.in_write = gate_stay;
  gate_hold (flush, NULL);
}

/* A record that is lost while cgw_finish runs is in the file's report, or
   refused.  A handler that interrupts the record where it is neither gets
   CGW_EBUSY.  */

static enum cgw_status finished; /* CGW_EORDER: not called */

static void
lose_one (void *context)
{
  (void) context;
  gate_record (&g, COST);
}

static void
finish_here (void *context)
{
  (void) context;
  gate_in_wait = gate_release;
  finished = cgw_finish (g.w);
  gate_in_wait = NULL;
}

static void
check_report (void)
{
  struct cgw_stats s = CGW_STATS_INIT;
  char comment[60];

  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  g.bytes[g.n] = '\0';
  snprintf (comment, sizeof comment, "# cgw: lost %d record",
            (int) s.lost);
  EXPECT ((strstr (g.bytes, comment) != NULL) == (s.lost != 0), "%s", comment);
  gate_check (&g, READER_STRICT);
}

Test (gate, finish_while_a_record_is_lost)
{
  unsigned long stride = step_stride (13);
  unsigned busy = 0, lost = 0, refused = 0;

  STEP_OR_SKIP ();
  finished = CGW_OK;
  for (unsigned long at = 1; finished != CGW_EORDER; at += stride)
    {
      fail_at = at;
      open_and_hold (CGW_THREADS, 1);
      gate_record (&g, COST); /* takes the slot */
      finished = CGW_EORDER;
      step (at, lose_one, finish_here, NULL);
      gate_let_go ();
      busy += finished == CGW_EBUSY;
      lost += finished == CGW_ELOST;
      refused += g.ledger.by_status[CGW_EFINISHED] != 0;
      cgw_finish (g.w);
      check_report ();
    }
  cr_expect_gt (busy, 0);
  cr_expect_gt (lost, 0);
  cr_expect_gt (refused, 0);
}

/* A writer without a file has ended for a handler, too, that interrupts a call
   on it.  */

static struct cgw_writer *fileless;
static enum cgw_status recorded; /* CGW_OK: not called */

static void
flush_fileless (void *unused)
{
  (void) unused;
  cgw_flush (fileless);
}

static void
record_fileless (void *unused)
{
  const struct cgw_pos at = { .line = 1 };

  (void) unused;
  recorded = cgw_cost (fileless, &at, NULL, 0);
}

Test (gate, records_without_a_file)
{
  unsigned long at = 0;

  STEP_OR_SKIP ();
  cr_assert_eq (cgw_open_fd (&fileless, test_names (), -1, NULL), CGW_EINVAL);
  do
    {
      fail_at = ++at;
      recorded = CGW_OK;
      step (at, flush_fileless, record_fileless, NULL);
      EXPECT (recorded == CGW_EFINISHED || recorded == CGW_OK, "%s",
              cgw_strerror (recorded));
    }
  while (recorded != CGW_OK);
  cr_expect_gt (at, 10);
  cgw_free (fileless);
}

/* A part that is refused has no records: they do not land in the one before,
   not even those that come while the writer is busy.  A part that begins later
   takes records again.  */

static enum cgw_status in_hook; /* what records there are to return */

static void
record_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  gate_records (gate, in_hook);
}

static void
flush_with_records (enum cgw_status status)
{
  in_hook = status;
  g.in_write = record_in_hook;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  cr_assert (g.in_write == NULL, "nothing was written");
}

Test (gate, after_a_part_that_was_refused)
{
  gate_open (&g, NULL, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g, CGW_OK);
  cr_assert_eq (gate_begin (&g, 3), CGW_EINVAL);
  g.ledger.n_events = 2;
  gate_records (&g, CGW_EORDER);
  flush_with_records (CGW_EORDER);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  flush_with_records (CGW_OK);
  gate_end (&g, CGW_EINVAL);
}

/* Handlers that come faster than a record is written, and each put one off:
   writing what is put off has an end all the same, for the call that does it
   may be a handler's.  */

#define ENOUGH 100000 /* instructions: some hundred records */

static unsigned long traps;
static unsigned long every; /* how many instructions between two handlers */
static bool endless;

static void
put_one_off (void *context)
{
  (void) context;
  if (++traps == ENOUGH)
    {
      endless = true;
      step_stop ();
    }
  else if (traps % every == 0)
    gate_record (&g, COST);
}

static void
make_cost (void *context)
{
  (void) context;
  g.status = gate_record (&g, COST);
}

static void
handlers_every (unsigned long n)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  fail_at = n;
  every = n;
  traps = 0;
  endless = false;
  o.queue_slots = 8;
  o.buffer_size = GATE_BYTES;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 3), CGW_OK);
  step (STEP_ALWAYS, make_cost, put_one_off, NULL);
  EXPECT (!endless, "the call never came back");
  cr_assert_eq (g.status, CGW_OK);
  gate_end (&g, cgw_error (g.w, NULL));
}

Test (gate, writing_them_has_an_end)
{
  STEP_OR_SKIP ();
  for (unsigned long n = 1; n <= 64; n++)
    handlers_every (n);
}

/* cgw_error says that the file fails, at whatever instruction: then cgw_errno
   says why.  */

static void
flush_failing (void *context)
{
  (void) context;
  g.status = cgw_flush (g.w);
}

static void
check_errno (void *context)
{
  enum cgw_status error = cgw_error (g.w, NULL);

  (void) context;
  EXPECT (error == CGW_OK
              || (error == CGW_EIO && cgw_errno (g.w) == ENOSPC),
          "%s, errno %d", cgw_strerror (error), cgw_errno (g.w));
}

Test (gate, an_error_has_its_errno)
{
  STEP_OR_SKIP ();
  gate_open (&g, NULL, -1);
  cr_assert_eq (gate_begin (&g, 3), CGW_OK);
  gate_records (&g, CGW_OK);
  g.fail = ENOSPC;
  step (STEP_ALWAYS, flush_failing, check_errno, NULL);
  cr_expect_eq (g.status, CGW_EIO);
  g.fail = 0;
  gate_end (&g, CGW_OK);
}
