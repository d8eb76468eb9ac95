/* test_create.c - cgw_open: which files it makes, and what it does with the
   descriptor.  test_paths.c has the paths that it refuses.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"
#include "calls.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 200 };

static struct sink baseline;
static char *directory;
static struct cgw_options expanding = CGW_OPTIONS_INIT;
static int lowest; /* the descriptor that the next open returns */

static void
set_up (void)
{
  scenario_baseline (&scenario, 0, &baseline);
  directory = make_directory ();
  umask (022);
  lowest = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  cr_assert_neq (lowest, -1);
  close (lowest);
}

static void
tear_down (void)
{
  sink_free (&baseline);
  remove_directory (directory);
}

TestSuite (create, .init = set_up, .fini = tear_down, .timeout = 300);

/* The path of a name in the test's directory.  */
static const char *
in_directory (const char *name, char path[4096])
{
  snprintf (path, 4096, "%s/%s", directory, name);
  return path;
}

/* Runs the scenario to its end.  */
static void
run_with (struct cgw_names *names, struct cgw_writer *w)
{
  struct scenario s = scenario;

  s.names = names;
  scenario_complete (&s, w);
}

static void
run (struct cgw_writer *w)
{
  run_with (test_names (), w);
}

static bool
is_open (int fd)
{
  return fcntl (fd, F_GETFD) != -1;
}

/* Calls cgw_open with a writer pointer that is not NULL, and checks that
   errno stays.  */
static enum cgw_status
create_with (struct cgw_writer **w, struct cgw_names *names, const char *path,
             const struct cgw_options *options)
{
  static char anything;
  enum cgw_status status;

  *w = (void *) &anything;
  errno = 4711;
  status = cgw_open (w, names, path, options);
  cr_assert_eq (errno, 4711, "errno was changed");
  return status;
}

static enum cgw_status
create (struct cgw_writer **w, const char *path,
        const struct cgw_options *options)
{
  return create_with (w, test_names (), path, options);
}

static void
check_refused (const char *path, enum cgw_status expected)
{
  struct cgw_writer *w;
  enum cgw_status status = create (&w, path, &expanding);

  cr_assert_eq (status, expected, "%s: %s", path, cgw_strerror (status));
  cr_assert_eq (cgw_error (w, NULL), expected);
  cr_assert_eq (cgw_finish (w), expected);
  cgw_free (w);
}

/* After cgw_finish the number may be somebody else's.  */
CLOSING_TEST (create, closes_once)
{
  char path[4096];
  struct cgw_writer *w;
  int other;

  cr_assert_eq (create (&w, in_directory ("once", path), NULL), CGW_OK);
  cr_assert_eq (fcntl (lowest, F_GETFL) & (O_NONBLOCK | O_APPEND), 0);
  run (w);
  cr_assert_not (is_open (lowest), "cgw_finish does not close");
  check_same_file (path, &baseline, "once");
  other = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  cr_assert_eq (other, lowest);
  cr_assert_eq (cgw_finish (w), CGW_EFINISHED);
  cr_assert (is_open (other), "closed by a second cgw_finish");
  cgw_free (w);
  cr_assert (is_open (other), "closed by cgw_free");
  close (other);
}

CLOSING_TEST (create, free_closes)
{
  char path[4096];
  struct cgw_writer *w;

  cr_assert_eq (create (&w, in_directory ("free", path), NULL), CGW_OK);
  cr_assert (is_open (lowest));
  cgw_free (w);
  cr_assert_not (is_open (lowest));
}

