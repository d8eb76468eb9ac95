/* test_replace.c - CGW_REPLACE and cgw_profile_save: the path has the old file
   or the new one, each whole, whatever fails; see test_kill.c for kills.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/support.h"
#include "calls.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scenario scenario
    = { .parts = 3, .functions = 40, .records = 200 };

static struct sink baseline;
static struct sink got;
static char *directory;
static char path[4096];

/* In the system calls.  */

static bool rename_was_cancelable;
static bool leave_rename; /* by a longjmp, when it is done */
static bool fork_rename;  /* before it is done: the parent does it first */
static pid_t rename_child = -1;
static int fork_open; /* after so many calls of open */
static pid_t open_child = -1;
static int renamed[2]; /* a pipe that the parent closes then */
static sigjmp_buf left;

/* The writer that a crash handler ends at the n-th call, as if it interrupted
   that.  */
static struct cgw_writer *crashing;
static unsigned crash_at;
static enum cgw_status crash_status;

static void
crash (void)
{
  struct cgw_writer *w = crashing;

  if (w == NULL || --crash_at != 0)
    return;
  crashing = NULL;
  crash_status = cgw_salvage (w);
}

static void
fork_in_rename (void)
{
  char byte;

  fork_rename = false;
  cr_assert_eq (pipe (renamed), 0);
  rename_child = fork ();
  if (rename_child != 0)
    return;
  close (renamed[1]);
  if (read (renamed[0], &byte, 1) != 0)
    _exit (2);
  close (renamed[0]);
}

static unsigned failing_write; /* which of the next writes fails */

static void
look_before (enum call call)
{
  int state;

  crash ();
  call_errors[CALL_WRITE] = call == CALL_WRITE && failing_write != 0
                                    && --failing_write == 0
                                ? ENOSPC
                                : 0;
  if (call != CALL_RENAME)
    return;
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate (state, NULL);
  rename_was_cancelable |= state == PTHREAD_CANCEL_ENABLE;
  if (fork_rename)
    fork_in_rename ();
}

static void
look_after (enum call call)
{
  if (call == CALL_OPEN && fork_open != 0 && --fork_open == 0)
    open_child = fork ();
  if (call != CALL_RENAME)
    return;
  crash ();
  if (leave_rename)
    {
      leave_rename = false;
      siglongjmp (left, 1);
    }
  if (rename_child > 0)
    {
      close (renamed[0]);
      close (renamed[1]);
    }
}

static void
set_up (void)
{
  before_call = look_before;
  after_call = look_after;
  scenario.names = test_names ();
  scenario_baseline (&scenario, 0, &baseline);
  directory = make_directory ();
  snprintf (path, sizeof path, "%.4000s/profile", directory);
}

static void
tear_down (void)
{
  sink_free (&baseline);
  sink_free (&got);
  remove_directory (directory);
}

TestSuite (replace, .init = set_up, .fini = tear_down, .timeout = 300);

/* Writers.  */

static struct cgw_writer *
create_at (const char *where)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  options.flags = CGW_REPLACE;
  options.buffer_size = 2000;
  errno = 4711;
  cr_assert_eq (cgw_open (&w, scenario.names, where, &options), CGW_OK);
  cr_assert_eq (errno, 4711);
  return w;
}

static struct cgw_writer *
create (void)
{
  return create_at (path);
}

/* Everything but cgw_finish.  */
static void
begin (struct cgw_writer *w)
{
  struct delivered d;

  scenario_run (&scenario, w, &d, NULL);
  cr_assert_eq (d.errno_changed + d.failed + d.refused, 0);
}

static enum cgw_status
finish (struct cgw_writer *w)
{
  struct delivered d;

  return scenario_finish (w, &d);
}

static void
run (struct cgw_writer *w)
{
  scenario_complete (&scenario, w);
}

/* Files.  */

