/* test_kill.c - writers killed by SIGKILL at random points: each file left is
   a valid profile, without totals.

   A process killed inside write(2) leaves a file that ends at a page's end,
   which is why no record straddles one.  The control shows that this test
   sees torn files: without the padding there are some.

   With CGW_STRESS in the environment there are more kills.  CGW_SEED is for
   other random points, and the files stay in the directory CGW_KILLED_FILES,
   for other readers: see killed.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
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

#define KILLS stress_number (1000, 4000)
#define CONTROL_KILLS 300
#define CONTROL_KILLS_MOST 1000

/* The longest that a writer lives.  Files get some 100 KB per millisecond.  */
#define LIFE_NS 4000000

static const struct scenario scenario
    = { .parts = 1000000, .functions = 300, .records = 2000,
        .no_flush = true };

#define THREADS 4

/* What the writer says of itself, in memory shared with it.  */
static struct
{
  atomic_bool begun;                 /* its file has a part */
  _Atomic uint64_t records[THREADS]; /* handed over so far, by each thread */
  _Atomic uint64_t flushed;          /* so many of them are in the file */
} *told;

/* The child: writes more than it has time for.  */
static void
write_until_killed (int fd, size_t buffer_size, unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  struct delivered d;

  options.buffer_size = buffer_size;
  options.flags = flags;
  if (cgw_new (&w, test_names (), fd, &options) == CGW_OK)
    scenario_run (&scenario, w, &d, &told->records[0]);
  _exit (1);
}

