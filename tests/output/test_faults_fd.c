/* test_faults_fd.c - descriptors that fail for real: files at their size
   limit, full disks, closed descriptors, pipes that nobody reads or that are
   slow, and a storm of signals.

   Whatever happens, the file holds whole records, and what it has not is
   counted.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static const size_t buffer_sizes[] = { 1, 100, 4096, 0 };
#define SIZES (sizeof buffer_sizes / sizeof *buffer_sizes)

static const struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 130, .patient = true };

static struct cgw_writer *
writer_on (int fd, size_t buffer_size)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.buffer_size = buffer_size;
  cr_assert_eq (cgw_new (&w, test_names (), fd, &options), CGW_OK);
  return w;
}

/* The counts after cgw_finish.  */
static struct cgw_stats
stats_of (struct cgw_writer *w)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  return s;
}

/* What must hold of a finished writer and the bytes that its file has.  */
static void
check_finished (struct cgw_writer *w, const struct delivered *d,
                enum cgw_status status, int error, const struct sink *file,
                const struct sink *baseline, const char *context)
{
  struct cgw_stats s = stats_of (w);
  bool missing = !same_sinks (file, baseline);

  cr_assert_eq (missing, status != CGW_OK, "%s: %s", context,
                cgw_strerror (status));
  if (status == CGW_EIO)
    cr_assert_eq (cgw_errno (w), error, "%s: %s", context,
                  strerror (cgw_errno (w)));
  cr_assert_eq (s.written, file->n, "%s: written", context);
  cr_assert_eq (d->errno_changed, 0, "%s: errno", context);
  check_conserved (w, d, file->bytes, file->n, s.discarded == 0, 0, context);
}

/* Size limits.  */

static void
limit_files (rlim_t n)
{
  struct rlimit limit;

  cr_assert_eq (getrlimit (RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = n;
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &limit), 0);
}

/* A regular file in memory, for there are thousands of runs; and its path.  */
static int
open_in_memory (char path[40])
{
  int fd = memfd_create ("limited", MFD_CLOEXEC);

  cr_assert_neq (fd, -1);
  snprintf (path, 40, "/proc/self/fd/%d", fd);
  return fd;
}

static void
empty (int fd)
{
  cr_assert_eq (ftruncate (fd, 0), 0);
  cr_assert_eq (lseek (fd, 0, SEEK_SET), 0);
}

/* A file that may not grow past `limit`: the records that fit stay.  */
static void
run_limited (size_t limit, size_t buffer_size, int fd, const char *path,
             const struct sink *baseline, struct sink *file)
{
  struct cgw_writer *w;
  struct delivered d;
  enum cgw_status status;
  char context[100];

  snprintf (context, sizeof context, "limit %zu, buffer %zu", limit,
            buffer_size);
  empty (fd);
  w = writer_on (fd, buffer_size);
  limit_files (limit);
  scenario_run (&scenario, w, &d, NULL);
  status = scenario_finish (w, &d);
  limit_files (RLIM_INFINITY);
  sink_load (file, path);
  check_finished (w, &d, status, EFBIG, file, baseline, context);
  cr_assert_leq (file->n, limit, "%s", context);
  cr_assert (begins_with (baseline, file), "%s", context);
  cr_assert_eq (lseek (fd, 0, SEEK_CUR), (off_t) file->n, "%s: offset",
                context);

  /* And then a file without a limit.  */
  empty (fd);
  cr_assert_eq (cgw_reset (w, fd), CGW_OK);
  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  sink_load (file, path);
  check_same (file->bytes, file->n, baseline, context);
  cgw_free (w);
}

