/* test_faults_fd.c - descriptors that fail for real: files at their size
   limit, a full disk, closed descriptors, pipes that nobody reads or that are
   slow.

   Whatever happens, the file holds whole records, and what it has not is
   counted.  make check tries one size of the buffer, and CGW_STRESS=30 in the
   environment all: see faults.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* As in test_faults.c.  */
static const size_t buffer_sizes[] = { 100, 1, 4096, 0 };
#define SIZES stress_number (1, sizeof buffer_sizes / sizeof *buffer_sizes)

static const struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 130, .patient = true };

static struct cgw_writer *
writer_on (int fd, size_t buffer_size)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.buffer_size = buffer_size;
  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, &options), CGW_OK);
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

  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
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

  cgw_free (w);
}

Test (faults_fd, size_limit)
{
  struct sink baseline = { 0 }, file = { 0 };
  char path[40];
  int fd = open_in_memory (path);
  unsigned long long runs = 0;

  scenario_baseline (&scenario, 0, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    for (size_t limit = 0; limit < baseline.n; limit += 31, runs++)
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
  cr_assert_eq (cgw_open_fd (&w, test_names (), -1, &o), CGW_OK);
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

/* Bytes of somebody else are not cut off: a file that is appended to may have
   some at any place, and one that has become longer has them at its end.  */
static void
run_shared (int flags, const char *foreign)
{
  const size_t limit = 3001, n = strlen (foreign);
  struct scenario first = scenario;
  struct sink file = { 0 };
  struct delivered d;
  char path[40];
  int fd = open_in_memory (path);
  struct cgw_writer *w;

  first.stop = 200;
  cr_assert_neq (fcntl (fd, F_SETFL, flags), -1);
  w = writer_on (fd, 100);
  limit_files (limit);
  scenario_run (&first, w, &d, NULL);
  limit_files (RLIM_INFINITY);
  cr_assert_eq (pwrite (fd, foreign, n, (off_t) limit), (ssize_t) n);
  limit_files (limit);
  cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
  limit_files (RLIM_INFINITY);
  sink_load (&file, path);
  cr_assert_eq (file.n, limit + n);
  cr_assert_eq (memcmp (file.bytes + limit, foreign, n), 0);
  cr_assert_eq (stats_of (w).written, limit);
  check_conserved (w, &d, file.bytes, whole_length (file.bytes, limit, 0),
                   false, 0, "shared");
  cgw_free (w);
  close (fd);
  sink_free (&file);
}

Test (faults_fd, foreign_bytes_stay)
{
  run_shared (O_APPEND, "");
  run_shared (0, "foreign");
}

/* Descriptors that break after so many records.  */

static void
make_pipe (int ends[2], int size)
{
  cr_assert_eq (pipe2 (ends, O_CLOEXEC), 0);
  cr_assert_neq (fcntl (ends[1], F_SETPIPE_SZ, size), -1);
}

/* Checks a writer that has met the error: the file has what it was given
   before.  */
static void
end_broken (struct cgw_writer *w, struct delivered *d, int error,
            struct sink *file)
{
  cr_assert_eq (scenario_finish (w, d), CGW_EIO);
  cr_assert_eq (cgw_errno (w), error);
  cr_assert_eq (stats_of (w).written, file->n);
  check_conserved (w, d, file->bytes, file->n, false, 0, "broken");
  cr_assert_eq (d->errno_changed, 0);
  cgw_free (w);
  sink_free (file);
}

static void
run_closed (const struct scenario *first, size_t buffer_size)
{
  struct sink file = { 0 };
  struct delivered d;
  char path[40];
  int fd = open_in_memory (path);
  struct cgw_writer *w = writer_on (fd, buffer_size);

  scenario_run (first, w, &d, NULL);
  sink_load (&file, path);
  close (fd);
  end_broken (w, &d, EBADF, &file);
}

static void
run_unread_pipe (const struct scenario *first, size_t buffer_size)
{
  struct sink got = { 0 };
  struct delivered d;
  struct cgw_writer *w;
  int ends[2];

  make_pipe (ends, 1 << 20);
  w = writer_on (ends[1], buffer_size);
  scenario_run (first, w, &d, NULL);
  cr_assert_neq (fcntl (ends[0], F_SETFL, O_NONBLOCK), -1);
  sink_drain (&got, ends[0]);
  close (ends[0]);
  end_broken (w, &d, EPIPE, &got);
  close (ends[1]);
}

Test (faults_fd, broken)
{
  cr_assert_neq (signal (SIGPIPE, SIG_IGN), SIG_ERR);
  for (size_t i = 0; i < SIZES; i++)
    for (unsigned long stop = 1; stop < 390; stop += 13)
      {
        struct scenario first = scenario;

        first.stop = stop;
        run_closed (&first, buffer_sizes[i]);
        run_unread_pipe (&first, buffer_sizes[i]);
      }
}

/* Pipes.  */

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

Test (faults_fd, nonblocking_pipe, .timeout = 300)
{
  /* One part without a flush: those wait.  */
  struct scenario s
      = { .parts = 1, .functions = 40, .records = 8000, .no_flush = true };
  struct sink baseline = { 0 };

  scenario_baseline (&s, 0, &baseline);
  for (size_t i = 0; i < SIZES; i++)
    run_unread (buffer_sizes[i], &s, &baseline);
  /* With room for all, nothing is lost.  */
  s.records = 1000;
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
