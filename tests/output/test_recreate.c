/* test_recreate.c - cgw_recreate: a new file by its path, in this process and
   in forked children; what it refuses, and that it changes nothing then.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/coverage.h"
#include "../support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 200 };

static struct sink baseline;
static struct sink got;
static char *directory;

/* Takes the place of libc's: fails with this errno, if it is not 0.  */
static int truncate_error;

int
ftruncate (int fd, off_t length)
{
  if (truncate_error != 0)
    {
      errno = truncate_error;
      return -1;
    }
  return (int) syscall (SYS_ftruncate, fd, length);
}

/* The same by the name that glibc has for it with large files, as in the
   library; with _FILE_OFFSET_BITS, that above has this name.  */
#if defined __GLIBC__ && !defined __USE_FILE_OFFSET64
int
ftruncate64 (int fd, off64_t length)
{
  return ftruncate (fd, (off_t) length);
}
#endif

static void
set_up (void)
{
  scenario.names = test_names ();
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

TestSuite (recreate, .init = set_up, .fini = tear_down, .timeout = 300);

/* The path of a name in the test's directory.  */
static const char *
in_directory (const char *name, char path[4096])
{
  snprintf (path, 4096, "%s/%s", directory, name);
  return path;
}

/* Whether the file is the scenario's.  */
static void
check_file (const char *path)
{
  sink_load (&got, path);
  check_same (got.bytes, got.n, &baseline, path);
}

static struct cgw_writer *
create (const char *path, const struct cgw_options *options)
{
  struct cgw_writer *w;

  cr_assert_eq (cgw_create (&w, scenario.names, path, options), CGW_OK);
  return w;
}

/* cgw_recreate, which keeps errno.  */
static enum cgw_status
recreate (struct cgw_writer *w, const char *path)
{
  enum cgw_status status;

  errno = 4711;
  status = cgw_recreate (w, path);
  cr_assert_eq (errno, 4711, "errno was changed");
  return status;
}

/* Everything but cgw_finish.  */
static struct delivered
begin (struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (d.failed + d.refused + d.errno_changed, 0);
  return d;
}

/* The scenario to its end.  */
static void
run (struct cgw_writer *w)
{
  struct delivered d = begin (w);

  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
}

/* Children.  An assertion that fails in one ends it otherwise than by 0.  */

static pid_t
fork_child (void (*body) (struct cgw_writer *w), struct cgw_writer *w)
{
  pid_t child = fork ();

  cr_assert_neq (child, -1);
  if (child == 0)
    {
      body (w);
      cgw_free (w);
      leave (0);
    }
  return child;
}

/* Runs body in a child, to its end.  Returns its process id.  */
static pid_t
in_child (void (*body) (struct cgw_writer *w), struct cgw_writer *w)
{
  pid_t child = fork_child (body, w);
  int status;

  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
             "the child failed");
  return child;
}

/* In a child: its end, unless that is so.  */
#define MUST(condition)                                                       \
  do                                                                          \
    if (!(condition))                                                         \
      {                                                                       \
        fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
        _exit (1);                                                            \
      }                                                                       \
  while (0)

static void
run_in_child (struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (&scenario, w, &d, NULL);
  MUST (d.failed + d.refused + d.errno_changed == 0);
  MUST (scenario_finish (w, &d) == CGW_OK);
}

static bool
is_dead (struct cgw_writer *w)
{
  return cgw_flush (w) == CGW_EFORK && cgw_cost (w, NULL, NULL, 0) != CGW_OK;
}

/* All that a child needs.  */

static void
take_the_path_anew (struct cgw_writer *w)
{
  MUST (is_dead (w));
  MUST (cgw_recreate (w, NULL) == CGW_OK);
  run_in_child (w);
}

/* The child's file is right, and so is that of the parent, which was in the
   middle of its own.  */
CLOSING_TEST (recreate, process_id_in_a_child)
{
  char path[4096], name[100];
  struct cgw_writer *w = create (in_directory ("profile.%p", path), NULL);
  struct delivered d = begin (w);
  pid_t child = in_child (take_the_path_anew, w);

  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cgw_free (w);
  snprintf (name, sizeof name, "profile.%ld", (long) getpid ());
  check_file (in_directory (name, path));
  snprintf (name, sizeof name, "profile.%ld", (long) child);
  check_file (in_directory (name, path));
}

