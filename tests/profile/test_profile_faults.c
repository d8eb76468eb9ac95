/* test_profile_faults.c - aggregation: sums at their end;
   descriptors that fail or are slow; fork, handlers.  What fails, and why, is in
   tests/api/errors.def; what there is no memory for, in
   tests/api/allocations.def.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"
#include "test_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sum stops at its end, and so does a number of calls.  In recursion the inner
   edges get no cost: they have not passed it.  */
Test (profile_faults, overflow)
{
  static const uint64_t most[] = { UINT64_MAX - 10, 0 }, twice[] = { 11, 4 };
  const char *why;
  struct cgw_pos frames[3];
  struct one o;

  open_one (&o, 1, CGW_LINE);
  for (uint32_t i = 0; i < 3; i++)
    frames[i]
        = written_line (written_fn (o.names, NULL, NULL, "f"), 1 + i / 2);
  cr_assert_eq (cgw_profile_cost (o.p, &frames[0], most, 2), CGW_OK);
  cr_assert_eq (cgw_profile_call (o.p, &frames[0], &frames[0], UINT64_MAX, most,
                                  2), CGW_OK);
  cr_expect_eq (cgw_profile_error (o.p, NULL), CGW_OK);
  cr_assert_eq (cgw_profile_stack (o.p, frames, 3, 1, twice, 2), CGW_OK);
  cr_expect_eq (cgw_profile_error (o.p, &why), CGW_EOVERFLOW);
  cr_expect_str_eq (why, "a sum of event 0 passed 2^64-1 (0 is the first that "
                         "is not derived); it stays 2^64-1");
  cr_assert_eq (cgw_profile_cost (o.p, &frames[0], twice, 2), CGW_OK);
  body_is (&o, CGW_PLAIN_NAMES | CGW_ABSOLUTE,
           "ob=???\nfl=???\nfn=f\n1 18446744073709551615 8\n"
           "cfn=f\ncalls=18446744073709551615 1\n1 18446744073709551605\n"
           "cfn=f\ncalls=1 0\n2 11 4\ntotals: 18446744073709551615 8\n");
}

Test (profile_faults, overflow_of_a_count)
{
  struct cgw_pos at = { .line = 1 };
  const char *why;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  for (int i = 0; i < 2; i++)
    cr_assert_eq (cgw_profile_call (o.p, &at, &at, UINT64_MAX, NULL, 0),
                  CGW_OK);
  cr_expect_eq (cgw_profile_error (o.p, &why), CGW_EOVERFLOW);
  cr_expect_str_eq (why, "a number of calls passed 2^64-1; it stays 2^64-1");
  close_one (&o);
}

/* Descriptors.  */

enum { LINES = 20000 };

static struct cgw_profile *
fill (struct cgw_names *names, uint64_t sums[COSTS])
{
  struct cgw_profile *p = new_profile (names, CGW_LINE);
  struct cgw_fn fn = written_fn (names, NULL, NULL, "f");

  for (uint32_t i = 0; i < LINES; i++)
    {
      uint64_t cost[COSTS] = { i, 1 };
      struct cgw_pos frames[] = { written_line (fn, i), written_line (fn, i) };
      cr_assert_eq (cgw_profile_stack (p, frames, 2, 1, cost, COSTS), CGW_OK);
      for (size_t e = 0; e < COSTS; e++)
        sums[e] += cost[e];
    }
  return p;
}

/* A pipe that takes nothing most of the time is waited for.  */
Test (profile_faults, slow_pipe)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = two_events (CGW_LINE);
  uint64_t sums[COSTS] = { 0 };
  struct sink sink = { 0 };
  struct pipe_reader *reader;
  struct cgw_profile *p;
  struct cgw_writer *w;
  struct profile *profile;
  int fds[2], cancel;

  o.buffer_size = 100;
  cr_assert_eq (pipe (fds), 0);
  cr_assert_eq (fcntl (fds[1], F_SETFL, O_NONBLOCK), 0);
  cr_assert_eq (cgw_open_fd (&w, test_names (), fds[1], &o), CGW_OK);
  p = fill (test_names (), sums);
  reader = reader_start (&sink, fds[0], true);
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
  cgw_profile_free (p);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
  pthread_setcancelstate (PTHREAD_CANCEL_ENABLE, &cancel);
  cr_expect_eq (cancel, PTHREAD_CANCEL_ENABLE, "waiting has left it disabled");
  close (fds[1]);
  reader_join (reader);
  close (fds[0]);
  profile = must_read (sink.bytes, sink.n, 0, "slow pipe");
  cr_assert_eq (profile_total (profile, 0).value, sums[0]);
  cr_assert_eq (profile->edges.n, LINES);
  profile_free (profile);
  sink_free (&sink);
}

/* What a failing descriptor does not take is lost and counted, whole; the
   first failure is the status.  */
static void
fail_writing (int error, size_t times, enum cgw_status expected)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = two_events (CGW_LINE);
  struct sink sink = { .fault = { FAULT_ERRNO, error, 3, 0, times, 0 } };
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded[COSTS], lost[COSTS], sums[COSTS] = { 0 };
  struct cgw_profile *p;
  struct cgw_writer *w;

  o.write = sink_write;
  o.write_context = &sink;
  o.buffer_size = 1000;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  p = fill (test_names (), sums);
  cr_assert_eq (cgw_profile_write (p, w, &part), expected);
  s.n_costs = COSTS;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (s.lost > 0, expected != CGW_OK);
  cr_assert_eq (s.recorded + s.lost, 2 * LINES);
  for (size_t e = 0; e < COSTS; e++)
    cr_assert_eq (recorded[e] + lost[e], sums[e]);
  /* The sums are still there, and the next file has them all.  */
  sink.fault.kind = FAULT_NONE;
  sink.n = 0;
  cgw_free (w);
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_profile_free (p);
  cgw_free (w);
  sink_free (&sink);
}

