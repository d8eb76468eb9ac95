/* test_gate_inner.c - cgw_salvage in a handler that interrupted a call on
   the same writer, and the calls of normal code there.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite (gate_inner, .timeout = 600);

static struct gate g;

/* Whether an ended writer answers its normal calls with that status; none of it
   changes anything.  Handlers cannot fail a test.  */
static bool
says (enum cgw_status status)
{
  bool right = cgw_flush (g.w) == status && cgw_comment (g.w, "late") == status
               && gate_begin (&g, g.n_events) == status
               && cgw_finish (g.w) == status
               && cgw_salvage (g.w) == CGW_EFINISHED;

  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    right = right && gate_record (&g, kind) == CGW_EFINISHED;
  return right;
}

/* cgw_salvage at each instruction of a record, in a file of the writer's own.
   A file that the handler opens afterwards must not get the number of the
   descriptor that the interrupted call writes to.  */

static struct
{
  char path[4096];
  char *directory;
  enum cgw_status status; /* of cgw_salvage */
  bool right;             /* what followed it */
  int victim;
} inner;

/* While another call is inside, normal calls find it first.  */
static void
salvage (void)
{
  inner.status = cgw_salvage (g.w);
  inner.right = says (inner.status == CGW_ELOST ? CGW_EBUSY : CGW_EFINISHED);
}

static void
salvage_inside (void *context)
{
  (void) context;
  salvage ();
  inner.victim = gate_file ();
}

static void
make_record (void *context)
{
  (void) context;
  g.status = gate_record (&g, GATE_COST);
}

/* A writer that owns its file; its next record is the first one to be
   written, if `full`.  */
static void
create (bool full)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_file file;
  struct cgw_object object;

  memset (&g, 0, sizeof g);
  memset (&inner.status, 0, sizeof inner.status);
  inner.right = true;
  inner.victim = -1;
  o.buffer_size = full ? 1 : 0;
  cr_assert_eq (cgw_names_new (&g.names, NULL), CGW_OK);
  cr_assert_eq (cgw_create (&g.w, g.names, inner.path, &o), CGW_OK);
  file = cgw_add_file (g.names, "gate.c");
  object = cgw_add_object (g.names, "gate");
  g.fn = cgw_add_fn (g.names, "fn", file, object);
  g.other = cgw_add_fn (g.names, "other", file, object);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
}

static void
load (void)
{
  int fd = open (inner.path, O_RDONLY | O_CLOEXEC);

  cr_assert_neq (fd, -1);
  gate_load (&g, fd);
  close (fd);
}

/* Without another call inside, the file is complete.  Else it has no totals;
   and where the call was inside write(2), maybe fewer records than are counted
   in the handler, but as many as are counted in the end.  */
static void
check_inner (const char *what)
{
  char byte;

  cr_assert (inner.status == CGW_ELOST || inner.status == CGW_OK, "%s: %s",
             what, cgw_strerror (inner.status));
  cr_assert (g.status == CGW_OK || g.status == CGW_EFINISHED
                 || (inner.status == CGW_ELOST && g.status == CGW_ELOST),
             "%s: the interrupted record: %s", what, cgw_strerror (g.status));
  cr_assert (inner.right, "%s: a call after cgw_salvage", what);
  cr_assert_eq (pread (inner.victim, &byte, 1, 0), 0,
                "%s: bytes in another file", what);
  close (inner.victim);
  cr_assert (says (CGW_EFINISHED), "%s: a call at the end", what);
  load ();
  gate_check (&g,
              inner.status == CGW_OK ? READER_STRICT : READER_UNFINISHED,
              what);
}

static void
sweep_inner (bool full, unsigned long stride, const char *name)
{
  unsigned long n;
  int before = gate_file (), after;

  close (before);
  create (full);
  n = step (STEP_NEVER, make_record, NULL, NULL);
  gate_free (&g);
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, name); at <= n; at += stride)
    {
      create (full);
      if (step (at, make_record, salvage_inside, NULL) == at)
        check_inner (gate_what (name, at));
      else
        gate_free (&g);
    }
  after = gate_file ();
  cr_assert_eq (after, before, "%s: descriptors were left open", name);
  close (after);
}

static void
set_up (void)
{
  inner.directory = make_directory ();
  close (open_in (inner.directory, "profile", inner.path));
}

static void
tear_down (void)
{
  remove_directory (inner.directory);
}

Test (gate_inner, salvage_at_each_instruction_of_a_record, .init = set_up,
      .fini = tear_down)
{
  STEP_OR_SKIP ();
  sweep_inner (false, 3, "salvage in a record");
}

Test (gate_inner, salvage_at_each_instruction_of_a_write, .init = set_up,
      .fini = tear_down)
{
  STEP_OR_SKIP ();
  sweep_inner (true, 7, "salvage in a record that writes");
}

/* The same from the write hook: the call is inside its write, whose bytes
   cgw_salvage does not touch.  Records that were deferred are lost.  */

