/* test_storm.c - signal handlers that write while everybody writes: two timers
   of 20 and 13 kHz in each thread, whose handlers interrupt the thread, the
   library, and each other; and signals that another thread sends as fast as it
   can.

   What was delivered is counted by who delivers it, never by ticks of a timer,
   which the kernel merges.  It is compared per function, line and event with
   what the strict reader finds in the file.  A storm lasts 1 s, or as many as
   CGW_STRESS in the environment says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds of a storm that one file holds.  */
#define LONGEST 5.0

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { FNS = 8, LINES = 16, THREADS = 4, TIMERS = 2, BUCKETS = 64 * 8 };

/* Who delivers: the thread itself, or one of its handlers.  Only one call at a
   time is made for each, so its counts need no atomics.  */
struct source
{
  uint64_t records;
  uint64_t costs[FNS][LINES][2];
  uint64_t errno_changed;
  uint64_t wrong_status;
  uint64_t latency[BUCKETS]; /* of calls, by logarithm of ns */
  uint32_t random;
};

struct thread
{
  pthread_t id;
  struct source sources[1 + TIMERS];
  timer_t timers[TIMERS];
  bool hot; /* writes itself, too */
  atomic_bool started;
  _Atomic uint64_t handled; /* of the signals that were sent */
};

static _Thread_local struct thread *myself;

static struct
{
  struct cgw_writer *w;
  struct cgw_fn fns[FNS];
  struct thread threads[THREADS];
  unsigned n_threads;
  atomic_bool stop;
} storm;

static uint64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

/* Eight buckets for each power of two.  */
static unsigned
bucket_of (uint64_t ns)
{
  unsigned power = 0;

  while (ns >> power > 15)
    power++;
  return power * 8 + (unsigned) (ns >> power & 7) + (ns > 7 ? 8 : 0);
}

static uint64_t
bucket_start (unsigned bucket)
{
  return bucket < 16 ? bucket : (uint64_t) (8 + bucket % 8) << (bucket / 8 - 1);
}

static uint32_t
next_random (struct source *s)
{
  s->random = s->random * 1664525 + 1013904223;
  return s->random >> 8;
}

static void
deliver (struct source *s)
{
  uint32_t r = next_random (s);
  unsigned fn = r % FNS, line = r / FNS % LINES;
  struct cgw_pos pos = { storm.fns[fn], { 0 }, 100 + line * 3, 0 };
  uint64_t cost[2] = { 1, r % 1000 };
  int kept = errno;
  enum cgw_status status;

  errno = 77;
  status = cgw_cost (storm.w, &pos, cost, 2);
  s->errno_changed += errno != 77;
  errno = kept;
  s->wrong_status += status != CGW_OK && status != CGW_ELOST
                     && status != CGW_EIO && status != CGW_EAGAIN;
  s->records++;
  for (int i = 0; i < 2; i++)
    s->costs[fn][line][i] += cost[i];
}

static void
on_timer (int number, siginfo_t *info, void *context)
{
  struct source *s = info->si_code == SI_TIMER
                         ? info->si_value.sival_ptr
                         : &myself->sources[1 + number - SIGRTMIN];
  uint64_t start;

  (void) context;
  if (s == NULL)
    return;
  start = now ();
  deliver (s);
  s->latency[bucket_of (now () - start)]++;
  if (info->si_code != SI_TIMER)
    atomic_fetch_add (&myself->handled, 1);
}

static void
start_timer (struct thread *t, int i)
{
  static const long nanoseconds[TIMERS] = { 1000000000 / 20000,
                                            1000000000 / 13000 };
  struct itimerspec period = { { 0, nanoseconds[i] }, { 0, nanoseconds[i] } };
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                            .sigev_signo = SIGRTMIN + i };

  event.sigev_value.sival_ptr = &t->sources[1 + i];
  event.sigev_notify_thread_id = (pid_t) syscall (SYS_gettid);
  cr_assert_eq (timer_create (CLOCK_MONOTONIC, &event, &t->timers[i]), 0);
  cr_assert_eq (timer_settime (t->timers[i], 0, &period, NULL), 0);
}

