/* test_storm.c - threads and their handlers in one writer, as fast as they can,
   while files begin and end.  races.sh runs it with ThreadSanitizer, too.

   Each who delivers has a ledger and a line, and the strict reader finds what
   the ledger says at the line.  A storm lasts 1 s; with CGW_STRESS=30 in the
   environment, until its handlers ran 2.5 million times.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ledger.h"
#include "support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

TestSuite (storm, .timeout = 36000);

/* Seconds worth of slots: on a busy machine the thread that is inside can be
   off its processor, or have handlers alone, for longer than the default ones
   last.  */
#define MANY_SLOTS (1u << 18)

enum { N_EVENTS = 2, MOST_THREADS = 8, SIGNALS = 2 };

/* A timer's, and what the main thread sends to each.  */
static const int signals[SIGNALS] = { SIGALRM, SIGUSR1 };

struct storm
{
  const char *name;
  unsigned flags;
  unsigned threads;
  uint32_t slots;   /* of the queue; 0: the default */
  size_t buffer;    /* bytes; 0: the default */
  bool late;        /* no part is open at first */
  bool normal;      /* the threads make other calls, too, and ... */
  bool salvages;    /* ... cgw_salvage */
  bool lossless;
  unsigned refused; /* statuses that records may have, as bits */
  double seconds;   /* of one file; 0: 1 */
  unsigned files;   /* at least */
  void (*meanwhile) (unsigned file); /* once a file, by the main thread */
};

/* Who delivers: a thread, or the handler of a signal in it.  */
struct source
{
  struct ledger ledger;
  struct cgw_fn fn;
  uint32_t random;
};

struct thread
{
  pthread_t id;
  struct source sources[1 + SIGNALS];
  uint32_t random;
  unsigned wrong;     /* statuses of other calls */
  unsigned salvages;  /* that ended the file */
};

static const struct storm *storm;
static struct cgw_names *names;
static struct cgw_writer *w;
static struct thread threads[MOST_THREADS];
static _Thread_local struct thread *myself;
static atomic_bool stop;

/* What all the files of a storm were together.  */
static uint64_t signals_sum, lost_sum;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
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

/* Records.  */

/* Each function has a line, by its handle.  */
static void
deliver (struct source *s)
{
  uint32_t r = next_random (&s->random);
  struct cgw_pos pos = { s->fn, { 0 }, s->fn.handle, 0 };
  enum kind kind = r % 32 < KINDS ? (enum kind) (r % 32) : COST;

  ledger_record (&s->ledger, w, kind, &pos, &pos);
}

static void
on_signal (int number)
{
  int kept = errno;

  deliver (&myself->sources[number == signals[0] ? 1 : 2]);
  errno = kept;
}

/* Other calls.  */

