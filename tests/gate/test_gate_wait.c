/* test_gate_wait.c - CGW_WAIT: threads and slow descriptors that lose nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite (gate_wait, .timeout = 300);

enum
{
  THREADS_MOST = 8,
  LOADS = 2 /* threads that only take time from the others */
};

static struct cgw_writer *writer;
static struct cgw_fn fn;
static unsigned long records; /* of each thread */
static atomic_ulong taken;
static atomic_bool enough;

static void
open_writer (int fd, unsigned flags)
{
  static const struct cgw_event event = { "Ir", NULL, NULL };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;

  o.flags = flags;
  o.queue_slots = 1;
  o.buffer_size = 8192;
  cr_assert_eq (cgw_new (&writer, test_names (), fd, &o), CGW_OK);
  fn = cgw_add_fn (test_names (), "f", (struct cgw_file){ 0 },
                   (struct cgw_object){ 0 });
  part.events = &event;
  part.n_events = 1;
  cr_assert_eq (cgw_begin_part (writer, &part), CGW_OK);
  taken = 0;
}

/* Records that cost 1 each, and a call now and then.  */
static void *
record (void *argument)
{
  struct cgw_pos pos = { .fn = fn };
  const uint64_t one = 1;
  unsigned long n = 0;

  (void) argument;
  for (unsigned long i = 0; i < records; i++)
    {
      pos.line = (uint32_t) (i % 1000);
      n += cgw_cost (writer, &pos, &one, 1) == CGW_OK;
      if (i % 100 == 0)
        n += cgw_call (writer, &pos, &pos, 1, &one, 1) == CGW_OK;
    }
  taken += n;
  return NULL;
}

static void *
take_time (void *argument)
{
  (void) argument;
  while (!enough)
    continue;
  return NULL;
}