static const char *
in_directory (const char *name, char result[4096])
{
  snprintf (result, 4096, "%.2000s/%.2000s", directory, name);
  return result;
}

/* How many files the directory has, and the name of one that begins with a
   dot.  */
static unsigned
count_files (char hidden[256])
{
  DIR *d = opendir (directory);
  struct dirent *e;
  unsigned n = 0;

  cr_assert_not_null (d);
  hidden[0] = '\0';
  while ((e = readdir (d)) != NULL)
    if (strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0)
      {
        n++;
        if (e->d_name[0] == '.')
          strcpy (hidden, e->d_name);
      }
  closedir (d);
  return n;
}

static void
check_files (unsigned expected, const char *context)
{
  char hidden[256];
  unsigned n = count_files (hidden);

  cr_assert_eq (n, expected, "%s: %u files, %s", context, n, hidden);
}

static void
check_new (const char *where)
{
  check_same_file (where, &baseline, where);
}

/* The usual course.  */

CLOSING_TEST (replace, old_file_stays_until_the_end)
{
  char hidden[256], expected[256];
  struct cgw_writer *w;
  struct stat st;

  put_file (path, "old");
  cr_assert_eq (chmod (path, 0662), 0);
  umask (022);
  w = create ();
  snprintf (expected, sizeof expected, ".profile.%ld.tmp", (long) getpid ());
  cr_assert_eq (count_files (hidden), 2);
  cr_assert_str_eq (hidden, expected);
  begin (w);
  cr_assert_eq (cgw_flush (w), CGW_OK);
  check_text_file (path, "old");
  cr_assert_eq (finish (w), CGW_OK);
  check_new (path);
  check_files (1, "the end");
  cr_assert_eq (stat (path, &st), 0);
  cr_assert_eq (st.st_mode & 07777, 0662, "the old file's mode");
  cgw_free (w);
  check_new (path);
}

/* What is not finished disappears.  */
CLOSING_TEST (replace, unfinished)
{
  struct cgw_writer *w;

  put_file (path, "old");
  w = create ();
  begin (w);
  cgw_free (w);
  check_files (1, "free");
  w = create ();
  cr_assert_eq (cgw_finish (w), CGW_EORDER);
  check_text_file (path, "old");
  check_files (2, "not begun");
  cgw_free (w);
  check_text_file (path, "old");
  check_files (1, "the end");
}

/* A file that says what it lacks.  */
CLOSING_TEST (replace, refused_records)
{
  struct cgw_writer *w = create ();

  put_file (path, "old");
  begin (w);
  cr_assert_eq (cgw_cost (w, NULL, NULL, 0), CGW_EINVAL);
  cr_assert_eq (finish (w), CGW_EINVAL);
  check_new (path);
  cgw_free (w);
  check_files (1, "refused");
}

CLOSING_TEST (replace, directory_that_changes)
{
  char where[4096], before[4096];
  struct cgw_writer *w;

  cr_assert_not_null (getcwd (before, sizeof before));
  cr_assert_eq (chdir (directory), 0);
  w = create_at ("relative");
  begin (w);
  cr_assert_eq (chdir ("/"), 0);
  cr_assert_eq (finish (w), CGW_OK);
  cgw_free (w);
  check_new (in_directory ("relative", where));
  cr_assert_eq (chdir (before), 0);
  check_files (1, "directory");
}

/* A killed process left one, and had this process id.  */
CLOSING_TEST (replace, stale_files)
{
  char stale[4096], name[100];
  struct cgw_writer *a, *b;

  snprintf (name, sizeof name, ".profile.%ld.tmp", (long) getpid ());
  put_file (in_directory (name, stale), "stale");
  a = create ();
  b = create ();
  check_files (3, "two writers");
  run (a);
  check_new (path);
  cr_assert_eq (unlink (path), 0);
  run (b);
  check_new (path);
  cgw_free (a);
  cgw_free (b);
  check_text_file (stale, "stale");
  check_files (2, "stale");
}