Test (profile_faults, failing_writes)
{
  fail_writing (ENOSPC, FOREVER, CGW_EIO);
  fail_writing (EAGAIN, FOREVER, CGW_EAGAIN);
  fail_writing (EINTR, 2, CGW_OK);
  /* A hook is not waited for, but asked before a record and by it; the third
     time it takes the bytes.  */
  fail_writing (EAGAIN, 1, CGW_OK);
  fail_writing (EAGAIN, 2, CGW_EAGAIN);
}

/* Bytes are gathered, as ever: waiting for room is not flushing.  (The header
   is one write, the end of the file two: the records, and the totals.)  */
Test (profile_faults, few_writes)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = two_events (CGW_LINE);
  struct sink sink = { 0 };
  uint64_t sums[COSTS] = { 0 };
  struct cgw_profile *p;
  struct cgw_writer *w;

  o.write = sink_write;
  o.write_context = &sink;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
  p = fill (test_names (), sums);
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cr_assert_leq (sink.calls, sink.n / 65536 + 3);
  cgw_profile_free (p);
  cgw_free (w);
  sink_free (&sink);
}

/* A forked child has its own copy of a profile and of the names, whatever the
   parent's profile went through.  It writes it by a writer of its own.  */
static int
in_child (struct one *o)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_pos stack[] = { written_line (o->world.fns[0], 1),
                             written_line (o->world.fns[1], 2) };
  uint64_t cost = 1, sum;

  if (cgw_profile_stack (o->p, stack, 2, 1, &cost, 1) != CGW_OK
      || cgw_profile_call (o->p, &stack[0], &stack[1], 1, &cost, 1) != CGW_OK
      || cgw_add_file (o->names, "child").handle == 0
      || cgw_profile_write (o->p, o->f.w, &part) != CGW_EFORK)
    return 1;
  written_free (&o->f);
  written_open_with (&o->f, o->names, NULL);
  if (cgw_profile_write (o->p, o->f.w, &part) != CGW_OK
      || cgw_finish (o->f.w) != CGW_OK)
    return 2;
  return cgw_profile_total (o->p, &sum, 1) != CGW_OK || sum != 1;
}

Test (profile_faults, fork)
{
  struct cgw_tracer_options too_many = CGW_TRACER_OPTIONS_INIT;

  too_many.n_counters = COSTS + 1;
  for (int i = 0; i < 3; i++)
    {
      struct cgw_tracer *t;
      struct one o;
      int status;
      pid_t child;

      open_one (&o, 1, CGW_LINE);
      written_open_with (&o.f, o.names, NULL);
      if (i == 1)
        cr_assert_eq (cgw_tracer_new (&t, o.p, &too_many), CGW_EINVAL);
      if (i == 2)
        {
          cr_assert_eq (cgw_tracer_new (&t, o.p, NULL), CGW_OK);
          cr_assert_eq (cgw_tracer_free (t), CGW_OK);
        }
      child = fork ();
      if (child == 0)
        leave (in_child (&o));
      cr_assert_eq (waitpid (child, &status, 0), child);
      cr_assert (WIFEXITED (status));
      cr_expect_eq (WEXITSTATUS (status), 0, "%d", i);
      close_one (&o);
    }
}

/* A handler that forks while a profile is written, and returns in the child:
   there the rest is refused, and nothing is written twice.  */

struct forking
{
  struct sink sink;
  size_t at; /* which call of the hook forks */
  bool fails_in_child;
  bool in_child;
  int child_status;
};

static ssize_t
write_and_fork (void *context, const void *bytes, size_t n)
{
  struct forking *f = context;

  if (f->sink.calls == f->at)
    {
      pid_t child = fork ();

      f->in_child = child == 0;
      if (child != 0)
        cr_assert_eq (waitpid (child, &f->child_status, 0), child);
    }
  if (f->in_child && f->fails_in_child)
    {
      errno = EIO;
      return -1;
    }
  return sink_write (&f->sink, bytes, n);
}

static void
check_fork_in_write (size_t at, bool fails_in_child)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = two_events (CGW_LINE);
  struct forking f = { .at = at, .fails_in_child = fails_in_child,
                       .child_status = -1 };
  uint64_t sums[COSTS] = { 0 };
  struct cgw_profile *p;
  struct cgw_writer *w;
  enum cgw_status status;

  options.write = write_and_fork;
  options.write_context = &f;
  options.buffer_size = 100;
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &options), CGW_OK);
  p = fill (test_names (), sums);
  status = cgw_profile_write (p, w, &part);
  if (f.in_child)
    leave (status == CGW_EFORK && f.sink.calls == at + !fails_in_child
               ? 0
               : 1);
  cr_expect_eq (f.child_status, 0);
  cr_expect_eq (status, CGW_OK);
  cr_expect_eq (cgw_finish (w), CGW_OK);
  profile_free (must_read (f.sink.bytes, f.sink.n, 0, "fork"));
  cgw_free (w);
  cgw_profile_free (p);
  sink_free (&f.sink);
}

Test (profile_faults, fork_in_write)
{
  for (int fails = 0; fails < 2; fails++)
    {
      check_fork_in_write (0, fails);
      check_fork_in_write (3, fails);
    }
}