/* A thread's life: handlers run in it until the storm ends.  */
static void *
live (void *argument)
{
  struct thread *t = argument;
  volatile unsigned work = 0;
  sigset_t set;

  myself = t;
  for (int i = 0; i < TIMERS; i++)
    start_timer (t, i);
  t->started = true;
  while (!atomic_load_explicit (&storm.stop, memory_order_relaxed))
    if (t->hot)
      deliver (&t->sources[0]);
    else
      work++;
  /* No handler may run when the writer is finished.  */
  for (int i = 0; i < TIMERS; i++)
    timer_delete (t->timers[i]);
  sigfillset (&set);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  return NULL;
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_sigaction = on_timer,
                              .sa_flags = SA_SIGINFO | SA_RESTART };

  for (int i = 0; i < TIMERS; i++)
    cr_assert_eq (sigaction (SIGRTMIN + i, &action, NULL), 0);
}

static void
begin_part (void)
{
  static const struct cgw_event events[] = { { "N", 0, 0 }, { "Cost", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 2;
  cr_assert_eq (cgw_begin_part (storm.w, &part), CGW_OK);
}

static void
open_writer (int fd, const struct cgw_options *o)
{
  memset (&storm, 0, sizeof storm);
  cr_assert_eq (cgw_new (&storm.w, test_names (), fd, o), CGW_OK);
  for (int i = 0; i < FNS; i++)
    {
      char name[] = "f0";
      name[1] = (char) ('0' + i);
      storm.fns[i] = cgw_add_fn (test_names (), name,
                                 cgw_add_file (test_names (), "storm.c"),
                                 cgw_add_object (test_names (), "storm"));
    }
  begin_part ();
}

/* Lets n threads live, and asks every ms whether that is enough, if may_end is
   not NULL.  */
static void
rage (unsigned n, bool hot, double how_long, bool (*may_end) (void))
{
  struct timespec pause = { 0, 1000000 };
  uint64_t end = now () + (uint64_t) (how_long * 1e9);
  bool enough;

  catch_signals ();
  storm.n_threads = n;
  for (unsigned i = 0; i < n; i++)
    {
      storm.threads[i].hot = hot;
      for (int j = 0; j <= TIMERS; j++)
        storm.threads[i].sources[j].random = i * 100 + (unsigned) j;
      cr_assert_eq (pthread_create (&storm.threads[i].id, NULL, live,
                                    &storm.threads[i]), 0);
    }
  do
    {
      nanosleep (&pause, NULL);
      enough = may_end == NULL || may_end ();
    }
  while (!enough || now () < end);
  storm.stop = true;
  for (unsigned i = 0; i < n; i++)
    pthread_join (storm.threads[i].id, NULL);
}

/* What all sources together delivered.  */
static void
add_up (struct source *all, uint64_t *signals)
{
  memset (all, 0, sizeof *all);
  *signals = 0;
  for (unsigned i = 0; i < storm.n_threads; i++)
    for (int j = 0; j <= TIMERS; j++)
      {
        const struct source *s = &storm.threads[i].sources[j];
        all->records += s->records;
        *signals += j > 0 ? s->records : 0;
        all->errno_changed += s->errno_changed;
        all->wrong_status += s->wrong_status;
        for (int k = 0; k < FNS * LINES * 2; k++)
          (&all->costs[0][0][0])[k] += (&s->costs[0][0][0])[k];
        for (int k = 0; k < BUCKETS; k++)
          all->latency[k] += s->latency[k];
      }
}

/* How long the quickest `share` of the handlers' calls took at most, in ns. */
static uint64_t
percentile (const struct source *all, uint64_t signals, double share)
{
  uint64_t left = (uint64_t) ((double) signals * share);
  unsigned i = 0;

  while (i < BUCKETS - 1 && left >= all->latency[i])
    left -= all->latency[i++];
  return bucket_start (i);
}

static void
print (const char *storm_name, const char *name, uint64_t n)
{
  char text[80];

  snprintf (text, sizeof text, "storm_%s_%s", storm_name, name);
  print_figure (text, n);
}

/* What all the storms of a test were together.  */
static struct
{
  uint64_t signals;
  uint64_t records;
  uint64_t recorded;
  uint64_t lost;
  struct source sources;
} sum;

static void
keep (const struct source *all, uint64_t signals, const struct cgw_stats *s)
{
  sum.signals += signals;
  sum.records += all->records;
  sum.recorded += s->recorded;
  sum.lost += s->lost;
  for (int i = 0; i < BUCKETS; i++)
    sum.sources.latency[i] += all->latency[i];
}

static void
print_sum (const char *name)
{
  print (name, "signals", sum.signals);
  print (name, "records", sum.records);
  print (name, "recorded", sum.recorded);
  print (name, "lost", sum.lost);
  print (name, "latency_ns_p50", percentile (&sum.sources, sum.signals, 0.5));
  print (name, "latency_ns_p99", percentile (&sum.sources, sum.signals, 0.99));
  print (name, "latency_ns_p999",
         percentile (&sum.sources, sum.signals, 0.999));
}

/* Each cell of the file against what was delivered to it; with losses no cell
   may have more.  */
static void
check_cells (const struct profile *p, const struct source *all, bool exact)
{
  for (unsigned fn = 0; fn < FNS; fn++)
    for (unsigned line = 0; line < LINES; line++)
      for (unsigned event = 0; event < 2; event++)
        {
          char name[] = "f0";
          uint64_t found, delivered = all->costs[fn][line][event];

          name[1] = (char) ('0' + fn);
          found = profile_cost (p, "storm", "storm.c", name, "storm.c", 0,
                                100 + line * 3, event);
          cr_expect (exact ? found == delivered : found <= delivered,
                     "%s line %u event %u: %llu in the file, %llu delivered",
                     name, line, event, (unsigned long long) found,
                     (unsigned long long) delivered);
        }
}

/* Finishes, and checks the counts and the file, if it is one: fd, or what a
   sink took from a pipe.  Returns how many records were lost.  */
static uint64_t
end_storm (const char *name, const struct sink *bytes)
{
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded[2], lost[2], delivered[2] = { 0, 0 }, signals;
  static struct source all;

  add_up (&all, &signals);
  s.n_costs = 2;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cr_assert_eq (cgw_get_stats (storm.w, &s), CGW_OK);
  for (int i = 0; i < FNS * LINES * 2; i++)
    delivered[i % 2] += (&all.costs[0][0][0])[i];
  keep (&all, signals, &s);
  cr_expect_eq (all.errno_changed, 0);
  cr_expect_eq (all.wrong_status, 0);
  cr_expect_eq (s.refused, 0);
  cr_expect_eq (s.recorded + s.lost, all.records);
  for (int i = 0; i < 2; i++)
    cr_expect_eq (recorded[i] + lost[i], delivered[i]);
  if (bytes != NULL)
    {
      bool cut = s.discarded != 0;
      struct profile *p = must_read (bytes->bytes, bytes->n,
                                     cut ? READER_UNFINISHED : 0, name);
      check_cells (p, &all, s.lost == 0);
      cr_expect_eq (p->cost_lines - (!cut && lost[0] != 0), s.recorded);
      for (unsigned i = 0; i < 2 && !cut; i++)
        cr_expect_eq (profile_total (p, i).value, delivered[i]);
      profile_free (p);
    }
  cgw_free (storm.w);
  return s.lost;
}

static int
temporary_file (void)
{
  char path[] = "/tmp/cgw-storm-XXXXXX";
  int fd = mkstemp (path);

  cr_assert_neq (fd, -1);
  unlink (path);
  return fd;
}

static void
load (struct sink *bytes, int fd)
{
  lseek (fd, 0, SEEK_SET);
  sink_drain (bytes, fd);
  close (fd);
}

/* A storm into a file.  slots: of the ring, 0 for the default.  */
static uint64_t
storm_into_file (const char *name, unsigned flags, uint32_t slots,
                 unsigned n_threads, bool hot, double how_long,
                 bool (*may_end) (void))
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct sink bytes = { 0 };
  int fd = temporary_file ();
  enum cgw_status status;
  uint64_t lost;

  o.flags = flags;
  o.queue_slots = slots;
  open_writer (fd, &o);
  rage (n_threads, hot, how_long, may_end);
  status = cgw_finish (storm.w);
  load (&bytes, fd);
  lost = end_storm (name, &bytes);
  cr_expect_eq (status, lost != 0 ? CGW_ELOST : CGW_OK);
  sink_free (&bytes);
  return lost;
}

/* The same for all the time there is, in files that stay below the 4 GiB that
   readers know.  */
static uint64_t
storm_into_files (const char *name, unsigned flags, uint32_t slots,
                  unsigned n_threads, bool hot)
{
  uint64_t lost = 0;

  for (double left = stress_seconds (); left > 0; left -= LONGEST)
    lost += storm_into_file (name, flags, slots, n_threads, hot,
                             left < LONGEST ? left : LONGEST, NULL);
  print_sum (name);
  return lost;
}

/* The writer belongs to the thread that the storm starts: nobody else uses it
   meanwhile.  */
Test (storm, one_thread)
{
  cr_expect_eq (storm_into_files ("one_thread", 0, 0, 1, true), 0);
}

/* Seconds worth of slots: on a busy machine the thread that is inside can be
   off its processor for longer than the default ones last.  */
#define MANY_SLOTS (1u << 18)

Test (storm, handlers_of_four_threads)
{
  cr_expect_eq (storm_into_files ("handlers", CGW_THREADS, MANY_SLOTS, 4,
                                  false), 0);
}

/* Here losses are possible: the ring can fill while who is inside sleeps.  */
Test (storm, four_hot_threads)
{
  storm_into_files ("hot_threads", CGW_THREADS, 0, 4, true);
}

/* Signals that are sent.  */

#define SENT 10000 /* signals, in make check */
#define SENT_IN_STRESS 10000000
#define WAITING 500 /* at most; the queue is for all processes of a user */

static uint64_t to_send; /* to each thread */

/* Sends some signals to a thread; returns whether those were all.  */
static bool
send_some (struct thread *t, uint64_t *sent)
{
  while (*sent < to_send && *sent - t->handled < WAITING
         && pthread_kill (t->id, SIGRTMIN + (int) (*sent % TIMERS)) == 0)
    ++*sent;
  return *sent >= to_send && t->handled >= to_send;
}

static bool
send_all (void)
{
  uint64_t sent[THREADS] = { 0 };
  unsigned done;

  do
    {
      done = 0;
      for (unsigned i = 0; i < storm.n_threads; i++)
        done += storm.threads[i].started
                && send_some (&storm.threads[i], &sent[i]);
      sched_yield ();
    }
  while (done < storm.n_threads);
  return true;
}

Test (storm, sent_signals)
{
  uint64_t wanted = stress_number (SENT, SENT_IN_STRESS);

  for (unsigned n = 1; sum.signals < wanted; n = 3 - n)
    {
      to_send = wanted - sum.signals < 500000 ? wanted - sum.signals : 500000;
      storm_into_file ("sent", CGW_THREADS, MANY_SLOTS, n, false, 0, send_all);
    }
  print_sum ("sent");
}

/* Writes fail from a moment on that a seed chooses.  */

static atomic_size_t writes_left;
static atomic_bool failed;

static bool
has_failed (void)
{
  return failed;
}

static ssize_t
fail_later (void *context, const void *bytes, size_t n)
{
  size_t left = atomic_load (&writes_left);

  if (left == 0)
    {
      failed = true;
      errno = ENOSPC;
      return -1;
    }
  atomic_store (&writes_left, left - 1);
  return sink_write (context, bytes, n);
}

static void
storm_with_full_disk (unsigned flags, unsigned n_threads, size_t writes)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct sink bytes = { 0 };

  o.flags = flags;
  o.buffer_size = 512;
  o.write = fail_later;
  o.write_context = &bytes;
  atomic_store (&writes_left, writes);
  failed = false;
  open_writer (-1, &o);
  rage (n_threads, true, 0.2, has_failed);
  cr_expect_neq (cgw_finish (storm.w), CGW_OK);
  cr_expect_eq (cgw_errno (storm.w), ENOSPC);
  cr_expect_gt (end_storm ("full_disk", &bytes), 0);
  sink_free (&bytes);
}

