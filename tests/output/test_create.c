/* test_create.c - cgw_create: which files it makes, and what it does with the
   descriptor.  test_paths.c has the paths that it refuses.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/coverage.h"
#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 200 };

static struct sink baseline;
static char *directory;
static int lowest; /* the descriptor that the next open returns */

/* Takes the place of libc's: a close that fails with this errno, if not 0,
   after it closed, as on a full network disk.  */
static int close_error;

int
close (int fd)
{
  int result = (int) syscall (SYS_close, fd);

  if (close_error != 0 && result == 0)
    {
      errno = close_error;
      return -1;
    }
  return result;
}

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

/* Calls cgw_create with a writer pointer that is not NULL, and checks that
   errno stays.  */
static enum cgw_status
create_with (struct cgw_writer **w, struct cgw_names *names, const char *path,
             const struct cgw_options *options)
{
  static char anything;
  enum cgw_status status;

  *w = (void *) &anything;
  errno = 4711;
  status = cgw_create (w, names, path, options);
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
  enum cgw_status status = create (&w, path, NULL);

  cr_assert_eq (status, expected, "%s: %s", path, cgw_strerror (status));
  cr_assert_eq (cgw_error (w, NULL), expected);
  cr_assert_eq (cgw_finish (w), expected);
  cgw_free (w);
}

/* New files.  */

CLOSING_TEST (create, new_file)
{
  char path[4096];
  struct cgw_writer *w;
  struct stat st;

  cr_assert_eq (create (&w, in_directory ("new", path), NULL), CGW_OK);
  cr_assert_eq (fstat (lowest, &st), 0);
  cr_assert_eq (st.st_mode & 07777, 0600);
  cr_assert (S_ISREG (st.st_mode));
  cr_assert_eq (fcntl (lowest, F_GETFD), FD_CLOEXEC);
  cr_assert_eq (fcntl (lowest, F_GETFL) & (O_NONBLOCK | O_APPEND), 0);
  run (w);
  cr_assert_not (is_open (lowest), "cgw_finish does not close");
  check_same_file (path, &baseline, "new file");
  cgw_free (w);
}

/* The second one has a mode already.  */
CLOSING_TEST (create, umask)
{
  char path[4096];
  struct cgw_writer *w;
  struct stat st;

  umask (0277);
  in_directory ("new", path);
  for (int i = 0; i < 2; i++)
    {
      cr_assert_eq (create (&w, path, NULL), CGW_OK);
      cr_assert_eq (fstat (lowest, &st), 0);
      cr_assert_eq (st.st_mode & 07777, i == 0 ? 0600 : 0640);
      run (w);
      cgw_free (w);
      cr_assert_eq (chmod (path, 0640), 0);
    }
}

/* After cgw_finish the number may be somebody else's.  */
CLOSING_TEST (create, closes_once)
{
  char path[4096];
  struct cgw_writer *w;
  int other;

  cr_assert_eq (create (&w, in_directory ("once", path), NULL), CGW_OK);
  run (w);
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
      close_error = errors[i];
      cr_assert_eq (scenario_finish (w, &d), expected);
      close_error = 0;
      cr_assert_eq (d.errno_changed, 0);
      cr_assert_eq (cgw_error (w, NULL), expected);
      cr_assert_eq (cgw_errno (w), expected == CGW_OK ? 0 : errors[i]);
      cgw_free (w);
      check_same_file (path, &baseline, "close fails");
    }
}

/* The file is gone from under the writer.  */
CLOSING_TEST (create, closed_by_somebody_else)
{
  char path[4096];
  struct cgw_writer *w;
  struct delivered d;

  cr_assert_eq (create (&w, in_directory ("close", path), NULL), CGW_OK);
  scenario_run (&scenario, w, &d, NULL);
  close (lowest);
  cr_assert_eq (scenario_finish (w, &d), CGW_EIO);
  cr_assert_eq (cgw_errno (w), EBADF);
  cr_assert_eq (cgw_error (w, NULL), CGW_EIO);
  cgw_free (w);
}

