/* test_states.c - the states of a writer: busy, with a part missing, forked
   inside a call.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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
  size_t buffer_size;
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
  cr_expect_eq (cgw_error (t->w, NULL), t->lost == 0 ? CGW_OK : CGW_ELOST,
                "they leave nothing out");
  for (int i = 0; i < t->records; i++)
    {
      status = cgw_cost (t->w, &here, costs, 1);
      cr_expect (status == CGW_OK || status == CGW_ELOST);
      t->lost += status == CGW_ELOST;
    }
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
  o.buffer_size = t->buffer_size;
  cr_assert_eq (cgw_open_fd (&t->w, test_names (), -1, &o), CGW_OK);
}

/* Begin a part, so that the next write finds the writer busy.  */
static void
begin_part (struct nested *t)
{
  struct cgw_part part = good_part ();

  t->calls = 2;
  cr_assert_eq (cgw_begin_part (t->w, &part), CGW_OK);
  cr_assert_eq (cgw_comment (t->w, "to be written"), CGW_OK);
  t->calls = 0;
}

/* Of 100 records that come while the writer is busy, 4 find a place, in each of
   two parts.  */
Test (states, busy)
{
  struct nested t = { .records = 100 };
  struct cgw_stats s = CGW_STATS_INIT;

  open_nested (&t, nested_write);
  for (unsigned part = 1; part <= 2; part++)
    {
      begin_part (&t);
      cr_expect_eq (cgw_flush (t.w), CGW_OK);
      cr_expect_eq (t.lost, 96 * (int) part);
      cr_expect_eq (cgw_error (t.w, NULL), CGW_ELOST);
      cr_expect_eq (cgw_get_stats (t.w, &s), CGW_OK);
      cr_expect_eq (s.recorded, 4 * part);
      cr_expect_eq (s.lost, 96 * part);
      cr_expect_eq (s.lost_busy, 96 * part);
    }
  cr_expect_eq (cgw_finish (t.w), CGW_ELOST);
  cr_expect_gt (t.calls, 1);
  cgw_free (t.w);
}

/* What was deferred is written when the call that was interrupted returns: then
   cgw_salvage finds nothing that waits.  */
Test (states, deferred_until_the_call_returns)
{
  struct nested t = { .records = 4 };

  open_nested (&t, nested_write);
  begin_part (&t);
  cr_expect_eq (cgw_flush (t.w), CGW_OK);
  cr_expect_eq (t.lost, 0);
  cr_expect_eq (cgw_salvage (t.w), CGW_OK);
  cgw_free (t.w);
}

/* The second write is that of deferred records.  */
static ssize_t
deferring_write (void *context, const void *bytes, size_t n)
{
  struct nested *t = context;

  (void) bytes;
  if (t->calls++ < 2)
    for (int i = 0; i < t->records; i++)
      cr_expect_eq (cgw_cost (t->w, &here, costs, 1), CGW_OK);
  return (ssize_t) n;
}

/* Records that were deferred while deferred ones were written are written by the
   same call, too.  */
Test (states, deferred_while_deferred_records_are_written)
{
  struct nested t = { .records = 2, .buffer_size = 8 };
  struct cgw_stats s = CGW_STATS_INIT;

  open_nested (&t, deferring_write);
  begin_part (&t);
  cr_expect_eq (cgw_flush (t.w), CGW_OK);
  cr_expect_gt (t.calls, 1);
  cr_expect_eq (cgw_salvage (t.w), CGW_OK);
  cr_expect_eq (cgw_get_stats (t.w, &s), CGW_OK);
  cr_expect_eq (s.recorded, 4);
  cgw_free (t.w);
}

static ssize_t
salvaging_write (void *context, const void *bytes, size_t n)
{
  struct nested *t = context;

  if (t->calls == 0)
    return deferring_write (context, bytes, n);
  if (t->calls++ == 1)
    cr_expect_eq (cgw_salvage (t->w), CGW_ELOST);
  return (ssize_t) n;
}

/* A part is refused, and then cgw_salvage ends the file: that is why the call
   failed.  */
