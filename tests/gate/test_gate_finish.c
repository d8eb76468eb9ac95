/* test_gate_finish.c - records that come while cgw_finish is under way: they
   are refused, or in the file, and never neither.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite (gate_finish, .timeout = 600);

static struct gate g;

/* A handler's records inside the write hook of cgw_finish.  */

static enum cgw_status seen[GATE_KINDS];

static void
record_all (struct gate *gate)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    seen[kind] = gate_record (gate, kind);
}

static void
all_are (enum cgw_status status, const char *what)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], status, "%s: kind %d: %s", what, (int) kind,
                  cgw_strerror (seen[kind]));
}

static void
open_with (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  o.queue_slots = 64;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
}

static void
inside_its_write (unsigned flags)
{
  open_with (flags);
  g.in_write = record_all;
  gate_finish (&g, CGW_OK, READER_STRICT, "records inside the write");
  all_are (CGW_EFINISHED, "inside the write");
  gate_check (&g, READER_STRICT, "after it");
}

Test (gate_finish, records_inside_its_write_are_refused)
{
  inside_its_write (0);
  inside_its_write (CGW_THREADS);
}

/* The hook that says EAGAIN opens the writer again.  */
Test (gate_finish, records_after_eagain_are_taken)
{
  open_with (0);
  g.in_write = record_all;
  g.fail = EAGAIN;
  cr_assert_eq (cgw_finish (g.w), CGW_EAGAIN);
  all_are (CGW_EFINISHED, "inside the write");
  g.in_write = NULL;
  ledger_balance (&g.ledger, g.w, "after EAGAIN");
  record_all (&g);
  all_are (CGW_OK, "after EAGAIN");
  g.fail = 0;
  gate_end (&g, CGW_OK, "a second cgw_finish");
}

/* Inside another call's write they are put off.  */
Test (gate_finish, records_inside_another_write_are_put_off)
{
  open_with (0);
  g.in_write = record_all;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  all_are (CGW_OK, "inside cgw_flush");
  g.in_write = NULL;
  ledger_balance (&g.ledger, g.w, "after cgw_flush");
  gate_end (&g, CGW_OK, "the end");
}

/* At each instruction of cgw_finish: taken until it begins, refused from then
   on.  */

static void
call_finish (void *context)
{
  struct gate *gate = context;

  gate->status = cgw_finish (gate->w);
}

static void
visit_record_all (void *context)
{
  record_all (context);
}

static void
one_instruction_of_finish (unsigned long at)
{
  const char *what = gate_what ("handler in cgw_finish", at);

  open_with (0);
  step (at, call_finish, visit_record_all, &g);
  cr_assert_eq (g.status, CGW_OK, "%s: %s", what, cgw_strerror (g.status));
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert (seen[kind] == CGW_OK || seen[kind] == CGW_EFINISHED, "%s: %s",
               what, cgw_strerror (seen[kind]));
  gate_check (&g, READER_STRICT, what);
}

Test (gate_finish, records_at_each_instruction)
{
  unsigned long n, stride = step_stride (11);

  STEP_OR_SKIP ();
  open_with (0);
  n = step (STEP_NEVER, call_finish, NULL, &g);
  gate_free (&g);
  for (unsigned long at = step_first (stride, "finish"); at <= n; at += stride)
    one_instruction_of_finish (at);
}

/* Signals while cgw_finish sits in write(2) on a full pipe.  */

#define SIGNALS 50

static atomic_int signals;
static atomic_int refused_signals;

static void
on_signal (int number)
{
  (void) number;
  gate_records (&g);
  refused_signals += g.ledger.by_status[CGW_EFINISHED] != 0;
  signals++;
}

static struct
{
  pthread_t main;
  int from;
} pipe_end;

/* Sends signals until one was refused (the handler then interrupted
   cgw_finish, which waits for the pipe) and some more; then empties it.  */
