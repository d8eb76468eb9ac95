/* test_gate_blocked.c - calls that wait in write(2) on a full pipe: signals,
   forks, cancellation, other threads, and cgw_salvage meanwhile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/coverage.h"
#include "gate.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite (gate_blocked, .timeout = 600);

static struct gate g;
static int ends[2];    /* of the pipe */
static size_t filled;  /* bytes in it that are not the file's */
static pthread_t writer, reader;
static atomic_bool is_writing; /* the call in write(2) has begun */

static const struct timespec one_ms = { 0, 1000000 };

/* Records in the buffer of a writer on a full pipe.  */
static void
open_on_full_pipe (unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  filled = gate_full_pipe (ends);
  o.flags = flags;
  o.queue_slots = 1 << 14;
  gate_open (&g, &o, ends[1]);
  cr_assert_eq (gate_begin_on_full_pipe (&g, 2, ends[1]), CGW_OK);
  gate_records (&g);
  is_writing = false;
}

static void
sleep_100_ms (void)
{
  nanosleep (&(struct timespec){ 0, 100000000 }, NULL);
}

static void *
empty_the_pipe (void *argument)
{
  ssize_t n;

  (void) argument;
  while ((n = read (ends[0], g.bytes + g.n, sizeof g.bytes - g.n)) > 0)
    g.n += (size_t) n;
  return NULL;
}

/* Closes the pipe when all of the file is in it, and checks the file.  */
static void
check_pipe (unsigned reader_flags, const char *what)
{
  close (ends[1]);
  pthread_join (reader, NULL);
  close (ends[0]);
  g.n -= filled;
  memmove (g.bytes, g.bytes + filled, g.n);
  gate_check (&g, reader_flags, what);
}

static void
start (pthread_t *thread, void *(*live) (void *), void *argument)
{
  cr_assert_eq (pthread_create (thread, NULL, live, argument), 0);
}

/* In the main thread: a signal while it most likely waits.  The reader sends
   it, and then empties the pipe.  */

static pthread_t main_thread;
static void (*on_signal) (void);
static bool (*has_enough) (void);

static void
handle (int number)
{
  (void) number;
  on_signal ();
}

static void *
send_and_empty (void *argument)
{
  sleep_100_ms ();
  for (int i = 0; i < 1000 && !has_enough (); i++)
    {
      pthread_kill (main_thread, SIGUSR1);
      nanosleep (&one_ms, NULL);
    }
  sleep_100_ms ();
  return empty_the_pipe (argument);
}

static void
catch_signals (int flags)
{
  struct sigaction action = { .sa_handler = handle, .sa_flags = flags };

  sigaction (SIGUSR1, &action, NULL);
  main_thread = pthread_self ();
  start (&reader, send_and_empty, NULL);
}

static atomic_int refusing; /* handlers whose records were refused */

static void
record (void)
{
  gate_records (&g);
  refusing += g.ledger.by_status[CGW_EFINISHED] != 0;
}

static bool
was_refused_often (void)
{
  return refusing >= 50;
}

static void
signals_in_finish (int flags)
{
  refusing = 0;
  on_signal = record;
  has_enough = was_refused_often;
  open_on_full_pipe (0);
  catch_signals (flags);
  cr_expect_eq (cgw_finish (g.w), CGW_OK);
  signal (SIGUSR1, SIG_IGN);
  cr_expect_gt (refusing, 0, "no record was refused in write(2)");
  check_pipe (READER_STRICT, "signals in write(2)");
}

Test (gate_blocked, signals_in_cgw_finish)
{
  signals_in_finish (SA_RESTART);
  signals_in_finish (0);
}

static atomic_int forked; /* the child, or -1: not yet */

static void
fork_once (void)
{
  if (forked != -1)
    return;
  forked = fork ();
  if (forked == 0)
    alarm (GATE_CHILD_SECONDS);
}

static bool
has_forked (void)
{
  return forked != -1;
}

/* In the child, which returns into the call.  */
static int
is_dead (void)
{
  for (enum gate_kind kind = 0; kind < GATE_KINDS; kind++)
    if (gate_record (&g, kind) != CGW_EFORK)
      return 1;
  return cgw_finish (g.w) == CGW_EFORK ? 0 : 2;
}