/* Crashes.  */

CLOSING_TEST (replace, salvage)
{
  struct cgw_writer *w;

  put_file (path, "old");
  w = create ();
  begin (w);
  cr_assert_eq (cgw_salvage (w), CGW_OK);
  sink_load (&got, path);
  profile_free (must_read (got.bytes, got.n, READER_UNFINISHED, "salvage"));
  cr_assert (begins_with (&baseline, &got));
  check_files (1, "salvage");
  cgw_free (w);
  put_file (path, "old");
  w = create ();
  cr_assert_eq (cgw_salvage (w), CGW_EORDER);
  check_text_file (path, "old");
  check_files (1, "salvage without a part");
  cgw_free (w);
}

/* A crash handler in each system call of cgw_flush and cgw_finish, and when the
   rename is done: the path has the file, as far as it was written, and
   cgw_finish does not fail for that.  */
CLOSING_TEST (replace, salvage_inside_a_call)
{
  bool reached = true;
  unsigned n;

  for (n = 1; reached; n++)
    {
      struct cgw_writer *w;
      enum cgw_status status;

      put_file (path, "old");
      w = create ();
      begin (w);
      crashing = w;
      crash_at = n;
      status = finish (w);
      reached = crashing == NULL;
      crashing = NULL;
      cr_assert (status != CGW_EIO && (!reached || crash_status != CGW_EIO),
                 "call %u: %s", n, cgw_explain (w));
      check_files (1, "crash");
      sink_load (&got, path);
      profile_free (must_read (got.bytes, got.n, READER_UNFINISHED, "crash"));
      cr_assert (begins_with (&baseline, &got), "call %u", n);
      cgw_free (w);
    }
  cr_assert_gt (n, 3);
  check_new (path);
}

/* Faults.  */

/* The call fails, or, without an errno to fail with, somebody else has removed
   the temporary file.  */
static void
check_failed (enum call call, int injected, int error, const char *sentence)
{
  char name[100], temporary[4096];
  enum cgw_status status;
  struct cgw_writer *w;
  const char *why;

  put_file (path, "old");
  w = create ();
  begin (w);
  snprintf (name, sizeof name, ".profile.%ld.tmp", (long) getpid ());
  if (injected == 0)
    cr_assert_eq (unlink (in_directory (name, temporary)), 0);
  call_errors[call] = injected;
  status = finish (w);
  call_errors[call] = 0;
  cr_assert_eq (status, CGW_EIO, "%s", cgw_strerror (status));
  cr_assert_eq (cgw_errno (w), error);
  cr_assert_str_eq (cgw_explain (w), sentence);
  cr_assert_eq (cgw_error (w, &why), CGW_EIO);
  cr_assert_str_eq (why, sentence);
  cr_assert_eq (cgw_finish (w), CGW_EFINISHED);
  check_text_file (path, "old");
  check_files (1, sentence);
  cgw_free (w);
}

CLOSING_TEST (replace, fails)
{
  check_failed (CALL_RENAME, EACCES, EACCES,
                "the complete temporary file could not be renamed to its "
                "path: permission denied (EACCES)");
  check_failed (CALL_RENAME, 0, ENOENT,
                "the complete temporary file could not be renamed to its "
                "path: no such file or directory (ENOENT)");
  check_failed (CALL_CLOSE, EDQUOT, EDQUOT,
                "the file could not be written: the disk quota is exceeded "
                "(EDQUOT)");
}

static void
limit_files (rlim_t n)
{
  struct rlimit limit;

  cr_assert_eq (getrlimit (RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = n;
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &limit), 0);
}

