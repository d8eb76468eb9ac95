/* test_states.c - the states of a writer: busy, left by a longjmp, a forked
   child's copy, with a part missing; and what a reset makes of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t costs[] = { 1 };
static const struct cgw_pos here = { .line = 1 };

static struct cgw_part
good_part (void)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;

  part.events = &ir;
  part.n_events = 1;
  return part;
}

/* A writer that is busy: calls from its own write hook find it so, as those
   from a handler would.  */

struct nested
{
  struct cgw_writer *w;
  size_t calls; /* the hook calls back when this is 0 */
  int records; /* to make in the hook */
  int lost;    /* of them */
  bool leave;  /* the hook by a longjmp */
  jmp_buf out;
};

static ssize_t
nested_write (void *context, const void *bytes, size_t n)
{
  struct nested *t = context;
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status status;

  (void) bytes;
  if (t->calls++ > 0)
    return (ssize_t) n;
  cr_expect_eq (cgw_flush (t->w), CGW_EBUSY);
  cr_expect_eq (cgw_finish (t->w), CGW_EBUSY);
  cr_expect_eq (cgw_get_stats (t->w, &s), CGW_EBUSY);
  cr_expect_eq (cgw_error (t->w, NULL), CGW_OK, "they leave nothing out");
  for (int i = 0; i < t->records; i++)
    {
      status = cgw_cost (t->w, &here, costs, 1);
      cr_expect (status == CGW_OK || status == CGW_ELOST);
      t->lost += status == CGW_ELOST;
    }
  if (t->leave)
    longjmp (t->out, 1);
  return (ssize_t) n;
}

static void
open_nested (struct nested *t,
             ssize_t (*write) (void *, const void *, size_t))
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.write = write;
  o.write_context = t;
  o.queue_slots = 4;
  cr_assert_eq (cgw_new (&t->w, test_names (), -1, &o), CGW_OK);
}

/* Begin a part, so that the next write finds the writer busy.  */
static void
begin_part (struct nested *t)
{
  struct cgw_part part = good_part ();

  t->calls = 1;
  cr_assert_eq (cgw_begin_part (t->w, &part), CGW_OK);
  cr_assert_eq (cgw_comment (t->w, "to be written"), CGW_OK);
  t->calls = 0;
}

/* A file with 100 records that come while the writer is busy: 4 find a
   place.  */