static void
fork_in_flush (int flags)
{
  forked = -1;
  on_signal = fork_once;
  has_enough = has_forked;
  open_on_full_pipe (0);
  catch_signals (flags);
  cgw_flush (g.w);
  if (forked == 0)
    leave (is_dead ());
  cr_assert_eq (cgw_finish (g.w), CGW_OK);
  cr_assert_neq (forked, -1);
  cr_assert_eq (gate_wait (forked), 0);
  check_pipe (READER_STRICT, "a fork in write(2)");
}

Test (gate_blocked, fork_in_a_write_that_ends_with_eintr)
{
  fork_in_flush (0);
}

Test (gate_blocked, fork_in_a_write_that_is_restarted)
{
  fork_in_flush (SA_RESTART);
}

/* In a thread of its own.  */

static void *
write_to_the_pipe (void *argument)
{
  (void) argument;
  is_writing = true;
  cgw_flush (g.w);
  return NULL;
}

static void
block_a_thread (void)
{
  open_on_full_pipe (CGW_THREADS);
  start (&writer, write_to_the_pipe, NULL);
  while (!is_writing)
    nanosleep (&one_ms, NULL);
  sleep_100_ms ();
}

/* Others wait without limit, and records are deferred.  */

static enum cgw_status
begin_a_part (void)
{
  return gate_begin (&g, 2);
}

static enum cgw_status
comment (void)
{
  return cgw_comment (g.w, "waited");
}

static enum cgw_status
get_stats (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  return cgw_get_stats (g.w, &s);
}

struct waiting
{
  enum cgw_status (*call) (void);
  enum cgw_status status;
  pthread_t thread;
};

static atomic_int came_back;

static void *
call_waiting (void *argument)
{
  struct waiting *v = argument;

  v->status = v->call ();
  came_back++;
  return NULL;
}

Test (gate_blocked, others_wait_for_the_writer)
{
  struct waiting calls[] = { { .call = begin_a_part },
                             { .call = comment },
                             { .call = get_stats } };

  block_a_thread ();
  for (size_t i = 0; i < 3; i++)
    start (&calls[i].thread, call_waiting, &calls[i]);
  gate_records (&g);
  sleep_100_ms ();
  cr_expect_eq (came_back, 0);
  start (&reader, empty_the_pipe, NULL);
  for (size_t i = 0; i < 3; i++)
    {
      pthread_join (calls[i].thread, NULL);
      cr_expect_eq (calls[i].status, CGW_OK, "call %zu: %s", i,
                    cgw_strerror (calls[i].status));
    }
  gate_records (&g);
  cr_expect_eq (g.ledger.by_status[CGW_OK], 3 * GATE_KINDS);
  pthread_join (writer, NULL);
  cr_expect_eq (cgw_finish (g.w), CGW_OK);
  check_pipe (READER_STRICT, "after a stalled pipe");
}

/* cgw_salvage does not wait.  The write goes on, and takes whole records;
   nothing is written behind it.  */
Test (gate_blocked, salvage_does_not_wait)
{
  block_a_thread ();
  gate_records (&g);
  cr_expect_eq (cgw_salvage (g.w), CGW_ELOST);
  gate_records (&g);
  cr_expect_eq (g.ledger.by_status[CGW_EFINISHED], GATE_KINDS);
  start (&reader, empty_the_pipe, NULL);
  pthread_join (writer, NULL);
  cr_expect_eq (cgw_finish (g.w), CGW_EFINISHED);
  check_pipe (READER_UNFINISHED, "salvaged beside a stalled pipe");
}

/* A thread that is cancelled in write(2) ends after the call, so that nobody
   finds the writer held for ever.  */
Test (gate_blocked, cancelled_thread)
{
  void *result = NULL;

  block_a_thread ();
  cr_assert_eq (pthread_cancel (writer), 0);
  sleep_100_ms ();
  gate_records (&g);
  start (&reader, empty_the_pipe, NULL);
  pthread_join (writer, &result);
  cr_expect_eq (cgw_flush (g.w), CGW_OK);
  cr_expect_eq (cgw_finish (g.w), CGW_OK);
  check_pipe (READER_STRICT, "after a cancelled thread");
}