/* cgw_finish without any part says so, and leaves the writer as it was.  */
CLOSING_TEST (create, order)
{
  char path[4096];
  struct cgw_writer *w;

  cr_assert_eq (create (&w, in_directory ("order", path), NULL), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_EORDER);
  cr_assert (is_open (lowest));
  run (w);
  check_same_file (path, &baseline, "order");
  cgw_free (w);
}

CLOSING_TEST (create, existing_file_is_emptied)
{
  char path[4096];
  struct cgw_writer *w;
  struct stat before, after;

  put_file (in_directory ("existing", path), "what was there");
  cr_assert_eq (stat (path, &before), 0);
  cr_assert_eq (create (&w, path, NULL), CGW_OK);
  cr_assert_eq (stat (path, &after), 0);
  cr_assert_eq (after.st_size, 0);
  cr_assert_eq (after.st_ino, before.st_ino);
  cr_assert_eq (after.st_mode, before.st_mode, "its mode is its owner's");
  run (w);
  check_same_file (path, &baseline, "existing");
  cgw_free (w);
}

/* Paths.  */

static void
check_path (const char *pattern, const char *name)
{
  char path[4096], real[4096];
  struct cgw_writer *w;

  cr_assert_eq (create (&w, in_directory (pattern, path), NULL), CGW_OK);
  cr_assert_eq (access (in_directory (name, real), F_OK), 0, "no %s", name);
  cgw_free (w);
  cr_assert_eq (unlink (real), 0);
}

CLOSING_TEST (create, percent)
{
  char name[100];

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

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
      check_refused (in_directory (wrong[i], path), CGW_EINVAL);
      cr_assert_eq (access (path, F_OK), -1, "%s was made", path);
    }
}

CLOSING_TEST (create, wrong_arguments)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  char path[4096];
  struct cgw_writer *w;

  in_directory ("arguments", path);
  cr_assert_eq (cgw_create (NULL, test_names (), path, NULL), CGW_EINVAL);
  cr_assert_eq (create_with (&w, NULL, path, NULL), CGW_EINVAL);
  cgw_free (w);
  cr_assert_eq (create (&w, NULL, NULL), CGW_EINVAL);
  cgw_free (w);
  options.flags = 1u << 31;
  cr_assert_eq (create (&w, path, &options), CGW_EINVAL);
  cgw_free (w);
  /* A hook has no file.  */
  options = (struct cgw_options) CGW_OPTIONS_INIT;
  options.write = sink_write;
  cr_assert_eq (create (&w, path, &options), CGW_EINVAL);
  cgw_free (w);
  cr_assert_eq (access (path, F_OK), -1, "%s was made", path);
}

/* What cannot be opened.  */

static void
check_not_opened (const char *path, int error)
{
  struct cgw_writer *w;

  cr_assert_eq (create (&w, path, NULL), CGW_EIO);
  cr_assert_not_null (w);
  cr_assert_eq (cgw_errno (w), error, "%s: %s", path,
                strerror (cgw_errno (w)));
  cr_assert_eq (cgw_error (w, NULL), CGW_EIO);
  cr_assert_eq (cgw_finish (w), CGW_EIO);
  cr_assert_eq (cgw_flush (w), CGW_EFINISHED);
  cgw_free (w);
}

CLOSING_TEST (create, not_opened)
{
  char path[4096];

  check_not_opened (in_directory ("no/such/directory", path), ENOENT);
  check_not_opened ("", ENOENT);
  put_file (in_directory ("file", path), "text");
  check_not_opened (in_directory ("file/in it", path), ENOTDIR);
}

CLOSING_TEST (create, no_descriptor_left)
{
  char path[4096];
  struct rlimit limit, none;
  struct cgw_writer *w;

  cr_assert_eq (getrlimit (RLIMIT_NOFILE, &limit), 0);
  none = limit;
  none.rlim_cur = (rlim_t) lowest;
  in_directory ("none", path);
  cr_assert_eq (setrlimit (RLIMIT_NOFILE, &none), 0);
  cr_assert_eq (create (&w, path, NULL), CGW_EIO);
  cr_assert_eq (setrlimit (RLIMIT_NOFILE, &limit), 0);
  cr_assert_eq (cgw_errno (w), EMFILE);
  cgw_free (w);
  cr_assert_eq (access (path, F_OK), -1);
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
                   && cgw_create (&w, test_names (), path, NULL) == CGW_EIO
                   && cgw_errno (w) == EACCES;
      leave (right ? 0 : 1);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  check_text_file (path, "precious");
}

