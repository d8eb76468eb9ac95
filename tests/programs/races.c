/* races.c - threads and their handlers on one writer, for ThreadSanitizer:
   records from all, and names, parts, flushes and counts meanwhile.  Prints
   nothing and returns 0 when what was delivered was recorded or lost.

   SPDX-License-Identifier: MIT  */

#include <cgw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

enum { THREADS = 3, RECORDS = 4000 };

static struct cgw_writer *writer;
static struct cgw_fn fns[2];
static _Atomic uint64_t delivered;
static _Atomic int threads_left = THREADS;

static ssize_t
sink (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  return (ssize_t) n;
}

static void
deliver (unsigned i)
{
  struct cgw_pos pos = { fns[i % 2], { 0 }, i % 50, 0 };
  struct cgw_pos to = { fns[0], { 0 }, 1, 0 };
  uint64_t cost = 1;

  cgw_cost (writer, &pos, &cost, 1);
  atomic_fetch_add_explicit (&delivered, 1, memory_order_relaxed);
  if (i % 16 == 0)
    {
      cgw_call (writer, &pos, &to, 1, &cost, 1);
      cgw_jump (writer, &to, &to, 1);
      atomic_fetch_add_explicit (&delivered, 2, memory_order_relaxed);
    }
}

static void
on_signal (int number)
{
  deliver ((unsigned) number);
}

static void *
live (void *argument)
{
  (void) argument;
  for (unsigned i = 0; i < RECORDS; i++)
    deliver (i);
  atomic_fetch_sub (&threads_left, 1);
  return NULL;
}

static void
begin_part (void)
{
  static const struct cgw_event event = { "N", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  cgw_begin_part (writer, &part);
}

/* What normal code does while the others write.  */
static void
be_normal (void)
{
  struct cgw_stats s = CGW_STATS_INIT;
  char name[30];

  for (int i = 0; atomic_load (&threads_left) > 0; i++)
    {
      snprintf (name, sizeof name, "name%d", i);
      cgw_add_fn (writer, name, cgw_add_file (writer, name),
                  cgw_add_object (writer, name));
      cgw_comment (writer, name);
      cgw_stats (writer, &s);
      cgw_error (writer);
      cgw_errno (writer);
      if (i % 8 == 0)
        begin_part ();
      cgw_flush (writer);
    }
}

int
main (void)
{
  struct itimerval timer = { { 0, 500 }, { 0, 500 } };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_stats s = CGW_STATS_INIT;
  pthread_t threads[THREADS];

  o.flags = CGW_THREADS;
  o.write = sink;
  o.buffer_size = 1000;
  if (cgw_new (&writer, -1, &o) != CGW_OK)
    return 1;
  for (int i = 0; i < 2; i++)
    fns[i] = cgw_add_fn (writer, i ? "a" : "b", (struct cgw_file){ 0 },
                         (struct cgw_object){ 0 });
  begin_part ();
  signal (SIGALRM, on_signal);
  setitimer (ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, live, NULL);
  be_normal ();
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  signal (SIGALRM, SIG_IGN);
  cgw_finish (writer);
  cgw_stats (writer, &s);
  if (s.recorded + s.lost != delivered || s.refused != 0)
    {
      fprintf (stderr, "recorded %llu, lost %llu, delivered %llu\n",
               (unsigned long long) s.recorded, (unsigned long long) s.lost,
               (unsigned long long) delivered);
      return 1;
    }
  cgw_free (writer);
  return 0;
}