Test (states, salvaged_while_a_part_is_refused)
{
  const struct cgw_event other = { .name = "Dr" };
  struct cgw_part part = good_part ();
  struct nested t = { .records = 2, .buffer_size = 8 };

  part.events = &other;
  open_nested (&t, salvaging_write);
  begin_part (&t);
  cr_expect_eq (cgw_begin_part (t.w, &part), CGW_EFINISHED);
  cr_expect_eq (t.calls, 2);
  cr_expect_str_eq (cgw_explain (t.w),
                    "cgw_begin_part: the file is finished, or was never opened:"
                    " the next one needs a writer of its own");
  cgw_free (t.w);
}

static ssize_t
recording_write (void *context, const void *bytes, size_t n)
{
  struct nested *t = context;

  (void) bytes;
  if (t->calls++ == 0)
    cr_expect_eq (cgw_cost (t->w, &here, costs, 1), CGW_OK);
  return (ssize_t) n;
}

/* A record that comes while a part is refused belongs to the part before.  */
Test (states, deferred_until_a_part_is_refused)
{
  const struct cgw_event other = { .name = "Dr" };
  struct cgw_part part = good_part (), refused = part;
  struct nested t = { .calls = 1 };
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t records = 0;
  bool was_full = false;

  refused.events = &other;
  open_nested (&t, recording_write);
  for (uint64_t n = 1; !was_full; records += n++)
    {
      cr_assert_eq (cgw_begin_part (t.w, &part), CGW_OK);
      for (uint64_t i = 0; i < n; i++)
        cr_assert_eq (cgw_cost (t.w, &here, costs, 1), CGW_OK);
      t.calls = 0;
      cr_assert_eq (cgw_begin_part (t.w, &refused), CGW_EINVAL);
      was_full = t.calls++ != 0;
    }
  cr_expect_eq (cgw_get_stats (t.w, &s), CGW_OK);
  cr_expect_eq (s.recorded, records + 1);
  cr_expect_eq (s.lost, 0);
  cgw_free (t.w);
}

/* A record that was deferred is in the file as if it had not been.  */

struct various
{
  struct cgw_writer *w;
  bool defers; /* the next write does */
  char bytes[4096];
  size_t n;
};

static void
record_various (struct cgw_writer *w)
{
  for (uint64_t i = 1; i < 4; i++)
    {
      struct cgw_pos from = { .line = 10 * i }, to = { .line = 100 * i };

      cr_expect_eq (cgw_cost (w, &from, &i, 1), CGW_OK);
      cr_expect_eq (cgw_call (w, &from, &to, 3 + i, &i, 1), CGW_OK);
      cr_expect_eq (cgw_jump (w, &from, &to, 5 + i), CGW_OK);
      cr_expect_eq (cgw_cond_jump (w, &to, &from, 7 + i, 20 + i), CGW_OK);
    }
}

static ssize_t
various_write (void *context, const void *bytes, size_t n)
{
  struct various *v = context;

  if (v->defers)
    {
      v->defers = false;
      record_various (v->w);
    }
  cr_assert_lt (n, sizeof v->bytes - v->n);
  memcpy (v->bytes + v->n, bytes, n);
  v->n += n;
  return (ssize_t) n;
}

static void
write_various (struct various *v, bool deferred)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();

  o.write = various_write;
  o.write_context = v;
  cr_assert_eq (cgw_open_fd (&v->w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (v->w, &part), CGW_OK);
  cr_assert_eq (cgw_comment (v->w, "to be written"), CGW_OK);
  v->defers = deferred;
  cr_expect_eq (cgw_flush (v->w), CGW_OK);
  if (!deferred)
    record_various (v->w);
  cr_expect_eq (cgw_finish (v->w), CGW_OK);
  cgw_free (v->w);
}

