/* test_gate_threads.c - threads that meet in one writer: waiting under a storm
   of signals, first parts, ends, and forks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

TestSuite (gate_threads, .timeout = 120);

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct gate g;
static const struct timespec one_ms = { 0, 1000000 };

static void
open_with (int fd, size_t buffer_size)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_THREADS;
  o.buffer_size = buffer_size;
  gate_open (&g, &o, fd);
}

static pthread_t
start (void *(*live) (void *), void *argument)
{
  pthread_t thread;

  cr_assert_eq (pthread_create (&thread, NULL, live, argument), 0);
  return thread;
}

/* A thread that waits for another one while signals come at 10 kHz.  */

#define SIGNALS 25000
#define SECONDS 4 /* should they come slowly */

static atomic_bool holding;
static atomic_uint signals;

static void
on_signal (int number)
{
  (void) number;
  gate_record (&g, GATE_COST);
  signals++;
}

static void
start_timer (timer_t *timer)
{
  struct itimerspec period = { { 0, 100000 }, { 0, 100000 } };
  struct sigaction action = { .sa_handler = on_signal };
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                            .sigev_signo = SIGUSR1 };

  event.sigev_notify_thread_id = (pid_t) syscall (SYS_gettid);
  sigaction (SIGUSR1, &action, NULL);
  cr_assert_eq (timer_create (CLOCK_MONOTONIC, &event, timer), 0);
  cr_assert_eq (timer_settime (*timer, 0, &period, NULL), 0);
}

static void
hold (struct gate *gate)
{
  time_t end = time (NULL) + SECONDS;

  gate->in_write = NULL;
  holding = true;
  while (time (NULL) < end && signals < SIGNALS)
    nanosleep (&one_ms, NULL);
}

static void *
hold_in_flush (void *argument)
{
  (void) argument;
  cgw_flush (g.w);
  return NULL;
}

Test (gate_threads, signals_do_not_shorten_a_wait)
{
  enum cgw_status status;
  pthread_t holder;
  timer_t timer;

  open_with (-1, 0);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK);
  gate_records (&g);
  g.in_write = hold;
  holder = start (hold_in_flush, NULL);
  while (!holding)
    nanosleep (&one_ms, NULL);
  start_timer (&timer);
  status = cgw_comment (g.w, "waited for");
  timer_delete (timer);
  signal (SIGUSR1, SIG_IGN);
  pthread_join (holder, NULL);
  cr_assert_gt (signals, 0);
  cr_assert_eq (status, CGW_OK, "gave up after %u signals", signals);
  gate_end (&g, g.ledger.by_status[CGW_ELOST] != 0 ? CGW_ELOST : CGW_OK,
            "after a storm of signals");
}

/* Threads that record before, while and after a file has a part.  */

enum { RECORDERS = 3 };

static atomic_bool enough;
static atomic_uint under_way;

static void *
record_until_enough (void *argument)
{
  (void) argument;
  for (unsigned i = 0; !enough; i++)
    {
      gate_record (&g, i % GATE_KINDS);
      under_way++;
      if (i % 64 == 0)
        nanosleep (&one_ms, NULL);
    }
  return NULL;
}

/* Lets the others make that many records more.  */
static void
let_them (unsigned records)
{
  unsigned end = under_way + records;

  while (under_way < end)
    nanosleep (&one_ms, NULL);
}

static void
one_file_beside_recorders (unsigned run)
{
  const char *what = gate_what ("a file beside recording threads", run);
  pthread_t threads[RECORDERS];
  enum cgw_status status;

  open_with (-1, 0);
  g.n_events = 2;
  enough = false;
  for (int i = 0; i < RECORDERS; i++)
    threads[i] = start (record_until_enough, NULL);
  let_them (20);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK, "%s", what);
  let_them (100);
  cr_assert_eq (gate_begin (&g, 2), CGW_OK, "%s", what);
  let_them (20);
  status = cgw_finish (g.w);
  let_them (20);
  enough = true;
  for (int i = 0; i < RECORDERS; i++)
    pthread_join (threads[i], NULL);
  cr_assert_eq (status, CGW_EORDER, "%s: %s", what, cgw_strerror (status));
  cr_assert_gt (g.ledger.by_status[CGW_EFINISHED], 0, "%s", what);
  cr_assert_eq (ledger_refused (&g.ledger),
                g.ledger.by_status[CGW_EORDER]
                    + g.ledger.by_status[CGW_EFINISHED], "%s", what);
  gate_check (&g, READER_STRICT, what);
}

Test (gate_threads, a_part_begins_and_ends_beside_recorders)
{
  for (unsigned run = 0; run < 30; run++)
    one_file_beside_recorders (run);
}

/* Forks beside a thread that adds names and begins parts.  */

static void *
add_until_enough (void *argument)
{
  char name[40];

  (void) argument;
  for (unsigned i = 0; !enough; i++)
    {
      snprintf (name, sizeof name, "function %u", i);
      cgw_add_fn (g.names, name, cgw_add_file (g.names, name),
                  cgw_add_object (g.names, name));
      if (i % 16 == 0)
        gate_begin (&g, 2);
      if (i % 4096 == 0)
        cgw_flush (g.w);
    }
  return NULL;
}

static int childs_file;

/* As the run's number says: frees its copy, or resets it, adds names and
   writes a file.  */
static int
use_the_copy (void *context)
{
  unsigned run = *(unsigned *) context;
  char name[40];

  g.after_allocate = NULL;
  if (run % 2 == 0)
    {
      gate_free (&g);
      return 0;
    }
  if (gate_record (&g, GATE_COST) != CGW_EFORK)
    return 1;
  if (gate_reset (&g, childs_file) != CGW_OK)
    return 2;
  for (unsigned i = 0; i < 200; i++)
    {
      snprintf (name, sizeof name, "function of a child %u", i);
      g.fn = cgw_add_fn (g.names, name, cgw_add_file (g.names, name),
                         (struct cgw_object){ 0 });
    }
  g.other = g.fn;
  if (gate_begin (&g, 2) != CGW_OK)
    return 3;
  gate_records (&g);
  if (g.ledger.by_status[CGW_OK] != GATE_KINDS || cgw_finish (g.w) != CGW_OK)
    return 4;
  gate_free (&g);
  return 0;
}

/* Keeps the thread where the block that was too small is gone already.  */
static void
linger (struct gate *gate)
{
  (void) gate;
  nanosleep (&(struct timespec){ 0, 20000 }, NULL);
}

Test (gate_threads, forks_beside_new_names)
{
  pthread_t thread;
  unsigned run = 0;

#ifdef __SANITIZE_ADDRESS__
  /* The other thread may hold a lock of the sanitizer's allocator, which is
     then held for ever in the child.  */
  cr_skip_test ("malloc may hang in a child that was forked beside threads");
#endif
  childs_file = gate_file ();
  for (int writers = 0; writers < 20; writers++)
    {
      /* A young writer: its tables grow often.  */
      open_with (open ("/dev/null", O_WRONLY | O_CLOEXEC), 0);
      g.after_allocate = linger;
      enough = false;
      thread = start (add_until_enough, NULL);
      for (int i = 0; i < 10; i++, run++)
        {
          int result = gate_child (use_the_copy, &run);
          cr_expect_eq (result, 0, "run %u: child: %d", run, result);
          if (result != 0)
            i = writers = 1000;
        }
      enough = true;
      pthread_join (thread, NULL);
      gate_free (&g);
    }
}
