/* test_profile_faults.c - aggregation: every error by name; after a failure
   nothing has changed; descriptors that fail or are slow; fork, handlers,
   threads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"
#include "test_profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Errors of arguments.  */

static const struct cgw_pos unknown;
static const uint64_t costs[3] = { 1, 2, 3 };

Test (profile_faults, new)
{
  struct cgw_profile *p = (struct cgw_profile *) &p;
  struct written f;

  written_open (&f, NULL);
  cr_assert_eq (cgw_profile_new (NULL, f.w, 1, 0), CGW_EINVAL);
  cr_assert_eq (cgw_profile_new (&p, NULL, 1, 0), CGW_EINVAL);
  cr_assert_null (p);
  cr_assert_eq (cgw_profile_new (&p, f.w, 0, 0), CGW_EINVAL);
  cr_assert_eq (cgw_profile_new (&p, f.w, CGW_EVENTS_MAX + 1, 0), CGW_EINVAL);
  cr_assert_eq (cgw_profile_new (&p, f.w, 1, 4), CGW_EINVAL);
  cr_assert_null (p);
  cr_assert_eq (cgw_profile_new (&p, f.w, CGW_EVENTS_MAX, 3), CGW_OK);
  cgw_profile_free (p);
  cgw_profile_free (NULL);
  cgw_profile_clear (NULL);
  written_free (&f);
}