/* A child's child, and a child of a finished writer.  */

static void
fork_again (struct cgw_writer *w)
{
  char path[4096], name[100];
  pid_t child;
  int status;

  MUST (cgw_recreate (w, NULL) == CGW_OK);
  child = fork_child (take_the_path_anew, w);
  MUST (waitpid (child, &status, 0) == child && status == 0);
  run_in_child (w);
  snprintf (name, sizeof name, "profile.%ld", (long) child);
  MUST (rename (in_directory (name, path), "grandchild") == 0);
}

CLOSING_TEST (recreate, process_id_in_a_childs_child)
{
  char path[4096], name[100];
  struct cgw_writer *w = create (in_directory ("profile.%p", path), NULL);
  pid_t child;

  run (w);
  cr_assert_eq (chdir (directory), 0);
  child = in_child (fork_again, w);
  cgw_free (w);
  check_file ("grandchild");
  snprintf (name, sizeof name, "profile.%ld", (long) child);
  check_file (in_directory (name, path));
  snprintf (name, sizeof name, "profile.%ld", (long) getpid ());
  check_file (in_directory (name, path));
}

/* The path.  */

CLOSING_TEST (recreate, path_is_kept)
{
  char first[4096], second[4096];
  struct cgw_writer *w = create (in_directory ("first", first), NULL);

  run (w);
  cr_assert_eq (unlink (first), 0);
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  run (w);
  check_file (first);
  in_directory ("second", second);
  cr_assert_eq (recreate (w, second), CGW_OK);
  run (w);
  check_file (second);
  cr_assert_eq (unlink (second), 0);
  cr_assert_eq (recreate (w, NULL), CGW_OK, "the last path, not the first");
  memset (first, 'x', 100);
  memset (second, 'x', 100); /* the caller's bytes are the caller's */
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  run (w);
  cgw_free (w);
  check_file (in_directory ("second", second));
}

/* A path that fails is not kept, except by cgw_create, which has no other: it
   may be tried again.  */
CLOSING_TEST (recreate, path_that_fails)
{
  char path[4096], missing[4096];
  struct cgw_writer *w = create (in_directory ("path", path), NULL);

  cr_assert_eq (recreate (w, in_directory ("no/such", missing)), CGW_EIO);
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  run (w);
  cgw_free (w);
  check_file (path);
  cr_assert_eq (cgw_create (&w, test_names (), missing, NULL), CGW_EIO);
  cr_assert_eq (recreate (w, NULL), CGW_EIO);
  cr_assert_eq (mkdir (in_directory ("no", path), 0700), 0);
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  run (w);
  cgw_free (w);
  check_file (missing);
  cr_assert_eq (unlink (missing), 0);
  cr_assert_eq (rmdir (path), 0);
}

CLOSING_TEST (recreate, percent)
{
  char pattern[4096], path[4096], name[100];
  struct cgw_writer *w = create (in_directory ("plain", path), NULL);

  cr_assert_eq (recreate (w, in_directory ("%%%p", pattern)), CGW_OK);
  run (w);
  cgw_free (w);
  snprintf (name, sizeof name, "%%%ld", (long) getpid ());
  check_file (in_directory (name, path));
}

CLOSING_TEST (recreate, writer_of_a_descriptor)
{
  char first[4096], second[4096];
  int fd = open_in (directory, "first", first);
  struct cgw_writer *w;

  cr_assert_eq (cgw_new (&w, test_names (), fd, NULL), CGW_OK);
  cr_assert_eq (recreate (w, NULL), CGW_EINVAL);
  run (w);
  check_file (first);
  cr_assert_eq (recreate (w, in_directory ("second", second)), CGW_OK);
  run (w);
  check_file (second);
  cr_assert_eq (cgw_reset (w, fd), CGW_OK);
  cr_assert_eq (recreate (w, NULL), CGW_OK, "the path is kept by a reset");
  cgw_free (w);
  check_text_file (second, "");
  cr_assert_neq (fcntl (fd, F_GETFD), -1, "the caller's was closed");
  close (fd);
}

