/* test_kill.c - writers killed by SIGKILL at random points: each file left is
   a valid profile, without totals.

   A process killed inside write(2) leaves a file that ends at a page's end,
   which is why no record straddles one.  The control shows that this test
   sees torn files: without the padding there are some.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILLS 1000
#define CONTROL_KILLS 300
#define CONTROL_KILLS_MOST 1000

/* The longest that a writer lives.  Files get some 100 KB per millisecond.  */
#define LIFE_NS 4000000

static const struct scenario scenario
    = { .parts = 1000000, .functions = 300, .records = 2000,
        .no_flush = true };

/* What the writer has handed over so far: shared with it.  */
static volatile uint64_t *progress;

/* The child: writes more than it has time for.  */
static void
write_until_killed (int fd, size_t buffer_size, unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;
  struct delivered d;

  options.buffer_size = buffer_size;
  options.flags = flags;
  if (cgw_new (&w, fd, &options) == CGW_OK)
    scenario_run (&scenario, w, &d, progress);
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

/* Runs a writer on the file for so long, and kills it.  */
static void
kill_writer (int fd, size_t buffer_size, unsigned flags, long delay)
{
  int status;
  pid_t pid;

  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
  *progress = 0;
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    write_until_killed (fd, buffer_size, flags);
  sleep_ns (delay);
  cr_assert_eq (kill (pid, SIGKILL), 0);
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL,
             "the writer ended by itself");
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
  missing = (long long) *progress - records;
  cr_assert (missing >= -1
                 && missing <= (long long) (buffer_size + 4096)
                                   / SHORTEST_RECORD,
             "kill %d, buffer %zu: %lld records missing", number, buffer_size,
             missing);
}

static void
share_progress (void)
{
  progress = mmap (NULL, sizeof *progress, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq (progress, MAP_FAILED);
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
  if (cgw_create (&w, path, NULL) == CGW_OK
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
  int status = 0;
  pid_t pid = fork ();

  cr_assert_neq (pid, -1);
  if (pid == 0)
    begin_and_die (path);
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  sink_load (&file, path);
  cr_expect_eq (file.n, sizeof expected - 1);
  cr_expect_arr_eq (file.bytes, expected, file.n);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

Test (kill, no_file_is_torn, .timeout = 600)
{
  static const size_t sizes[] = { 512, 8192, 65536 };
  uint64_t random = 2463534242;
  struct sink file = { 0 };
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "killed", path);
  unsigned long long bytes = 0;

  share_progress ();
  for (int i = 0; i < KILLS; i++)
    {
      size_t buffer_size = sizes[i % (sizeof sizes / sizeof *sizes)];

      kill_writer (fd, buffer_size, 0, next_delay (&random));
      sink_load (&file, path);
      check_killed (&file, buffer_size, i);
      bytes += file.n;
    }
  /* Else the writers were killed before they wrote anything.  */
  cr_assert_gt (bytes, KILLS * 4096);
  print_figure ("kills", KILLS);
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

  share_progress ();
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
