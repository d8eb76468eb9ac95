/* test_turmoil.c - what happens to threads and processes that record: they are
   cancelled, they fork, they are stopped; and the disk is full from time to
   time.

   Nobody who was not killed leaves anything unfinished: what was delivered is
   in the file, or lost and counted.  Each test takes 1 s, or as many as
   CGW_STRESS in the environment says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite (turmoil, .timeout = 36000);

enum { THREADS = 4 };

static uint64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

static uint64_t
end_of_turmoil (void)
{
  return now () + (uint64_t) (stress_seconds () * 1e9);
}

static uint32_t
next_random (uint32_t *random)
{
  *random = *random * 1664525 + 1013904223;
  return *random >> 8;
}

static void
sleep_us (long us)
{
  nanosleep (&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

/* The writer that all threads share, and a profile for each.  */

static struct cgw_names *names;
static struct cgw_writer *w;
static struct cgw_fn fns[8];
static const struct cgw_event event = { "N", NULL, NULL };
static const uint64_t one = 1;

static struct cgw_part
some_part (void)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  return part;
}

static void
open_writer (int fd, unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = some_part ();
  char name[] = "f0";

  o.flags = flags;
  o.buffer_size = 1000;
  o.queue_slots = 1 << 16;
  names = make_names (NULL);
  cr_assert_eq (cgw_new (&w, names, fd, &o), CGW_OK);
  for (unsigned i = 0; i < 8; i++, name[1]++)
    fns[i] = cgw_add_fn (names, name, cgw_add_file (names, "turmoil.c"),
                         (struct cgw_object){ 0 });
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
}

static struct cgw_pos
some_place (uint32_t random)
{
  return (struct cgw_pos){ .fn = fns[random % 8], .line = random / 8 % 100 };
}

/* Threads that are cancelled.  */

struct victim
{
  pthread_t id;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  uint32_t random;
  uint64_t clock;
  /* Over all lives of the thread: */
  uint64_t in_profile;        /* self costs */
  _Atomic uint64_t in_writer; /* records */
  _Atomic bool inside;        /* a call */
  unsigned wrong;
};

/* A hook, which makes a call that is a cancellation point.  */
static ssize_t
pack_here (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  pthread_testcancel ();
  return (ssize_t) n;
}

static enum cgw_status
call_something (struct victim *v)
{
  uint32_t r = next_random (&v->random);
  struct cgw_pos at = some_place (r), to = some_place (r / 3);
  struct cgw_part part = some_part ();
  struct cgw_stats stats = CGW_STATS_INIT;
  char name[30];

  v->clock++;
  switch (r % 20)
    {
    case 0:
      return cgw_profile_pack (v->p, pack_here, NULL);
    case 1:
      return cgw_flush (w);
    case 2:
      return cgw_comment (w, "a comment");
    case 3:
      return cgw_get_stats (w, &stats);
    case 4:
      return cgw_begin_part (w, &part);
    case 5:
    case 6:
      snprintf (name, sizeof name, "name %u", r % 5000);
      return cgw_add_fn (names, name, cgw_add_file (names, name),
                         (struct cgw_object){ 0 }).handle != 0
                 ? CGW_OK
                 : cgw_names_error (names, NULL);
    case 7:
      return cgw_profile_stack (v->p, &at, 1, 1, NULL, 0);
    case 8:
      return cgw_profile_call (v->p, &at, &to, 1, NULL, 0);
    case 9:
      return cgw_tracer_enter (v->t, &at, &to, 1, &v->clock);
    case 10:
      return cgw_tracer_unwind (v->t, 0, &v->clock);
    case 11:
      return cgw_names_explain (names) != NULL ? CGW_OK : CGW_EINVAL;
    case 12:
    case 13:
    case 14:
      v->in_profile++;
      return cgw_profile_cost (v->p, &at, &one, 1);
    case 15:
      v->in_writer++;
      return cgw_call (w, &at, &to, 1, &one, 1);
    default:
      v->in_writer++;
      return cgw_cost (w, &at, &one, 1);
    }
}

/* The only cancellation point is between the calls.  */
static void *
live (void *victim)
{
  struct victim *v = victim;

  for (;;)
    {
      enum cgw_status status;

      v->inside = true;
      status = call_something (v);
      v->inside = false;
      v->wrong += status != CGW_OK && status != CGW_ELOST;
      pthread_testcancel ();
    }
  return NULL;
}

