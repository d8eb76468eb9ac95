/* test_gate_inner.c - cgw_finish in a handler that interrupted a call on the
   same writer, and the other calls of normal code there.

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

/* What a finished writer answers; none of it changes anything.  Returns
   whether all answers are right: handlers cannot fail a test.  */
static bool
is_finished (void)
{
  bool right = cgw_flush (g.w) == CGW_EFINISHED
               && cgw_comment (g.w, "late") == CGW_EFINISHED
               && gate_begin (&g, g.n_events) == CGW_EFINISHED
               && cgw_finish (g.w) == CGW_EFINISHED
               && cgw_add_object (g.w, "late").handle == 0
               && cgw_add_file (g.w, "late").handle == 0;

  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    right = right && gate_record (&g, kind) == CGW_EFINISHED;
  return right;
}

/* cgw_finish at each instruction of a record, in a file of the writer's own.
   A file that the handler opens afterwards must not get the number of the
   descriptor that the interrupted call writes to.  */

static struct
{
  char path[4096];
  char *directory;
  enum cgw_status status; /* of cgw_finish */
  bool right;             /* what followed it */
  int victim;
} inner;

static void
finish_inside (void *context)
{
  (void) context;
  inner.status = cgw_finish (g.w);
  inner.right = is_finished ();
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
  cr_assert_eq (cgw_create (&g.w, inner.path, &o), CGW_OK);
  file = cgw_add_file (g.w, "gate.c");
  object = cgw_add_object (g.w, "gate");
  g.fn = cgw_add_fn (g.w, "fn", file, object);
  g.other = cgw_add_fn (g.w, "other", file, object);
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

/* Where it really was inside, it says so, and the interrupted call has ended
   the file by now; else it has ended the file itself.  Either way the file is
   complete, with the interrupted call's own record unless that was refused.  */
static void
check_inner (const char *what)
{
  char byte;

  cr_assert (inner.status == CGW_EBUSY || inner.status == CGW_OK, "%s: %s",
             what, cgw_strerror (inner.status));
  cr_assert (g.status == CGW_OK
                 || (inner.status == CGW_OK && g.status == CGW_EFINISHED),
             "%s: the interrupted record: %s", what, cgw_strerror (g.status));
  cr_assert (inner.right, "%s: a call after cgw_finish", what);
  cr_assert_eq (pread (inner.victim, &byte, 1, 0), 0,
                "%s: bytes in another file", what);
  close (inner.victim);
  cr_assert (is_finished (), "%s: a call at the end", what);
  load ();
  gate_check (&g, READER_STRICT, what);
}

static void
sweep_inner (bool full, unsigned long stride, const char *name)
{
  unsigned long n;
  int before = gate_file (), after;

  close (before);
  create (full);
  n = step (STEP_NEVER, make_record, NULL, NULL);
  cgw_free (g.w);
  stride = step_stride (stride);
  for (unsigned long at = step_first (stride, name); at <= n; at += stride)
    {
      create (full);
      if (step (at, make_record, finish_inside, NULL) == at)
        check_inner (gate_what (name, at));
      else
        cgw_free (g.w);
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

Test (gate_inner, finish_at_each_instruction_of_a_record, .init = set_up,
      .fini = tear_down)
{
  STEP_OR_SKIP ();
  sweep_inner (false, 3, "finish in a record");
}

Test (gate_inner, finish_at_each_instruction_of_a_write, .init = set_up,
      .fini = tear_down)
{
  STEP_OR_SKIP ();
  sweep_inner (true, 7, "finish in a record that writes");
}

/* The same from the write hook: the call is inside its write, whose bytes
   cgw_finish does not touch.  */

static void
finish_in_hook (struct gate *gate)
{
  gate->in_write = NULL;
  inner.status = cgw_finish (gate->w);
  inner.right = is_finished ();
}

static void
finish_in_the_write_hook (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = flags;
  gate_open (&g, &o, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = finish_in_hook;
  cgw_flush (g.w); /* what it says is open: its bytes are all out */
  cr_assert_eq (inner.status, CGW_EBUSY);
  cr_assert (inner.right, "a call after cgw_finish");
  cr_assert (is_finished (), "a call at the end");
  gate_check (&g, READER_STRICT, "finish in the write hook");
}

Test (gate_inner, finish_in_the_write_hook)
{
  finish_in_the_write_hook (0);
}

Test (gate_inner, finish_in_the_write_hook_with_threads)
{
  finish_in_the_write_hook (CGW_THREADS);
}

/* Records that were deferred when cgw_finish ended the file are lost, unless
   the interrupted call goes on: then it writes them.  */

static uint64_t
lost_busy (struct cgw_writer *w)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  return s.lost_busy;
}

static void
put_off_and_finish (struct gate *gate)
{
  gate->in_write = NULL;
  for (int i = 0; i < 3; i++)
    gate_records (gate);
  inner.status = cgw_finish (gate->w);
  inner.right = is_finished ();
  ledger_balance (&gate->ledger, gate->w, "in the hook");
  cr_assert_eq (lost_busy (gate->w), 3 * GATE_KINDS);
}

Test (gate_inner, finish_counts_what_was_put_off)
{
  gate_open (&g, NULL, -1);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = put_off_and_finish;
  cgw_flush (g.w);
  cr_assert_eq (inner.status, CGW_EBUSY);
  cr_assert (inner.right, "a call after cgw_finish");
  cr_assert_eq (lost_busy (g.w), 0);
  cr_assert_eq (cgw_error (g.w), CGW_OK);
  gate_check (&g, READER_STRICT, "records deferred, then cgw_finish");
}

/* The calls of normal code in a handler: CGW_EBUSY at once, nothing changed.
   Should each wait for ten seconds, the test takes longer than it may.  */

static struct
{
  enum cgw_status statuses[4];
  uint32_t handles[3];
} busy;

static void
call_all (struct gate *gate)
{
  struct cgw_stats s = CGW_STATS_INIT;

  gate->in_write = gate->in_allocate = NULL;
  busy.handles[0] = cgw_add_object (gate->w, "object of a handler").handle;
  busy.handles[1] = cgw_add_file (gate->w, "file of a handler").handle;
  busy.handles[2] = cgw_add_fn (gate->w, "fn of a handler",
                                (struct cgw_file){ 0 },
                                (struct cgw_object){ 0 }).handle;
  busy.statuses[0] = gate_begin (gate, gate->n_events);
  busy.statuses[1] = cgw_comment (gate->w, "a comment of a handler");
  busy.statuses[2] = cgw_flush (gate->w);
  busy.statuses[3] = cgw_get_stats (gate->w, &s);
}

static void
are_busy (const char *what)
{
  for (size_t i = 0; i < 4; i++)
    cr_assert_eq (busy.statuses[i], CGW_EBUSY, "%s: call %zu: %s", what, i,
                  cgw_strerror (busy.statuses[i]));
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq (busy.handles[i], 0, "%s: name %zu", what, i);
  cr_assert_eq (cgw_error (g.w), CGW_EBUSY, "%s", what);
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
  are_busy ("in the write hook");
  g.in_allocate = call_all;
  memset (&busy, 0, sizeof busy);
  for (int i = 0; i < 1000 && g.in_allocate != NULL; i++)
    {
      char name[30];
      snprintf (name, sizeof name, "name %d", i);
      cgw_add_file (g.w, name);
    }
  are_busy ("in the allocate hook");
  gate_records (&g);
  gate_finish (&g, CGW_EBUSY, READER_STRICT, "other calls");
  cr_assert_null (strstr (g.bytes, "of a handler"));
  cgw_free (g.w);
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
  cgw_free (g.w);
  return n == at;
}

Test (gate_inner, a_record_lost_while_a_part_ends)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1; lose_at (at); at += step_stride (3))
    continue;
}

/* A comment that is refused, and repeated with success, is no error; but a
   handler's refused record is, whenever it comes.  */

static void
write_comment (void *context)
{
  struct gate *gate = context;

  gate->status = cgw_comment (gate->w, "a comment");
}

static void
refuse_a_record (void *context)
{
  struct gate *gate = context;

  cgw_cost (gate->w, NULL, NULL, 0);
}

/* With the record in the first comment, or in the second.  */
static bool
refuse_at (unsigned long at, bool in_first)
{
  const char *what = gate_what (in_first ? "refused in a refused comment"
                                         : "refused in a repeated comment", at);
  unsigned long n = 0;
  enum cgw_status status;

  gate_open (&g, NULL, -1);
  if (in_first)
    n = step (at, write_comment, refuse_a_record, &g);
  else
    write_comment (&g);
  cr_assert_eq (g.status, CGW_EORDER, "%s", what);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  if (in_first)
    write_comment (&g);
  else
    n = step (at, write_comment, refuse_a_record, &g);
  cr_assert_eq (g.status, CGW_OK, "%s", what);
  status = cgw_finish (g.w);
  cr_assert (n == at ? status == CGW_EINVAL || status == CGW_EORDER
                     : status == CGW_OK, "%s: %s", what,
             cgw_strerror (status));
  cgw_free (g.w);
  return n == at;
}

Test (gate_inner, a_record_refused_while_a_comment_is_repeated)
{
  STEP_OR_SKIP ();
  for (int in_first = 0; in_first < 2; in_first++)
    for (unsigned long at = 1; refuse_at (at, in_first != 0);
         at += step_stride (3))
      continue;
}