Test (faults_fd, size_limit)
{
  struct sink baseline = { 0 }, file = { 0 };
  char path[40];
  int fd = open_in_memory (path);
  unsigned long long runs = 0;

  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  scenario_baseline (&scenario, 0, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    for (size_t limit = 0; limit < baseline.n; limit += 5, runs++)
      run_limited (limit, buffer_sizes[i], fd, path, &baseline, &file);
  print_figure ("fault_runs", runs);
  close (fd);
  sink_free (&baseline);
  sink_free (&file);
}

/* Exactly the whole records stay, whatever kind of line a record ends in.  */

/* Where the records of a file end.  */
struct ends
{
  size_t at[40];
  size_t n;
};

/* The file is written up to here, if somebody wants to know.  */
static void
note_end (struct cgw_writer *w, struct ends *ends)
{
  struct cgw_stats s = stats_of (w);

  if (ends != NULL)
    ends->at[ends->n++] = s.written + s.buffered;
}

static void
begin_noted (struct cgw_writer *w, uint64_t thread, size_t n_summary,
             struct ends *ends)
{
  static const struct cgw_event events[]
      = { { "Ir", "Instructions", NULL }, { "D", NULL, "2 Ir" } };
  static const char *const desc[] = { "Trigger: test" };
  static const uint64_t summary[] = { 7 };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 2;
  part.thread = thread;
  part.cmd = "cmd";
  part.desc = desc;
  part.n_desc = 1;
  part.summary = n_summary != 0 ? summary : NULL;
  part.n_summary = n_summary;
  cgw_begin_part (w, &part);
  note_end (w, ends);
}

/* Headers that end in events: and summary:, comments, cost lines that begin
   with a digit, "*", "+" and "-", calls, jumps.  Statuses are for others.  */
static void
write_all_kinds (struct cgw_writer *w, struct ends *ends)
{
  static const uint32_t lines[] = { 1000, 1000, 1007, 1000, 5 };
  struct cgw_pos from = { .line = 1000 }, to = { .line = 2000 };
  uint64_t one = 1;

  for (int part = 0; part < 2; part++)
    {
      begin_noted (w, (uint64_t) part, (size_t) part, ends);
      for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        {
          from.line = lines[i];
          cgw_cost (w, &from, &one, 1);
          note_end (w, ends);
        }
      cgw_call (w, &from, &to, 1, &one, 1);
      note_end (w, ends);
      cgw_comment (w, part == 0 ? "" : "comment");
      note_end (w, ends);
      cgw_jump (w, &from, &to, 1);
      note_end (w, ends);
      cgw_cond_jump (w, &from, &to, 1, 1);
      note_end (w, ends);
    }
}

/* Where the first such line ends.  */
static size_t
line_end (const struct sink *file, const char *key)
{
  const char *line = memmem (file->bytes, file->n, key, strlen (key));

  cr_assert_not_null (line);
  return (size_t) (strchr (line, '\n') + 1 - file->bytes);
}

/* The records' ends, and that of the first part's totals, which come with the
   second part's header.  */
static void
find_ends (struct ends *ends, struct sink *whole)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  o.write = sink_write;
  o.write_context = whole;
  cr_assert_eq (cgw_new (&w, test_names (), -1, &o), CGW_OK);
  note_end (w, ends);
  write_all_kinds (w, ends);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
  ends->at[ends->n++] = line_end (whole, "totals: ");
}

static size_t
last_end (const struct ends *ends, size_t limit)
{
  size_t last = 0;

  for (size_t i = 0; i < ends->n; i++)
    if (ends->at[i] <= limit && ends->at[i] > last)
      last = ends->at[i];
  return last;
}

/* With a buffer of a byte each record is in a write of its own.  */
Test (faults_fd, exactly_the_whole_records)
{
  struct sink whole = { 0 }, file = { 0 };
  struct ends ends = { .n = 0 };
  char path[40];
  int fd = open_in_memory (path);

  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  find_ends (&ends, &whole);
  for (size_t buffer = 0; buffer < 2; buffer++)
    for (size_t limit = 0; limit < whole.n; limit++)
      {
        size_t n = last_end (&ends, limit);
        struct cgw_writer *w;

        empty (fd);
        w = writer_on (fd, buffer);
        limit_files (limit);
        write_all_kinds (w, NULL);
        cr_assert_eq (cgw_finish (w), CGW_EIO, "limit %zu", limit);
        limit_files (RLIM_INFINITY);
        cgw_free (w);
        sink_load (&file, path);
        cr_assert_eq (file.n, n, "limit %zu: %zu bytes, not %zu", limit,
                      file.n, n);
        cr_assert (begins_with (&whole, &file), "limit %zu", limit);
      }
  close (fd);
  sink_free (&whole);
  sink_free (&file);
}