Test (states, deferred_records_are_the_same)
{
  struct various direct = { .n = 0 }, deferred = { .n = 0 };

  write_various (&direct, false);
  write_various (&deferred, true);
  cr_expect_str_eq (deferred.bytes, direct.bytes);
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

/* Takes as many bytes as there is room for, and nothing then.  */
static ssize_t
narrow_write (void *context, const void *bytes, size_t n)
{
  size_t *room = context;

  (void) bytes;
  n = n < *room ? n : *room;
  *room -= n;
  errno = EAGAIN;
  return n > 0 ? (ssize_t) n : -1;
}

/* Bytes that a hook has taken are written, and not in the buffer any more.  */
Test (states, counts_of_what_a_hook_took_in_part)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_stats before = CGW_STATS_INIT, after = CGW_STATS_INIT;
  struct cgw_part part = good_part ();
  struct cgw_writer *w;
  size_t room = 1000;

  o.write = narrow_write;
  o.write_context = &room;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  cr_assert_eq (cgw_cost (w, &here, costs, 1), CGW_OK);
  cr_assert_eq (cgw_get_stats (w, &before), CGW_OK);
  room = 5;
  cr_expect_eq (cgw_flush (w), CGW_EAGAIN);
  cr_assert_eq (cgw_get_stats (w, &after), CGW_OK);
  cr_expect_eq (after.written, before.written + 5);
  cr_expect_eq (after.buffered, before.buffered - 5);
  cgw_free (w);
}

/* With two failures: neither the first header is written, nor, when it is
   tried again, does the second part find room.  */
static enum cgw_status
begin_two_parts (int failures, bool again)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  enum cgw_status first = failures != 0 ? CGW_EIO : CGW_OK, status;
  struct cgw_writer *w;

  o.write = stubborn_write;
  o.write_context = &failures;
  o.buffer_size = 1;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  cr_expect_eq (cgw_begin_part (w, &part), first);
  if (again)
    cr_expect_eq (cgw_begin_part (w, &part), CGW_OK);
  status = cgw_finish (w);
  cgw_free (w);
  return status;
}

Test (states, missing_part)
{
  cr_expect_eq (begin_two_parts (0, false), CGW_OK);
  cr_expect_eq (begin_two_parts (2, false), CGW_EIO);
  cr_expect_eq (begin_two_parts (2, true), CGW_EIO);
}

/* A file that is salvaged before its first part has the error of its names, as
   it had before.  */
Test (states, salvaged_without_part)
{
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_names *names = make_names (&heap);
  struct cgw_writer *w;
  int failures = 0;

  o.write = stubborn_write;
  o.write_context = &failures;
  cr_assert_eq (cgw_open_fd (&w, names, -1, &o), CGW_OK);
  heap_limit (&heap, 0);
  for (int i = 0; cgw_names_error (names, NULL) == CGW_OK; i++)
    cgw_add_file_n (names, (const char *) &i, sizeof i);
  cr_expect_eq (cgw_error (w, NULL), CGW_ENOMEM);
  cr_expect_eq (cgw_salvage (w), CGW_EORDER);
  cr_expect_eq (cgw_error (w, NULL), CGW_ENOMEM);
  cr_expect_eq (cgw_salvage (w), CGW_EFINISHED);
  cr_expect_eq (cgw_finish (w), CGW_EFINISHED);
  cgw_free (w);
  cgw_names_free (names);
}

/* Sums of costs that are lost are checked, too, and those that are lost in a
   handler: a part whose total passes 2^64-1 has none.  */

struct losing
{
  struct cgw_writer *w;
  int error;           /* errno of all writes, if not 0 */
  const uint64_t *busy; /* a cost for three records from a write, or NULL */
  int lost;            /* of these */
  char bytes[4096];
  size_t n;
};

static ssize_t
losing_write (void *context, const void *bytes, size_t n)
{
  struct losing *l = context;
  const uint64_t *busy = l->busy;

  l->busy = NULL;
  for (int i = 0; busy != NULL && i < 3; i++)
    l->lost += cgw_cost (l->w, &here, busy, 1) == CGW_ELOST;
  errno = l->error;
  if (l->error != 0)
    return -1;
  cr_assert_lt (n, sizeof l->bytes - l->n);
  memcpy (l->bytes + l->n, bytes, n);
  l->n += n;
  return (ssize_t) n;
}

static void
open_losing (struct losing *l)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();

  o.write = losing_write;
  o.write_context = l;
  o.queue_slots = 1;
  o.buffer_size = 1;
  cr_assert_eq (cgw_open_fd (&l->w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (l->w, &part), CGW_OK);
}