CLOSING_TEST (recreate, wrong_arguments)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct sink sink = { .n = 0 };
  char path[4096];
  struct cgw_writer *w;

  in_directory ("path", path);
  cr_assert_eq (recreate (NULL, path), CGW_EINVAL);
  options.write = sink_write;
  options.write_context = &sink;
  cr_assert_eq (cgw_new (&w, test_names (), -1, &options), CGW_OK);
  cr_assert_eq (recreate (w, path), CGW_EINVAL);
  cr_assert_eq (recreate (w, NULL), CGW_EINVAL);
  cr_assert_eq (access (path, F_OK), -1, "%s was made", path);
  run (w);
  check_same (sink.bytes, sink.n, &baseline, "hook");
  cgw_free (w);
  sink_free (&sink);
}

/* The new file.  */

CLOSING_TEST (recreate, descriptor)
{
  unsigned descriptors = count_descriptors ();
  char path[4096];
  struct cgw_writer *w = create (in_directory ("first", path), NULL);
  struct stat st, other;
  int fd;

  umask (022);
  cr_assert_eq (recreate (w, in_directory ("second", path)), CGW_OK);
  cr_assert_eq (stat (path, &st), 0);
  cr_assert_eq (st.st_mode & 07777, 0600);
  cr_assert_eq (count_descriptors (), descriptors + 1, "the first is closed");
  for (fd = 3; fstat (fd, &other) == -1 || other.st_dev != st.st_dev
               || other.st_ino != st.st_ino; fd++)
    cr_assert_lt (fd, 1000);
  cr_assert_eq (fcntl (fd, F_GETFD), FD_CLOEXEC);
  cr_assert_eq (fcntl (fd, F_GETFL) & (O_NONBLOCK | O_APPEND), 0);
  run (w);
  cr_assert_eq (count_descriptors (), descriptors, "cgw_finish closes");
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  cgw_free (w);
  cr_assert_eq (count_descriptors (), descriptors, "cgw_free closes");
}

/* Errors and counts begin anew.  */
CLOSING_TEST (recreate, errors_and_counts)
{
  struct cgw_stats s = CGW_STATS_INIT;
  char path[4096];
  struct cgw_writer *w;

  cr_assert_eq (cgw_create (&w, test_names (), directory, NULL), CGW_EFILE);
  cr_assert_eq (recreate (w, in_directory ("path", path)), CGW_OK);
  cr_assert_eq (cgw_error (w, NULL), CGW_OK);
  cr_assert_eq (cgw_errno (w), 0);
  begin (w);
  cr_assert_neq (cgw_cost (w, NULL, NULL, 0), CGW_OK);
  cr_assert_eq (recreate (w, NULL), CGW_OK);
  cr_assert_eq (cgw_error (w, NULL), CGW_OK);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (s.recorded + s.lost + s.refused + s.written + s.buffered, 0);
  run (w);
  cgw_free (w);
  check_file (path);
}

/* Its own path, in the same process: what was there is gone, and what was
   buffered for it does not come.  */
CLOSING_TEST (recreate, own_path)
{
  static const size_t sizes[] = { 0, 1, 100000 };
  char path[4096];

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      struct cgw_options options = CGW_OPTIONS_INIT;
      struct cgw_writer *w;

      options.buffer_size = sizes[i];
      w = create (in_directory ("own", path), &options);
      begin (w);
      begin (w);
      cr_assert_eq (recreate (w, i == 1 ? path : NULL), CGW_OK);
      check_text_file (path, "");
      run (w);
      check_file (path);
      cr_assert_eq (recreate (w, NULL), CGW_OK);
      run (w);
      cgw_free (w);
      check_file (path);
    }
}

/* A child never empties its parent's file.  */

static char parents[4096];