/* What could not be written is kept: with a higher limit, cgw_flush goes on
   at the same byte.  */
static void
run_lifted (size_t limit, int fd, const char *path,
            const struct sink *baseline, struct sink *file)
{
  struct cgw_writer *w;
  struct delivered d;
  struct scenario half = scenario;
  char context[100];

  snprintf (context, sizeof context, "limit %zu, lifted", limit);
  empty (fd);
  w = writer_on (fd, 0);
  half.parts = 1;
  limit_files (limit);
  scenario_run (&half, w, &d, NULL);
  cr_assert_eq (cgw_flush (w), CGW_EIO, "%s", context);
  cr_assert_eq (cgw_error (w, NULL), CGW_EIO, "%s", context);
  limit_files (RLIM_INFINITY);
  cr_assert_eq (cgw_flush (w), CGW_OK, "%s", context);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK, "%s", context);
  sink_load (file, path);
  check_same (file->bytes, file->n, baseline, context);
  cgw_free (w);
}

Test (faults_fd, size_limit_lifted)
{
  struct sink baseline = { 0 }, file = { 0 };
  struct scenario part = scenario;
  char path[40];
  int fd = open_in_memory (path);
  unsigned long long runs = 0;

  part.parts = 1;
  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  scenario_baseline (&part, 0, &baseline);
  /* The last line, totals:, comes with cgw_finish.  */
  for (size_t limit = 0; limit + 100 < baseline.n; limit += 7, runs++)
    run_lifted (limit, fd, path, &baseline, &file);
  print_figure ("fault_runs", runs);
  close (fd);
  sink_free (&baseline);
  sink_free (&file);
}

/* A file that somebody else writes to, too, is not cut.  */
Test (faults_fd, appended_is_not_cut)
{
  struct sink file = { 0 };
  struct delivered d;
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "shared", path);
  struct cgw_writer *w;
  const size_t limit = 3001;

  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  cr_assert_neq (fcntl (fd, F_SETFL, O_APPEND), -1);
  w = writer_on (fd, 100);
  limit_files (limit);
  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
  limit_files (RLIM_INFINITY);
  sink_load (&file, path);
  cr_assert_eq (file.n, limit);
  cr_assert_eq (stats_of (w).written, limit);
  check_conserved (w, &d, file.bytes, whole_length (file.bytes, file.n, 0),
                   false, 0, "appended");
  cgw_free (w);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

/* Nor is one that has become longer: those bytes are somebody else's.  */
Test (faults_fd, foreign_bytes_stay)
{
  struct scenario half = scenario;
  struct sink file = { 0 };
  struct delivered d;
  char *directory = make_directory ();
  char path[4096];
  int fd = open_in (directory, "shared", path);
  struct cgw_writer *w = writer_on (fd, 100);
  const size_t limit = 3001;

  half.stop = 200;
  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  limit_files (limit);
  scenario_run (&half, w, &d, NULL);
  limit_files (RLIM_INFINITY);
  cr_assert_eq (pwrite (fd, "foreign", 7, (off_t) limit), 7);
  limit_files (limit);
  cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
  limit_files (RLIM_INFINITY);
  sink_load (&file, path);
  cr_assert_eq (file.n, limit + 7);
  cr_assert_eq (memcmp (file.bytes + limit, "foreign", 7), 0);
  cgw_free (w);
  close (fd);
  remove_directory (directory);
  sink_free (&file);
}

/* Full disks.  */

Test (faults_fd, dev_full)
{
  for (size_t i = 0; i < SIZES; i++)
    {
      int fd = open ("/dev/full", O_WRONLY | O_CLOEXEC);
      struct cgw_writer *w;
      struct delivered d;

      cr_assert_neq (fd, -1);
      w = writer_on (fd, buffer_sizes[i]);
      scenario_run (&scenario, w, &d, NULL);
      cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
      cr_assert_eq (cgw_errno (w), ENOSPC);
      cr_assert_eq (stats_of (w).written, 0);
      cr_assert_eq (stats_of (w).lost, d.records);
      cr_assert_gt (stats_of (w).discarded, 0);
      check_conserved (w, &d, "", 0, false, 0, "/dev/full");
      cr_assert_eq (d.errno_changed, 0);
      cgw_free (w);
      close (fd);
    }
}