/* The first part has such totals, or none.  */
static void
end_losing (struct losing *l, const char *totals)
{
  struct cgw_part part = good_part ();
  const char *first;

  cr_expect_eq (cgw_begin_part (l->w, &part), CGW_OK);
  cr_expect_neq (cgw_finish (l->w), CGW_OK);
  cgw_free (l->w);
  first = strstr (l->bytes, "totals:");
  cr_assert_not_null (first);
  if (totals != NULL)
    cr_expect_eq (strncmp (first, totals, strlen (totals)), 0, "%s", first);
  else
    cr_expect_null (strstr (first + 1, "totals:"), "%s", first);
}

/* Loses records with these costs, after one that is recorded.  */
static void
lose_two (uint64_t recorded, uint64_t a, uint64_t b, const char *totals)
{
  struct losing l = { 0 };
  struct cgw_stats s = CGW_STATS_INIT;

  open_losing (&l);
  cr_assert_eq (cgw_cost (l.w, &here, &recorded, 1), CGW_OK);
  l.error = ENOSPC;
  cr_assert_eq (cgw_cost (l.w, &here, &a, 1), CGW_EIO);
  cr_assert_eq (cgw_cost (l.w, &here, &b, 1), CGW_EIO);
  l.error = 0;
  cr_assert_eq (cgw_get_stats (l.w, &s), CGW_OK);
  cr_expect_eq (s.lost, 2);
  end_losing (&l, totals);
}

Test (states, lost_sums)
{
  lose_two (1, 2, 3, "totals: 6\n");
  lose_two (1, UINT64_MAX, 1, NULL);
  lose_two (2, UINT64_MAX - 1, 0, NULL);
}

Test (states, lost_sums_of_a_handler)
{
  const uint64_t half = (uint64_t) 1 << 63;
  struct losing l = { 0 };

  open_losing (&l);
  cr_assert_eq (cgw_comment (l.w, "to be written"), CGW_OK);
  l.busy = &half;
  cr_assert_eq (cgw_flush (l.w), CGW_OK);
  cr_expect_eq (l.lost, 2);
  end_losing (&l, NULL);
}

/* A buffer that no memory holds.  */
/* A system with 32 bits may have half of its addresses.  */
static void *
allocate_no_more (void *context, void *p, size_t n)
{
  (void) context;
  if (n > 0)
    return n < SIZE_MAX / 8 ? realloc (p, n) : NULL;
  free (p);
  return NULL;
}

Test (states, largest_buffer)
{
  struct cgw_names_options names_options = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct losing l = { 0 };
  struct cgw_names *names;

  names_options.allocate = allocate_no_more;
  cr_assert_eq (cgw_names_new (&names, &names_options), CGW_OK);
  o.write = losing_write;
  o.write_context = &l;
  o.buffer_size = SIZE_MAX / 8;
  cr_expect_eq (cgw_open_fd (&l.w, names, -1, &o), CGW_ENOMEM);
  cr_expect_null (l.w);
  cgw_names_free (names);
}