static void
check_refused_in_child (struct cgw_writer *w, const char *path)
{
  enum cgw_status before = cgw_error (w, NULL);

  errno = 4711;
  MUST (cgw_recreate (w, path) == CGW_EFILE);
  MUST (errno == 4711);
  MUST (cgw_errno (w) == EEXIST);
  MUST (cgw_error (w, NULL) == before);
}

/* Also when it has a file of its own, which it may have again.  */
static void
try_the_parents (struct cgw_writer *w)
{
  char path[4096];

  check_refused_in_child (w, parents);
  MUST (is_dead (w));
  check_refused_in_child (w, parents);
  MUST (cgw_recreate (w, in_directory ("child", path)) == CGW_OK);
  MUST (cgw_errno (w) == 0);
  run_in_child (w);
  check_refused_in_child (w, parents);
  MUST (cgw_recreate (w, NULL) == CGW_OK);
  check_refused_in_child (w, parents);
  run_in_child (w);
}

static void
try_the_parents_from_a_reset (struct cgw_writer *w)
{
  char path[4096];
  int fd = open_in (directory, "child", path);

  MUST (cgw_reset (w, fd) == CGW_OK);
  check_refused_in_child (w, parents);
  run_in_child (w);
  close (fd);
}

static void
check_childs_file (void)
{
  char path[4096];

  check_file (in_directory ("child", path));
  cr_assert_eq (unlink (path), 0);
}

CLOSING_TEST (recreate, parents_file_in_a_child)
{
  struct cgw_writer *w = create (in_directory ("parent", parents), NULL);
  struct delivered d = begin (w);

  cr_assert_eq (cgw_flush (w), CGW_OK);
  in_child (try_the_parents, w);
  check_childs_file ();
  in_child (try_the_parents_from_a_reset, w);
  check_childs_file ();
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  check_file (parents);
  in_child (try_the_parents, w);
  check_childs_file ();
  check_file (parents);
  cgw_free (w);
}

/* Before there is a byte in it, too.  */
CLOSING_TEST (recreate, parents_empty_file_in_a_child)
{
  struct cgw_writer *w = create (in_directory ("parent", parents), NULL);

  in_child (try_the_parents, w);
  run (w);
  cgw_free (w);
  check_file (parents);
  check_childs_file ();
}

static void
try_the_same_path (struct cgw_writer *w)
{
  check_refused_in_child (w, NULL);
}

CLOSING_TEST (recreate, same_path_in_a_child)
{
  struct cgw_writer *w = create (in_directory ("parent", parents), NULL);
  struct delivered d = begin (w);

  in_child (try_the_same_path, w);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cgw_free (w);
  check_file (parents);
}

/* The descriptor may be closed.  */
CLOSING_TEST (recreate, parents_descriptor_in_a_child)
{
  int fd = open_in (directory, "parent", parents);
  struct cgw_writer *w;

  cr_assert_eq (cgw_new (&w, test_names (), fd, NULL), CGW_OK);
  run (w);
  close (fd);
  in_child (try_the_parents, w);
  check_childs_file ();
  check_file (parents);
  fd = open (parents, O_WRONLY | O_TRUNC | O_CLOEXEC);
  cr_assert_eq (cgw_reset (w, fd), CGW_OK);
  in_child (try_the_parents, w);
  check_childs_file ();
  run (w);
  cgw_free (w);
  close (fd);
  check_file (parents);
}

static void
try_the_one_before (struct cgw_writer *w)
{
  char path[4096];

  check_refused_in_child (w, in_directory ("before", path));
  check_refused_in_child (w, parents);
}

/* The parent's last but one is a profile, too.  */
CLOSING_TEST (recreate, parents_file_before)
{
  char path[4096];
  struct cgw_writer *w = create (in_directory ("before", path), NULL);

  run (w);
  cr_assert_eq (recreate (w, in_directory ("parent", parents)), CGW_OK);
  in_child (try_the_one_before, w);
  run (w);
  cgw_free (w);
  check_file (path);
  check_file (parents);
}

static void
take_the_parents_path (struct cgw_writer *w)
{
  MUST (cgw_recreate (w, NULL) == CGW_OK);
  run_in_child (w);
}