static void
salvage_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  for (int i = 0; i < 3; i++)
    gate_records (gate);
  salvage ();
}

static void
salvage_in_the_write_hook (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_stats s = CGW_STATS_INIT;

  o.flags = flags;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = salvage_in_hook;
  cgw_flush (g.w); /* what it says is open: its bytes are all out */
  cr_assert_eq (inner.status, CGW_ELOST);
  cr_assert (inner.right, "a call after cgw_salvage");
  cr_assert (says (CGW_EFINISHED), "a call at the end");
  cr_assert_eq (cgw_error (g.w, NULL), CGW_ELOST);
  cr_assert_eq (cgw_get_stats (g.w, &s), CGW_OK);
  cr_assert_eq (s.lost, 3 * GATE_KINDS);
  gate_check (&g, READER_UNFINISHED, "salvage in the write hook");
}

Test (gate_inner, salvage_in_the_write_hook)
{
  salvage_in_the_write_hook (0);
}

Test (gate_inner, salvage_in_the_write_hook_with_threads)
{
  salvage_in_the_write_hook (CGW_THREADS);
}

/* The calls of normal code in a handler: CGW_EBUSY at once, nothing changed.
   Should one wait, the test takes longer than it may.  Names are objects of
   their own.  */

static struct
{
  enum cgw_status statuses[5];
  uint32_t fn;
} busy;

static void
call_all (struct gate *gate)
{
  struct cgw_stats s = CGW_STATS_INIT;

  gate->in_write = NULL;
  busy.fn = cgw_add_fn (gate->names, "new",
                        cgw_add_file (gate->names, "new"),
                        cgw_add_object (gate->names, "new")).handle;
  busy.statuses[0] = gate_begin (gate, gate->n_events);
  busy.statuses[1] = cgw_comment (gate->w, "a comment of a handler");
  busy.statuses[2] = cgw_flush (gate->w);
  busy.statuses[3] = cgw_get_stats (gate->w, &s);
  busy.statuses[4] = cgw_finish (gate->w);
}

static void
other_calls (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = call_all;
  cr_assert_eq (cgw_flush (g.w), CGW_OK);
  for (size_t i = 0; i < 5; i++)
    cr_assert_eq (busy.statuses[i], CGW_EBUSY, "call %zu: %s", i,
                  cgw_strerror (busy.statuses[i]));
  cr_assert_neq (busy.fn, 0);
  cr_assert_eq (cgw_error (g.w, NULL), CGW_EBUSY);
  gate_records (&g);
  gate_finish (&g, CGW_EBUSY, READER_STRICT, "other calls");
  cr_assert_null (strstr (g.bytes, "of a handler"));
  gate_free (&g);
}

/* A handler that interrupts the adding of a name finds known names, and a new
   one is added, or refused as an error of the names.  */

static void
find_and_add (struct gate *gate)
{
  gate->in_allocate = NULL;
  busy.fn = cgw_add_fn (gate->names, "fn",
                        cgw_add_file (gate->names, "gate.c"),
                        cgw_add_object (gate->names, "gate")).handle;
  busy.statuses[0] = CGW_OK;
  if (cgw_add_file (gate->names, "of a handler").handle == 0)
    busy.statuses[0] = cgw_names_error (gate->names, NULL);
}

Test (gate_inner, names_while_names_grow)
{
  gate_open (&g, NULL, -1);
  g.in_allocate = find_and_add;
  for (int i = 0; i < 1000 && g.in_allocate != NULL; i++)
    {
      char name[30];
      snprintf (name, sizeof name, "name %d", i);
      cr_assert_neq (cgw_add_file (g.names, name).handle, 0);
    }
  cr_assert_eq (busy.fn, g.fn.handle);
  cr_assert_eq (busy.statuses[0], CGW_EBUSY);
  cr_assert_eq (cgw_names_error (g.names, NULL), CGW_EBUSY);
  cr_assert_eq (cgw_error (g.w, NULL), CGW_EBUSY);
  gate_free (&g);
}

Test (gate_inner, other_calls_are_busy)
{
  other_calls (0);
}

Test (gate_inner, other_calls_are_busy_with_threads)
{
  other_calls (CGW_THREADS);
}

/* A handler's record that finds the queue full while a part ends is lost in
   that part or in the next one, with its cost.  */

static void
begin_next (void *context)
{
  struct gate *gate = context;

  gate->status = gate_begin (gate, 2);
}

static void
lose_one (void *context)
{
  gate_record (context, GATE_COST);
  gate_record (context, GATE_COST);
}

static bool
lose_at (unsigned long at)
{
  const char *what = gate_what ("lost while a part ends", at);
  struct cgw_options o = CGW_OPTIONS_INIT;
  unsigned long n;

  o.queue_slots = 1;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  n = step (at, begin_next, lose_one, &g);
  cgw_finish (g.w);
  gate_check (&g, READER_STRICT, what);
  return n == at;
}

Test (gate_inner, a_record_lost_while_a_part_ends)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1; lose_at (at); at += step_stride (3))
    continue;
}
