/* races.c - threads and their handlers on one writer, for ThreadSanitizer.
   The argument says what they do: "all" (records from all; names, parts,
   flushes and counts meanwhile), "first" (records before and while a first
   part begins), "stall" (cgw_finish beside a thread that waits in write(2)),
   "fork" (forks beside new names), "wait" (as "all", with CGW_WAIT), "salvage"
   (cgw_salvage beside all of it).  Prints nothing and returns 0 when what was
   delivered was recorded or lost.

   SPDX-License-Identifier: MIT  */

#include <cgw.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, RECORDS = 4000 };

static struct cgw_names *names;
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

/* Counts a record that must be recorded or lost.  */
static void
count (enum cgw_status status)
{
  if (status == CGW_OK || status == CGW_ELOST || status == CGW_EIO
      || status == CGW_EAGAIN)
    atomic_fetch_add_explicit (&delivered, 1, memory_order_relaxed);
}

static void
deliver (unsigned i)
{
  struct cgw_pos pos = { fns[i % 2], { 0 }, i % 50, 0 };
  struct cgw_pos to = { fns[0], { 0 }, 1, 0 };
  uint64_t cost = 1;

  count (cgw_cost (writer, &pos, &cost, 1));
  if (i % 16 == 0)
    {
      count (cgw_call (writer, &pos, &to, 1, &cost, 1));
      count (cgw_jump (writer, &to, &to, 1));
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
      cgw_add_fn (names, name, cgw_add_file (names, name),
                  cgw_add_object (names, name));
      cgw_comment (writer, name);
      cgw_get_stats (writer, &s);
      cgw_explain (writer);
      cgw_error (writer, NULL);
      cgw_errno (writer);
      if (i % 8 == 0)
        begin_part ();
      cgw_flush (writer);
    }
}

static void *
add_names (void *argument)
{
  (void) argument;
  be_normal ();
  return NULL;
}

/* Memory straight from the kernel.  malloc is the sanitizer's here, and its
   locks stay taken for ever in a child that was forked beside a thread that
   allocates.  The size stands in front of what is handed out.  */