static void
sleep_ns (long ns)
{
  nanosleep (&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* The same delays in each run: xorshift.  */
static long
next_delay (uint64_t *random)
{
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  return (long) (*random >> 33) % LIFE_NS;
}

static void
share_memory (void)
{
  told = mmap (NULL, sizeof *told, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq ((void *) told, MAP_FAILED);
}

/* Waits for a writer that is being killed.  */
static void
bury (pid_t pid)
{
  int status;

  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL,
             "the writer ended by itself");
}

/* Runs a writer on the file for so long, and kills it.  */
static void
kill_writer (int fd, size_t buffer_size, unsigned flags, long delay)
{
  pid_t pid;

  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
  told->records[0] = 0;
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    write_until_killed (fd, buffer_size, flags);
  sleep_ns (delay);
  cr_assert_eq (kill (pid, SIGKILL), 0);
  bury (pid);
}

/* The records in a file, or -1 when it is torn.  */
static long long
records_in (const struct sink *file, unsigned flags, char *error, size_t size)
{
  struct profile *p = profile_read (file->bytes, file->n,
                                    flags | READER_UNFINISHED, error, size);
  long long n;

  if (p == NULL)
    return -1;
  n = (long long) (p->cost_lines + p->calls + p->jump_lines);
  profile_free (p);
  return n;
}

/* No record is shorter: "* *\n", a jump's last line, is not one yet.  */
#define SHORTEST_RECORD 4

/* Each file is whole, and at most the buffer is missing.  */
static void
check_killed (const struct sink *file, size_t buffer_size, int number)
{
  char error[300];
  long long records = records_in (file, 0, error, sizeof error);
  long long missing;

  cr_assert_geq (records, 0, "kill %d, buffer %zu, %zu bytes: torn: %s",
                 number, buffer_size, file->n, error);
  missing = (long long) told->records[0] - records;
  cr_assert (missing >= -1
                 && missing <= (long long) (buffer_size + 4096)
                                   / SHORTEST_RECORD,
             "kill %d, buffer %zu: %lld records missing", number, buffer_size,
             missing);
}

/* The child: begins a file's first part, and is gone.  */
static void
begin_and_die (const char *path)
{
  static const struct cgw_event event = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_writer *w;

  part.events = &event;
  part.n_events = 1;
  if (cgw_create (&w, test_names (), path, NULL) == CGW_OK
      && cgw_begin_part (w, &part) == CGW_OK)
    kill (getpid (), SIGKILL);
  _exit (1);
}

/* No reader takes an empty file.  */
Test (kill, right_after_the_first_part_began)
{
  static const char expected[]
      = "# callgrind format\nversion: 1\ncreator: libcgw-" CGW_VERSION_STRING
        "\npositions: line\nevents: Ir\n";
  struct sink file = { 0 };
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "killed", path);
  pid_t pid = fork ();

  cr_assert_neq (pid, -1);
  if (pid == 0)
    begin_and_die (path);
  bury (pid);
  sink_load (&file, path);
  cr_expect_eq (file.n, sizeof expected - 1);
  cr_expect_arr_eq (file.bytes, expected, file.n);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

Test (kill, no_file_is_torn, .timeout = 3600)
{
  static const size_t sizes[] = { 512, 8192, 65536 };
  uint64_t random = 2463534242;
  struct sink file = { 0 };
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "killed", path);
  unsigned long long bytes = 0;
  int kills = (int) KILLS;

  share_memory ();
  for (int i = 0; i < kills; i++)
    {
      size_t buffer_size = sizes[i % (sizeof sizes / sizeof *sizes)];

      kill_writer (fd, buffer_size, 0, next_delay (&random));
      sink_load (&file, path);
      check_killed (&file, buffer_size, i);
      bytes += file.n;
    }
  /* Else the writers were killed before they wrote anything.  */
  cr_assert_gt (bytes, (unsigned long long) kills * 4096);
  print_figure ("kills", (unsigned long long) kills);
  print_figure ("kills_bytes", bytes);
  print_figure ("kills_torn", 0);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

/* Without the padding.  A machine where not one file is torn would leave it
   open whether the test above can see any: its figure says so.  */
Test (kill, control, .timeout = 600)
{
  uint64_t random = 88172645463325252;
  struct sink file = { 0 };
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "killed", path);
  unsigned torn = 0;
  int i;

  share_memory ();
  for (i = 0; i < CONTROL_KILLS || (torn == 0 && i < CONTROL_KILLS_MOST); i++)
    {
      char error[300];

      kill_writer (fd, 1 << 20, CGW_NO_PAD, 2 * next_delay (&random));
      sink_load (&file, path);
      torn += records_in (&file, READER_NO_PAD, error, sizeof error) < 0;
    }
  print_figure ("kills_without_padding", (unsigned long long) i);
  print_figure ("kills_without_padding_torn", torn);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

/* Threads.  */

#define KILLS_OF_THREADS 40
#define KILLS_OF_THREADS_LONG 3500
#define KILLS_THAT_ARE_KEPT 1000 /* for other readers, which take long */

/* How a writer of threads is to live.  */
struct life
{
  uint64_t seed;
  unsigned number; /* of the kill */
  unsigned flags;
  size_t buffer_size;
  char path[4096];
};

/* The child's.  */
static struct cgw_writer *writer;
static const struct life *my_life;

static uint64_t
handed_over (void)
{
  uint64_t n = 0;

  for (int i = 0; i < THREADS; i++)
    n += told->records[i];
  return n;
}

/* What the other threads had handed over before is in the file, too.  */
static void
flush_and_tell (void)
{
  uint64_t before = handed_over (), known = told->flushed;

  if (cgw_flush (writer) != CGW_OK)
    _exit (1);
  while (known < before
         && !atomic_compare_exchange_weak (&told->flushed, &known, before))
    ;
}

/* No call may have failed; without CGW_WAIT the queue may be full.  */
static bool
went_well (const struct delivered *d)
{
  unsigned failed = d->errno_changed + d->failed_flushes + d->failed_parts;

  return failed == 0 && d->failed == 0
         && (d->refused == 0 || !(my_life->flags & CGW_WAIT));
}

/* A thread: two parts, again and again, each time with other records and with
   a name that is new.  */
static void *
live (void *records)
{
  struct scenario s = { .parts = 2, .records = 150 };
  ptrdiff_t number = (_Atomic uint64_t *) records - told->records;
  struct delivered d;

  s.seed = (my_life->seed + my_life->number) * THREADS + (uint64_t) number;
  for (s.functions = 10; s.functions < 400; s.functions++)
    {
      s.seed += UINT64_C (1) << 32;
      scenario_run (&s, writer, &d, records);
      if (!went_well (&d))
        _exit (1);
      flush_and_tell ();
    }
  _exit (1);
}

static void
begin_first_part (void)
{
  static const struct scenario no_records = { .parts = 1 };
  struct delivered d;

  scenario_run (&no_records, writer, &d, NULL);
  if (!went_well (&d))
    _exit (1);
  told->begun = true;
}

/* The child: writes more than it has time for.  It is nice to the parent,
   which is to wake up in time.  */
static void
write_from_threads (const struct life *life)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  pthread_t thread;

  nice (19);
  my_life = life;
  options.flags = life->flags;
  options.buffer_size = life->buffer_size;
  if (cgw_create (&writer, test_names (), life->path, &options) != CGW_OK)
    _exit (1);
  begin_first_part ();
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&thread, NULL, live, &told->records[i]) != 0)
      _exit (1);
  pthread_join (thread, NULL);
  _exit (1);
}

