/* test_gate_deferred.c - records that are put off because the writer is busy:
   all kinds, wrong ones, a full queue, and an end to writing them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <string.h>

TestSuite (gate_deferred, .timeout = 60);

static struct gate g;
static enum cgw_status seen[GATE_KINDS];

static void
open_with (unsigned flags, uint32_t slots)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  o.queue_slots = slots;
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
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    seen[kind] = gate_record (gate, kind);
}

/* GATE_KINDS is one more than four places take.  */
static void
record_one_too_many (struct gate *gate)
{
  gate->in_write = NULL;
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    gate_record (gate, kind);
}

static uint64_t
lost (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  return s.lost;
}

static void
all_kinds (unsigned flags)
{
  open_with (flags, 0);
  flush_with (record_all);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], CGW_OK);
  ledger_balance (&g.ledger, g.w, "all kinds");
  cr_assert_eq (lost (), 0);
  gate_end (&g, CGW_OK, "all kinds");
}

Test (gate_deferred, all_kinds)
{
  all_kinds (0);
  all_kinds (CGW_THREADS);
}

/* The next file of a writer counts from zero, and takes what is deferred as the
   first did, with no new queue.  */

static void
next_file (bool finish)
{
  const char *what = finish ? "after a finish and a reset" : "after a reset";

  open_with (0, 4);
  flush_with (record_one_too_many);
  ledger_balance (&g.ledger, g.w, "the first file");
  if (finish)
    gate_finish (&g, CGW_ELOST, READER_STRICT, "the first file");
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (gate_reset (&g, -1), CGW_OK);
      g.n = 0;
      cr_assert_eq (gate_begin (&g, 3), CGW_OK);
      gate_record (&g, GATE_COST);
      flush_with (record_one_too_many);
      ledger_balance (&g.ledger, g.w, what);
      cr_assert_eq (lost (), 1, "%s", what);
    }
  gate_end (&g, CGW_ELOST, what);
}

Test (gate_deferred, in_the_next_file)
{
  next_file (false);
  next_file (true);
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
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], CGW_EORDER, "%s: %s", what,
                  cgw_strerror (seen[kind]));
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK, "%s", what);
  flush_with (record_all);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], CGW_OK, "%s: %s", what,
                  cgw_strerror (seen[kind]));
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (lost (), 0, "%s", what);
  gate_end (&g, CGW_EINVAL, what);
}

Test (gate_deferred, after_a_part_that_was_refused)
{
  after_a_refused_part (3);
  after_a_refused_part (1);
  after_a_refused_part (0);
}

/* A cost line that is written the short way writes what was deferred meanwhile
   when it leaves, not the next call: else the two places are full before
   long.  */

static void
record_usual (void *context)
{
  static const uint64_t costs[3] = { 1, 2, 3 };
  struct cgw_pos pos = { .fn = g.fn, .line = 11 };

  (void) context;
  g.status = ledger_cost (&g.ledger, g.w, &pos, costs, 3);
}

Test (gate_deferred, during_usual_lines)
{
  unsigned long n;

  STEP_OR_SKIP ();
  open_with (0, 2);
  record_usual (NULL);
  n = step (STEP_NEVER, record_usual, NULL, NULL);
  for (unsigned long at = 1; at <= n; at++)
    {
      step (at, record_usual, record_usual, NULL);
      cr_assert_eq (g.ledger.by_status[CGW_ELOST], 0, "instruction %lu", at);
      cr_assert_eq (g.status, CGW_OK, "instruction %lu", at);
    }
  ledger_balance (&g.ledger, g.w, "during usual lines");
  cr_assert_eq (lost (), 0);
  gate_end (&g, CGW_OK, "during usual lines");
}

/* A full queue.  */

static void
record_many (struct gate *gate)
{
  gate->in_write = NULL;
  for (int i = 0; i < 30; i++)
    gate_record (gate, i % GATE_KINDS);
}

Test (gate_deferred, a_full_queue)
{
  open_with (0, 8);
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

/* Wrong records.  Some are refused at once; one that said CGW_OK is lost, for
   its call cannot say anything else any more.  */

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

  open_with (0, 0);
  flush_with (record_wrong);
  cr_assert (wrong_status == CGW_OK || wrong_status == reason, "%s: %s", what,
             cgw_strerror (wrong_status));
  ledger_balance (&g.ledger, g.w, what);
  cr_assert_eq (lost (), wrong_status == CGW_OK, "%s", what);
  cr_assert_eq (cgw_error (g.w, NULL), reason, "%s", what);
  gate_end (&g, reason, what);
}

Test (gate_deferred, wrong_records)
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

Test (gate_deferred, writing_them_has_an_end)
{
  STEP_OR_SKIP ();
  for (unsigned long n = 1; n <= 64; n++)
    handlers_every (n);
}
