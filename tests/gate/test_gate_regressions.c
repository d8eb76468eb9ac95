/* test_gate_regressions.c - mistakes of earlier versions that no row of the
   tables (calls.def, test_step) would notice.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite (gate_regressions, .timeout = 600);

static struct gate g;
static enum cgw_status seen[GATE_KINDS];

static void
open_with (unsigned flags, uint32_t slots, size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  o.queue_slots = slots;
  o.buffer_size = buffer_size;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 3), CGW_OK);
  gate_records (&g);
}

/* What is done in the hook is done while cgw_flush is inside.  */
static void
flush_with (void (*in_write) (struct gate *))
{
  g.in_write = in_write;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  cr_assert (g.in_write == NULL, "nothing was written");
}

static void
record_all (struct gate *gate)
{
  gate->in_write = NULL;
  gate_record_all (gate, seen);
}

static void
all_are (enum cgw_status status, const char *what)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], status, "%s: kind %d: %s", what, (int) kind,
                  cgw_strerror (seen[kind]));
}

static uint64_t
lost (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  return s.lost;
}

/* A part that is refused has no records: they do not land in the one before,
   not even those that come while the writer is busy.  A part that begins later
   takes records again.  */
static void
after_a_refused_part (size_t n_events)
{
  const char *what = gate_what ("refused part, events", n_events);

  gate_open (&g, NULL, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  cr_assert_eq (gate_begin (&g, n_events), CGW_EINVAL, "%s", what);
  g.n_events = 2;
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (gate_record (&g, kind), CGW_EORDER, "%s", what);
  g.in_write = record_all;
  cr_assert_eq (cgw_flush (g.w), CGW_OK, "%s", what);
  all_are (CGW_EORDER, what);
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK, "%s", what);
  flush_with (record_all);
  all_are (CGW_OK, what);
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (lost (), 0, "%s", what);
  gate_end (&g, CGW_EINVAL, what);
}

Test (gate_regressions, after_a_part_that_was_refused)
{
  after_a_refused_part (3);
  after_a_refused_part (1);
  after_a_refused_part (0);
}

/* A full queue.  */

static void
record_many (struct gate *gate)
{
  gate->in_write = NULL;
  for (int i = 0; i < 30; i++)
    gate_record (gate, i % GATE_KINDS);
}

Test (gate_regressions, a_full_queue)
{
  open_with (0, 8, 0);
  for (int i = 0; i < 5; i++)
    {
      gate_record (&g, GATE_COST);
      flush_with (record_many);
      ledger_balance (&g.ledger, g.w, "a full queue");
    }
  cr_assert_eq (g.ledger.by_status[CGW_ELOST], 5 * 22);
  cr_assert_eq (lost (), 5 * 22);
  gate_end (&g, CGW_ELOST, "a full queue");
}

/* Wrong records are refused at once, though another call is inside.  */

enum wrong
{
  OTHER_OBJECT,
  COND_OTHER_OBJECT,
  STRANGE_FN,
  STRANGE_TARGET,
  NO_CALLS,
  TOO_MANY_COSTS,
  WRONGS
};

static enum wrong wrong;
static enum cgw_status wrong_status;

static enum cgw_status
make_wrong (struct gate *gate)
{
  static const uint64_t costs[4] = { 1, 2, 3, 4 };
  struct cgw_pos from = { .fn = gate->fn, .line = 1 };
  struct cgw_pos to = { .fn = gate->foreign, .line = 2 };
  struct cgw_pos strange = { .fn = { 12345 }, .line = 3 };
  struct ledger *l = &gate->ledger;

  switch (wrong)
    {
    case OTHER_OBJECT:
      return ledger_jump (l, gate->w, &from, &to, 1);
    case COND_OTHER_OBJECT:
      return ledger_cond_jump (l, gate->w, &from, &to, 1, 2);
    case STRANGE_FN:
      return ledger_cost (l, gate->w, &strange, costs, 3);
    case STRANGE_TARGET:
      return ledger_call (l, gate->w, &from, &strange, 1, costs, 3);
    case NO_CALLS:
      return ledger_call (l, gate->w, &from, &to, 0, costs, 3);
    default:
      return ledger_cost (l, gate->w, &from, costs, 4);
    }
}

static void
record_wrong (struct gate *gate)
{
  gate->in_write = NULL;
  gate_record (gate, GATE_COST);
  wrong_status = make_wrong (gate);
  gate_record (gate, GATE_COST);
}

static void
one_wrong (enum cgw_status reason)
{
  const char *what = gate_what ("wrong record", wrong);

  open_with (0, 0, 0);
  flush_with (record_wrong);
  cr_assert_eq (wrong_status, reason, "%s: %s", what,
                cgw_strerror (wrong_status));
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (lost (), 0, "%s", what);
  cr_assert_eq (cgw_error (g.w, NULL), reason, "%s", what);
  gate_end (&g, reason, what);
}

