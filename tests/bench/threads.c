/* threads.c - ways for several threads to record: what a record takes, and how
   many are lost.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "bench.h"
#include "contender.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum
{
  MOST_THREADS = 16,
  FNS = 64,
  LINES = 50 /* of a function */
};

/* A way to record.  All threads share the writer or profile of the first one,
   unless each has one of its own.  */
struct way
{
  unsigned flags;   /* of the writers */
  bool each_writer; /* each thread has a writer */
  bool each_profile;
  bool mutex; /* around each record */
};

static const struct subject subjects[]
    = { { "writers", "a writer for each thread", NULL, NULL },
        { "profiles", "a profile for each thread, merged", NULL, NULL },
        { "mutex", "one writer, a mutex of your own", NULL, NULL },
        { "wait", "CGW_THREADS | CGW_WAIT", NULL, NULL },
        { "threads", "CGW_THREADS", NULL, NULL } };

static const struct way ways[]
    = { { .each_writer = true },
        { .each_profile = true },
        { .mutex = true },
        { .flags = CGW_THREADS | CGW_WAIT },
        { .flags = CGW_THREADS } };

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

struct world
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

static struct cgw_writer *
new_writer (const struct world *b, unsigned flags, int *fd)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  *fd = sink_open_file ();
  options.flags = flags;
  must (cgw_new (&w, b->names, *fd, &options), "cgw_new");
  return w;
}

/* Makes what a thread records into, its own or that of the first one.  */
static void
open_thread (const struct world *b, struct thread *all, size_t i, int *fd)
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
    bench_fail ("a way for threads");
  cgw_free (w);
  close (fd);
  return stats.lost;
}

static void
run_way (void *context, size_t i, double *values)
{
  const struct world *b = context;
  struct thread threads[MOST_THREADS] = { 0 };
  int fds[MOST_THREADS];
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_barrier_t start;
  size_t n = b->n_threads, n_writers = ways[i].each_writer ? n : 1;
  uint64_t lost = 0;
  double wall, processor, records = (double)bench.records;

  pthread_barrier_init (&start, NULL, (unsigned)n + 1);
  for (size_t k = 0; k < n; k++)
    {
      threads[k] = (struct thread){ .way = &ways[i],
                                    .mutex = &mutex,
                                    .start = &start,
                                    .fns = b->fns,
                                    .n_records = bench.records / n };
      open_thread (b, threads, k, &fds[k]);
    }
  wall = time_of (CLOCK_MONOTONIC);
  processor = time_of (CLOCK_PROCESS_CPUTIME_ID);
  run_threads (threads, n);
  for (size_t k = 0; k < n_writers; k++)
    lost += close_writer (&ways[i], threads[k].w, fds[k],
                          bench.records / n * (n / n_writers));
  values[0] = (time_of (CLOCK_MONOTONIC) - wall) / records;
  values[1] = (time_of (CLOCK_PROCESS_CPUTIME_ID) - processor) / records;
  values[2] = 100 * (double)lost / records;
  for (size_t k = 0; k < n; k++)
    cgw_profile_free (threads[k].p);
  pthread_barrier_destroy (&start);
}

static void *
threads_open (const struct group *g)
{
  struct world *b = bench_allocate (1, sizeof *b);

  b->n_threads = g->variant;
  b->names = make_names (NULL);
  for (size_t i = 0; i < FNS; i++)
    {
      char name[16];

      snprintf (name, sizeof name, "fn_%zu", i);
      b->fns[i] = cgw_add_fn (b->names, name,
                              cgw_add_file (b->names, "threads.c"),
                              (struct cgw_object){ 0 });
    }
  return b;
}

static void
threads_close (void *world)
{
  struct world *b = world;

  cgw_names_free (b->names);
  free (b);
}

static const char *const columns[]
    = { "wall_ns", "cpu_ns", "lost_percent" };

#define THREADS(number)                                                       \
  {                                                                           \
    .name = "threads_" #number, .variant = number,                            \
    .title = "a record, with threads: " #number,              \
    .base = "writers", .subjects = subjects,                                  \
    .n = sizeof subjects / sizeof *subjects, .runs = 9, .open = threads_open, \
    .close = threads_close, .columns = columns, .n_columns = 3,               \
    .run = run_way                                                            \
  }
const struct group threads_groups[]
    = { THREADS (1), THREADS (2), THREADS (4), THREADS (16) };