/* A buffer that cannot grow keeps what it holds.  */
Test (states, no_memory_for_a_long_comment)
{
  enum { LONG = 1000000 };
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_part part = good_part ();
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct losing l = { 0 };
  char *text = calloc (1, LONG);

  memset (text, 'x', LONG - 1);
  o.write = losing_write;
  o.write_context = &l;
  cr_assert_eq (cgw_open_fd (&l.w, names, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (l.w, &part), CGW_OK);
  cr_assert_eq (cgw_cost (l.w, &here, costs, 1), CGW_OK);
  heap_limit (&heap, 0);
  cr_expect_eq (cgw_comment (l.w, text), CGW_ENOMEM);
  heap.fail_at = 0;
  cr_expect_eq (cgw_finish (l.w), CGW_ENOMEM);
  cr_expect_not_null (strstr (l.bytes, "\n1 1\n"));
  cgw_free (l.w);
  cgw_names_free (names);
  free (text);
}

/* A file that cgw_salvage has ended keeps the error of its names, though the
   next call takes note of the end.  */
Test (states, salvaged_with_incomplete_names)
{
  struct cgw_names *names = make_names (NULL);
  struct cgw_part part = good_part ();
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct losing l = { 0 };

  o.write = losing_write;
  o.write_context = &l;
  cr_assert_eq (cgw_open_fd (&l.w, names, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (l.w, &part), CGW_OK);
  cgw_add_fn (names, "f", (struct cgw_file){ 7 }, (struct cgw_object){ 0 });
  cr_expect_eq (cgw_salvage (l.w), CGW_EHANDLE);
  cr_expect_eq (cgw_error (l.w, NULL), CGW_EHANDLE);
  cr_expect_eq (cgw_flush (l.w), CGW_EFINISHED);
  cr_expect_eq (cgw_error (l.w, NULL), CGW_EHANDLE);
  cgw_free (l.w);
  cgw_names_free (names);
}

/* A hook that fails without an errno.  */

static ssize_t
fail_without_errno (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  (void) n;
  return -1;
}

Test (states, no_errno)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  struct cgw_writer *w;

  o.write = fail_without_errno;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  errno = ENOENT; /* an earlier one, which says nothing about the hook */
  cr_expect_eq (cgw_finish (w), CGW_EIO);
  cr_expect_eq (cgw_errno (w), EIO);
  cgw_free (w);
}

/* Records that are wrong are refused, too, while the writer is busy.  */

struct wrong
{
  struct cgw_writer *w;
  bool tries;
  enum cgw_status statuses[4];
};

static ssize_t
record_wrongly (void *context, const void *bytes, size_t n)
{
  const struct cgw_pos elsewhere = { .file = { 12345 }, .line = 1 };
  struct wrong *t = context;

  (void) bytes;
  if (t->tries)
    {
      t->tries = false;
      t->statuses[0] = cgw_cost (t->w, &elsewhere, costs, 1);
      t->statuses[1] = cgw_cost (t->w, &here, NULL, SIZE_MAX);
      t->statuses[2] = cgw_call (t->w, &here, &here, 0, costs, 1);
      t->statuses[3] = cgw_call (t->w, &here, &here, 1, costs, 1);
    }
  return (ssize_t) n;
}

static void
check_wrong (unsigned flags, enum cgw_status zero_calls)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = good_part ();
  struct cgw_stats s = CGW_STATS_INIT;
  struct wrong t = { .tries = false };
  uint64_t lost = 77;

  o.flags = flags;
  o.write = record_wrongly;
  o.write_context = &t;
  cr_assert_eq (cgw_open_fd (&t.w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (t.w, &part), CGW_OK);
  cr_assert_eq (cgw_comment (t.w, "to be written"), CGW_OK);
  t.tries = true;
  cr_expect_eq (cgw_flush (t.w), CGW_OK);
  cr_expect_eq (t.statuses[0], CGW_EHANDLE);
  cr_expect_eq (t.statuses[1], CGW_EINVAL);
  cr_expect_eq (t.statuses[2], zero_calls);
  cr_expect_eq (t.statuses[3], CGW_OK);
  s.n_costs = 1;
  s.lost_costs = &lost;
  cr_expect_eq (cgw_get_stats (t.w, &s), CGW_OK);
  cr_expect_eq (s.recorded, zero_calls == CGW_OK ? 2 : 1);
  cr_expect_eq (lost, 0);
  cr_expect_eq (cgw_finish (t.w), CGW_EHANDLE);
  cgw_free (t.w);
}

Test (states, wrong_while_busy)
{
  check_wrong (0, CGW_EINVAL);
  check_wrong (CGW_ZERO_CALLS, CGW_OK);
}

/* A handler that forks while a call writes, and returns in the child: in
   cgw_begin_part, cgw_finish, cgw_salvage, and cgw_salvage inside a call.  */

struct forking
{
  struct cgw_names *names;
  struct cgw_writer *w;
  unsigned salvages; /* that many allocations later, if not 0 */
  bool forks;
  bool is_full;  /* the hook takes nothing at present */
  bool in_child;
  int child_status;
  enum cgw_status status; /* of cgw_salvage in an allocation */
};

static ssize_t
forking_write (void *context, const void *bytes, size_t n)
{
  struct forking *s = context;
  pid_t child;

  (void) bytes;
  errno = EAGAIN;
  if (!s->forks)
    return s->is_full ? -1 : (ssize_t) n;
  s->forks = false;
  child = fork ();
  s->in_child = child == 0;
  if (child != 0)
    cr_assert_eq (waitpid (child, &s->child_status, 0), child);
  return 1; /* so that it is called again */
}

/* Calls cgw_salvage while another call is not writing.  */
static void *
salvaging_allocate (void *context, void *p, size_t n)
{
  struct forking *s = context;

  if (s->salvages > 0 && --s->salvages == 0)
    {
      s->status = cgw_salvage (s->w);
      if (s->in_child)
        leave (s->status == CGW_EFORK ? 0 : 1);
    }
  if (n == 0)
    free (p);
  return n == 0 ? NULL : realloc (p, n);
}

static void
open_forking (struct forking *s)
{
  struct cgw_names_options names = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options o = CGW_OPTIONS_INIT;

  *s = (struct forking){ .child_status = -1 };
  names.allocate = salvaging_allocate;
  names.allocate_context = s;
  cr_assert_eq (cgw_names_new (&s->names, &names), CGW_OK);
  o.write = forking_write;
  o.write_context = s;
  cr_assert_eq (cgw_open_fd (&s->w, s->names, -1, &o), CGW_OK);
}

static void
begin_forking (struct forking *s, bool forks)
{
  struct cgw_part part = good_part ();
  enum cgw_status status;

  open_forking (s);
  s->forks = forks;
  status = cgw_begin_part (s->w, &part);
  if (s->in_child)
    leave (status == CGW_EFORK && cgw_finish (s->w) == CGW_EFORK ? 0 : 1);
  cr_assert_eq (status, CGW_OK);
  cr_assert_eq (cgw_cost (s->w, &here, costs, 1), CGW_OK);
}

static void
end_forking (struct forking *s, enum cgw_status status)
{
  if (s->in_child)
    leave (status == CGW_EFORK && cgw_finish (s->w) == CGW_EFORK ? 0 : 1);
  cr_expect_eq (s->child_status, 0);
  cr_expect_eq (status, CGW_OK);
  cr_expect_eq (cgw_finish (s->w), CGW_EFINISHED);
  cgw_free (s->w);
  cgw_names_free (s->names);
}

Test (states, fork_in_a_call)
{
  struct forking s;

  begin_forking (&s, true);
  end_forking (&s, cgw_finish (s.w));
  begin_forking (&s, false);
  s.forks = true;
  end_forking (&s, cgw_finish (s.w));
  begin_forking (&s, false);
  s.forks = true;
  end_forking (&s, cgw_salvage (s.w));
}

/* Calls cgw_salvage inside a long comment.  */
static void
salvage_inside_a_call (struct forking *s, bool forks, bool is_full,
                       enum cgw_status expected)
{
  static char text[300000];

  memset (text, 'c', sizeof text - 1);
  begin_forking (s, false);
  s->salvages = 1;
  s->forks = forks;
  s->is_full = is_full;
  cr_expect_eq (cgw_comment (s->w, text), CGW_EFINISHED);
  cr_expect_eq (s->status, expected);
  cr_expect_eq (cgw_finish (s->w), CGW_EFINISHED);
  cgw_free (s->w);
  cgw_names_free (s->names);
}

Test (states, fork_in_salvage_inside_a_call)
{
  struct forking s;

  salvage_inside_a_call (&s, true, false, CGW_ELOST);
  cr_expect_eq (s.child_status, 0);
}

/* The same with a descriptor that takes nothing at present.  */
Test (states, full_in_salvage_inside_a_call)
{
  struct forking s;

  salvage_inside_a_call (&s, false, true, CGW_EAGAIN);
}

/* In each allocation of cgw_begin_part: records are refused from then on.  */
Test (states, salvaged_inside_begin_part)
{
  struct cgw_part part = good_part ();
  struct forking s;
  bool salvaged = true;

  for (unsigned n = 1; salvaged; n++)
    {
      open_forking (&s);
      s.salvages = n;
      cgw_begin_part (s.w, &part);
      salvaged = s.salvages == 0;
      s.salvages = 0;
      cr_expect_eq (cgw_cost (s.w, &here, costs, 1),
                    salvaged ? CGW_EFINISHED : CGW_OK, "%u", n);
      cr_expect_eq (cgw_error (s.w, NULL), salvaged ? CGW_ELOST : CGW_OK);
      cgw_free (s.w);
      cgw_names_free (s.names);
    }
}
