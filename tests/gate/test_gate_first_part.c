/* test_gate_first_part.c - handlers before a file's first part, and while it
   begins: there is nowhere to put a record yet, and the calls say so.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <stdio.h>
#include <string.h>

TestSuite (gate_first_part, .timeout = 600);

static struct gate g;
static enum cgw_status seen[GATE_KINDS];

static void
record_all (struct gate *gate)
{
  gate_record_all (gate, seen);
}

static void
visit (void *context)
{
  record_all (context);
}

static void
open_small (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = 256;
  o.queue_slots = 8;
  gate_open (&g, &o, -1);
}

static void
all_are (enum cgw_status status, const char *what)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    cr_assert_eq (seen[kind], status, "%s: kind %d: %s", what, (int) kind,
                  cgw_strerror (seen[kind]));
}

/* Before the first part, in a handler or not.  */

static void
add_names (void *context)
{
  struct gate *gate = context;
  static int i;
  char name[30];

  /* As many as bring an allocation, while in_allocate waits for one.  */
  do
    {
      step_pause ();
      snprintf (name, sizeof name, "name %d", i++);
      step_resume ();
      cgw_add_file (gate->names, name);
    }
  while (gate->in_allocate != NULL);
}

static void
record_once (struct gate *gate)
{
  gate->in_allocate = NULL;
  record_all (gate);
}

static void
before_a_part (const char *what)
{
  record_all (&g);
  all_are (CGW_EORDER, what);
  g.in_allocate = record_once;
  add_names (&g);
  all_are (CGW_EORDER, what);
  ledger_balance (&g.ledger, g.w, what);
}

Test (gate_first_part, records_before_it_have_no_place)
{
  open_small ();
  before_a_part ("a new writer");
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  gate_finish (&g, CGW_EORDER, READER_STRICT, "the first file");
  cr_assert_eq (gate_reset (&g, -1), CGW_OK);
  g.n = g.n_events = 0;
  before_a_part ("after a reset");
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  gate_end (&g, CGW_EORDER, "the second file");
}

Test (gate_first_part, records_before_it_at_each_instruction)
{
  unsigned long n;

  STEP_OR_SKIP ();
  open_small ();
  n = step (STEP_NEVER, add_names, NULL, &g);
  for (unsigned long at = 1; at <= n; at += step_stride (3))
    {
      const char *what = gate_what ("handler in cgw_add_file", at);
      step (at, add_names, visit, &g);
      all_are (CGW_EORDER, what);
      ledger_balance (&g.ledger, g.w, what);
    }
  gate_free (&g);
}

/* While the first part begins: refused, or put off and then in it.  */

static size_t n_events; /* of the part that begins */

static void
begin (void *context)
{
  struct gate *gate = context;

  gate->status = gate_begin (gate, n_events);
}

/* What the handlers' records said in one beginning.  */
static struct
{
  bool taken;
  bool wrong;
  enum cgw_status what; /* was wrong */
} said;

/* The queue can be full only when there is one that takes records.  */
static void
record_and_look (struct gate *gate)
{
  record_all (gate);
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    {
      said.taken |= seen[kind] == CGW_OK;
      if (seen[kind] != CGW_OK && seen[kind] != CGW_EORDER
          && !(seen[kind] == CGW_ELOST && said.taken))
        {
          said.wrong = true;
          said.what = seen[kind];
        }
    }
}

static void
visit_and_look (void *context)
{
  record_and_look (context);
}

/* Records that were refused are the kept error.  */
static void
check_beginning (const char *what)
{
  cr_assert_eq (g.status, CGW_OK, "%s: %s", what, cgw_strerror (g.status));
  cr_assert (!said.wrong, "%s: %s", what, cgw_strerror (said.what));
  ledger_balance (&g.ledger, g.w, what);
  gate_records (&g);
  gate_finish (&g, cgw_error (g.w, NULL), READER_STRICT, what);
  memset (&said, 0, sizeof said);
}