static void *
allocate (void *context, void *p, size_t n)
{
  size_t *old = p, *new = NULL;

  (void) context;
  if (n > 0)
    {
      new = mmap (NULL, n + 64, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (new == MAP_FAILED)
        return NULL;
      new += 64 / sizeof *new;
      new[-1] = n;
    }
  if (new != NULL && old != NULL)
    memcpy (new, old, old[-1] < n ? old[-1] : n);
  if (old != NULL)
    munmap ((char *) old - 64, old[-1] + 64);
  return new;
}

static bool
open_writer (int fd, unsigned flags)
{
  struct cgw_names_options of_names = CGW_NAMES_OPTIONS_INIT;
  struct cgw_options o = CGW_OPTIONS_INIT;

  of_names.allocate = allocate;
  o.flags = CGW_THREADS | flags;
  o.write = fd == -1 ? sink : NULL;
  o.buffer_size = 1000;
  if (cgw_names_new (&names, &of_names) != CGW_OK
      || cgw_new (&writer, names, fd, &o) != CGW_OK)
    return false;
  for (int i = 0; i < 2; i++)
    fns[i] = cgw_add_fn (names, i ? "a" : "b", (struct cgw_file){ 0 },
                         (struct cgw_object){ 0 });
  delivered = 0;
  threads_left = THREADS;
  return true;
}

/* The end of a writer; whether its counts are right.  */
static bool
close_writer (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cgw_finish (writer);
  cgw_get_stats (writer, &s);
  cgw_free (writer);
  cgw_names_free (names);
  if (s.recorded + s.lost == delivered)
    return true;
  fprintf (stderr, "recorded %llu, lost %llu, delivered %llu\n",
           (unsigned long long) s.recorded, (unsigned long long) s.lost,
           (unsigned long long) delivered);
  return false;
}

static void
start_threads (pthread_t threads[THREADS])
{
  for (int i = 0; i < THREADS; i++)
    pthread_create (&threads[i], NULL, live, NULL);
}

static void
join_threads (const pthread_t threads[THREADS])
{
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
}

static bool
all_with (unsigned flags)
{
  struct itimerval timer = { { 0, 500 }, { 0, 500 } };
  pthread_t threads[THREADS];

  if (!open_writer (-1, flags))
    return false;
  begin_part ();
  signal (SIGALRM, on_signal);
  setitimer (ITIMER_REAL, &timer, NULL);
  start_threads (threads);
  be_normal ();
  join_threads (threads);
  signal (SIGALRM, SIG_IGN);
  return close_writer ();
}

static bool
all (void)
{
  return all_with (0);
}

static bool
all_waiting (void)
{
  return all_with (CGW_WAIT);
}

/* Two threads salvage the file beside the others.  */

static _Atomic int ends_of_file;

static void *
salvage (void *argument)
{
  enum cgw_status status = cgw_salvage (writer);

  ends_of_file += status != CGW_EFINISHED;
  return argument;
}

static bool
salvages (void)
{
  pthread_t threads[THREADS], salvaging[2], normal;
  bool right = true;

  for (int i = 0; right && i < 50; i++)
    {
      if (!open_writer (-1, 0))
        return false;
      begin_part ();
      ends_of_file = 0;
      start_threads (threads);
      pthread_create (&normal, NULL, add_names, NULL);
      for (int j = 0; j < 2; j++)
        pthread_create (&salvaging[j], NULL, salvage, NULL);
      for (int j = 0; j < 2; j++)
        pthread_join (salvaging[j], NULL);
      join_threads (threads);
      pthread_join (normal, NULL);
      right = close_writer () && ends_of_file > 0;
    }
  return right;
}

/* The records are there before the part, and go on behind the end.  */
static bool
first_parts (void)
{
  pthread_t threads[THREADS];
  bool right = true;

  for (int i = 0; right && i < 20; i++)
    {
      if (!open_writer (-1, 0))
        return false;
      start_threads (threads);
      begin_part ();
      cgw_flush (writer);
      if (i % 2 != 0)
        cgw_finish (writer);
      join_threads (threads);
      right = close_writer ();
    }
  return right;
}

static void *
flush (void *argument)
{
  (void) argument;
  cgw_flush (writer);
  return NULL;
}

/* Empties the pipe, but not at once.  */
static void *
empty (void *argument)
{
  static const struct timespec a_while = { 0, 200000000 };
  char bytes[4096];

  nanosleep (&a_while, NULL);
  while (read (*(int *) argument, bytes, sizeof bytes) > 0)
    ;
  return NULL;
}

static bool
stalled_pipe (void)
{
  static const struct timespec a_while = { 0, 50000000 };
  pthread_t threads[THREADS], writing, reading;
  char bytes[4096] = { 0 };
  bool right;
  int ends[2];

  if (pipe (ends) != 0)
    return false;
  fcntl (ends[1], F_SETFL, O_NONBLOCK);
  while (write (ends[1], bytes, sizeof bytes) > 0)
    ;
  if (!open_writer (ends[1], 0))
    return false;
  begin_part (); /* the header stays in the buffer */
  fcntl (ends[1], F_SETFL, 0);
  pthread_create (&writing, NULL, flush, NULL);
  nanosleep (&a_while, NULL);
  start_threads (threads);
  pthread_create (&reading, NULL, empty, &ends[0]);
  cgw_finish (writer);
  join_threads (threads);
  pthread_join (writing, NULL);
  right = close_writer ();
  close (ends[1]);
  pthread_join (reading, NULL);
  close (ends[0]);
  return right;
}

/* A child's copy: freed, or reset and used.  */
static int
use_copy (bool reset)
{
  char name[30];

  alarm (60);
  if (reset && cgw_reset (writer, -1) != CGW_OK)
    return 1;
  for (int i = 0; reset && i < 100; i++)
    {
      snprintf (name, sizeof name, "child%d", i);
      cgw_add_fn (names, name, cgw_add_file (names, name),
                  (struct cgw_object){ 0 });
    }
  if (reset)
    begin_part ();
  if (reset && cgw_finish (writer) != CGW_OK)
    return 2;
  cgw_free (writer);
  cgw_names_free (names);
  return 0;
}

static bool
forks (void)
{
  pthread_t naming;
  bool right = true;
  int status;

  if (!open_writer (-1, 0))
    return false;
  begin_part ();
  pthread_create (&naming, NULL, add_names, NULL);
  for (int i = 0; right && i < 100; i++)
    {
      pid_t child = fork ();
      if (child == 0)
        _exit (use_copy (i % 2));
      right = waitpid (child, &status, 0) == child && status == 0;
    }
  threads_left = 0;
  pthread_join (naming, NULL);
  if (!right)
    fprintf (stderr, "a child ended with %x\n", (unsigned) status);
  return close_writer () && right;
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    bool (*run) (void);
  } scenes[] = { { "all", all },
                 { "first", first_parts },
                 { "stall", stalled_pipe },
                 { "fork", forks },
                 { "wait", all_waiting },
                 { "salvage", salvages } };

  for (size_t i = 0; argc == 2 && i < sizeof scenes / sizeof *scenes; i++)
    if (strcmp (argv[1], scenes[i].name) == 0)
      return !scenes[i].run ();
  return 2;
}