static void
await_first_part (pid_t pid)
{
  while (!told->begun)
    {
      cr_assert_eq (waitpid (pid, NULL, WNOHANG), 0,
                    "the writer ended by itself");
      sched_yield ();
    }
}

/* A third of the lives end in their first tenth, and some at once.  */
static void
let_live (uint64_t *random)
{
  long long ns = next_delay (random);

  ns = ns * next_delay (random) / LIFE_NS;
  if (ns > LIFE_NS / 100)
    sleep_ns ((long) ns);
}

static void
kill_threads (const struct life *life, uint64_t *random)
{
  pid_t pid;

  memset (told, 0, sizeof *told);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    write_from_threads (life);
  await_first_part (pid);
  let_live (random);
  cr_assert_eq (kill (pid, SIGKILL), 0);
  bury (pid);
}

/* What was flushed is there, and nothing that was not handed over, or was just
   being so by each thread.  Returns how many records there are.  */
static uint64_t
check_threads (const struct sink *file, const struct life *life)
{
  uint64_t all = handed_over (), flushed = told->flushed, n;
  char error[300] = "empty";
  long long records
      = file->n > 0 ? records_in (file, 0, error, sizeof error) : -1;

  cr_assert_geq (records, 0, "seed %llu, kill %u, %zu bytes: %s",
                 (unsigned long long) life->seed, life->number, file->n,
                 error);
  n = (uint64_t) records;
  cr_assert (n >= flushed && n <= all + THREADS,
             "seed %llu, kill %u: %lld records of %llu, %llu flushed",
             (unsigned long long) life->seed, life->number, records,
             (unsigned long long) all, (unsigned long long) flushed);
  return n;
}

/* What the files are together.  */
struct sums
{
  uint64_t bytes;
  uint64_t records;
  uint64_t flushed; /* of them */
  uint64_t bare;    /* files without records */
};

static void
add (struct sums *sums, size_t bytes, uint64_t records)
{
  sums->bytes += bytes;
  sums->records += records;
  sums->flushed += told->flushed;
  sums->bare += records == 0;
}

static void
kill_and_read (struct life *life, uint64_t *random, struct sums *sums)
{
  static const size_t sizes[] = { 512, 8192, 65536 };
  struct sink file = { 0 };

  life->flags = CGW_THREADS | (life->number % 2 == 0 ? 0 : CGW_WAIT);
  life->buffer_size = sizes[life->number % (sizeof sizes / sizeof *sizes)];
  kill_threads (life, random);
  sink_load (&file, life->path);
  add (sums, file.n, check_threads (&file, life));
  sink_free (&file);
}

static uint64_t
seed_of_environment (void)
{
  const char *text = getenv ("CGW_SEED");

  return text != NULL ? strtoull (text, NULL, 10) : 1;
}

Test (kill, threads, .timeout = 3600)
{
  struct life life = { .seed = seed_of_environment () };
  uint64_t random = 2463534242 ^ life.seed << 32;
  const char *kept = getenv ("CGW_KILLED_FILES");
  unsigned long kills
      = stress_number (KILLS_OF_THREADS, kept != NULL ? KILLS_THAT_ARE_KEPT
                                                      : KILLS_OF_THREADS_LONG);
  char *directory = make_directory ();
  struct sums sums = { 0 };

  share_memory ();
  for (; life.number < kills; life.number++)
    {
      snprintf (life.path, sizeof life.path, "%.4000s/killed.%u",
                kept != NULL ? kept : directory, life.number);
      kill_and_read (&life, &random, &sums);
      if (kept == NULL)
        unlink (life.path);
    }
  /* Else they were killed before they wrote anything.  */
  cr_assert_gt (sums.flushed, 0);
  print_figure ("kills_of_threads", kills);
  print_figure ("kills_of_threads_seed", life.seed);
  print_figure ("kills_of_threads_bytes", sums.bytes);
  print_figure ("kills_of_threads_records", sums.records);
  print_figure ("kills_of_threads_flushed", sums.flushed);
  print_figure ("kills_of_threads_without_records", sums.bare);
  remove_directory (directory);
}