/* At each size, by cgw_finish and by cgw_salvage.  */
CLOSING_TEST (replace, write_fails)
{
  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  put_file (path, "old");
  for (size_t limit = 0; limit < baseline.n; limit += 401)
    {
      struct delivered d;
      struct cgw_writer *w = create (), *next;
      enum cgw_status status;

      limit_files (limit);
      scenario_run (&scenario, w, &d, NULL);
      status = limit % 2 == 0 ? cgw_finish (w) : cgw_salvage (w);
      limit_files (RLIM_INFINITY);
      cr_assert_eq (status, CGW_EIO, "limit %zu: %s", limit,
                    cgw_strerror (status));
      cr_assert_eq (cgw_errno (w), EFBIG);
      check_text_file (path, "old");
      check_files (1, "limit");
      /* The next writer's temporary file has the name that this one's had.  */
      next = create ();
      cgw_free (w);
      check_files (2, "limit, next");
      cgw_free (next);
    }
}

/* A descriptor that failed, so that records were lost, and takes bytes again:
   the file is whole, but the old one has more.  */
CLOSING_TEST (replace, write_fails_for_a_while)
{
  struct cgw_stats s = CGW_STATS_INIT;
  struct delivered d;
  struct cgw_writer *w = create ();

  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  put_file (path, "old");
  limit_files (3001);
  scenario_run (&scenario, w, &d, NULL);
  limit_files (RLIM_INFINITY);
  cr_expect_eq (cgw_finish (w), CGW_EIO);
  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_assert_gt (s.lost, 0);
  cgw_free (w);
  check_text_file (path, "old");
  check_files (1, "lost");
}

/* Forked children.  */

#define MUST(condition) ((condition) ? (void) 0 : _exit (__LINE__ % 256))

static void
in_child (void (*act) (struct cgw_writer *), struct cgw_writer *w)
{
  pid_t pid = fork ();
  int status;

  cr_assert_neq (pid, -1);
  if (pid == 0)
    {
      act (w);
      leave (0);
    }
  cr_assert_eq (waitpid (pid, &status, 0), pid);
  cr_assert (WIFEXITED (status) && WEXITSTATUS (status) == 0,
             "the child: line %d", WEXITSTATUS (status));
}

static void
end_in_child (struct cgw_writer *w)
{
  MUST (cgw_finish (w) == CGW_EFORK);
  MUST (cgw_salvage (w) == CGW_EFORK);
  cgw_free (w);
}

static void
replace_in_child (struct cgw_writer *w)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct delivered d;
  char other[4096];

  cgw_free (w);
  options.flags = CGW_REPLACE | CGW_PATH_EXPAND;
  MUST (
      cgw_open (&w, scenario.names, in_directory ("child.%p", other), &options)
      == CGW_OK);
  scenario_run (&scenario, w, &d, NULL);
  MUST (cgw_finish (w) == CGW_OK);
  cgw_free (w);
}

CLOSING_TEST (replace, fork)
{
  struct cgw_writer *w = create ();

  begin (w);
  in_child (end_in_child, w);
  check_files (1, "the child's end");
  in_child (replace_in_child, w);
  check_files (2, "the child's file");
  cr_assert_eq (access (path, F_OK), -1);
  cr_assert_eq (finish (w), CGW_OK);
  check_new (path);
  in_child (replace_in_child, w);
  cgw_free (w);
  check_new (path);
  check_files (3, "fork");
}

/* cgw_profile_save.  */

static const struct cgw_event ir = { "Ir", NULL, NULL };

static struct cgw_part
part_of_ir (void)
{
  struct cgw_part part = CGW_PART_INIT;

  part.events = &ir;
  part.n_events = 1;
  return part;
}

/* A profile of many functions with a cost each.  */
static struct cgw_profile *
make_profile (struct cgw_names *names, uint64_t cost)
{
  struct cgw_profile *p;

  cr_assert_eq (cgw_profile_new (&p, names, 1, 0), CGW_OK);
  for (int i = 0; i < 2000; i++)
    {
      char name[20];
      struct cgw_pos at = { .line = 1 };

      snprintf (name, sizeof name, "function_%d", i);
      at.fn = cgw_add_fn (names, name, (struct cgw_file){ 0 },
                          (struct cgw_object){ 0 });
      cr_assert_eq (cgw_profile_cost (p, &at, &cost, 1), CGW_OK);
    }
  return p;
}

