/* test_gate_threads.c - what is deferred, lost and waited for while another
   thread is inside the writer, which is known, not hoped for: it stays in the
   write hook.  What each call returns meanwhile is in calls.def.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

TestSuite (gate_threads, .timeout = 120);

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
  gate_records (&g);
  g.in_write = gate_stay;
  gate_hold (flush, NULL);
}

/* As many records are deferred as there are slots; with CGW_WAIT none is lost.  */

Test (gate_threads, records_beside_a_holder)
{
  open_and_hold (CGW_THREADS, 1);
  cr_expect_eq (gate_record (&g, GATE_COST), CGW_OK);
  cr_expect_eq (gate_record (&g, GATE_COST), CGW_ELOST);
  gate_let_go ();
  cr_expect_eq (gate_record (&g, GATE_COST), CGW_OK);
  gate_end (&g, CGW_ELOST, "one slot");
}

Test (gate_threads, records_that_wait_for_a_holder)
{
  open_and_hold (CGW_THREADS | CGW_WAIT, 1);
  gate_in_wait = gate_release;
  gate_records (&g);
  gate_let_go ();
  cr_expect_eq (g.ledger.by_status[CGW_OK], 2 * GATE_KINDS);
  gate_end (&g, CGW_OK, "one slot, with CGW_WAIT");
}

/* The write goes on, and takes whole records; nothing is written behind it.  */
Test (gate_threads, salvage_beside_a_holder)
{
  open_and_hold (CGW_THREADS, 0);
  gate_records (&g);
  cr_expect_eq (cgw_salvage (g.w), CGW_ELOST);
  gate_records (&g);
  cr_expect_eq (g.ledger.by_status[CGW_EFINISHED], GATE_KINDS);
  gate_let_go ();
  cr_expect_eq (g.status, CGW_OK);
  cr_expect_eq (cgw_finish (g.w), CGW_EFINISHED);
  gate_check (&g, READER_UNFINISHED, "salvaged beside a write");
}

/* A record that is lost while cgw_finish runs is in the file's report, or
   refused.  A handler that interrupts the record where it is neither gets
   CGW_EBUSY.  */

static enum cgw_status finished; /* CGW_EORDER: not called */

static void
lose_one (void *context)
{
  (void) context;
  gate_record (&g, GATE_COST);
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
check_report (const char *what)
{
  struct cgw_stats s = CGW_STATS_INIT;
  char comment[60];

  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  g.bytes[g.n] = '\0';
  snprintf (comment, sizeof comment, "# cgw: lost %d record",
            (int) s.lost);
  cr_assert_eq (strstr (g.bytes, comment) != NULL, s.lost != 0, "%s: %s", what,
                comment);
  gate_check (&g, READER_STRICT, what);
}

Test (gate_threads, finish_while_a_record_is_lost)
{
  unsigned long stride = step_stride (13);
  unsigned busy = 0, lost = 0, refused = 0;

  STEP_OR_SKIP ();
  finished = CGW_OK;
  for (unsigned long at = 1; finished != CGW_EORDER; at += stride)
    {
      open_and_hold (CGW_THREADS, 1);
      gate_record (&g, GATE_COST); /* takes the slot */
      finished = CGW_EORDER;
      step (at, lose_one, finish_here, NULL);
      gate_let_go ();
      busy += finished == CGW_EBUSY;
      lost += finished == CGW_ELOST;
      refused += g.ledger.by_status[CGW_EFINISHED] != 0;
      cgw_finish (g.w);
      check_report (gate_what ("finish at instruction", at));
    }
  cr_expect_gt (busy, 0);
  cr_expect_gt (lost, 0);
  cr_expect_gt (refused, 0);
}

/* A thread that waits for another one, while signals come all the time.  */

enum { SIGNALS = 1000 };

static int signals;

static void
on_signal (int number)
{
  (void) number;
  signals++;
  gate_record (&g, GATE_COST);
}

static void
interrupt_often (void)
{
  if (signals < SIGNALS)
    raise (SIGUSR1);
  else
    gate_release ();
}

Test (gate_threads, signals_do_not_shorten_a_wait)
{
  open_and_hold (CGW_THREADS, SIGNALS);
  signal (SIGUSR1, on_signal);
  gate_in_wait = interrupt_often;
  cr_expect_eq (cgw_comment (g.w, "waited for"), CGW_OK);
  cr_expect_eq (signals, SIGNALS);
  gate_let_go ();
  gate_end (&g, CGW_OK, "after signals");
}

/* The library does not wait for a hook.  */
Test (gate_threads, a_hook_is_not_waited_for)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_WAIT;
  o.buffer_size = 1;
  gate_open (&g, &o, -1);
  g.fail = EAGAIN;
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  cr_expect_eq (gate_record (&g, GATE_COST), CGW_EAGAIN);
  g.fail = 0;
  gate_end (&g, CGW_ELOST, "a hook that takes nothing");
}