/* A close that fails is an error of cgw_finish, unless it was interrupted.  */
CLOSING_TEST (create, close_fails)
{
  static const int errors[] = { EIO, ENOSPC, EDQUOT, EINTR };

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    {
      enum cgw_status expected = errors[i] == EINTR ? CGW_OK : CGW_EIO;
      char path[4096];
      struct cgw_writer *w;
      struct delivered d;

      cr_assert_eq (create (&w, in_directory ("close", path), NULL), CGW_OK);
      scenario_run (&scenario, w, &d, NULL);
      call_errors[CALL_CLOSE] = errors[i];
      cr_assert_eq (scenario_finish (w, &d), expected);
      call_errors[CALL_CLOSE] = 0;
      cr_assert_eq (d.errno_changed, 0);
      cr_assert_eq (cgw_error (w, NULL), expected);
      cr_assert_eq (cgw_errno (w), expected == CGW_OK ? 0 : errors[i]);
      cgw_free (w);
      check_same_file (path, &baseline, "close fails");
    }
}

/* Paths.  */

static void
check_path (const char *pattern, const char *name)
{
  char path[4096], real[4096];
  struct cgw_writer *w;

  cr_assert_eq (create (&w, in_directory (pattern, path), &expanding), CGW_OK);
  cr_assert_eq (access (in_directory (name, real), F_OK), 0, "no %s", name);
  cgw_free (w);
  cr_assert_eq (unlink (real), 0);
}

CLOSING_TEST (create, percent)
{
  char name[100];

  expanding.flags = CGW_PATH_EXPAND;
  check_path ("100%%", "100%");
  check_path ("%%p", "%p");
  snprintf (name, sizeof name, "out.%ld", (long) getpid ());
  check_path ("out.%p", name);
  snprintf (name, sizeof name, "%ld%ld%%", (long) getpid (),
            (long) getpid ());
  check_path ("%p%p%%", name);
}

CLOSING_TEST (create, wrong_percent)
{
  static const char *const wrong[] = { "%q", "a%", "%P", "%%%", "%p%d", "% " };
  char path[4096];

  expanding.flags = CGW_PATH_EXPAND;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
      check_refused (in_directory (wrong[i], path), CGW_EINVAL);
      cr_assert_eq (access (path, F_OK), -1, "%s was made", path);
    }
}

/* A file that its owner may not write to, either.  */
CLOSING_TEST (create, no_permission)
{
  char path[4096];
  pid_t pid;
  int status;

  if (geteuid () != 0)
    cr_skip_test ("root becomes another user here");
  put_file (in_directory ("locked", path), "precious");
  cr_assert_eq (chown (directory, 12345, (gid_t) -1), 0);
  cr_assert_eq (chown (path, 12345, (gid_t) -1), 0);
  cr_assert_eq (chmod (path, 0400), 0);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    {
      struct cgw_writer *w;
      bool right = setuid (12345) == 0
                   && cgw_open (&w, test_names (), path, NULL) == CGW_EIO
                   && cgw_errno (w) == EACCES;
      leave (right ? 0 : 1);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  check_text_file (path, "precious");
}

/* Memory: an existing file is emptied only when nothing else can fail.  */
CLOSING_TEST (create, no_memory)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  size_t live = heap.live, failures = 0;
  char path[4096];
  struct cgw_writer *w;

  put_file (in_directory ("memory", path), "precious");
  expanding.flags = CGW_PATH_EXPAND;
  while (heap_limit (&heap, failures),
         create_with (&w, names, path, &expanding) != CGW_OK)
    {
      cr_assert_null (w);
      cr_assert_eq (heap.live, live, "%zu blocks leak", heap.live - live);
      check_text_file (path, "precious");
      failures++;
    }
  cr_assert_gt (failures, 5);
  check_text_file (path, "");
  heap.fail_at = 0;
  run_with (names, w);
  cgw_free (w);
  /* And nothing leaks where the path is wrong.  */
  cr_assert_eq (create_with (&w, names, "%q", &expanding), CGW_EINVAL);
  cgw_free (w);
  cr_assert_eq (create_with (&w, names, directory, NULL), CGW_EIO);
  cgw_free (w);
  cgw_names_free (names);
  cr_assert_eq (heap.live, 0);
}