/* Without memory there is no writer to say what is wrong.  */
Test (create, no_memory_for_an_error)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_writer *w;

  heap_limit (&heap, 0);
  cr_expect_eq (create_with (&w, names, NULL, NULL), CGW_ENOMEM);
  cr_expect_null (w);
  heap.fail_at = 0;
  cr_expect_eq (create_with (&w, names, NULL, NULL), CGW_EINVAL);
  cgw_free (w);
  cgw_names_free (names);
  cr_expect_eq (heap.live, 0);
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
  while (heap_limit (&heap, failures),
         create_with (&w, names, path, NULL) != CGW_OK)
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
  cr_assert_eq (create_with (&w, names, "%q", NULL), CGW_EINVAL);
  cgw_free (w);
  cr_assert_eq (create_with (&w, names, directory, NULL), CGW_EFILE);
  cgw_free (w);
  cgw_names_free (names);
  cr_assert_eq (heap.live, 0);
}

/* A child makes a writer of its own, with its parent's names and handles, while
   the parent is in the middle of its file.  */
CLOSING_TEST (create, in_a_child)
{
  char path[4096], pattern[4096], name[100];
  struct cgw_writer *w;
  struct delivered d;
  pid_t pid;
  int status;

  in_directory ("profile.%p", pattern);
  cr_assert_eq (create (&w, pattern, NULL), CGW_OK);
  scenario_run (&scenario, w, &d, NULL);
  pid = fork ();
  cr_assert_neq (pid, -1);
  if (pid == 0)
    {
      bool right = cgw_flush (w) == CGW_EFORK && cgw_free (w) == CGW_OK
                   && cgw_create (&w, test_names (), pattern, NULL) == CGW_OK;

      scenario_run (&scenario, w, &d, NULL);
      right = right && scenario_finish (w, &d) == CGW_OK;
      cgw_free (w);
      leave (right ? 0 : 1);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cgw_free (w);
  snprintf (name, sizeof name, "profile.%ld", (long) getpid ());
  check_same_file (in_directory (name, path), &baseline, "the parent's");
  snprintf (name, sizeof name, "profile.%ld", (long) pid);
  check_same_file (in_directory (name, path), &baseline, "the child's");
}

/* Forks at one of its calls.  */
struct forking
{
  int calls_left; /* 0: it has forked, or will not */
  pid_t child;
};

static void *
fork_and_allocate (void *context, void *p, size_t n)
{
  struct forking *f = context;

  if (f->calls_left > 0 && --f->calls_left == 0)
    f->child = fork ();
  if (n > 0)
    return realloc (p, n);
  free (p);
  return NULL;
}

/* The file is the parent's if the call goes on in a child, too, as it does when
   a handler that forked returns in both.  */
Test (create, forked_meanwhile)
{
  struct forking f = { 0 };
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  char path[4096];
  int status, forks = 0;

  o.allocate = fork_and_allocate;
  o.allocate_context = &f;
  cr_assert_eq (cgw_names_new (&names, &o), CGW_OK);
  put_file (in_directory ("forked", path), "precious");
  for (;;)
    {
      enum cgw_status created;

      f.calls_left = forks + 1;
      created = create_with (&w, names, path, NULL);
      if (f.calls_left != 0)
        break;
      if (f.child == 0)
        leave (created == CGW_EFORK && cgw_flush (w) != CGW_OK
                       && cgw_free (w) == CGW_OK
                   ? 0
                   : 1);
      forks++;
      cr_assert_eq (created, CGW_OK);
      cr_assert_eq (waitpid (f.child, &status, 0), f.child);
      cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
                 "allocation %d", forks);
      cr_assert_eq (cgw_free (w), CGW_OK);
    }
  f.calls_left = 0;
  cr_expect_gt (forks, 5);
  cgw_free (w);
  cgw_names_free (names);
}
