/* test_faults.c - write hooks and allocators that fail at every point, once
   and from then on.

   After each fault: what was delivered is recorded or lost, by the counts and
   in the bytes; every record is whole; cgw_finish returns the first error that
   left something out, also if a call that was made again put it there; errno
   is the caller's; nothing leaks; and the writer can be used again.

   make check tries one size of the buffer, and CGW_STRESS=30 in the environment
   all: see faults.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small buffer, which some records fill; that of each record alone; one of a
   page; and the default, which the whole file fits in.  */
static const size_t buffer_sizes[] = { 100, 1, 4096, 0 };
#define SIZES stress_number (1, sizeof buffer_sizes / sizeof *buffer_sizes)

static const struct scenario small_scenario
    = { .parts = 3, .functions = 40, .records = 100, .patient = true };

struct kind
{
  const char *name;
  enum fault_kind kind;
  int error;
  bool invisible; /* the bytes are as without the fault */
};

static const struct kind kinds[] = {
  { "EINTR", FAULT_ERRNO, EINTR, true },
  { "1 byte", FAULT_SHORT_ONE, 0, true },
  { "half", FAULT_SHORT_HALF, 0, true },
  { "all but 1", FAULT_SHORT_BUT_ONE, 0, true },
  { "EAGAIN", FAULT_ERRNO, EAGAIN, false },
  { "ENOSPC", FAULT_ERRNO, ENOSPC, false },
  { "EIO", FAULT_ERRNO, EIO, false },
  { "EPIPE", FAULT_ERRNO, EPIPE, false },
  { "EFBIG", FAULT_ERRNO, EFBIG, false },
  { "EDQUOT", FAULT_ERRNO, EDQUOT, false },
  { "EBADF", FAULT_ERRNO, EBADF, false },
  { "0", FAULT_ZERO, EIO, false },
  { "too many", FAULT_TOO_MANY, EIO, false },
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* The strict reader's flags for what a writer with these flags wrote.  */
static unsigned
reader_flags (unsigned writer_flags)
{
  return (writer_flags & CGW_KEEP_ZEROS ? READER_KEEP_ZEROS : 0)
         | (writer_flags & CGW_NO_PAD ? READER_NO_PAD : 0)
         | (writer_flags & CGW_ABSOLUTE ? READER_ABSOLUTE : 0)
         | (writer_flags & CGW_PLAIN_NAMES ? READER_PLAIN : 0);
}

/* One run of a scenario into a sink with a fault, or with a heap that
   fails.  */
struct run
{
  struct scenario scenario;
  const struct sink *baseline;
  unsigned flags;
  size_t buffer_size;
  struct fault fault;
  const struct kind *kind;

  char context[200];
  struct sink sink;
  struct heap heap;
  struct delivered delivered;
  struct cgw_writer *w;
  enum cgw_status status; /* of cgw_finish */
  /* Before the writer was used again: */
  size_t first_calls;
  struct delivered first_delivered;
};

static unsigned long long faults_injected; /* calls that failed */
static unsigned long long allocations_failed;
static unsigned long long runs; /* with such calls */

static void
describe (struct run *r)
{
  const struct fault *f = &r->fault;

  snprintf (r->context, sizeof r->context,
            "%s %s at %s %zu, buffer %zu, flags %u", r->kind->name,
            f->times == FOREVER ? "from then on" : "once",
            f->at != 0 ? "write" : "byte", f->at != 0 ? f->at : f->at_byte,
            r->buffer_size, r->flags);
}

static enum cgw_status
open_writer (struct run *r)
{
  struct cgw_options options = CGW_OPTIONS_INIT;

  options.flags = r->flags;
  options.buffer_size = r->buffer_size;
  options.write = sink_write;
  options.write_context = &r->sink;
  return cgw_open_fd (&r->w, r->scenario.names, -1, &options);
}

static enum cgw_status
try_to_open (struct run *r)
{
  struct cgw_names_options options = CGW_NAMES_OPTIONS_INIT;
  enum cgw_status status;

  r->sink.n = r->sink.calls = r->sink.injected = 0;
  r->sink.fault = r->fault;
  options.allocate = heap_allocate;
  options.allocate_context = &r->heap;
  errno = 4711;
  r->w = NULL;
  status = cgw_names_new (&r->scenario.names, &options);
  return status == CGW_OK ? open_writer (r) : status;
}

static void
open_run (struct run *r)
{
  describe (r);
  cr_assert_eq (try_to_open (r), CGW_OK);
}

/* cgw_finish, called again while the hook says EAGAIN.  A hook that never
   says anything else takes bytes again at last.  */
static void
finish_run (struct run *r)
{
  r->status = CGW_EAGAIN;
  for (int tries = 0; r->status == CGW_EAGAIN; tries++)
    {
      cr_assert_lt (tries, 4, "%s: EAGAIN for ever", r->context);
      if (tries == 2)
        r->sink.fault.kind = FAULT_NONE;
      r->status = scenario_finish (r->w, &r->delivered);
    }
}

/* Bytes that may not be from the fault-free stream come only behind a lost
   record.  */
static void
check_prefix (const struct run *r)
{
  if (r->delivered.failed == 0
      || (r->fault.times == FOREVER && r->kind->error != EAGAIN))
    cr_assert (begins_with (r->baseline, &r->sink),
               "%s: the bytes are no prefix", r->context);
}

/* What does not fit at the end is missing, too, although no call was refused;
   but a hook that says EAGAIN is asked until it fits.  */
static void
check_errors (const struct run *r, const struct cgw_stats *s)
{
  const char *context = r->context;
  bool missing = !same_sinks (&r->sink, r->baseline);
  bool is_error = r->kind->error != EAGAIN && !r->kind->invisible;

  cr_assert_eq (r->status,
                missing && is_error ? CGW_EIO : r->delivered.kept, "%s: %s",
                context, cgw_strerror (r->status));
  cr_assert_eq (cgw_error (r->w, NULL), r->status, "%s", context);
  if (r->kind->invisible)
    cr_assert_not (missing, "%s: not invisible", context);
  if (r->status == CGW_EIO)
    cr_assert_eq (cgw_errno (r->w), r->kind->error, "%s", context);
  if (r->status == CGW_OK)
    cr_assert (!missing && s->lost == 0, "%s: %llu lost in silence", context,
               (unsigned long long) s->lost);
  cr_assert_eq (r->delivered.errno_changed, 0, "%s: errno", context);
  cr_assert_geq (s->lost, r->delivered.failed, "%s", context);
}

static void
check_run (const struct run *r)
{
  struct cgw_stats s = CGW_STATS_INIT;
  unsigned flags = reader_flags (r->flags);
  size_t whole = r->sink.n;
  bool given_up;

  cr_assert_eq (cgw_get_stats (r->w, &s), CGW_OK);
  given_up = s.discarded > 0;
  cr_assert_eq (s.written, r->sink.n, "%s: written", r->context);
  cr_assert_eq (s.buffered, 0, "%s: buffered", r->context);
  check_prefix (r);
  check_errors (r, &s);
  /* A hook's bytes cannot be taken back.  */
  if (given_up)
    whole = whole_length (r->sink.bytes, r->sink.n, flags);
  check_conserved (r->w, &r->delivered, r->sink.bytes, whole, !given_up,
                   flags, r->context);
}

/* The next writer, whatever the names met, writes the fault-free stream.  An
   error of the names is one of each file that uses them.  */
static void
check_usable (struct run *r)
{
  enum cgw_status expected = cgw_names_error (r->scenario.names, NULL);

  r->heap.fail_at = 0;
  r->sink.n = 0;
  cgw_free (r->w);
  cr_assert_eq (open_writer (r), CGW_OK);
  cr_assert_eq (cgw_error (r->w, NULL), expected);
  scenario_run (&r->scenario, r->w, &r->delivered, NULL);
  cr_assert_eq (r->delivered.kept, CGW_OK, "%s", r->context);
  cr_assert_eq (scenario_finish (r->w, &r->delivered), expected, "%s: next",
                r->context);
  check_same (r->sink.bytes, r->sink.n, r->baseline, r->context);
}

static void
close_run (struct run *r)
{
  cgw_free (r->w);
  cgw_names_free (r->scenario.names);
  cr_assert_eq (r->heap.live, 0, "%s: %zu blocks leak", r->context,
                r->heap.live);
}

/* Runs all; returns whether the fault struck.  */
static bool
run_with_fault (struct run *r)
{
  bool struck;

  open_run (r);
  scenario_run (&r->scenario, r->w, &r->delivered, NULL);
  finish_run (r);
  struck = r->sink.injected > 0;
  r->first_calls = r->sink.calls;
  r->first_delivered = r->delivered;
  runs += struck;
  faults_injected += r->sink.injected;
  check_run (r);
  close_run (r);
  return struck;
}

/* Every n-th write.  EINTR for ever would be a program that only handles
   signals; a storm of it ends.  */
static void
sweep_writes (struct run *r)
{
  for (size_t k = 0; k < KINDS; k++)
    for (int forever = 0; forever < 2; forever++)
      {
        r->kind = &kinds[k];
        r->fault = (struct fault){ .kind = kinds[k].kind,
                                   .error = kinds[k].error,
                                   .at = 1,
                                   .times = 1 };
        if (forever)
          r->fault.times = kinds[k].error == EINTR ? 50 : FOREVER;
        while (run_with_fault (r))
          r->fault.at++;
        cr_assert_gt (r->fault.at, 1);
      }
}

static void
sweep_sizes (const struct scenario *s, unsigned flags,
             void (*sweep) (struct run *))
{
  struct sink baseline = { 0 };

  scenario_baseline (s, flags, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    {
      struct run r = { .scenario = *s,
                       .baseline = &baseline,
                       .flags = flags,
                       .buffer_size = buffer_sizes[i] };
      sweep (&r);
      sink_free (&r.sink);
    }
  sink_free (&baseline);
}

static void
report (void)
{
  cr_assert_gt (faults_injected, 0);
  print_figure ("fault_runs", runs);
  print_figure ("faults_injected", faults_injected);
}

/* With all encodings, as what is lost is read back from the bytes that are
   held; and with a name longer than a page.  */
Test (faults, every_write)
{
  static const struct scenario
      plain = { .parts = 2, .functions = 20, .records = 60, .patient = true },
      long_name = { .parts = 2, .functions = 20, .records = 60,
                    .long_name = true, .patient = true };

  sweep_sizes (&small_scenario, 0, sweep_writes);
  sweep_sizes (&plain, CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS,
               sweep_writes);
  sweep_sizes (&long_name, 0, sweep_writes);
  report ();
}

/* A disk that gets full at every byte, in make check at every third, and one
   that has space again.  */
static void
sweep_bytes (struct run *r)
{
  static const size_t errors[] = { 4, 5 }; /* all but the first are alike */
  size_t step = SIZES > 1 ? 1 : 3;

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    for (int forever = 0; forever < 2; forever++)
      for (size_t at = 0; at < r->baseline->n; at += step)
        {
          r->kind = &kinds[errors[i]];
          r->fault = (struct fault){ .kind = FAULT_ERRNO,
                                     .error = r->kind->error,
                                     .at_byte = at,
                                     .times = forever ? FOREVER : 1 };
          cr_assert (run_with_fault (r), "%s: did not strike", r->context);
        }
}

Test (faults, every_byte)
{
  static const struct scenario s
      = { .parts = 2, .functions = 8, .records = 30, .patient = true };

  sweep_sizes (&s, CGW_NO_PAD, sweep_bytes);
  report ();
}

/* A fault that loses records, whose report another fault then loses.  */
static void
sweep_pairs (struct run *r)
{
  bool struck = true;

  r->kind = &kinds[6];
  for (size_t at = 1; struck; at++)
    {
      size_t last = at;
      size_t calls = SIZE_MAX;
      while (last < calls)
        {
          r->fault = (struct fault){ .kind = FAULT_ERRNO,
                                     .error = EIO,
                                     .at = at,
                                     .times = 1,
                                     .last = ++last };
          struck = run_with_fault (r);
          calls = r->first_calls;
        }
    }
}

Test (faults, pairs_of_faults)
{
  static const struct scenario s
      = { .parts = 3, .functions = 8, .records = 60, .patient = true };

  sweep_sizes (&s, 0, sweep_pairs);
  report ();
}

/* A record is not lost where a write that took only some of the bytes has
   made room for it.  */
Test (faults, partial_write_makes_room)
{
  static const struct scenario s
      = { .parts = 1, .functions = 8, .records = 200, .no_flush = true };
  struct sink baseline = { 0 };
  struct run r = { .scenario = s,
                   .baseline = &baseline,
                   .kind = &kinds[4],
                   .buffer_size = 1000,
                   .fault = { .kind = FAULT_ERRNO,
                              .error = EAGAIN,
                              .at_byte = 1100,
                              .times = 1 } };

  scenario_baseline (&s, 0, &baseline);
  cr_assert (run_with_fault (&r));
  cr_assert_eq (r.first_delivered.failed, 0);
  sink_free (&r.sink);
  sink_free (&baseline);
}

/* cgw_begin_part writes the first header, and leaves it to the next write when
   that fails.  */
static size_t
length_of_header (const struct sink *file)
{
  const char *last = memmem (file->bytes, file->n, "\nsummary:", 9);

  cr_assert_not_null (last);
  return (size_t) (strchr (last + 1, '\n') + 1 - file->bytes);
}

/* cgw_flush goes on at the same byte: with a flush before each record that is
   tried again, nothing is lost, and the result is the fault-free stream.  */
static void
sweep_resumed (struct run *r)
{
  size_t header = length_of_header (r->baseline);

  for (size_t k = 0; k < KINDS; k++)
    for (size_t at = 0; at < r->baseline->n; at += 23)
      {
        r->kind = &kinds[k];
        r->fault = (struct fault){ .kind = kinds[k].kind,
                                   .error = kinds[k].error,
                                   .at_byte = at,
                                   .times = 1 };
        open_run (r);
        scenario_run (&r->scenario, r->w, &r->delivered, NULL);
        while (cgw_flush (r->w) != CGW_OK)
          r->delivered.failed_flushes++;
        r->sink.fault.kind = FAULT_NONE;
        cr_assert_eq (r->delivered.failed_flushes,
                      !r->kind->invisible && r->sink.injected && at >= header,
                      "%s", r->context);
        cr_assert_eq (scenario_finish (r->w, &r->delivered), CGW_OK, "%s",
                      r->context);
        cr_assert_eq (r->delivered.failed, 0, "%s", r->context);
        check_same (r->sink.bytes, r->sink.n, r->baseline, r->context);
        close_run (r);
        runs++;
        faults_injected += r->sink.injected;
      }
}

Test (faults, flush_resumes)
{
  static const struct scenario s = { .parts = 2,
                                     .functions = 8,
                                     .records = 60,
                                     .patient = true,
                                     .flush_often = true };
  struct sink baseline = { 0 };
  struct run r = { .scenario = s, .baseline = &baseline };

  scenario_baseline (&s, 0, &baseline);
  sweep_resumed (&r);
  report ();
  sink_free (&r.sink);
  sink_free (&baseline);
}

/* A descriptor that fails is not tried again for each record.  */
Test (faults, records_do_not_try_again)
{
  static const struct scenario s
      = { .parts = 1, .functions = 8, .records = 200, .no_flush = true };
  struct run r = { .scenario = s,
                   .kind = &kinds[5],
                   .buffer_size = 1,
                   .fault = { .kind = FAULT_ERRNO,
                              .error = ENOSPC,
                              .at = 50,
                              .times = FOREVER } };

  open_run (&r);
  scenario_run (&r.scenario, r.w, &r.delivered, NULL);
  cr_assert_eq (r.sink.calls, 50);
  cr_assert_gt (r.delivered.failed, 100);
  cr_assert_eq (scenario_finish (r.w, &r.delivered), CGW_EIO);
  close_run (&r);
  sink_free (&r.sink);
}

/* While the descriptor fails, cgw_error says so; it does not once a flush
   went well and nothing was lost.  */
Test (faults, error_while_failing)
{
  struct sink baseline = { 0 };
  struct run r = { .scenario = small_scenario,
                   .baseline = &baseline,
                   .kind = &kinds[5],
                   .fault = { .kind = FAULT_ERRNO,
                              .error = ENOSPC,
                              .at = 2, /* the header is the first write */
                              .times = 1 } };

  r.scenario.stop = 50;
  open_run (&r);
  scenario_run (&r.scenario, r.w, &r.delivered, NULL);
  cr_assert_eq (cgw_error (r.w, NULL), CGW_OK);
  cr_assert_eq (cgw_flush (r.w), CGW_EIO);
  cr_assert_eq (cgw_error (r.w, NULL), CGW_EIO);
  cr_assert_eq (cgw_errno (r.w), ENOSPC);
  cr_assert_eq (cgw_flush (r.w), CGW_OK);
  cr_assert_eq (cgw_error (r.w, NULL), CGW_OK);
  cr_assert_eq (scenario_finish (r.w, &r.delivered), CGW_OK);
  cr_assert_eq (scenario_finish (r.w, &r.delivered), CGW_EFINISHED);
  close_run (&r);
  sink_free (&r.sink);
  sink_free (&baseline);
}

/* cgw_error says what the file lacks that cgw_salvage has ended, not what failed
   before.  */
static void
salvage_after_a_failure (int error, enum cgw_status status,
                         enum cgw_status first)
{
  struct run r = { .scenario = small_scenario,
                   .kind = &kinds[5],
                   .fault = { .kind = FAULT_ERRNO,
                              .error = ENOSPC,
                              .at = 2,
                              .times = 1 } };

  r.scenario.stop = 50;
  open_run (&r);
  scenario_run (&r.scenario, r.w, &r.delivered, NULL);
  cr_assert_eq (cgw_flush (r.w), CGW_EIO);
  r.sink.fault = (struct fault){ .kind = error != 0 ? FAULT_ERRNO : FAULT_NONE,
                                 .error = error,
                                 .at = 1,
                                 .times = FOREVER };
  cr_assert_eq (cgw_salvage (r.w), status);
  cr_assert_eq (cgw_error (r.w, NULL), first);
  close_run (&r);
  sink_free (&r.sink);
}

Test (faults, salvaged_after_a_failure)
{
  salvage_after_a_failure (0, CGW_OK, CGW_OK);
  salvage_after_a_failure (EAGAIN, CGW_EAGAIN, CGW_ELOST);
  salvage_after_a_failure (ENOSPC, CGW_EIO, CGW_EIO);
}

/* Allocations.  */

/* Nothing has changed where memory failed, so a call that is made again gives
   what it would have given; the error stays.  */
static void
check_starved (struct run *r)
{
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status expected, status;

  scenario_run (&r->scenario, r->w, &r->delivered, NULL);
  expected = r->delivered.kept != CGW_OK
                 ? r->delivered.kept
                 : cgw_names_error (r->scenario.names, NULL);
  cr_assert_eq (cgw_error (r->w, NULL), expected, "%s", r->context);
  status = scenario_finish (r->w, &r->delivered);
  cr_assert_eq (status, expected, "%s: %s", r->context,
                cgw_strerror (status));
  cr_assert_eq (r->delivered.failed, 0, "%s", r->context);
  cr_assert_eq (r->delivered.errno_changed, 0, "%s", r->context);
  check_conserved (r->w, &r->delivered, r->sink.bytes, r->sink.n,
                   r->delivered.records > 0, 0, r->context);
  if (expected != CGW_OK && (r->heap.forever || !r->scenario.patient))
    return;
  cr_assert (expected == CGW_OK || expected == CGW_ENOMEM, "%s", r->context);
  cr_assert_eq (cgw_get_stats (r->w, &s), CGW_OK);
  cr_assert_eq (s.names_changed, ESCAPED_NAMES, "%s", r->context);
  check_same (r->sink.bytes, r->sink.n, r->baseline, r->context);
}

static void
sweep_allocations (struct run *r, bool forever)
{
  bool struck = true;

  for (size_t n = 1; struck; n++)
    {
      enum cgw_status status;

      snprintf (r->context, sizeof r->context,
                "allocation %zu fails%s, buffer %zu", n,
                forever ? " and all after it" : "", r->buffer_size);
      r->heap = (struct heap){ .fail_at = n, .forever = forever };
      status = try_to_open (r);
      runs++;
      if (status == CGW_OK)
        {
          check_starved (r);
          struck = r->heap.failed > 0;
          check_usable (r);
        }
      else
        {
          cr_assert_eq (status, CGW_ENOMEM, "%s", r->context);
          cr_assert_null (r->w, "%s", r->context);
          cr_assert_eq (errno, 4711, "%s", r->context);
          cr_assert_eq (r->sink.n, 0, "%s", r->context);
        }
      allocations_failed += r->heap.failed;
      close_run (r);
    }
}

Test (faults, every_allocation)
{
  struct sink baseline = { 0 };
  struct run r = { .scenario = { .parts = 3,
                                 .functions = 300,
                                 .records = 300,
                                 .long_name = true },
                   .baseline = &baseline };

  scenario_baseline (&r.scenario, 0, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    for (int patient = 0; patient < 2; patient++)
      for (int forever = 0; forever < 2; forever++)
        {
          r.buffer_size = buffer_sizes[i];
          r.scenario.patient = patient;
          sweep_allocations (&r, forever);
        }
  print_figure ("fault_runs", runs);
  print_figure ("allocations_failed", allocations_failed);
  sink_free (&r.sink);
  sink_free (&baseline);
}