Test (gate_regressions, wrong_records)
{
  static const enum cgw_status reasons[WRONGS]
      = { CGW_EINVAL, CGW_EINVAL,  CGW_EHANDLE,
          CGW_EHANDLE, CGW_EINVAL, CGW_ECOSTS };

  for (wrong = 0; wrong < WRONGS; wrong++)
    one_wrong (reasons[wrong]);
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
    gate_record (&g, GATE_COST);
}

static void
make_cost (void *context)
{
  (void) context;
  g.status = gate_record (&g, GATE_COST);
}

static void
handlers_every (unsigned long n)
{
  const char *what = gate_what ("instructions between handlers", n);
  struct cgw_options o = CGW_OPTIONS_INIT;

  every = n;
  traps = 0;
  endless = false;
  o.queue_slots = 8;
  o.buffer_size = GATE_BYTES;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 3), CGW_OK);
  step (STEP_ALWAYS, make_cost, put_one_off, NULL);
  cr_assert (!endless, "%s: the call never came back", what);
  cr_assert_eq (g.status, CGW_OK, "%s", what);
  ledger_balance (&g.ledger, g.w, what);
  gate_end (&g, cgw_error (g.w, NULL), what);
}

Test (gate_regressions, writing_them_has_an_end)
{
  STEP_OR_SKIP ();
  for (unsigned long n = 1; n <= 64; n++)
    handlers_every (n);
}

/* What cgw_finish says.  */

static int writes_left;

/* The hook takes nothing from a write on.  */
static void
fail_later (struct gate *gate)
{
  gate->fail = writes_left-- == 0 ? EAGAIN : gate->fail;
}

/* Once cgw_finish was called, only it goes on, whichever of its writes the hook
   did not take: that of the records, or that of the totals.  */
static void
finish_after_eagain (int n_writes)
{
  struct cgw_part part = CGW_PART_INIT;

  open_with (0, 0, 0);
  writes_left = n_writes;
  g.in_write = fail_later;
  cr_assert_eq (cgw_finish (g.w), CGW_EAGAIN);
  g.in_write = NULL;
  record_all (&g);
  all_are (CGW_EFINISHED, "after EAGAIN");
  cr_expect_eq (cgw_comment (g.w, "x"), CGW_EFINISHED);
  cr_expect_eq (cgw_begin_part (g.w, &part), CGW_EFINISHED);
  cr_expect_eq (cgw_flush (g.w), CGW_EFINISHED);
  cr_expect_eq (cgw_error (g.w, NULL), CGW_OK);
  ledger_balance (&g.ledger, g.w, "after EAGAIN");
  g.fail = 0;
  gate_end (&g, CGW_OK, "a second cgw_finish");
}

Test (gate_regressions, finish_goes_on_after_eagain)
{
  finish_after_eagain (0);
  finish_after_eagain (1);
}

/* A descriptor that fails at the end is not hidden by an early refusal.  */
Test (gate_regressions, a_late_failure_is_reported)
{
  struct cgw_pos pos = { .fn = { 0 }, .line = 1 };

  open_with (0, 0, 0);
  pos.fn = g.fn;
  cr_assert_eq (ledger_cost (&g.ledger, g.w, &pos, (uint64_t[4]){ 0 }, 4),
                CGW_ECOSTS);
  g.fail = ENOSPC;
  gate_finish (&g, CGW_EIO, READER_UNFINISHED, "a full disk at the end");
  cr_assert_eq (cgw_errno (g.w), ENOSPC);
  gate_free (&g);
}

/* What has no room is lost, but not what needs none.  At the end the rest of
   the buffer is lost, too; the file has whole lines.  */
Test (gate_regressions, cachegrind_and_a_descriptor_that_fails)
{
  open_with (CGW_CACHEGRIND, 0, 100);
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  g.fail = ENOSPC;
  for (int i = 0; i < 20; i++)
    gate_records (&g);
  cr_assert_gt (g.ledger.by_status[CGW_EIO], 0);
  ledger_balance (&g.ledger, g.w, "failing");
  cr_assert_eq (cgw_finish (g.w), CGW_EIO);
  cr_assert_eq (g.bytes[g.n - 1], '\n');
  gate_free (&g);
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
    gate_record (&g, GATE_COST);
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
  step_stop ();
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
Test (gate_regressions, a_file_that_is_cut_back)
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
      const char *what = gate_what ("a full disk", at);

      create_with_records ();
      limit_files (700);
      step (at, finish_full_disk, open_and_salvage, NULL);
      limit_files (RLIM_INFINITY);
      /* One of the two finished the file.  */
      cr_assert (g.status == CGW_EIO || inner == CGW_EIO
                     || (g.status == CGW_EFINISHED && inner == CGW_ELOST),
                 "%s: %s, in the handler %s", what, cgw_strerror (g.status),
                 cgw_strerror (inner));
      cr_assert (victim == -1 || pread (victim, &byte, 1, 0) == 0,
                 "%s: bytes in another file", what);
      if (victim != -1)
        close (victim);
      gate_load (&g, fd);
      gate_check (&g, READER_UNFINISHED, what);
    }
  close (fd);
  remove_directory (directory);
}
