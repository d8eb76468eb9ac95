/* test_storm.c - threads and their handlers in one writer, as fast as they can,
   while files begin and end.  races.sh runs it with ThreadSanitizer, too.

   What was delivered is counted by who delivers it, and compared per function,
   line and event with what the strict reader finds in the file.  A storm lasts
   1 s, or as many as CGW_STRESS in the environment says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

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

/* Seconds of a storm that one file holds: readers know 4 GiB.  */
#define LONGEST 5.0

/* Seconds worth of slots: on a busy machine the thread that is inside can be
   off its processor, or have handlers alone, for longer than the default ones
   last.  */
#define MANY_SLOTS (1u << 18)

enum { FNS = 8, LINES = 16, MOST_THREADS = 8, SIGNALS = 2 };

/* A timer's, and what the main thread sends to each.  */
static const int signals[SIGNALS] = { SIGALRM, SIGUSR1 };

#define BIT(status) (1u << (status))
#define TAKEN (BIT (CGW_OK) | BIT (CGW_ELOST) | BIT (CGW_EIO) | BIT (CGW_EAGAIN))

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
  double seconds;   /* of one file; 0: LONGEST at most */
  unsigned files;   /* at least */
  void (*meanwhile) (unsigned file); /* once a file, by the main thread */
};

/* Who delivers: a thread, or the handler of a signal in it.  Only one call at a
   time is made for each, so its counts need no atomics.  */
struct source
{
  uint64_t by_status[CGW_EFORK + 1];
  uint64_t costs[FNS][LINES][2]; /* of those taken */
  uint64_t errno_changed;
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
static struct cgw_fn fns[FNS];
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

static void
deliver (struct source *s)
{
  uint32_t r = next_random (&s->random);
  unsigned fn = r % FNS, line = r / FNS % LINES;
  struct cgw_pos pos = { fns[fn], { 0 }, 100 + line * 3, 0 };
  uint64_t cost[2] = { 1, r % 1000 };
  bool is_cost = r / FNS / LINES % 16 > 1;
  enum cgw_status status;
  int kept = errno;

  errno = 77;
  status = is_cost      ? cgw_cost (w, &pos, cost, 2)
           : fn % 2 > 0 ? cgw_call (w, &pos, &pos, 1, cost, 2)
                        : cgw_jump (w, &pos, &pos, 1);
  s->errno_changed += errno != 77;
  errno = kept;
  s->by_status[status]++;
  for (int i = 0; i < 2 && is_cost && TAKEN & BIT (status); i++)
    s->costs[fn][line][i] += cost[i];
}

static void
on_signal (int number)
{
  deliver (&myself->sources[number == signals[0] ? 1 : 2]);
}

/* Other calls.  */

static enum cgw_status
begin_part (void)
{
  static const struct cgw_event events[] = { { "N", 0, 0 }, { "Cost", 0, 0 } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 2;
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
  cr_assert_eq (cgw_new (&w, names, fileno (file), &o), CGW_OK);
  for (int i = 0; i < FNS; i++)
    {
      char name[] = { 'f', (char) ('0' + i), '\0' };
      fns[i] = cgw_add_fn (names, name, cgw_add_file (names, "storm.c"),
                           cgw_add_object (names, "storm"));
    }
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
static struct source
add_up (void)
{
  struct source all = { 0 };

  for (unsigned i = 0; i < storm->threads; i++)
    for (int j = 0; j <= SIGNALS; j++)
      {
        const struct source *s = &threads[i].sources[j];
        for (int k = 0; k <= CGW_EFORK; k++)
          {
            all.by_status[k] += s->by_status[k];
            signals_sum += j > 0 ? s->by_status[k] : 0;
          }
        for (int k = 0; k < FNS * LINES * 2; k++)
          (&all.costs[0][0][0])[k] += (&s->costs[0][0][0])[k];
        all.errno_changed += s->errno_changed;
      }
  return all;
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
          char name[] = { 'f', (char) ('0' + fn), '\0' };
          uint64_t delivered = all->costs[fn][line][event];
          uint64_t found = profile_cost (p, "storm", "storm.c", name, "storm.c",
                                         0, 100 + line * 3, event);
          cr_expect (exact ? found == delivered : found <= delivered,
                     "%s line %u event %u: %llu in the file, %llu delivered",
                     name, line, event, (unsigned long long) found,
                     (unsigned long long) delivered);
        }
}

static void
check_file (const struct source *all, const struct cgw_stats *s,
            const uint64_t delivered[2])
{
  bool cut = storm->salvages;
  struct profile *p
      = must_read (bytes.bytes, bytes.n, cut ? READER_UNFINISHED : 0,
                   storm->name);

  check_cells (p, all, s->lost == 0);
  cr_expect_eq (p->cost_lines + p->calls + p->jump_lines
                    - lost_lines (bytes.bytes, bytes.n),
                s->recorded);
  /* What finds no slot while cgw_finish ends the file may be too late for what
     that says was lost.  */
  for (unsigned i = 0; i < 2 && !cut && (!storm->late || s->lost == 0); i++)
    cr_expect_eq (profile_total (p, i).value, delivered[i]);
  profile_free (p);
}

/* Finishes, and checks statuses, counts and the file.  */
static void
end_file (void)
{
  uint64_t recorded[2], lost[2], delivered[2] = { 0, 0 }, taken = 0, others = 0;
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status status = cgw_finish (w);
  struct source all = add_up ();

  take_bytes ();
  s.n_costs = 2;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect (status == cgw_error (w, NULL) || storm->refused & BIT (status),
             "cgw_finish: %s", cgw_strerror (status));
  cr_expect (s.lost == 0 || cgw_error (w, NULL) != CGW_OK, "lost in silence");
  for (int i = 0; i <= CGW_EFORK; i++)
    {
      *(TAKEN & BIT (i) ? &taken : &others) += all.by_status[i];
      cr_expect (all.by_status[i] == 0 || (TAKEN | storm->refused) & BIT (i),
                 "records: %s", cgw_strerror ((enum cgw_status) i));
    }
  for (int i = 0; i < FNS * LINES * 2; i++)
    delivered[i % 2] += (&all.costs[0][0][0])[i];
  cr_expect_eq (all.errno_changed, 0);
  cr_expect_eq (s.recorded + s.lost, taken);
  cr_expect_eq (s.refused, others);
  for (int i = 0; i < 2; i++)
    cr_expect_eq (recorded[i] + lost[i], delivered[i]);
  lost_sum += s.lost;
  check_file (&all, &s, delivered);
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
  double seconds = s->seconds > 0 ? s->seconds : LONGEST;
  double end = now () + stress_seconds (), left;
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  storm = s;
  mask (SIG_BLOCK);
  for (int i = 0; i < SIGNALS; i++)
    cr_assert_eq (sigaction (signals[i], &action, NULL), 0);
  for (unsigned i = 0; (left = end - now ()) > 0 || i < s->files; i++)
    run_file (i, left > 0 && left < seconds ? left : seconds);
  if (s->lossless)
    cr_expect_eq (lost_sum, 0);
  print ("signals", signals_sum);
  print ("lost", lost_sum);
  sink_free (&bytes);
}

/* The storms.  */

/* The writer belongs to the thread that the storm starts: nobody else uses it
   meanwhile.  */
Test (storm, one_thread)
{
  run (&(struct storm){ "one_thread", .threads = 1, .slots = MANY_SLOTS,
                        .lossless = true });
}

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