/* A new file may have the inode of one that was removed.  */
CLOSING_TEST (recreate, removed_file_in_a_child)
{
  struct cgw_writer *w = create (in_directory ("parent", parents), NULL);

  run (w);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (unlink (parents), 0);
      in_child (take_the_parents_path, w);
      check_file (parents);
    }
  cgw_free (w);
}

/* What fails changes nothing.  */

struct refusal
{
  const char *name; /* of the file in the directory */
  void (*make) (const char *path);
  enum cgw_status status;
  int error;
};

static void
make_directory_there (const char *path)
{
  cr_assert_eq (mkdir (path, 0700), 0);
}

static void
make_symbolic_link (const char *path)
{
  cr_assert_eq (symlink ("target", path), 0);
}

static void
make_hard_link (const char *path)
{
  char other[4096];

  put_file (in_directory ("other", other), "precious");
  cr_assert_eq (link (other, path), 0);
}

static void
make_fifo (const char *path)
{
  cr_assert_eq (mkfifo (path, 0600), 0);
}

static void
make_foreign (const char *path)
{
  put_file (path, "precious");
  cr_assert_eq (chown (path, 12345, (gid_t) -1), 0);
}

static void
make_untruncatable (const char *path)
{
  put_file (path, "precious");
  truncate_error = EIO;
}

static void
make_nothing (const char *path)
{
  (void) path;
}

static const struct refusal refusals[] = {
  { "%q", make_nothing, CGW_EINVAL, 0 },
  { "directory", make_directory_there, CGW_EFILE, EISDIR },
  { "link", make_symbolic_link, CGW_EFILE, ELOOP },
  { "hard link", make_hard_link, CGW_EFILE, EMLINK },
  { "fifo", make_fifo, CGW_EFILE, ENXIO },
  { "no/such/path", make_nothing, CGW_EIO, ENOENT },
  { "untruncatable", make_untruncatable, CGW_EIO, EIO },
  { "foreign", make_foreign, CGW_EFILE, EPERM }, /* last: root alone */
};

static size_t
n_refusals (void)
{
  return sizeof refusals / sizeof *refusals - (geteuid () != 0);
}

static void
check_refused (struct cgw_writer *w, const char *path,
               enum cgw_status expected, int error)
{
  enum cgw_status before = cgw_error (w, NULL), status = recreate (w, path);
  int number = error != 0 ? error : cgw_errno (w);

  cr_assert_eq (status, expected, "%s: %s", path, cgw_strerror (status));
  cr_assert_eq (cgw_errno (w), number, "%s: %s", path,
                strerror (cgw_errno (w)));
  cr_assert_eq (cgw_error (w, NULL), before, "%s", path);
}

/* All refusals at once.  */
static void
refuse_all (struct cgw_writer *w)
{
  unsigned open = count_descriptors ();
  char path[4096];

  for (size_t i = 0; i < n_refusals (); i++)
    {
      in_directory (refusals[i].name, path);
      refusals[i].make (path);
      check_refused (w, path, refusals[i].status, refusals[i].error);
      truncate_error = 0;
      if (refusals[i].make == make_hard_link
          || refusals[i].make == make_untruncatable
          || refusals[i].make == make_foreign)
        check_text_file (path, "precious");
      remove (path);
    }
  check_refused (w, "/dev/null", CGW_EFILE, EINVAL);
  cr_assert_eq (access (in_directory ("target", path), F_OK), -1);
  cr_assert_eq (count_descriptors (), open, "a descriptor leaks");
}

CLOSING_TEST (recreate, refused_before_a_part)
{
  char path[4096];
  struct cgw_writer *w = create (in_directory ("path", path), NULL);

  refuse_all (w);
  cr_assert_eq (cgw_finish (w), CGW_EORDER);
  run (w);
  cgw_free (w);
  check_file (path);
}

CLOSING_TEST (recreate, refused_in_a_part)
{
  char path[4096];
  struct cgw_writer *w = create (in_directory ("path", path), NULL);
  struct delivered d = begin (w);

  refuse_all (w);
  cr_assert_eq (scenario_finish (w, &d), CGW_OK);
  cgw_free (w);
  check_file (path);
}

