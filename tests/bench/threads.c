/* threads.c - make bench-threads: ways for several threads to record, side by
   side: what a record takes, and how many are lost.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgw.h"
#include "runs.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum
{
  MOST_THREADS = 16,
  RECORDS = 400000, /* of all threads together */
  FNS = 64,
  LINES = 50 /* of a function */
};

/* A way to record.  All threads share the writer or profile of the first one,
   unless each has one of its own.  */
struct way
{
  const char *name;
  const char *title;
  unsigned flags;   /* of the writers */
  bool each_writer; /* each thread has a writer */
  bool each_profile;
  bool mutex; /* around each record */
};

static const struct way ways[] = {
  { "writers", "a writer for each thread", 0, true, false, false },
  { "profiles", "a profile for each thread, merged", 0, false, true, false },
  { "mutex", "one writer, a mutex of your own", 0, false, false, true },
  { "wait", "CGW_THREADS | CGW_WAIT", CGW_THREADS | CGW_WAIT, false, false,
    false },
  { "threads", "CGW_THREADS", CGW_THREADS, false, false, false }
};

enum
{
  N_WAYS = sizeof ways / sizeof *ways,
  N_VALUES = 3 /* wall time, processor time, share that is lost */
};

struct thread
{
  pthread_t id;
  const struct way *way;
  struct cgw_writer *w;
  struct cgw_profile *p;
  pthread_mutex_t *mutex;
  pthread_barrier_t *start;
  const struct cgw_fn *fns;
  size_t n_records;
};

/* One measurement.  */
struct bench
{
  struct cgw_names *names;
  struct cgw_fn fns[FNS];
  size_t n_threads;
};

static void
must (enum cgw_status status, const char *what)
{
  if (status != CGW_OK)
    bench_fail (what);
}

static double
time_of (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What a thread does: functions in turn, the lines of each one after the
   other.  */
static void *
record (void *argument)
{
  struct thread *t = argument;
  const uint64_t cost = 7;

  pthread_barrier_wait (t->start);
  for (size_t i = 0; i < t->n_records; i++)
    {
      const struct cgw_pos pos = { .fn = t->fns[i / LINES % FNS],
                                   .line = (uint32_t)(1 + i % LINES) };

      if (t->way->mutex)
        pthread_mutex_lock (t->mutex);
      if (t->p != NULL)
        cgw_profile_cost (t->p, &pos, &cost, 1);
      else
        cgw_cost (t->w, &pos, &cost, 1);
      if (t->way->mutex)
        pthread_mutex_unlock (t->mutex);
    }
  return NULL;
}

/* The part that all writers have.  */
static const struct cgw_part *
the_part (void)
{
  static const struct cgw_event event = { .name = "Ir" };
  static struct cgw_part part = CGW_PART_INIT;

  part.events = &event;
  part.n_events = 1;
  return &part;
}

/* A writer on a file that nobody else sees.  */
static struct cgw_writer *
new_writer (const struct bench *b, unsigned flags, int *fd)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  char path[] = "/dev/shm/bench-threads.XXXXXX";
  struct cgw_writer *w;

  if ((*fd = mkstemp (path)) < 0)
    bench_fail ("a file in /dev/shm");
  unlink (path);
  options.flags = flags;
  must (cgw_new (&w, b->names, *fd, &options), "cgw_new");
  return w;
}

/* Makes what a thread records into, its own or that of the first one.  */
static void
open_thread (const struct bench *b, struct thread *all, size_t i, int *fd)
{
  const struct way *way = all[i].way;

  if (way->each_profile)
    must (cgw_profile_new (&all[i].p, b->names, 1, CGW_LINE),
          "cgw_profile_new");
  if (i > 0 && !way->each_writer)
    all[i].w = all[0].w;
  else
    {
      all[i].w = new_writer (b, way->flags, fd);
      if (!way->each_profile)
        must (cgw_begin_part (all[i].w, the_part ()), "cgw_begin_part");
    }
}

/* Runs the threads, and merges their profiles.  */
static void
run_threads (struct thread *all, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (pthread_create (&all[i].id, NULL, record, &all[i]) != 0)
      bench_fail ("pthread_create");
  pthread_barrier_wait (all[0].start);
  for (size_t i = 0; i < n; i++)
    pthread_join (all[i].id, NULL);
  for (size_t i = 1; i < n && all[0].p != NULL; i++)
    must (cgw_profile_merge (all[0].p, all[i].p), "cgw_profile_merge");
  if (all[0].p != NULL)
    must (cgw_profile_write (all[0].p, all[0].w, the_part ()),
          "cgw_profile_write");
}