static uint64_t
processor_ns (pthread_t thread)
{
  struct timespec t;
  clockid_t clock;

  cr_assert_eq (pthread_getcpuclockid (thread, &clock), 0);
  cr_assert_eq (clock_gettime (clock, &t), 0);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

static atomic_ulong ns_of_threads;

static void *
record_timed (void *argument)
{
  record (argument);
  ns_of_threads += processor_ns (pthread_self ());
  return NULL;
}

/* Lets n threads record, beside others that only take time.  */
static void
run_threads (unsigned n)
{
  pthread_t threads[THREADS_MOST], loads[LOADS];

  enough = false;
  ns_of_threads = 0;
  for (int i = 0; i < LOADS; i++)
    cr_assert_eq (pthread_create (&loads[i], NULL, take_time, NULL), 0);
  for (unsigned i = 0; i < n; i++)
    cr_assert_eq (pthread_create (&threads[i], NULL, record_timed, NULL), 0);
  for (unsigned i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
  enough = true;
  for (int i = 0; i < LOADS; i++)
    pthread_join (loads[i], NULL);
}

/* Everything that n threads submitted is recorded; the figure is processor
   time.  */
static void
lose_nothing (unsigned n)
{
  unsigned long all = n * (records + (records + 99) / 100);
  struct cgw_stats s = CGW_STATS_INIT;
  int fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  uint64_t cost;
  char name[60];

  s.n_costs = 1;
  s.recorded_costs = &cost;
  open_writer (fd, CGW_THREADS | CGW_WAIT);
  run_threads (n);
  cr_expect_eq (cgw_finish (writer), CGW_OK);
  cr_assert_eq (cgw_get_stats (writer, &s), CGW_OK);
  cr_expect_eq (taken, all);
  cr_expect_eq (s.recorded, all);
  cr_expect_eq (s.lost, 0);
  cr_expect_eq (cost, n * records);
  cgw_free (writer);
  close (fd);
  snprintf (name, sizeof name, "ps_per_record_of_%u_waiting_threads", n);
  print_figure (name, ns_of_threads * 1000 / all);
}

Test (gate_wait, threads_lose_nothing)
{
  static const unsigned threads[] = { 1, 4, THREADS_MOST };

  records = getenv ("CGW_STRESS") != NULL ? 1000000 : 100000;
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
    lose_nothing (threads[i]);
}

/* The control: without CGW_WAIT the same threads lose records.  */
Test (gate_wait, threads_that_do_not_wait_lose)
{
  struct cgw_stats s = CGW_STATS_INIT;
  int fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);

  records = 1000000;
  open_writer (fd, CGW_THREADS);
  run_threads (4);
  cr_assert_eq (cgw_get_stats (writer, &s), CGW_OK);
  cr_expect_gt (s.lost_busy, 0);
  cr_expect_eq (cgw_finish (writer), CGW_ELOST);
  cgw_free (writer);
  close (fd);
}

/* A pipe that is read at a megabyte per second.  */

static struct sink piped;

static void *
read_slowly (void *argument)
{
  static const struct timespec one_ms = { 0, 1000000 };
  int fd = *(int *) argument;
  char bytes[1000];
  ssize_t n;

  while ((n = read (fd, bytes, sizeof bytes)) > 0)
    {
      sink_write (&piped, bytes, (size_t) n);
      nanosleep (&one_ms, NULL);
    }
  return NULL;
}

static void
write_to_slow_pipe (unsigned flags, unsigned threads)
{
  struct profile *p;
  pthread_t reader;
  int ends[2];

  piped.n = 0;
  records = 100000 / threads;
  cr_assert_eq (pipe2 (ends, O_CLOEXEC), 0);
  cr_assert_eq (fcntl (ends[1], F_SETFL, O_NONBLOCK), 0);
  cr_assert_eq (pthread_create (&reader, NULL, read_slowly, &ends[0]), 0);
  open_writer (ends[1], flags);
  run_threads (threads);
  cr_expect_eq (cgw_finish (writer), CGW_OK);
  cgw_free (writer);
  close (ends[1]);
  pthread_join (reader, NULL);
  close (ends[0]);
  p = must_read (piped.bytes, piped.n, READER_STRICT, "a slow pipe");
  cr_expect_eq (p->cost_lines + p->calls,
                threads * (records + (records + 99) / 100));
  cr_expect_eq (profile_self (p, NULL, NULL, "f", 0), threads * records);
  profile_free (p);
}

Test (gate_wait, a_slow_pipe_loses_nothing)
{
  write_to_slow_pipe (CGW_WAIT, 1);
  write_to_slow_pipe (CGW_THREADS | CGW_WAIT, 4);
  sink_free (&piped);
}

static struct gate g;

/* A handler does not wait for the call that it interrupted, and the library
   does not wait for a hook.  */

static void
record_in_write (struct gate *gate)
{
  gate_records (gate);
}

Test (gate_wait, a_handler_is_deferred)
{
  static const unsigned flags[] = { CGW_WAIT, CGW_THREADS | CGW_WAIT };

  for (int i = 0; i < 2; i++)
    {
      struct cgw_options o = CGW_OPTIONS_INIT;

      o.flags = flags[i];
      gate_open (&g, &o, -1);
      cr_assert_eq (gate_begin (&g, 2), CGW_OK);
      gate_records (&g);
      g.in_write = record_in_write;
      cr_expect_eq (cgw_flush (g.w), CGW_OK);
      g.in_write = NULL;
      cr_expect_eq (g.ledger.by_status[CGW_OK], 2 * GATE_KINDS);
      gate_end (&g, CGW_OK, "a handler beside CGW_WAIT");
    }
}

Test (gate_wait, a_hook_is_not_waited_for)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_WAIT;
  o.buffer_size = 1;
  gate_open (&g, &o, -1);
  g.fail = EAGAIN;
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  cr_expect_eq (gate_record (&g, GATE_COST), CGW_EAGAIN);
  g.fail = 0;
  gate_end (&g, CGW_ELOST, "a hook that takes nothing");
}