static void
start (struct victim *v)
{
  cr_assert_eq (pthread_create (&v->id, NULL, live, v), 0);
}

static void
cancel (struct victim *v)
{
  void *result;

  cr_assert_eq (pthread_cancel (v->id), 0);
  cr_assert_eq (pthread_join (v->id, &result), 0);
  cr_assert_eq (result, PTHREAD_CANCELED);
  cr_assert_not (v->inside, "a thread was cancelled in a call");
}

static void
check_profile (struct victim *v)
{
  uint64_t sum = 0;

  cr_expect_eq (v->wrong, 0, "%u calls failed", v->wrong);
  cr_expect_eq (cgw_tracer_free (v->t), CGW_OK);
  cr_expect_eq (cgw_profile_total (v->p, &sum, 1), CGW_OK);
  cr_expect_geq (sum, v->in_profile);
  cgw_profile_free (v->p);
}

/* Ends the file, whose records must be those delivered, unless some were
   lost.  */
static void
check_file (int fd, uint64_t delivered, const char *context)
{
  struct cgw_stats s = CGW_STATS_INIT;
  struct sink bytes = { 0 };
  struct profile *p;
  enum cgw_status status = cgw_finish (w);

  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (status, s.lost == 0 ? CGW_OK : CGW_ELOST, "%s: %s", context,
                cgw_strerror (status));
  cr_assert_eq (s.recorded + s.lost, delivered, "%s", context);
  cr_assert_neq (lseek (fd, 0, SEEK_SET), -1);
  sink_drain (&bytes, fd);
  p = must_read (bytes.bytes, bytes.n, 0, context);
  cr_assert_eq (p->cost_lines + p->calls - lost_lines (bytes.bytes, bytes.n),
                s.recorded, "%s", context);
  profile_free (p);
  sink_free (&bytes);
  cgw_free (w);
  cgw_names_free (names);
  close (fd);
}

static void
cancel_for_a_while (struct victim *victims, uint64_t end,
                    unsigned long long *cancelled)
{
  uint32_t random = 1;

  while (now () < end || *cancelled < 20)
    {
      struct victim *v = &victims[next_random (&random) % THREADS];

      sleep_us ((long) (next_random (&random) % 2000));
      cancel (v);
      ++*cancelled;
      start (v);
    }
}

static void
storm_of_cancels (double seconds, unsigned long long *cancelled)
{
  static struct victim victims[THREADS];
  uint64_t delivered = 0;
  int fd = gate_file ();

  memset (victims, 0, sizeof victims);
  open_writer (fd, CGW_THREADS);
  for (unsigned i = 0; i < THREADS; i++)
    {
      victims[i].random = i + (uint32_t) *cancelled;
      cr_assert_eq (cgw_profile_new (&victims[i].p, names, 1, 0), CGW_OK);
      cr_assert_eq (cgw_tracer_new (&victims[i].t, victims[i].p, NULL),
                    CGW_OK);
      start (&victims[i]);
    }
  cancel_for_a_while (victims, now () + (uint64_t) (seconds * 1e9),
                      cancelled);
  for (unsigned i = 0; i < THREADS; i++)
    cancel (&victims[i]);
  for (unsigned i = 0; i < THREADS; i++)
    {
      delivered += victims[i].in_writer;
      check_profile (&victims[i]);
    }
  check_file (fd, delivered, "cancelled threads");
}

/* In files of two seconds, which a reader reads in a moment.  */
Test (turmoil, cancelled_threads)
{
  unsigned long long cancelled = 0;

  for (double left = stress_seconds (); left > 0; left -= 2)
    storm_of_cancels (left < 2 ? left : 2, &cancelled);
  print_figure ("cancelled_threads", cancelled);
}

/* Threads that fork.  */

static atomic_bool stop;
static _Atomic uint64_t records_of_threads;
static _Atomic uint64_t forks_of_threads;
static _Atomic int bad_child; /* what was wrong in one */

/* The child: its copy of the writer is dead, until it has a file.  Returns what
   is wrong, or 0.  */