Test (storm, full_disk)
{
  for (size_t i = 0; i < 6; i++)
    storm_with_full_disk (i % 2 ? CGW_THREADS : 0, i % 2 ? 4 : 1,
                          1 + i * i * 97);
  print_sum ("full_disk");
}

/* A descriptor that mostly takes nothing: records are lost, and counted.  */
Test (storm, slow_pipe)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct sink bytes = { 0 };
  struct pipe_reader *reader;
  enum cgw_status status;
  uint64_t lost;
  int ends[2];

  cr_assert_eq (pipe (ends), 0);
  cr_assert_eq (fcntl (ends[1], F_SETFL, O_NONBLOCK), 0);
  reader = reader_start (&bytes, ends[0], true);
  o.buffer_size = 4096;
  open_writer (ends[1], &o);
  rage (1, true, 0.3, NULL);
  status = cgw_finish (storm.w);
  close (ends[1]);
  reader_join (reader);
  lost = end_storm ("slow_pipe", &bytes);
  print_sum ("slow_pipe");
  cr_expect_eq (status, lost != 0 ? CGW_ELOST : CGW_OK);
  sink_free (&bytes);
}

/* A child that is forked while threads are inside the writer: its copy is
   dead, writes nothing, hangs nowhere, and lives again after cgw_reset.  */