Test (profile_faults, cost)
{
  struct cgw_pos bad = { .fn = { 1 } }, bad_file = { .file = { 1 } };
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);

  cr_assert_eq (cgw_profile_cost (NULL, &unknown, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_cost (p, NULL, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_cost (p, &unknown, NULL, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_cost (p, &unknown, costs, 3), CGW_ECOSTS);
  cr_assert_eq (cgw_profile_cost (p, &bad, costs, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_profile_cost (p, &bad_file, costs, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_error (f.w), CGW_OK);
  cr_assert_eq (cgw_profile_cost (p, &unknown, NULL, 0), CGW_OK);
  cgw_profile_free (p);
  written_free (&f);
}

Test (profile_faults, call)
{
  struct cgw_pos bad = { .fn = { 1 } }, bad_file = { .file = { 1 } };
  const struct cgw_pos *pos = &unknown;
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);

  cr_assert_eq (cgw_profile_call (NULL, pos, pos, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_call (p, NULL, pos, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_call (p, pos, NULL, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_call (p, pos, pos, 0, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_call (p, pos, pos, 1, NULL, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_call (p, pos, pos, 1, costs, 3), CGW_ECOSTS);
  cr_assert_eq (cgw_profile_call (p, &bad, pos, 1, costs, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_profile_call (p, pos, &bad, 1, costs, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_profile_call (p, &bad_file, pos, 1, costs, 1),
                CGW_EHANDLE);
  cr_assert_eq (cgw_profile_call (p, pos, pos, 1, NULL, 0), CGW_OK);
  cgw_profile_free (p);
  written_free (&f);
}

Test (profile_faults, stack)
{
  struct cgw_pos frames[3] = { { .line = 1 }, { .line = 2 }, { .line = 3 } };
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);

  cr_assert_eq (cgw_profile_stack (NULL, frames, 3, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_stack (p, NULL, 3, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_stack (p, frames, 0, 1, costs, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_stack (p, frames, 3, 1, NULL, 1), CGW_EINVAL);
  cr_assert_eq (cgw_profile_stack (p, frames, 3, 1, costs, 3), CGW_ECOSTS);
  for (int i = 0; i < 3; i++)
    {
      frames[i].fn.handle = 1;
      cr_assert_eq (cgw_profile_stack (p, frames, 3, 1, costs, 1), CGW_EHANDLE);
      frames[i].fn.handle = 0;
    }
  cr_assert_eq (cgw_profile_stack (p, frames, 3, 1, costs, 2), CGW_OK);
  cgw_profile_free (p);
  written_free (&f);
}

Test (profile_faults, write)
{
  struct cgw_part part = two_events (CGW_LINE), other = part;
  uint64_t larger[32] = { sizeof larger, 0 };
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);

  cr_assert_eq (cgw_profile_write (NULL, &part), CGW_EINVAL);
  cr_assert_eq (cgw_profile_write (p, NULL), CGW_EINVAL);
  other.n_events = 1;
  cr_assert_eq (cgw_profile_write (p, &other), CGW_EINVAL);
  other.events = NULL;
  cr_assert_eq (cgw_profile_write (p, &other), CGW_EINVAL);
  other = part;
  other.positions = CGW_INSTR;
  cr_assert_eq (cgw_profile_write (p, &other), CGW_EINVAL);
  memcpy (larger, &part, sizeof part);
  larger[0] = sizeof larger;
  larger[31] = 1; /* a member that is not known */
  cr_assert_eq (cgw_profile_write (p, (struct cgw_part *) larger),
                CGW_EINVAL);
  other = part;
  other.n_summary = 2;
  cr_assert_eq (cgw_profile_write (p, &other), CGW_EINVAL);
  cr_assert_eq (cgw_finish (f.w), CGW_EINVAL);
  cr_assert_eq (f.n, 0);
  part.positions = 0; /* means CGW_LINE */
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cr_assert_eq (cgw_finish (f.w), CGW_OK);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_EFINISHED);
  cgw_profile_free (p);
  written_free (&f);
}

/* Sums at their end: one more is refused, and leaves no trace.  */

static void
at_the_end (struct cgw_profile *p, struct cgw_fn a, struct cgw_fn b, bool more)
{
  static const uint64_t most[] = { UINT64_MAX - 10, 0 }, ten = 10, eleven = 11;
  struct cgw_pos frames[] = { written_line (b, 1), written_line (a, 2) };
  struct cgw_pos new[] = { written_line (b, 9), written_line (a, 8) };

  cr_assert_eq (cgw_profile_cost (p, &frames[0], most, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (p, &frames[1], &frames[0],
                                  UINT64_MAX - 2, most, 2), CGW_OK);
  if (more)
    {
      cr_assert_eq (cgw_profile_cost (p, &new[0], &eleven, 1), CGW_EOVERFLOW);
      cr_assert_eq (cgw_profile_stack (p, new, 2, 1, &eleven, 1),
                    CGW_EOVERFLOW);
      cr_assert_eq (cgw_profile_call (p, &frames[1], &frames[0], 1, &eleven,
                                      1), CGW_EOVERFLOW);
      cr_assert_eq (cgw_profile_call (p, &frames[1], &frames[0], 3, NULL, 0),
                    CGW_EOVERFLOW);
    }
  cr_assert_eq (cgw_profile_stack (p, frames, 2, 1, &ten, 1), CGW_OK);
  if (more)
    {
      uint64_t one = 1;
      cr_assert_eq (cgw_profile_cost (p, &new[0], &one, 1), CGW_EOVERFLOW);
      cr_assert_eq (cgw_profile_stack (p, new, 1, 1, &one, 1), CGW_EOVERFLOW);
      cr_assert_eq (cgw_profile_call (p, &frames[1], &frames[0], 1, &one, 1),
                    CGW_EOVERFLOW);
    }
  cr_assert_eq (cgw_profile_stack (p, frames, 2, 1, NULL, 0), CGW_OK);
  if (more) /* the calls are at their end, too */
    cr_assert_eq (cgw_profile_stack (p, frames, 2, 1, NULL, 0), CGW_EOVERFLOW);
}

Test (profile_faults, overflow)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct written f[2];

  for (int more = 0; more < 2; more++)
    {
      struct cgw_profile *p
          = new_profile (written_open (&f[more], NULL), CGW_LINE);
      struct cgw_fn a = written_fn (f[more].w, NULL, NULL, "a");
      struct cgw_fn b = written_fn (f[more].w, NULL, NULL, "b");

      at_the_end (p, a, b, more != 0);
      cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
      cgw_profile_free (p);
      written_end (&f[more], more ? CGW_EOVERFLOW : CGW_OK);
      cr_assert (f[more].profile->parts[0].has_totals);
      cr_assert_eq (f[more].profile->parts[0].summary[0], UINT64_MAX);
    }
  cr_assert_str_eq (f[0].bytes, f[1].bytes);
  written_free (&f[0]);
  written_free (&f[1]);
}

/* In recursion the inner edges get no cost: they cannot overflow by it.  */
Test (profile_faults, no_overflow_of_nothing)
{
  static const uint64_t most = UINT64_MAX, one = 1;
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);
  struct cgw_fn fn = written_fn (f.w, NULL, NULL, "f");
  struct cgw_pos frames[] = { written_line (fn, 1), written_line (fn, 2),
                              written_line (fn, 3) };

  cr_assert_eq (cgw_profile_call (p, &frames[1], &frames[0], 1, &most, 1),
                CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, frames, 3, 1, &one, 1), CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, frames, 2, 1, &one, 1), CGW_EOVERFLOW);
  cgw_profile_free (p);
  written_free (&f);
}

/* Memory: each allocation fails once, or all do from one on.  */

/* Calls that failed are made again, if `again`; errno must stay.  */
static bool
ok (enum cgw_status status, bool *again)
{
  cr_assert_eq (errno, 77, "errno was changed");
  if (status == CGW_OK)
    return true;
  cr_assert_eq (status, CGW_ENOMEM, "%s", cgw_strerror (status));
  return !*again;
}

static void
add_much (struct cgw_profile *p, const struct world *world, bool again)
{
  uint64_t seed = 5;

  for (unsigned i = 0; i < 1000; i++)
    {
      uint64_t cost[COSTS] = { i, 1 };
      struct cgw_pos at[20];

      for (unsigned j = 0; j < 20; j++)
        at[j] = (struct cgw_pos){ .fn = world->fns[below (&seed, FNS)],
                                  .line = (uint32_t) below (&seed, 9) };
      while (!ok (cgw_profile_cost (p, &at[0], cost, COSTS), &again))
        continue;
      while (!ok (cgw_profile_call (p, &at[0], &at[1], 1, cost, 1), &again))
        continue;
      while (!ok (cgw_profile_stack (p, at, 20, 1, cost, COSTS), &again))
        continue;
    }
}

/* Returns whether an allocation failed.  */
static bool
run_short_of_memory (struct written *f, size_t fail_at, bool forever)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct heap heap = { 0 };
  struct cgw_profile *p = NULL;
  struct world world;
  bool again = !forever;

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  written_open (f, &o);
  add_world (&world, f->w, 1);
  heap.fail_at = fail_at != 0 ? heap.calls + fail_at : 0;
  heap.forever = forever;
  errno = 77;
  while (!ok (cgw_profile_new (&p, f->w, COSTS, 0), &again))
    cr_assert_null (p);
  if (p != NULL)
    {
      add_much (p, &world, again);
      while (!ok (cgw_profile_write (p, &part), &again))
        cr_assert_eq (f->n, 0);
    }
  errno = 0;
  cgw_profile_free (p);
  if (forever)
    cgw_free (f->w);
  else
    written_end (f, heap.failed ? (enum cgw_status) cgw_error (f->w) : CGW_OK);
  f->w = NULL;
  cr_assert_eq (heap.live, 0, "%zu blocks leak", heap.live);
  return heap.failed > 0;
}

Test (profile_faults, memory)
{
  struct written whole, f;
  size_t n = 1;

  run_short_of_memory (&whole, 0, false);
  while (run_short_of_memory (&f, n, false))
    {
      cr_assert_str_eq (f.bytes, whole.bytes, "allocation %zu failed", n);
      written_free (&f);
      n++;
    }
  written_free (&f);
  written_free (&whole);
  cr_assert_gt (n, 30);
  print_figure ("profile_allocations_failed", n - 1);
}

Test (profile_faults, no_memory)
{
  struct written f;

  for (size_t n = 1; run_short_of_memory (&f, n, true); n++)
    written_free (&f);
  written_free (&f);
}

/* Descriptors.  */

enum { LINES = 20000 };

static struct cgw_profile *
fill (struct cgw_writer *w, uint64_t sums[COSTS])
{
  struct cgw_profile *p = new_profile (w, CGW_LINE);
  struct cgw_fn fn = written_fn (w, NULL, NULL, "f");

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
  int fds[2];

  o.buffer_size = 100;
  cr_assert_eq (pipe (fds), 0);
  cr_assert_eq (fcntl (fds[1], F_SETFL, O_NONBLOCK), 0);
  cr_assert_eq (cgw_new (&w, fds[1], &o), CGW_OK);
  p = fill (w, sums);
  reader = reader_start (&sink, fds[0], true);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cgw_profile_free (p);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
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
  cr_assert_eq (cgw_new (&w, -1, &o), CGW_OK);
  p = fill (w, sums);
  cr_assert_eq (cgw_profile_write (p, &part), expected);
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
  cr_assert_eq (cgw_reset (w, -1), CGW_OK);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
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
  cr_assert_eq (cgw_new (&w, -1, &o), CGW_OK);
  p = fill (w, sums);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cr_assert_leq (sink.calls, sink.n / 65536 + 3);
  cgw_profile_free (p);
  cgw_free (w);
  sink_free (&sink);
}

/* Who is inside.  */

static ssize_t
write_from_within (void *context, const void *bytes, size_t n)
{
  struct cgw_profile **p = context;
  struct cgw_part part = two_events (CGW_LINE);

  (void) bytes;
  cr_assert_eq (cgw_profile_cost (*p, &unknown, NULL, 0), CGW_EBUSY);
  cr_assert_eq (cgw_profile_call (*p, &unknown, &unknown, 1, NULL, 0),
                CGW_EBUSY);
  cr_assert_eq (cgw_profile_stack (*p, &unknown, 1, 1, NULL, 0), CGW_EBUSY);
  cr_assert_eq (cgw_profile_write (*p, &part), CGW_EBUSY);
  return (ssize_t) n;
}

Test (profile_faults, inside_a_call)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_profile *p;
  struct cgw_writer *w;

  o.write = write_from_within;
  o.write_context = &p;
  cr_assert_eq (cgw_new (&w, -1, &o), CGW_OK);
  p = new_profile (w, CGW_LINE);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cr_assert_eq (cgw_flush (w), CGW_OK);
  cgw_profile_free (p);
  cgw_free (w);
}

/* A child may feed its copy of the profile, but not write it before the writer
   lives again.  */
static int
in_child (struct cgw_writer *w, struct cgw_profile *p)
{
  struct cgw_part part = two_events (CGW_LINE);

  if (cgw_profile_cost (p, &unknown, NULL, 0) != CGW_OK
      || cgw_profile_stack (p, &unknown, 1, 1, NULL, 0) != CGW_OK
      || cgw_profile_call (p, &unknown, &unknown, 1, NULL, 0) != CGW_OK
      || cgw_profile_write (p, &part) != CGW_EFORK)
    return 1;
  if (cgw_reset (w, -1) != CGW_OK
      || cgw_profile_cost (p, &unknown, costs, 1) != CGW_OK
      || cgw_profile_write (p, &part) != CGW_OK)
    return 2;
  return 0;
}

Test (profile_faults, fork)
{
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);
  int status;
  pid_t child = fork ();

  if (child == 0)
    _exit (in_child (f.w, p));
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert (WIFEXITED (status));
  cr_assert_eq (WEXITSTATUS (status), 0);
  cgw_profile_free (p);
  written_free (&f);
}

/* Handlers get in while many names are sorted.  The writer's memory is in
   pages that fault at their first use, and the handler of the fault makes a
   record: so the sort is interrupted each time that it comes to names it has
   not yet seen, hundreds of times.  Now and then it must write the deferred
   records, for there are places for a few only.  (The profile is empty:
   nothing but the sort looks at the names.)  */

#define ARENA_SIZE ((size_t) 32 << 20)
#define ARENA_PAGE ((uintptr_t) sysconf (_SC_PAGESIZE))

static struct
{
  struct cgw_writer *w;
  unsigned char *bytes;
  size_t used;
  volatile unsigned faults;
} arena;

/* Each block has its length before it, and pages of its own.  Nothing is used
   twice.  */
static void *
arena_allocate (void *context, void *p, size_t n)
{
  size_t page = ARENA_PAGE;
  size_t *block = (size_t *) (void *) (arena.bytes + arena.used);

  (void) context;
  if (n == 0)
    return NULL;
  arena.used += (2 * sizeof *block + n + page - 1) / page * page;
  cr_assert_leq (arena.used, ARENA_SIZE);
  block[0] = n;
  if (p != NULL)
    {
      size_t old = ((size_t *) p)[-2];
      memcpy (block + 2, p, old < n ? old : n);
    }
  return block + 2;
}

static void
on_fault (int number, siginfo_t *info, void *context)
{
  uintptr_t page = (uintptr_t) info->si_addr & ~(ARENA_PAGE - 1);
  uint64_t one = 1;

  (void) context;
  if (page - (uintptr_t) arena.bytes >= ARENA_SIZE)
    signal (number, SIG_DFL); /* not ours */
  mprotect ((void *) page, ARENA_PAGE, PROT_READ | PROT_WRITE);
  arena.faults++;
  cgw_cost (arena.w, &unknown, &one, 1);
}

static ssize_t
discard (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes;
  return (ssize_t) n;
}

Test (profile_faults, handlers_while_sorting)
{
  enum { NAMES = 40000 };
  struct sigaction action = { .sa_sigaction = on_fault,
                              .sa_flags = SA_SIGINFO | SA_NODEFER };
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_stats s = CGW_STATS_INIT;
  struct cgw_profile *p;

  arena.bytes = mmap (NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq (arena.bytes, MAP_FAILED);
  o.allocate = arena_allocate;
  o.write = discard;
  o.queue_slots = 16;
  cr_assert_eq (cgw_new (&arena.w, -1, &o), CGW_OK);
  p = new_profile (arena.w, CGW_LINE);
  for (unsigned i = 0; i < NAMES; i++)
    {
      char name[30];
      snprintf (name, sizeof name, "%u", (i * 2654435761u) ^ 12345);
      written_fn (arena.w, NULL, NULL, name);
    }
  cr_assert_eq (cgw_begin_part (arena.w, &part), CGW_OK);
  cr_assert_eq (sigaction (SIGSEGV, &action, NULL), 0);
  cr_assert_eq (mprotect (arena.bytes, arena.used, PROT_NONE), 0);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cr_assert_eq (cgw_get_stats (arena.w, &s), CGW_OK);
  cr_assert_gt (arena.faults, 300);
  cr_assert_eq (s.lost, 0, "%llu lost", (unsigned long long) s.lost);
  cr_assert_eq (s.recorded, arena.faults);
  cgw_profile_free (p);
  cgw_free (arena.w);
  munmap (arena.bytes, ARENA_SIZE);
}

/* Another thread adds names, and writes records, while the names are sorted
   and written.  */

struct other
{
  struct cgw_writer *w;
  volatile bool stop;
  uint64_t records;
};

static void *
use_writer (void *context)
{
  struct other *o = context;
  uint64_t one = 1;

  for (unsigned i = 0; i < 3000; i++)
    {
      char name[20];
      struct cgw_pos pos;

      snprintf (name, sizeof name, "other%u", i);
      pos = written_line (written_fn (o->w, name, name, name), 1);
      cr_assert_eq (cgw_cost (o->w, &pos, &one, 1), CGW_OK);
      o->records++;
    }
  return NULL;
}

Test (profile_faults, threads)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct other o = { 0 };
  uint64_t sums[COSTS] = { 0 };
  struct cgw_profile *p;
  struct written f;
  pthread_t thread;

  options.flags = CGW_THREADS;
  options.queue_slots = 1 << 16;
  o.w = written_open (&f, &options);
  p = fill (f.w, sums);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_assert_eq (pthread_create (&thread, NULL, use_writer, &o), 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cr_assert_eq (pthread_join (thread, NULL), 0);
  cgw_profile_free (p);
  written_end (&f, CGW_OK);
  cr_assert_eq (profile_total (f.profile, 0).value, 3 * sums[0] + o.records);
  written_free (&f);
}