static int
be_child (void)
{
  struct cgw_part part = some_part ();
  struct cgw_pos at = some_place (3);
  struct sink bytes = { 0 };
  struct profile *p;
  char error[300];
  int fd;

  alarm (GATE_CHILD_SECONDS);
  if (cgw_cost (w, &at, &one, 1) != CGW_EFORK || cgw_flush (w) != CGW_EFORK)
    return 1;
  fd = gate_file ();
  if (cgw_reset (w, fd) != CGW_OK || cgw_begin_part (w, &part) != CGW_OK)
    return 2;
  at.fn = cgw_add_fn (names, "child", (struct cgw_file){ 0 },
                      (struct cgw_object){ 0 });
  for (int i = 0; i < 50; i++)
    if (cgw_cost (w, &at, &one, 1) != CGW_OK)
      return 3;
  if (cgw_finish (w) != CGW_OK || lseek (fd, 0, SEEK_SET) != 0)
    return 4;
  sink_drain (&bytes, fd);
  p = profile_read (bytes.bytes, bytes.n, 0, error, sizeof error);
  return p != NULL && profile_total (p, 0).value == 50 ? 0 : 5;
}

static void
fork_once (void)
{
  pid_t child = fork ();
  int result;

  if (child == 0)
    _exit (be_child ());
  result = child == -1 ? 6 : gate_wait (child);
  if (result != 0)
    bad_child = result;
  forks_of_threads++;
}

static void *
record_and_fork (void *argument)
{
  uint32_t random = (uint32_t) (uintptr_t) argument;

  while (!stop)
    {
      for (uint32_t n = next_random (&random) % 500; n > 0; n--)
        {
          struct cgw_pos at = some_place (next_random (&random));

          records_of_threads++;
          if (cgw_cost (w, &at, &one, 1) > CGW_ELOST)
            bad_child = 7;
        }
      fork_once ();
    }
  return NULL;
}

Test (turmoil, forks_of_threads)
{
  uint64_t end = end_of_turmoil ();
  pthread_t threads[THREADS];
  int fd = gate_file ();

  open_writer (fd, CGW_THREADS);
  for (uintptr_t i = 0; i < THREADS; i++)
    cr_assert_eq (pthread_create (&threads[i], NULL, record_and_fork,
                                  (void *) i), 0);
  while (now () < end || forks_of_threads < 10)
    sleep_us (1000);
  stop = true;
  for (unsigned i = 0; i < THREADS; i++)
    cr_assert_eq (pthread_join (threads[i], NULL), 0);
  cr_expect_eq (bad_child, 0, "a child: %d", bad_child);
  check_file (fd, records_of_threads, "threads that fork");
  print_figure ("forks_of_threads", forks_of_threads);
}

/* Processes that are stopped.  */

/* What a process says of itself, in memory shared with it.  */
static struct
{
  atomic_bool stop;
  _Atomic uint64_t records;
} *told;

static void *
record (void *argument)
{
  uint32_t random = (uint32_t) (uintptr_t) argument;

  while (!told->stop)
    {
      struct cgw_pos at = some_place (next_random (&random));

      told->records++;
      if (cgw_cost (w, &at, &one, 1) != CGW_OK)
        _exit (1);
      if (random % 64 == 0)
        sleep_us (10);
    }
  return NULL;
}

static void
record_until_told (void)
{
  pthread_t threads[THREADS];

  for (uintptr_t i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, record, (void *) i) != 0)
      _exit (1);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  _exit (cgw_finish (w) == CGW_OK ? 0 : 2);
}

/* A process, stopped at random moments for two seconds at most: each time its
   file is a valid profile, and no record is in it that was not delivered.  */
static unsigned long long
stop_a_process (double seconds)
{
  uint64_t end = now () + (uint64_t) (seconds * 1e9);
  struct sink bytes = { 0 };
  uint32_t random = 7;
  unsigned long long stops = 0;
  struct profile *p;
  char path[40];
  pid_t child;
  int status, fd = gate_file ();

  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  told->stop = false;
  told->records = 0;
  child = fork ();
  cr_assert_neq (child, -1);
  if (child == 0)
    {
      open_writer (fd, CGW_THREADS | CGW_WAIT);
      record_until_told ();
    }
  for (; now () < end || stops < 10; stops++)
    {
      sleep_us ((long) (next_random (&random) % 5000));
      cr_assert_eq (kill (child, SIGSTOP), 0);
      cr_assert_eq (waitpid (child, &status, WUNTRACED), child);
      cr_assert (WIFSTOPPED (status), "it ended by itself: %x",
                 (unsigned) status);
      sink_load (&bytes, path);
      p = must_read (bytes.bytes, bytes.n, READER_UNFINISHED, "stopped");
      cr_assert_leq (p->cost_lines, told->records);
      profile_free (p);
      cr_assert_eq (kill (child, SIGCONT), 0);
    }
  told->stop = true;
  cr_assert_eq (gate_wait (child), 0);
  sink_load (&bytes, path);
  p = must_read (bytes.bytes, bytes.n, 0, "after stops");
  cr_assert_eq (p->cost_lines, told->records);
  profile_free (p);
  sink_free (&bytes);
  close (fd);
  return stops;
}