CLOSING_TEST (recreate, refused_of_a_finished_file)
{
  struct cgw_stats s = CGW_STATS_INIT;
  char path[4096];
  struct cgw_writer *w = create (in_directory ("path", path), NULL);

  run (w);
  refuse_all (w);
  cr_assert_eq (cgw_finish (w), CGW_EFINISHED);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_eq (s.written, baseline.n);
  cgw_free (w);
  check_file (path);
}

CLOSING_TEST (recreate, refused_of_a_writer_without_a_file)
{
  char path[4096];
  struct cgw_writer *w;

  cr_assert_eq (cgw_create (&w, test_names (), directory, NULL), CGW_EFILE);
  refuse_all (w);
  cr_assert_eq (cgw_flush (w), CGW_EFINISHED);
  cr_assert_eq (recreate (w, in_directory ("path", path)), CGW_OK);
  run (w);
  cgw_free (w);
  check_file (path);
}

/* A full buffer that the descriptor does not take: cgw_error stays
   CGW_EIO.  */
CLOSING_TEST (recreate, refused_while_the_descriptor_fails)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  int fd = open ("/dev/full", O_WRONLY | O_CLOEXEC);
  struct delivered d;
  char path[4096];
  struct cgw_writer *w;

  if (fd == -1)
    cr_skip_test ("there is no /dev/full");
  options.buffer_size = 1;
  cr_assert_eq (cgw_new (&w, test_names (), fd, &options), CGW_OK);
  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (cgw_error (w, NULL), CGW_EIO);
  refuse_all (w);
  cr_assert_eq (recreate (w, in_directory ("path", path)), CGW_OK);
  run (w);
  cgw_free (w);
  close (fd);
  check_file (path);
}

static void
refused_in_child (struct cgw_writer *w)
{
  char path[4096];

  MUST (cgw_recreate (w, directory) == CGW_EFILE && is_dead (w));
  MUST (cgw_recreate (w, "%q") == CGW_EINVAL && is_dead (w));
  truncate_error = EIO;
  put_file (in_directory ("child", path), "precious");
  MUST (cgw_recreate (w, path) == CGW_EIO && is_dead (w));
  truncate_error = 0;
  check_text_file (path, "precious");
  MUST (cgw_finish (w) == CGW_EFORK);
  MUST (cgw_recreate (w, path) == CGW_OK);
  run_in_child (w);
}

/* The copy stays dead.  */
CLOSING_TEST (recreate, refused_in_a_child)
{
  char path[4096];
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct delivered d;
  struct cgw_writer *w;

  for (int i = 0; i < 2; i++)
    {
      options.flags = i == 0 ? 0 : CGW_THREADS;
      w = create (in_directory ("path", path), &options);
      d = begin (w);
      in_child (refused_in_child, w);
      cr_assert_eq (scenario_finish (w, &d), CGW_OK);
      cgw_free (w);
      check_file (path);
      check_childs_file ();
    }
}

CLOSING_TEST (recreate, no_memory)
{
  struct heap heap = { .fail_at = 0 };
  char path[4096], second[4096];
  struct cgw_writer *w;
  size_t n;

  scenario.names = make_names (&heap);
  w = create (in_directory ("path", path), NULL);
  begin (w);
  put_file (in_directory ("second", second), "precious");
  for (n = 0; heap_limit (&heap, n), recreate (w, second) != CGW_OK; n++)
    {
      cr_assert_lt (n, 10);
      check_text_file (second, "precious");
      check_refused (w, second, CGW_ENOMEM, 0);
    }
  cr_assert_eq (n, 2, "the copy of the path, and what it expands to");
  heap_limit (&heap, SIZE_MAX / 2);
  run (w);
  check_file (second);
  cr_assert_eq (recreate (w, path), CGW_OK);
  run (w);
  check_file (path);
  n = heap.live;
  refuse_all (w);
  cr_assert_eq (heap.live, n, "a refused path leaks");
  cgw_free (w);
  cgw_names_free (scenario.names);
  cr_assert_eq (heap.live, 0);
}
