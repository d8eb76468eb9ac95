/* test_descriptors.c - cgw_open_fd on all kinds of descriptors, and
   what becomes of them; fork.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 200 };

static struct sink baseline;
static struct sink got;
static char *directory;

static void
set_up (void)
{
  scenario_baseline (&scenario, 0, &baseline);
  directory = make_directory ();
}

static void
tear_down (void)
{
  sink_free (&baseline);
  sink_free (&got);
  remove_directory (directory);
}

TestSuite (descriptors, .init = set_up, .fini = tear_down);

static struct cgw_writer *
writer_on (int fd)
{
  struct cgw_writer *w;

  cr_assert_eq (cgw_open_fd (&w, test_names (), fd, NULL), CGW_OK);
  return w;
}

static bool
is_open (int fd)
{
  return fcntl (fd, F_GETFD) != -1;
}

/* A descriptor that cannot be written to is refused.  */
static void
check_refused (int bad, const char *context)
{
  struct cgw_options hooked = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  errno = 4711; /* and w is not NULL */
  cr_assert_eq (cgw_open_fd (&w, test_names (), bad, NULL), CGW_EINVAL, "%s",
                context);
  cr_assert_eq (errno, 4711, "%s", context);
  cgw_free (w);

  /* With a hook the descriptor is not looked at.  */
  got.n = 0;
  hooked.write = sink_write;
  hooked.write_context = &got;
  cr_assert_eq (cgw_open_fd (&w, test_names (), bad, &hooked), CGW_OK, "%s",
                context);
  scenario_complete (&scenario, w);
  check_same (got.bytes, got.n, &baseline, context);
  cgw_free (w);
}

Test (descriptors, refused)
{
  char path[4096];
  int fd = open_in (directory, "file", path);
  int ends[2];

  check_refused (-1, "negative");
  check_refused (-100, "very negative");
  close (fd);
  check_refused (1000, "closed");
  fd = open (path, O_RDONLY | O_CLOEXEC);
  check_refused (fd, "read-only");
  close (fd);
  cr_assert_eq (pipe2 (ends, O_CLOEXEC), 0);
  check_refused (ends[0], "reading end");
  close (ends[0]);
  close (ends[1]);
  fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  check_refused (fd, "directory");
  close (fd);
}

/* The descriptor is the caller's, with all its flags.  */
Test (descriptors, stays_open)
{
  char path[4096];
  int fd = open_in (directory, "file", path);
  int status_flags, fd_flags;
  struct cgw_writer *w;

  cr_assert_neq (fcntl (fd, F_SETFL, O_NONBLOCK), -1);
  cr_assert_neq (fcntl (fd, F_SETFD, 0), -1);
  status_flags = fcntl (fd, F_GETFL);
  fd_flags = fcntl (fd, F_GETFD);
  w = writer_on (fd);
  scenario_complete (&scenario, w);
  cr_assert (is_open (fd), "closed by cgw_finish");
  cgw_free (w);
  cr_assert (is_open (fd), "closed by cgw_free");
  w = writer_on (fd);
  cgw_free (w);
  cr_assert (is_open (fd), "closed by cgw_free, unfinished");
  cr_assert_eq (fcntl (fd, F_GETFL), status_flags);
  cr_assert_eq (fcntl (fd, F_GETFD), fd_flags);
  check_same_file (path, &baseline, "stays open");
  close (fd);
}

/* cgw_free never writes.  */
Test (descriptors, free_does_not_write)
{
  char path[4096];
  int fd = open_in (directory, "file", path);
  struct cgw_writer *w = writer_on (fd);
  struct scenario first = scenario;
  struct cgw_stats s = CGW_STATS_INIT;
  struct delivered d;

  first.stop = 50;
  scenario_run (&first, w, &d, NULL);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_gt (s.buffered, 0);
  cgw_free (w);
  sink_load (&got, path);
  cr_assert_eq (got.n, s.written);
  close (fd);
}

/* fork.  */

/* A child frees its copy, and writes a file of its own.  */
static void
run_child (struct cgw_writer *w, int fd)
{
  struct delivered d;
  bool right;

  cgw_free (w);
  right = cgw_open_fd (&w, test_names (), fd, NULL) == CGW_OK;
  scenario_run (&scenario, w, &d, NULL);
  right = right && d.failed + d.refused == 0
          && scenario_finish (w, &d) == CGW_OK;
  cgw_free (w);
  leave (right ? 0 : 1);
}

static void
wait_for (pid_t pid)
{
  int status;

  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

/* A child that goes on with its copy gets an error, whatever it calls.  */
static void
run_dead_child (struct cgw_writer *w)
{
  struct delivered d;
  struct scenario little = scenario;

  little.parts = 2;
  little.records = 100;
  scenario_run (&little, w, &d, NULL);
  if (d.refused != 200 || d.records != 0 || d.failed_parts != 2
      || d.errno_changed != 0 || cgw_flush (w) != CGW_EFORK
      || scenario_finish (w, &d) != CGW_EFORK)
    _exit (1);
  cgw_free (w);
  leave (0);
}

/* The parent forks after `stop` records.  */
static void
fork_after (unsigned long stop)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  char parent_path[4096], child_path[4096], context[60];
  int parent = open_in (directory, "parent", parent_path);
  int child = open_in (directory, "child", child_path);
  struct scenario first = scenario;
  struct cgw_writer *w;
  struct delivered d;
  pid_t pid;

  snprintf (context, sizeof context, "fork after %lu records", stop);
  options.buffer_size = 1000;
  cr_assert_eq (cgw_open_fd (&w, test_names (), parent, &options), CGW_OK);
  first.stop = stop;
  scenario_run (&first, w, &d, NULL);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    run_child (w, child);
  wait_for (pid);
  check_same_file (child_path, &baseline, context);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    run_dead_child (w);
  wait_for (pid);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  sink_load (&got, parent_path);
  check_conserved (w, &d, got.bytes, got.n, true, 0, context);
  cgw_free (w);
  close (parent);
  close (child);
}

Test (descriptors, fork)
{
  for (unsigned long stop = 1; stop < 600; stop += 23)
    fork_after (stop);
}