Test (turmoil, stopped_processes)
{
  unsigned long long stops = 0;

  told = mmap (NULL, sizeof *told, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) told, MAP_FAILED);
  for (double left = stress_seconds (); left > 0; left -= 2)
    stops += stop_a_process (left < 2 ? left : 2);
  print_figure ("stops", stops);
}

/* A disk that fills up and empties.  */

struct disk
{
  struct sink sink;
  _Atomic size_t room;
  uint64_t faults;
};

static struct disk disk;
static struct ledger ledger;

/* The writer lets one call in at a time.  */
static ssize_t
write_to_disk (void *context, const void *bytes, size_t n)
{
  size_t room = disk.room;

  if (room == 0)
    {
      disk.faults++;
      errno = ENOSPC;
      return -1;
    }
  if (room < n)
    {
      disk.faults++;
      n = room;
    }
  atomic_fetch_sub (&disk.room, n);
  return sink_write (context, bytes, n);
}

static void *
record_to_disk (void *argument)
{
  uint32_t random = (uint32_t) (uintptr_t) argument;

  while (!stop)
    {
      struct cgw_pos at = some_place (next_random (&random));

      ledger_cost (&ledger, w, &at, &one, 1);
      if (random % 256 == 0)
        cgw_flush (w);
      if (random % 1024 == 0)
        sleep_us (100);
    }
  return NULL;
}

static void
fill_and_empty (double seconds)
{
  uint64_t end = now () + (uint64_t) (seconds * 1e9), before = disk.faults;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = some_part ();
  pthread_t threads[THREADS];
  enum cgw_status status;
  struct cgw_stats s = CGW_STATS_INIT;
  uint32_t random = 3;
  size_t whole;

  memset (&ledger, 0, sizeof ledger);
  stop = false;
  disk.room = 10000;
  disk.sink.n = 0;
  o.flags = CGW_THREADS;
  o.buffer_size = 1000;
  o.write = write_to_disk;
  o.write_context = &disk.sink;
  names = make_names (NULL);
  memset (fns, 0, sizeof fns);
  cr_assert_eq (cgw_new (&w, names, -1, &o), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  for (uintptr_t i = 0; i < THREADS; i++)
    cr_assert_eq (pthread_create (&threads[i], NULL, record_to_disk,
                                  (void *) i), 0);
  while (now () < end || disk.faults == before)
    {
      sleep_us ((long) (next_random (&random) % 1000));
      disk.room = next_random (&random) % 20000;
    }
  stop = true;
  for (unsigned i = 0; i < THREADS; i++)
    cr_assert_eq (pthread_join (threads[i], NULL), 0);
  disk.room = next_random (&random) % 4 == 0 ? 0 : SIZE_MAX;
  status = cgw_finish (w);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (status, cgw_error (w, NULL));
  cr_assert (status != CGW_OK || s.lost == 0, "lost in silence");
  /* A hook's bytes cannot be taken back.  */
  whole = s.discarded != 0 ? whole_length (disk.sink.bytes, disk.sink.n, 0)
                           : disk.sink.n;
  ledger_balance_file (&ledger, w, disk.sink.bytes, whole,
                       s.discarded != 0 ? READER_UNFINISHED : 0, "disk");
  cgw_free (w);
  cgw_names_free (names);
}

Test (turmoil, a_disk_that_fills_and_empties)
{
  for (double left = stress_seconds (); left > 0; left -= 0.5)
    fill_and_empty (left < 0.5 ? left : 0.5);
  print_figure ("faults_injected", disk.faults);
  sink_free (&disk.sink);
}