/* A tmpfs of so many KiB, seen by this process alone; false when that is not
   allowed here.  */
static bool
mount_small (const char *path, unsigned kib)
{
  char size[40];

  snprintf (size, sizeof size, "size=%uk", kib);
  return unshare (CLONE_NEWNS) == 0
         && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
         && mount ("cgw", path, "tmpfs", 0, size) == 0;
}

static void
run_on_full_disk (const char *directory, size_t buffer_size,
                  const struct scenario *s, const struct sink *baseline)
{
  struct sink file = { 0 };
  struct delivered d;
  char path[4096];
  int fd = open_in (directory, "full", path);
  struct cgw_writer *w = writer_on (fd, buffer_size);
  enum cgw_status status;

  scenario_run (s, w, &d, NULL);
  status = scenario_finish (w, &d);
  cr_assert_eq (status, CGW_EIO);
  sink_load (&file, path);
  check_finished (w, &d, status, ENOSPC, &file, baseline, "full disk");
  cr_assert (begins_with (baseline, &file));
  /* With space again, the same writer writes all.  */
  cr_assert_eq (mount (NULL, directory, NULL, MS_REMOUNT, "size=4096k"), 0);
  empty (fd);
  cr_assert_eq (cgw_reset (w, fd), CGW_OK);
  scenario_run (s, w, &d, NULL);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  sink_load (&file, path);
  check_same (file.bytes, file.n, baseline, "space again");
  cgw_free (w);
  close (fd);
  sink_free (&file);
}

Test (faults_fd, full_disk)
{
  static const struct scenario s
      = { .parts = 3, .functions = 300, .records = 3000, .patient = true };
  struct sink baseline = { 0 };
  char *directory = make_directory ();

  if (!mount_small (directory, 64))
    {
      remove_directory (directory);
      cr_skip_test ("no mount is allowed here");
    }
  scenario_baseline (&s, 0, &baseline);
  cr_assert_gt (baseline.n, 65536);
  for (size_t i = 0; i < SIZES; i++)
    {
      cr_assert_eq (mount (NULL, directory, NULL, MS_REMOUNT, "size=64k"), 0);
      run_on_full_disk (directory, buffer_sizes[i], &s, &baseline);
      cr_assert_eq (umount (directory), 0);
      cr_assert_eq (mount ("cgw", directory, "tmpfs", 0, "size=64k"), 0);
    }
  cr_assert_eq (umount (directory), 0);
  remove_directory (directory);
  sink_free (&baseline);
}

/* Closed descriptors.  */

Test (faults_fd, closed_in_mid_run)
{
  for (size_t i = 0; i < SIZES; i++)
    for (unsigned long stop = 1; stop < 390; stop += 17)
      {
        struct scenario first = scenario;
        struct delivered d;
        struct sink file = { 0 };
        char *directory = make_directory ();
        char path[4096];
        int fd = open_in (directory, "closed", path);
        struct cgw_writer *w = writer_on (fd, buffer_sizes[i]);

        first.stop = stop;
        scenario_run (&first, w, &d, NULL);
        close (fd);
        cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
        cr_assert_eq (cgw_errno (w), EBADF);
        sink_load (&file, path);
        cr_assert_eq (stats_of (w).written, file.n);
        check_conserved (w, &d, file.bytes, file.n, false, 0, "closed");
        cr_assert_eq (d.errno_changed, 0);
        cgw_free (w);
        sink_free (&file);
        remove_directory (directory);
      }
}

/* Pipes.  */

static void
make_pipe (int ends[2], int size)
{
  cr_assert_eq (pipe2 (ends, O_CLOEXEC), 0);
  if (size != 0)
    cr_assert_neq (fcntl (ends[1], F_SETPIPE_SZ, size), -1);
}