static enum cgw_status
begin_part (void)
{
  static const struct cgw_event events[] = { { "N", 0, 0 }, { "Cost", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = N_EVENTS;
  return cgw_begin_part (w, &part);
}

static enum cgw_status
add_name (unsigned i)
{
  char name[30];

  snprintf (name, sizeof name, "name %u", i);
  return cgw_add_fn (names, name, cgw_add_file (names, name),
                     cgw_add_object (names, name)).handle != 0
             ? CGW_OK
             : cgw_names_error (names, NULL);
}

static enum cgw_status
call_something (uint32_t r)
{
  struct cgw_stats s = CGW_STATS_INIT;

  switch (r % 8)
    {
    case 0:
      return begin_part ();
    case 1:
      return cgw_flush (w);
    case 2:
      return cgw_comment (w, "a comment");
    case 3:
      return cgw_get_stats (w, &s);
    case 4:
      /* An explanation is valid until the next one.  */
      return cgw_errno (w) == 0
                     && (myself != threads
                         || (cgw_explain (w) != NULL
                             && cgw_names_explain (names) != NULL))
                 ? cgw_names_error (names, NULL)
                 : CGW_EINVAL;
    default:
      return add_name (r / 8 % 5000);
    }
}

static void
mask (int how)
{
  sigset_t set;

  sigemptyset (&set);
  for (int i = 0; i < SIGNALS; i++)
    sigaddset (&set, signals[i]);
  pthread_sigmask (how, &set, NULL);
}

static void *
live (void *argument)
{
  struct thread *t = argument;

  myself = t;
  mask (SIG_UNBLOCK);
  while (!atomic_load_explicit (&stop, memory_order_relaxed))
    {
      uint32_t r = next_random (&t->random);

      deliver (&t->sources[0]);
      if (storm->normal && r % 64 == 0)
        t->wrong += !((BIT (CGW_OK) | storm->refused)
                      & BIT (call_something (r / 64)));
      if (storm->salvages && r % 512 == 1)
        t->salvages += cgw_salvage (w) != CGW_EFINISHED;
      /* Or the main thread might wait for seconds.  */
      if (storm->late && r % 64 == 2)
        sleep_us (100);
    }
  return NULL;
}

/* Where the bytes go.  */

static struct sink bytes;
static FILE *file;

static const char *
name_of (unsigned thread, unsigned source)
{
  static char name[] = "t0 s0";

  name[1] = (char) ('0' + thread);
  name[4] = (char) ('0' + source);
  return name;
}

static void
add_source (unsigned thread, unsigned source)
{
  struct source *s = &threads[thread].sources[source];

  s->ledger.n_events = N_EVENTS;
  s->fn = cgw_add_fn (names, name_of (thread, source),
                      cgw_add_file (names, "storm.c"),
                      cgw_add_object (names, "storm"));
}

static void
open_writer (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = storm->flags;
  o.queue_slots = storm->slots;
  o.buffer_size = storm->buffer;
  bytes.n = 0;
  file = tmpfile ();
  cr_assert_not_null (file);
  cr_assert_eq (cgw_names_new (&names, NULL), CGW_OK);
  cr_assert_eq (cgw_open_fd (&w, names, fileno (file), &o), CGW_OK);
  for (unsigned i = 0; i < storm->threads; i++)
    for (unsigned j = 0; j <= SIGNALS; j++)
      add_source (i, j);
  if (!storm->late)
    cr_assert_eq (begin_part (), CGW_OK);
}

static void
take_bytes (void)
{
  rewind (file);
  sink_drain (&bytes, fileno (file));
  fclose (file);
}

/* The end.  */

/* What all sources together delivered.  */
static void
add_up (struct ledger *all)
{
  for (unsigned i = 0; i < storm->threads; i++)
    for (int j = 0; j <= SIGNALS; j++)
      {
        const struct ledger *l = &threads[i].sources[j].ledger;

        for (int k = 0; k <= CGW_EFORK; k++)
          {
            all->by_status[k] += l->by_status[k];
            signals_sum += j > 0 ? l->by_status[k] : 0;
          }
        for (int k = 0; k < N_EVENTS; k++)
          all->costs[k] += l->costs[k];
      }
}

/* Each line against what was delivered to it; with losses none has more.  */
static void
check_sources (const struct profile *p, bool exact)
{
  for (unsigned i = 0; i < storm->threads; i++)
    for (unsigned j = 0; j <= SIGNALS; j++)
      for (unsigned event = 0; event < N_EVENTS; event++)
        {
          const struct source *s = &threads[i].sources[j];
          uint64_t delivered = s->ledger.costs[event];
          uint64_t found = profile_cost (p, "storm", "storm.c", name_of (i, j),
                                         "storm.c", 0, s->fn.handle, event);
          cr_expect (exact ? found == delivered : found <= delivered,
                     "%s event %u: %llu in the file, %llu delivered",
                     name_of (i, j), event, (unsigned long long) found,
                     (unsigned long long) delivered);
        }
}

/* Finishes, and checks statuses, counts and the file.  */
static void
end_file (void)
{
  struct ledger all = { .n_events = N_EVENTS };
  struct counts c;
  struct profile *p;
  enum cgw_status status = cgw_finish (w);

  take_bytes ();
  add_up (&all);
  cr_assert_eq (counts_get (&c, w), CGW_OK);
  cr_expect (status == cgw_error (w, NULL) || storm->refused & BIT (status),
             "cgw_finish: %s", cgw_strerror (status));
  cr_expect (c.s.lost == 0 || cgw_error (w, NULL) != CGW_OK, "lost in silence");
  for (int i = 0; i <= CGW_EFORK; i++)
    cr_expect (all.by_status[i] == 0
                   || (BIT (CGW_OK) | BIT (CGW_ELOST) | storm->refused)
                          & BIT (i),
               "records: %s", cgw_strerror ((enum cgw_status) i));
  ledger_check (&all, &c);
  cr_expect_eq (c.s.refused, ledger_refused (&all));
  lost_sum += c.s.lost;
  p = ledger_check_file (&c, bytes.bytes, bytes.n,
                         storm->salvages ? READER_UNFINISHED : READER_STRICT);
  check_sources (p, c.s.lost == 0);
  profile_free (p);
  cgw_free (w);
  cgw_names_free (names);
}

/* One file.  */

/* Each so many us, or never.  */
static void
set_timer (int us)
{
  struct itimerval period = { { 0, us }, { 0, us } };

  cr_assert_eq (setitimer (ITIMER_REAL, &period, NULL), 0);
}

static void
run_file (unsigned number, double seconds)
{
  double end;

  memset (threads, 0, sizeof threads);
  stop = false;
  open_writer ();
  for (unsigned i = 0; i < storm->threads; i++)
    {
      threads[i].random = number * 100 + i;
      for (unsigned j = 0; j <= SIGNALS; j++)
        threads[i].sources[j].random = number * 100 + i * 10 + j;
      cr_assert_eq (pthread_create (&threads[i].id, NULL, live, &threads[i]),
                    0);
    }
  set_timer (30);
  if (storm->meanwhile != NULL)
    storm->meanwhile (number);
  for (end = now () + seconds; now () < end;)
    for (unsigned i = 0; i < storm->threads; i++)
      pthread_kill (threads[i].id, signals[1]);
  set_timer (0);
  stop = true;
  for (unsigned i = 0; i < storm->threads; i++)
    {
      pthread_join (threads[i].id, NULL);
      cr_expect_eq (threads[i].wrong, 0, "%u other calls failed",
                    threads[i].wrong);
    }
  end_file ();
}

static void
print (const char *what, uint64_t n)
{
  char text[80];

  snprintf (text, sizeof text, "storm_%s_%s", storm->name, what);
  print_figure (text, n);
}

static void
run (const struct storm *s)
{
  double end = now () + 1;
  uint64_t wanted = stress_number (0, 2500000);
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  storm = s;
  mask (SIG_BLOCK);
  for (int i = 0; i < SIGNALS; i++)
    cr_assert_eq (sigaction (signals[i], &action, NULL), 0);
  for (unsigned i = 0;
       now () < end || signals_sum < wanted || i < s->files; i++)
    run_file (i, s->seconds > 0 ? s->seconds : 1);
  if (s->lossless)
    cr_expect_eq (lost_sum, 0);
  print ("signals", signals_sum);
  print ("lost", lost_sum);
  sink_free (&bytes);
}

/* The storms.  */

/* Here losses are possible: the ring can fill while who is inside sleeps.  */
Test (storm, four_hot_threads)
{
  run (&(struct storm){ "hot_threads", .flags = CGW_THREADS, .threads = 4,
                        .normal = true });
}

/* A thread waits for the others, and its handlers have slots.  */
Test (storm, threads_that_wait)
{
  run (&(struct storm){ "waiting_threads", .flags = CGW_THREADS | CGW_WAIT,
                        .threads = MOST_THREADS, .slots = MANY_SLOTS,
                        .buffer = 8192, .normal = true, .lossless = true });
}

/* The records are there before the part, and go on behind the end.  */
static void
begin_and_finish (unsigned file_number)
{
  sleep_us (200);
  cr_assert_eq (begin_part (), CGW_OK);
  sleep_us (500);
  cr_assert_eq (begin_part (), CGW_OK);
  if (file_number % 2 > 0)
    cgw_finish (w);
}

Test (storm, first_parts)
{
  run (&(struct storm){ "first_parts", .flags = CGW_THREADS, .threads = 3,
                        .late = true,
                        .refused = BIT (CGW_EORDER) | BIT (CGW_EFINISHED),
                        .seconds = 0.002, .files = 30,
                        .meanwhile = begin_and_finish });
}

Test (storm, salvages)
{
  run (&(struct storm){ "salvages", .flags = CGW_THREADS, .threads = 4,
                        .normal = true, .salvages = true,
                        .refused = BIT (CGW_EFINISHED), .seconds = 0.005,
                        .files = 50 });
}