/* What memory looks like that was used before: no queue must be taken from
   it.  */
static const unsigned char dirts[] = { 0xa5, 0x5a, 0 };

/* A handler comes after each PERIOD-th instruction: in another run of others,
   until it has come after many of them, or all.  */
#define PERIOD 101

static void
sweep (void (*open) (size_t before), size_t before, size_t after,
       unsigned long stride, const char *name)
{
  unsigned long n;

  n_events = after;
  open (before);
  n = step (STEP_NEVER, begin, NULL, &g);
  gate_free (&g);
  stride = step_stride (stride);
  for (unsigned long first = 1; first <= PERIOD; first += stride)
    for (size_t i = 0; i < sizeof dirts; i++)
      {
        /* Between two runs of one stride all kinds of memory have a turn.  */
        unsigned long at = first + i * stride / sizeof dirts;
        const char *what = gate_what (name, at);

        gate_dirt = dirts[i];
        open (before);
        step_every (at, PERIOD, n, begin, visit_and_look, &g);
        check_beginning (what);
        gate_free (&g);
      }
}

static void
open_new (size_t before)
{
  (void) before;
  open_small ();
}

static void
open_old (size_t before)
{
  open_small ();
  cr_assert_eq (gate_begin (&g, before), CGW_OK);
  gate_records (&g);
  cr_assert_eq (gate_reset (&g, -1), CGW_OK);
  g.n = 0;
}

Test (gate_first_part, records_at_the_instructions_of_it)
{
  STEP_OR_SKIP ();
  sweep (open_new, 0, 2, 13, "handlers in the first part's beginning");
}

/* The same after a cgw_reset, with as many events as the file before had, and
   with more, and with fewer.  */

Test (gate_first_part, after_a_reset_to_the_same_events)
{
  STEP_OR_SKIP ();
  sweep (open_old, 2, 2, 24, "the same events after a reset");
}

Test (gate_first_part, after_a_reset_to_more_events)
{
  STEP_OR_SKIP ();
  sweep (open_old, 1, 3, 24, "more events after a reset");
}

Test (gate_first_part, after_a_reset_to_fewer_events)
{
  STEP_OR_SKIP ();
  sweep (open_old, 3, 1, 24, "fewer events after a reset");
}

/* The same where nothing can step: in each allocation of the beginning.  */

static unsigned allocations;
static unsigned record_at;

static void
record_in_allocation (struct gate *gate)
{
  if (++allocations == record_at)
    record_and_look (gate);
}

static bool
one_allocation (unsigned at)
{
  const char *what = gate_what ("records in an allocation", at);

  allocations = 0;
  record_at = at;
  g.in_allocate = record_in_allocation;
  g.status = gate_begin (&g, 3);
  g.in_allocate = NULL;
  check_beginning (what);
  gate_free (&g);
  return allocations >= at;
}

Test (gate_first_part, records_in_each_allocation_of_it)
{
  unsigned n = 0;

  do
    open_small ();
  while (one_allocation (++n));
  cr_assert_gt (n, 1);
  n = 0;
  do
    open_old (1);
  while (one_allocation (++n));
}

/* The queue works in each file, whatever the events of the file before.  */

static void
record_all_and_go (struct gate *gate)
{
  gate->in_write = NULL;
  record_all (gate);
}

static void
queue_with (size_t n)
{
  const char *what = gate_what ("events of the next file", n);

  cr_assert_eq (gate_begin (&g, n), CGW_OK);
  gate_records (&g);
  g.in_write = record_all_and_go;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  all_are (CGW_OK, what);
  gate_finish (&g, CGW_OK, READER_STRICT, what);
}

Test (gate_first_part, the_queue_works_after_each_reset)
{
  static const size_t files[] = { 2, 2, 3, 1, 3, 3, 1, 1 };

  open_small ();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    {
      cr_assert_eq (gate_reset (&g, -1), CGW_OK);
      g.n = 0;
      queue_with (files[i]);
    }
  gate_free (&g);
}