static void *
send_and_empty (void *argument)
{
  static char bytes[4096];
  static const struct timespec ms = { 0, 1000000 };
  ssize_t n;

  (void) argument;
  for (int i = 0; i < 1000 && refused_signals < SIGNALS; i++)
    {
      pthread_kill (pipe_end.main, SIGUSR1);
      nanosleep (&ms, NULL);
    }
  while ((n = read (pipe_end.from, bytes, sizeof bytes)) > 0)
    {
      size_t fits = sizeof g.bytes - g.n < (size_t) n ? sizeof g.bytes - g.n
                                                     : (size_t) n;
      memcpy (g.bytes + g.n, bytes, fits);
      g.n += fits;
    }
  return NULL;
}

static void
signals_in_write (int flags)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
  struct cgw_options o = CGW_OPTIONS_INIT;
  pthread_t thread;
  size_t filled;
  int ends[2];

  signals = refused_signals = 0;
  filled = gate_full_pipe (ends);
  o.queue_slots = 1 << 14;
  gate_open (&g, &o, ends[1]);
  cr_assert_eq (gate_begin_on_full_pipe (&g, 2, ends[1]), CGW_OK);
  gate_records (&g);
  sigaction (SIGUSR1, &action, NULL);
  pipe_end.main = pthread_self ();
  pipe_end.from = ends[0];
  cr_assert_eq (pthread_create (&thread, NULL, send_and_empty, NULL), 0);
  cr_expect_eq (cgw_finish (g.w), CGW_OK);
  signal (SIGUSR1, SIG_IGN);
  close (ends[1]);
  pthread_join (thread, NULL);
  close (ends[0]);
  cr_assert_gt (signals, 0);
  cr_expect_gt (refused_signals, 0, "no record was refused in write(2)");
  g.n -= filled;
  memmove (g.bytes, g.bytes + filled, g.n);
  gate_check (&g, READER_STRICT, "signals in write(2)");
}

Test (gate_finish, signals_in_write_on_a_full_pipe)
{
  signals_in_write (SA_RESTART);
  signals_in_write (0);
}

/* What cgw_finish says.  */

static void
add_a_comment (struct gate *gate)
{
  cr_expect_eq (cgw_comment (gate->w, "late"), CGW_EBUSY);
}

/* A comment that a handler could not write is the kept error; the file is ended
   all the same, and cgw_finish says what was kept.  */
Test (gate_finish, after_a_comment_refused_to_a_handler)
{
  open_with (0);
  g.in_write = add_a_comment;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  g.in_write = NULL;
  cr_assert_eq (cgw_error (g.w, NULL), CGW_EBUSY);
  gate_records (&g);
  gate_finish (&g, CGW_EBUSY, READER_STRICT, "a comment refused");
  cr_assert_eq (cgw_finish (g.w), CGW_EFINISHED);
  gate_free (&g);
}

/* A descriptor that fails at the end is not hidden by an early refusal.  */
Test (gate_finish, a_late_failure_is_reported)
{
  struct cgw_pos pos = { .fn = { 0 }, .line = 1 };

  open_with (0);
  pos.fn = g.fn;
  cr_assert_eq (ledger_cost (&g.ledger, g.w, &pos, gate_costs, 3),
                CGW_ECOSTS);
  g.fail = ENOSPC;
  gate_finish (&g, CGW_EIO, READER_UNFINISHED, "a full disk at the end");
  cr_assert_eq (cgw_errno (g.w), ENOSPC);
  gate_free (&g);
}

/* A part that could not begin belongs to the file of then, not to the next.  */
Test (gate_finish, a_missing_part_is_forgotten_by_reset)
{
  static const int errors[] = { EAGAIN, EIO };

  for (size_t i = 0; i < 2; i++)
    {
      struct cgw_options o = CGW_OPTIONS_INIT;

      o.buffer_size = 1;
      gate_open (&g, &o, -1);
      g.fail = errors[i]; /* the first header stays in the buffer */
      cr_assert_eq (gate_begin (&g, 2), CGW_OK);
      cr_assert_neq (gate_begin (&g, 2), CGW_OK);
      g.fail = 0;
      cr_assert_eq (gate_reset (&g, -1), CGW_OK);
      g.n = 0;
      cr_assert_eq (cgw_error (g.w, NULL), CGW_OK);
      cr_assert_eq (gate_begin (&g, 2), CGW_OK);
      gate_records (&g);
      gate_end (&g, CGW_OK, "after the reset");
    }
}