/* A reader that goes away.  */
Test (faults_fd, broken_pipe)
{
  cr_assert_neq (signal (SIGPIPE, SIG_IGN), SIG_ERR);
  for (size_t i = 0; i < SIZES; i++)
    for (unsigned long stop = 1; stop < 390; stop += 13)
      {
        struct scenario first = scenario;
        struct delivered d;
        struct sink got = { 0 };
        struct cgw_writer *w;
        int ends[2];

        make_pipe (ends, 1 << 20);
        w = writer_on (ends[1], buffer_sizes[i]);
        first.stop = stop;
        scenario_run (&first, w, &d, NULL);
        cr_assert_neq (fcntl (ends[0], F_SETFL, O_NONBLOCK), -1);
        sink_drain (&got, ends[0]);
        close (ends[0]);
        cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
        cr_assert_eq (cgw_errno (w), EPIPE);
        cr_assert_eq (stats_of (w).written, got.n);
        check_conserved (w, &d, got.bytes, got.n, false, 0, "broken pipe");
        cr_assert_eq (d.errno_changed, 0);
        cgw_free (w);
        close (ends[1]);
        sink_free (&got);
      }
}

/* A pipe takes some bytes and then breaks: what it did not take is given up,
   to the byte.  */

/* Costs of 1 at one place until something is written; how many.  */
static unsigned
write_until_full (struct cgw_writer *w, unsigned most)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;
  unsigned n = 0;
  uint64_t header;

  part.events = &ir;
  part.n_events = 1;
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  header = stats_of (w).written;
  while (n < most && stats_of (w).written == header)
    {
      cr_assert_eq (cgw_cost (w, &(struct cgw_pos){ .line = n },
                              (uint64_t[]){ 1 }, 1), CGW_OK);
      n++;
    }
  return n;
}

Test (faults_fd, discarded_after_a_part_of_a_write)
{
  static const char filling[8192];
  const uint64_t room = 8192; /* in the pipe, for most of what is written */
  struct cgw_writer *w, *whole;
  struct cgw_stats s, all;
  uint64_t written;
  unsigned n;
  int ends[2], null = open ("/dev/null", O_WRONLY | O_CLOEXEC);

  cr_assert_neq (signal (SIGPIPE, SIG_IGN), SIG_ERR);
  make_pipe (ends, sizeof filling + room);
  cr_assert_neq (fcntl (ends[1], F_SETFL, O_NONBLOCK), -1);
  cr_assert_eq (write (ends[1], filling, sizeof filling), sizeof filling);
  w = writer_on (ends[1], 10000);
  n = write_until_full (w, UINT_MAX);
  written = stats_of (w).written;
  cr_assert_gt (written, room / 2);
  cr_assert_leq (written, room);
  close (ends[0]);
  cr_assert_eq (cgw_finish (w), CGW_EIO);
  /* The same bytes where nothing fails; the buffer is large enough.  */
  whole = writer_on (null, 1 << 20);
  cr_assert_eq (write_until_full (whole, n), n);
  all = stats_of (whole);
  s = stats_of (w);
  cr_expect_eq (s.written, written);
  cr_expect_eq (s.discarded, all.written + all.buffered - written);
  cr_expect_eq (s.buffered, 0);
  cr_expect_eq (s.recorded + s.lost, n);
  cgw_free (w);
  cgw_free (whole);
  close (ends[1]);
  close (null);
}

/* Nobody reads: no record waits, and what finds no room is counted.  Then a
   slow reader comes: cgw_finish waits for it, and the file says what was
   lost.  */
static void
run_unread (size_t buffer_size, const struct scenario *s,
            const struct sink *baseline)
{
  struct delivered d;
  struct sink got = { 0 };
  struct cgw_writer *w;
  struct pipe_reader *reader;
  enum cgw_status status;
  uint64_t lost;
  int ends[2];

  make_pipe (ends, 4096);
  cr_assert_neq (fcntl (ends[1], F_SETFL, O_NONBLOCK), -1);
  w = writer_on (ends[1], buffer_size);
  scenario_run (s, w, &d, NULL); /* hangs here if a record waits */
  lost = stats_of (w).lost;
  cr_assert_eq (lost, d.failed);
  cr_assert_eq (lost > 0, s->records > 1000);
  reader = reader_start (&got, ends[0], true);
  status = scenario_finish (w, &d);
  cr_assert_eq (status, lost > 0 ? CGW_ELOST : CGW_OK);
  close (ends[1]);
  reader_join (reader);
  cr_assert_eq (stats_of (w).lost, lost);
  check_finished (w, &d, status, 0, &got, baseline, "slow pipe");
  cgw_free (w);
  close (ends[0]);
  sink_free (&got);
}