/* The total of a file that has all functions.  */
static uint64_t
total_in_file (const char *context)
{
  struct profile *p;
  uint64_t total;

  sink_load (&got, path);
  p = must_read (got.bytes, got.n, 0, context);
  cr_assert_eq (p->cost_lines, 2000, "%s: %zu lines", context,
                (size_t) p->cost_lines);
  total = strtoull (strstr (got.bytes, "\nsummary: ") + 10, NULL, 10);
  profile_free (p);
  return total;
}

static enum cgw_status
save (struct cgw_profile *p)
{
  struct cgw_part part = part_of_ir ();
  enum cgw_status status;

  errno = 4711;
  status = cgw_profile_save (p, path, &part, NULL);
  cr_assert_eq (errno, 4711);
  return status;
}

/* One write fails, and those after it do not: the old file stays.  */
CLOSING_TEST (replace, save_fails_for_a_while)
{
  struct cgw_part part = part_of_ir ();
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_profile *p = make_profile (scenario.names, 1);
  unsigned n;

  options.buffer_size = 600;
  put_file (path, "old");
  /* The first write is the header's, which is tried again.  */
  for (n = 2; n < 1000; n++)
    {
      enum cgw_status status;

      failing_write = n;
      status = cgw_profile_save (p, path, &part, &options);
      if (failing_write != 0)
        break;
      cr_assert_eq (status, CGW_EIO, "write %u", n);
      check_text_file (path, "old");
      check_files (1, "save");
    }
  cr_expect_gt (n, 30);
  cr_expect_lt (n, 1000);
  failing_write = 0;
  cgw_profile_free (p);
}

/* An error of saving is none of the profile; one of the profile is returned,
   and the file is there.  */
CLOSING_TEST (replace, profile_save_fails)
{
  struct cgw_profile *p = make_profile (scenario.names, 1);

  put_file (path, "old");
  call_errors[CALL_RENAME] = ENOSPC;
  cr_assert_eq (save (p), CGW_EIO);
  call_errors[CALL_RENAME] = 0;
  cr_assert_str_eq (cgw_profile_explain (p),
                    "the complete temporary file could not be renamed to its "
                    "path: no space is left on the device (ENOSPC)");
  cr_assert_eq (cgw_profile_error (p, NULL), CGW_OK);
  check_text_file (path, "old");
  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  limit_files (4000);
  cr_assert_eq (save (p), CGW_EIO);
  limit_files (RLIM_INFINITY);
  cr_assert_str_eq (cgw_profile_explain (p),
                    "the file could not be written: the file reached the size "
                    "limit (EFBIG)");
  check_text_file (path, "old");
  check_files (1, "fails");
  cr_assert_eq (cgw_profile_cost (p, NULL, NULL, 0), CGW_EINVAL);
  cr_assert_eq (save (p), CGW_EINVAL);
  cr_assert_str_eq (cgw_profile_explain (p), "cgw_profile_cost: pos is NULL");
  cr_assert_eq (total_in_file ("incomplete"), 2000);
  cgw_profile_free (p);
}

/* What structs of an older program lack is set even so: a summary, and that the
   file is replaced.  */
CLOSING_TEST (replace, profile_save_with_older_structs)
{
  struct cgw_part part = part_of_ir ();
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_profile *p = make_profile (scenario.names, 1);
  struct stat before, after;

  part.size = offsetof (struct cgw_part, summary);
  options.size = sizeof (size_t);
  put_file (path, "old");
  cr_assert_eq (stat (path, &before), 0);
  cr_assert_eq (cgw_profile_save (p, path, &part, &options), CGW_OK);
  cr_assert_eq (stat (path, &after), 0);
  cr_assert_neq (before.st_ino, after.st_ino);
  cr_assert_eq (total_in_file ("older"), 2000);
  cgw_profile_free (p);
}