/* Ends a file.  What was submitted is recorded or lost, or this fails.  */
static uint64_t
close_writer (const struct way *way, struct cgw_writer *w, int fd,
              size_t submitted)
{
  struct cgw_stats stats = CGW_STATS_INIT;
  enum cgw_status status = cgw_finish (w);

  must (cgw_get_stats (w, &stats), "cgw_get_stats");
  if (status != (stats.lost != 0 ? CGW_ELOST : CGW_OK)
      || (!way->each_profile && stats.recorded + stats.lost != submitted))
    bench_fail (way->title);
  cgw_free (w);
  close (fd);
  return stats.lost;
}

/* Thing i is a way.  */
static void
run_way (void *context, size_t i, double *values)
{
  const struct bench *b = context;
  struct thread threads[MOST_THREADS] = { 0 };
  int fds[MOST_THREADS];
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_barrier_t start;
  size_t n = b->n_threads, n_writers = ways[i].each_writer ? n : 1;
  uint64_t lost = 0;
  double wall, processor;

  pthread_barrier_init (&start, NULL, (unsigned)n + 1);
  for (size_t k = 0; k < n; k++)
    {
      threads[k] = (struct thread){ .way = &ways[i],
                                    .mutex = &mutex,
                                    .start = &start,
                                    .fns = b->fns,
                                    .n_records = RECORDS / n };
      open_thread (b, threads, k, &fds[k]);
    }
  wall = time_of (CLOCK_MONOTONIC);
  processor = time_of (CLOCK_PROCESS_CPUTIME_ID);
  run_threads (threads, n);
  for (size_t k = 0; k < n_writers; k++)
    lost += close_writer (&ways[i], threads[k].w, fds[k],
                          RECORDS / n * (n / n_writers));
  values[0] = (time_of (CLOCK_MONOTONIC) - wall) / RECORDS;
  values[1] = (time_of (CLOCK_PROCESS_CPUTIME_ID) - processor) / RECORDS;
  values[2] = 100 * (double)lost / RECORDS;
  for (size_t k = 0; k < n; k++)
    cgw_profile_free (threads[k].p);
  pthread_barrier_destroy (&start);
}

static void
print_way (const struct way *way, size_t n_threads,
           const struct quartiles *values)
{
  static const char *const names[N_VALUES]
      = { "threads_wall_ns_", "threads_processor_ns_",
          "threads_lost_percent_" };
  char suffix[24];

  printf ("%-34s", way->title);
  for (size_t i = 0; i < N_VALUES; i++)
    print_quartiles (&values[i]);
  printf ("\n");
  snprintf (suffix, sizeof suffix, "_%zu", n_threads);
  for (size_t i = 0; i < N_VALUES; i++)
    print_figure (names[i], way->name, suffix, values[i].median);
}

int
main (void)
{
  static const size_t numbers[] = { 1, 2, 4, MOST_THREADS };
  struct bench b;
  struct cgw_file file;

  must (cgw_names_new (&b.names, NULL), "cgw_names_new");
  file = cgw_add_file (b.names, "threads.c");
  for (size_t i = 0; i < FNS; i++)
    {
      char name[16];

      snprintf (name, sizeof name, "fn_%zu", i);
      b.fns[i] = cgw_add_fn (b.names, name, file, (struct cgw_object){ 0 });
    }
  printf ("%ld processors.  For each record: wall time and processor time of "
          "all threads\nin ns, and the share that is lost in percent; medians "
          "(quartiles)\n",
          sysconf (_SC_NPROCESSORS_ONLN));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
      struct quartiles q[N_WAYS * N_VALUES];

      b.n_threads = numbers[i];
      run_rounds (N_WAYS, N_VALUES, runs_wanted (9), run_way, &b, q);
      printf ("\n%zu thread%s\n", numbers[i], numbers[i] == 1 ? "" : "s");
      for (size_t k = 0; k < N_WAYS; k++)
        print_way (&ways[k], numbers[i], &q[k * N_VALUES]);
    }
  cgw_names_free (b.names);
  return 0;
}