Test (faults_fd, nonblocking_pipe_overflows, .timeout = 300)
{
  /* One part without a flush: those wait.  */
  static const struct scenario s
      = { .parts = 1, .functions = 40, .records = 8000, .no_flush = true };
  struct sink baseline = { 0 };

  scenario_baseline (&s, 0, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    run_unread (buffer_sizes[i], &s, &baseline);
  sink_free (&baseline);
}

Test (faults_fd, nonblocking_pipe_is_exact, .timeout = 300)
{
  static const struct scenario s
      = { .parts = 1, .functions = 40, .records = 1000, .no_flush = true };
  struct sink baseline = { 0 };

  scenario_baseline (&s, 0, &baseline);
  run_unread (1 << 20, &s, &baseline);
  sink_free (&baseline);
}

/* cgw_flush waits until a slow reader has made room.  */
Test (faults_fd, flush_waits, .timeout = 300)
{
  struct scenario s = scenario;
  struct delivered d;
  struct sink baseline = { 0 }, got = { 0 };
  struct pipe_reader *reader;
  struct cgw_writer *w;
  int ends[2];

  s.flush_often = true;
  scenario_baseline (&s, 0, &baseline);
  make_pipe (ends, 4096);
  cr_assert_neq (fcntl (ends[1], F_SETFL, O_NONBLOCK), -1);
  w = writer_on (ends[1], 0);
  reader = reader_start (&got, ends[0], true);
  scenario_run (&s, w, &d, NULL);
  cr_assert_eq (d.failed + d.failed_flushes, 0);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  close (ends[1]);
  reader_join (reader);
  check_same (got.bytes, got.n, &baseline, "flush waits");
  cgw_free (w);
  close (ends[0]);
  sink_free (&baseline);
  sink_free (&got);
}

/* Signals.  */

static volatile sig_atomic_t signals;

static void
count_signal (int number)
{
  (void) number;
  signals++;
}

/* Writes to a blocking pipe are interrupted all the time, with nothing taken
   or with some bytes taken.  */
static void
run_in_storm (size_t buffer_size, const struct scenario *s,
              const struct sink *baseline)
{
  static const struct itimerval storm = { { 0, 100 }, { 0, 100 } };
  static const struct itimerval calm;
  struct delivered d;
  struct sink got = { 0 };
  struct pipe_reader *reader;
  struct cgw_writer *w;
  sigset_t alarm_only;
  int ends[2];

  make_pipe (ends, 4096);
  w = writer_on (ends[1], buffer_size);
  sigemptyset (&alarm_only);
  sigaddset (&alarm_only, SIGALRM);
  cr_assert_eq (pthread_sigmask (SIG_BLOCK, &alarm_only, NULL), 0);
  reader = reader_start (&got, ends[0], true);
  cr_assert_eq (pthread_sigmask (SIG_UNBLOCK, &alarm_only, NULL), 0);
  cr_assert_eq (setitimer (ITIMER_REAL, &storm, NULL), 0);
  scenario_run (s, w, &d, NULL);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cr_assert_eq (setitimer (ITIMER_REAL, &calm, NULL), 0);
  close (ends[1]);
  reader_join (reader);
  cr_assert_eq (d.failed + d.errno_changed, 0);
  check_same (got.bytes, got.n, baseline, "storm");
  cgw_free (w);
  close (ends[0]);
  sink_free (&got);
}

Test (faults_fd, signal_storm, .timeout = 300)
{
  static const struct scenario s
      = { .parts = 2, .functions = 40, .records = 4000 };
  struct sigaction action = { .sa_handler = count_signal };
  struct sink baseline = { 0 };

  scenario_baseline (&s, 0, &baseline);
  /* No SA_RESTART: write returns.  Other threads of this process must not
     take the signal.  */
  cr_assert_eq (sigaction (SIGALRM, &action, NULL), 0);
  for (size_t i = 0; i < SIZES; i++)
    run_in_storm (buffer_sizes[i], &s, &baseline);
  cr_assert_gt (signals, 0);
  print_figure ("signals", (unsigned long long) signals);
  sink_free (&baseline);
}
