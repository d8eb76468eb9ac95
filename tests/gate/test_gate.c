/* test_gate.c - what no row of calls.def and no scene of test_step would
   notice: what is deferred, lost and waited for while another thread is inside
   the writer, which is known, not hoped for, because it stays in the write
   hook; and mistakes of earlier versions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite (gate, .timeout = 120);

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

/* As many records are deferred as there are slots; with CGW_WAIT none is lost.  */

Test (gate, records_beside_a_holder)
{
  open_and_hold (CGW_THREADS, 1);
  cr_expect_eq (gate_record (&g, COST), CGW_OK);
  cr_expect_eq (gate_record (&g, COST), CGW_ELOST);
  gate_let_go ();
  cr_expect_eq (gate_record (&g, COST), CGW_OK);
  gate_end (&g, CGW_ELOST);
}

Test (gate, records_that_wait_for_a_holder)
{
  open_and_hold (CGW_THREADS | CGW_WAIT, 1);
  gate_in_wait = gate_release;
  gate_records (&g, CGW_OK);
  gate_let_go ();
  gate_end (&g, CGW_OK);
}

/* The write goes on, and takes whole records; nothing is written behind it.  */
Test (gate, salvage_beside_a_holder)
{
  open_and_hold (CGW_THREADS, 0);
  gate_records (&g, CGW_OK);
  cr_expect_eq (cgw_salvage (g.w), CGW_ELOST);
  gate_records (&g, CGW_EFINISHED);
  gate_let_go ();
  cr_expect_eq (g.status, CGW_OK);
  cr_expect_eq (cgw_finish (g.w), CGW_EFINISHED);
  gate_check (&g, READER_UNFINISHED);
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
      gate_case ("finish at instruction", at);
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

/* A thread that waits for another one, while signals come all the time.  */

enum { SIGNALS = 1000 };

static int signals;

static void
on_signal (int number)
{
  (void) number;
  signals++;
  gate_record (&g, COST);
}

static void
interrupt_often (void)
{
  if (signals < SIGNALS)
    raise (SIGUSR1);
  else
    gate_release ();
}

Test (gate, signals_do_not_shorten_a_wait)
{
  open_and_hold (CGW_THREADS, SIGNALS);
  signal (SIGUSR1, on_signal);
  gate_in_wait = interrupt_often;
  cr_expect_eq (cgw_comment (g.w, "waited for"), CGW_OK);
  cr_expect_eq (signals, SIGNALS);
  gate_let_go ();
  gate_end (&g, CGW_OK);
}

/* The library does not wait for a hook.  */
Test (gate, a_hook_is_not_waited_for)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_WAIT;
  o.buffer_size = 1;
  gate_open (&g, &o, -1);
  g.fail = EAGAIN;
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  cr_expect_eq (gate_record (&g, COST), CGW_EAGAIN);
  g.fail = 0;
  gate_end (&g, CGW_ELOST);
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
  gate_balance (&g);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  flush_with_records (CGW_OK);
  gate_end (&g, CGW_EINVAL);
}

/* Once cgw_finish was called, only it goes on, whichever of its writes the hook
   did not take: that of the records, or that of the totals.  */

static int writes_left;

static void
fail_later (struct gate *gate)
{
  gate->fail = writes_left-- == 0 ? EAGAIN : gate->fail;
}

Test (gate, finish_goes_on_after_eagain)
{
  for (int n_writes = 0; n_writes < 2; n_writes++)
    {
      gate_case ("writes before the failure", (unsigned long) n_writes);
      gate_open (&g, NULL, -1);
      cr_assert_eq (gate_begin (&g, 3), CGW_OK);
      gate_records (&g, CGW_OK);
      writes_left = n_writes;
      g.in_write = fail_later;
      cr_assert_eq (cgw_finish (g.w), CGW_EAGAIN);
      gate_records (&g, CGW_EFINISHED);
      cr_expect_eq (gate_begin (&g, 3), CGW_EFINISHED);
      cr_expect_eq (cgw_flush (g.w), CGW_EFINISHED);
      cr_expect_eq (cgw_error (g.w, NULL), CGW_OK);
      g.in_write = NULL;
      g.fail = 0;
      gate_end (&g, CGW_OK);
    }
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

  gate_case ("instructions between handlers", n);
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

/* A file that is cut back because its disk is full.  */

static enum cgw_status inner; /* of cgw_salvage */
static int victim;
static char path[4096];

static void
limit_files (rlim_t limit)
{
  struct rlimit l = { .rlim_max = RLIM_INFINITY };

  cr_assert_eq (getrlimit (RLIMIT_FSIZE, &l), 0);
  l.rlim_cur = limit;
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &l), 0);
}

static void
create_with_records (void)
{
  cr_assert_eq (truncate (path, 0), 0);
  victim = -1;
  g.n = 0;
  memset (&g.ledger, 0, sizeof g.ledger);
  cr_assert_eq (cgw_names_new (&g.names, NULL), CGW_OK);
  cr_assert_eq (cgw_create (&g.w, g.names, path, NULL), CGW_OK);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  for (int i = 0; i < 200; i++)
    gate_record (&g, COST);
}

static void
finish_full_disk (void *context)
{
  (void) context;
  g.status = cgw_finish (g.w);
}

/* The file that the handler opens gets the number that is free.  */
static void
open_and_salvage (void *context)
{
  (void) context;
  victim = gate_file ();
  inner = cgw_salvage (g.w);
}

/* When the write fails, errno says so for some instructions.  */
static unsigned long instruction, fails_at, fails_until;

static void
note_failure (void *context)
{
  (void) context;
  instruction++;
  if (errno != EFBIG)
    return;
  if (fails_at == 0)
    fails_at = instruction;
  fails_until = instruction;
}

/* At each instruction from the failure on until some are over that know of it,
   for only two or three do not look any more whether there was a handler.  */
Test (gate, a_file_that_is_cut_back)
{
  char *directory = make_directory ();
  unsigned long stride = step_stride (31);
  char byte;
  int fd;

  STEP_OR_SKIP ();
  signal (SIGXFSZ, SIG_IGN);
  fd = open_in (directory, "profile", path);
  create_with_records ();
  limit_files (700);
  errno = 0;
  step (STEP_ALWAYS, finish_full_disk, note_failure, NULL);
  limit_files (RLIM_INFINITY);
  gate_free (&g);
  cr_assert_gt (fails_at, stride);
  for (unsigned long at = 1; at <= instruction;
       at += at + stride > fails_at && at < fails_until + 100 ? 1 : stride)
    {
      gate_case ("a full disk, instruction", at);
      create_with_records ();
      limit_files (700);
      step (at, finish_full_disk, open_and_salvage, NULL);
      limit_files (RLIM_INFINITY);
      /* One of the two finished the file.  */
      EXPECT (g.status == CGW_EIO || inner == CGW_EIO
                  || (g.status == CGW_EFINISHED && inner == CGW_ELOST),
              "%s, in the handler %s", cgw_strerror (g.status),
              cgw_strerror (inner));
      EXPECT (victim == -1 || pread (victim, &byte, 1, 0) == 0,
              "bytes in another file");
      if (victim != -1)
        close (victim);
      gate_load (&g, fd);
      gate_check (&g, READER_UNFINISHED);
    }
  close (fd);
  remove_directory (directory);
}