static int forks;

/* The child's part; returns its exit status, the number of what is wrong.  */
static int
be_child (void)
{
  struct cgw_pos pos = { storm.fns[0], { 0 }, 1, 0 };
  uint64_t cost = 1;
  struct sink bytes = { 0 };
  int fd = temporary_file ();

  if (cgw_cost (storm.w, &pos, &cost, 1) != CGW_EFORK)
    return 1;
  if (cgw_finish (storm.w) != CGW_EFORK || cgw_flush (storm.w) != CGW_EFORK)
    return 2;
  if (cgw_reset (storm.w, fd) != CGW_OK)
    return 3;
  begin_part ();
  if (cgw_cost (storm.w, &pos, &cost, 1) != CGW_OK
      || cgw_finish (storm.w) != CGW_OK)
    return 4;
  load (&bytes, fd);
  return profile_total (must_read (bytes.bytes, bytes.n, 0, "child"), 0).value
                 == 1
             ? 0
             : 5;
}

static bool
fork_child (void)
{
  pid_t child = fork ();
  int status;

  cr_assert_neq (child, -1);
  if (child == 0)
    _exit (be_child ());
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
             "child: status %x", (unsigned) status);
  forks++;
  return forks > 3;
}

Test (storm, forks)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct sink bytes = { 0 };
  int fd = temporary_file ();

  o.flags = CGW_THREADS;
  open_writer (fd, &o);
  rage (2, true, stress_seconds () < LONGEST ? stress_seconds () : LONGEST,
        fork_child);
  cgw_finish (storm.w);
  load (&bytes, fd);
  end_storm ("forks", &bytes);
  print_sum ("forks");
  print_figure ("forks", (unsigned long long) forks);
  sink_free (&bytes);
}