static void
write_busy_file (struct nested *t)
{
  struct cgw_stats s = CGW_STATS_INIT;

  t->lost = 0;
  t->records = 100;
  begin_part (t);
  cr_expect_eq (cgw_flush (t->w), CGW_OK);
  cr_expect_eq (t->lost, 96);
  cr_expect_eq (cgw_error (t->w, NULL), CGW_ELOST);
  cr_expect_eq (cgw_get_stats (t->w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 4);
  cr_expect_eq (s.lost, 96);
  cr_expect_eq (s.lost_busy, 96);
  cr_expect_eq (cgw_finish (t->w), CGW_ELOST);
  cr_expect_gt (t->calls, 1);
}

/* After a reset there are as many places as before.  */
Test (states, busy)
{
  struct nested t = { 0 };

  open_nested (&t, nested_write);
  for (int i = 0; i < 3; i++)
    {
      write_busy_file (&t);
      cr_assert_eq (cgw_reset (t.w, -1), CGW_OK);
    }
  cgw_free (t.w);
}

/* What was deferred for a call that never went on is not in the next file, and
   takes no place there.  */
Test (states, reset_forgets_what_is_deferred)
{
  static struct nested t = { .records = 3, .leave = true };

  open_nested (&t, nested_write);
  begin_part (&t);
  if (setjmp (t.out) == 0)
    cgw_flush (t.w);
  cr_expect_eq (t.lost, 0);
  t.leave = false;
  cr_assert_eq (cgw_reset (t.w, -1), CGW_OK);
  write_busy_file (&t);
  cgw_free (t.w);
}

/* A part or a comment that a busy writer refuses is missing, for good.  */

static ssize_t
refused_write (void *context, const void *bytes, size_t n)
{
  struct nested *t = context;
  struct cgw_part part = good_part ();

  (void) bytes;
  if (t->calls++ == 0)
    {
      if (t->records == 0)
        cr_expect_eq (cgw_begin_part (t->w, &part), CGW_EBUSY);
      else
        cr_expect_eq (cgw_comment (t->w, "x"), CGW_EBUSY);
      cr_expect_eq (cgw_error (t->w, NULL), CGW_EBUSY);
    }
  return (ssize_t) n;
}

Test (states, busy_refuses_for_good)
{
  for (int comment = 0; comment < 2; comment++)
    {
      struct nested t = { .records = comment };

      open_nested (&t, refused_write);
      begin_part (&t);
      cr_expect_eq (cgw_flush (t.w), CGW_OK);
      cr_expect_eq (t.calls, 1);
      cr_expect_eq (cgw_cost (t.w, &here, costs, 1), CGW_OK,
                    "nothing has changed");
      cr_expect_eq (cgw_comment (t.w, "x"), CGW_OK);
      cr_expect_eq (cgw_finish (t.w), CGW_EBUSY);
      cgw_free (t.w);
    }
}

/* Names are an object of their own: a call on the writer does not keep others
   from adding them.  */

struct naming
{
  struct cgw_fn fn;
  size_t calls;
};

static ssize_t
naming_write (void *context, const void *bytes, size_t n)
{
  struct naming *t = context;

  (void) bytes;
  if (t->calls++ == 1)
    t->fn = written_fn (test_names (), "added by", "the write", "hook");
  return (ssize_t) n;
}

Test (states, names_while_busy)
{
  struct naming t = { .calls = 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  struct cgw_pos pos;
  struct cgw_writer *w;

  o.write = naming_write;
  o.write_context = &t;
  cr_assert_eq (cgw_new (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  cr_assert_eq (cgw_cost (w, &here, costs, 1), CGW_OK);
  cr_expect_eq (cgw_flush (w), CGW_OK);
  cr_expect_neq (t.fn.handle, 0);
  pos = written_line (t.fn, 1);
  cr_expect_eq (cgw_cost (w, &pos, costs, 1), CGW_OK);
  cr_expect_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
}

/* A forked child's copy.  */

/* How many calls in the child did not say CGW_EFORK.  Names are its own.  */
static int
use_copy (struct written *f)
{
  struct cgw_writer *w = f->w;
  struct cgw_part part = good_part ();
  struct cgw_stats s = CGW_STATS_INIT;
  int wrong = 0;

  wrong += cgw_cost (w, &here, costs, 1) != CGW_EFORK;
  wrong += cgw_call (w, &here, &here, 1, costs, 1) != CGW_EFORK;
  wrong += cgw_jump (w, &here, &here, 1) != CGW_EFORK;
  wrong += cgw_cond_jump (w, &here, &here, 1, 1) != CGW_EFORK;
  wrong += cgw_begin_part (w, &part) != CGW_EFORK;
  wrong += cgw_comment (w, "x") != CGW_EFORK;
  wrong += cgw_flush (w) != CGW_EFORK;
  wrong += cgw_finish (w) != CGW_EFORK;
  wrong += cgw_get_stats (w, &s) != CGW_EFORK;
  wrong += cgw_error (w, NULL) != CGW_EFORK;
  wrong += written_fn (f->names, "x", "x", "x").handle == 0;
  wrong += cgw_reset (w, -1) != CGW_OK;
  wrong += cgw_begin_part (w, &part) != CGW_OK;
  wrong += cgw_cost (w, &here, costs, 1) != CGW_OK;
  wrong += cgw_finish (w) != CGW_OK;
  cgw_free (w);
  return wrong;
}

Test (states, forked)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_LINE);
  int status = -1;
  pid_t child;

  written_cost (w, here, 1);
  child = fork ();
  cr_assert_neq (child, -1);
  if (child == 0)
    _exit (use_copy (&f));
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert (WIFEXITED (status));
  cr_assert_eq (WEXITSTATUS (status), 0);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n1 1\ntotals: 1\n");
}

/* A part that the descriptor did not let begin is missing, even if it begins
   later: the refusal is kept.  */

static ssize_t
stubborn_write (void *context, const void *bytes, size_t n)
{
  int *failures = context;

  (void) bytes;
  if (*failures == 0)
    return (ssize_t) n;
  --*failures;
  errno = ENOSPC;
  return -1;
}

/* With two failures: neither the first header is written, nor, when it is
   tried again, does the second part find room.  With `reset`, another file is
   written afterwards, where no write fails.  */
static enum cgw_status
begin_two_parts (int failures, bool again, bool reset)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  enum cgw_status first = failures != 0 ? CGW_EIO : CGW_OK, status;
  struct cgw_writer *w;

  o.write = stubborn_write;
  o.write_context = &failures;
  o.buffer_size = 1;
  cr_assert_eq (cgw_new (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  cr_expect_eq (cgw_begin_part (w, &part), first);
  if (again)
    cr_expect_eq (cgw_begin_part (w, &part), CGW_OK);
  if (reset)
    {
      cr_assert_eq (cgw_reset (w, -1), CGW_OK);
      cr_expect_eq (cgw_error (w, NULL), CGW_OK);
      cr_expect_eq (cgw_finish (w), CGW_EORDER);
      cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
    }
  status = cgw_finish (w);
  cgw_free (w);
  return status;
}

Test (states, missing_part)
{
  cr_expect_eq (begin_two_parts (0, false, false), CGW_OK);
  cr_expect_eq (begin_two_parts (2, false, false), CGW_EIO);
  cr_expect_eq (begin_two_parts (2, true, false), CGW_EIO);
  cr_expect_eq (begin_two_parts (2, false, true), CGW_OK);
}