CLOSING_TEST (replace, profile_save_without_memory)
{
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_profile *p = make_profile (names, 1);
  enum cgw_status status = CGW_ENOMEM;
  size_t live = heap.live, n;

  put_file (path, "old");
  for (n = 0; status != CGW_OK; n++)
    {
      cr_assert_lt (n, 200);
      check_text_file (path, "old");
      check_files (1, "no memory");
      heap_limit (&heap, n);
      status = save (p);
      heap_limit (&heap, SIZE_MAX / 2);
      cr_assert (status == CGW_OK || status == CGW_ENOMEM, "%s",
                 cgw_strerror (status));
      if (status != CGW_OK)
        cr_assert_str_eq (cgw_profile_explain (p),
                          "cgw_profile_save: no memory, or more names than "
                          "ids");
      cr_assert_eq (cgw_profile_error (p, NULL), CGW_OK);
      cr_assert_eq (heap.live, live, "a failed save leaks");
    }
  cr_assert_gt (n, 5);
  cr_assert_eq (total_in_file ("memory"), 2000);
  cgw_profile_free (p);
  cgw_names_free (names);
  cr_assert_eq (heap.live, 0);
}

/* Cancellation: rename may be a cancellation point.  */
CLOSING_TEST (replace, not_cancelled)
{
  struct cgw_writer *w = create ();

  run (w);
  cgw_free (w);
  cr_assert_not (rename_was_cancelable);
}

/* The next file has the temporary name of the one before, which was renamed,
   though that is not noted: freeing the one before does not remove it.  */
CLOSING_TEST (replace, left_after_the_rename)
{
  struct cgw_writer *w = create (), *next;

  begin (w);
  leave_rename = true;
  if (sigsetjmp (left, 1) == 0)
    cgw_finish (w);
  cr_assert_not (leave_rename);
  put_file (path, "old");
  next = create ();
  cgw_free (w);
  run (next);
  cgw_free (next);
  check_new (path);
  check_files (1, "left after the rename");
}

/* A handler forks in the rename, and returns into it in the child, which has
   nothing to rename.  */
CLOSING_TEST (replace, fork_in_the_rename)
{
  struct cgw_writer *w = create ();
  enum cgw_status status;
  int child_status = -1;

  begin (w);
  fork_rename = true;
  status = cgw_finish (w);
  if (rename_child == 0)
    {
      cgw_free (w);
      leave (status == CGW_EIO ? 1 : 0);
    }
  cr_expect_eq (status, CGW_OK);
  cr_assert_eq (waitpid (rename_child, &child_status, 0), rename_child);
  cr_expect_eq (child_status, 0);
  cgw_free (w);
  check_new (path);
  check_files (1, "fork in the rename");
}

/* A handler forks when the temporary file is there already, and returns in the
   child, which does not know the path any more.  */
CLOSING_TEST (replace, fork_between_the_tries)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  char temporary[4096], name[40];
  struct cgw_writer *w;
  enum cgw_status status;
  int child_status = -1;

  snprintf (name, sizeof name, ".profile.%ld.tmp", (long) getpid ());
  put_file (in_directory (name, temporary), "of a killed process");
  options.flags = CGW_REPLACE;
  fork_open = 2;
  status = cgw_open (&w, scenario.names, path, &options);
  if (open_child == 0)
    {
      cgw_free (w);
      leave (status == CGW_OK ? 1 : 0);
    }
  cr_expect_eq (status, CGW_OK);
  cr_assert_gt (open_child, 0);
  cr_assert_eq (waitpid (open_child, &child_status, 0), open_child);
  cr_expect_eq (child_status, 0);
  cgw_free (w);
  check_files (1, "fork between the tries");
}
