/* test_system.c - system calls that fail or fork where they seldom do: fstat,
   ftruncate, lseek, mmap, getcwd, getentropy, and open with the errnos of other
   systems.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/tools/base/coverage.h"
#include "../support/heap.h"
#include "../support/support.h"
#include "calls.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct scenario scenario
    = { .parts = 2, .functions = 10, .records = 50 };

static struct sink baseline;
static char *directory;
static char path[4096];

/* They take the place of libc's.  */

static unsigned stats;   /* calls of fstat so far */
static unsigned stat_at; /* which of them fails or forks, from 1; 0: none */
static bool stat_forks;
static bool in_child;
static bool lacks_pages; /* mmap fails */
static enum { NOTHING, FSTAT, FTRUNCATE, LSEEK } failing; /* while it is set */
static bool lacks_entropy;
static bool wanted_entropy;

/* The child returns into the call.  */
static void
fork_here (void)
{
  pid_t child = fork ();
  int status = -1;

  in_child = child == 0;
  if (in_child)
    return;
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_expect_eq (status, 0, "at fstat %u: status %x", stats, (unsigned) status);
}

static bool
stat_fails (void)
{
  if (failing != FSTAT && ++stats != stat_at)
    return false;
  if (stat_forks)
    fork_here ();
  else
    errno = EIO;
  return !stat_forks;
}

int
fstat (int fd, struct stat *st)
{
  return stat_fails () ? -1 : fstatat (fd, "", st, AT_EMPTY_PATH);
}

/* Where these are system calls that take the arguments as they are.  */
#if defined __LP64__ && !defined __s390x__
# define CAN_REPLACE true

static int
refuse (void)
{
  errno = EPERM;
  return -1;
}

int
ftruncate (int fd, off_t n)
{
  return failing == FTRUNCATE ? refuse ()
                              : (int) syscall (SYS_ftruncate, fd, n);
}

off_t
lseek (int fd, off_t n, int from)
{
  return failing == LSEEK ? refuse ()
                          : (off_t) syscall (SYS_lseek, fd, n, from);
}

void *
mmap (void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
  if (lacks_pages)
    {
      errno = ENOMEM;
      return MAP_FAILED;
    }
  return (void *) syscall (SYS_mmap, at, n, protection, flags, fd, offset);
}

/* The same by the names that glibc has for them with large files, as in the
   library; with _FILE_OFFSET_BITS, those above have these names.  */
# if defined __GLIBC__ && !defined __USE_FILE_OFFSET64
int
ftruncate64 (int fd, off64_t n)
{
  return ftruncate (fd, n);
}

off64_t
lseek64 (int fd, off64_t n, int from)
{
  return lseek (fd, n, from);
}

void *
mmap64 (void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
  return mmap (at, n, protection, flags, fd, offset);
}
# endif

#else
# define CAN_REPLACE false
#endif

#if defined __GLIBC__ && !defined __USE_FILE_OFFSET64
int
fstat64 (int fd, struct stat64 *st)
{
  return stat_fails () ? -1 : fstatat64 (fd, "", st, AT_EMPTY_PATH);
}
#endif

int
getentropy (void *bytes, size_t n)
{
  wanted_entropy = true;
  if (lacks_entropy)
    errno = ENOSYS;
  return lacks_entropy ? -1
         : syscall (SYS_getrandom, bytes, n, 0) == (long) n ? 0 : -1;
}

static void
set_up (void)
{
  scenario_baseline (&scenario, 0, &baseline);
  directory = make_directory ();
  snprintf (path, sizeof path, "%s/new", directory);
}

static void
tear_down (void)
{
  sink_free (&baseline);
  cr_assert_eq (chdir ("/"), 0);
  remove_directory (directory);
}

TestSuite (system, .init = set_up, .fini = tear_down, .timeout = 300);

static enum cgw_status
create (struct cgw_writer **w, const char *name, unsigned flags)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  enum cgw_status status;

  options.flags = flags;
  errno = 77;
  status = cgw_open (w, test_names (), name, &options);
  cr_expect_eq (errno, 77);
  return status;
}

/* Runs the scenario; then the file is complete.  */
static void
run (struct cgw_writer *w, const char *context)
{
  scenario_complete (&scenario, w);
  check_same_file (path, &baseline, context);
}

/* Creates a file in the place of another, while the at-th fstat fails or forks.
   Returns whether there was one.  */
static bool
create_at (unsigned at, unsigned flags, unsigned *refused)
{
  char context[80];
  struct cgw_writer *w;
  enum cgw_status status;
  bool struck;

  snprintf (context, sizeof context, "fstat %u", at);
  put_file (path, "precious");
  stats = 0;
  stat_at = at;
  status = create (&w, path, flags);
  struck = stats >= at;
  stat_at = 0;
  if (in_child)
    /* At the first, the file is not emptied yet.  */
    leave ((status == CGW_EFORK || (status == CGW_OK && at > 1))
                   && cgw_finish (w) == CGW_EFORK
               ? 0
               : 1);
  if (status == CGW_OK)
    run (w, context);
  else
    {
      cr_assert_eq (status, CGW_EIO, "%s: %s", context, cgw_strerror (status));
      cr_expect_eq (cgw_errno (w), EIO);
      check_text_file (path, "precious");
      (*refused)++;
    }
  cgw_free (w);
  return struck;
}

/* Where it cannot be known whose a file is, it stays as it was.  */
CLOSING_TEST (system, fstat_fails)
{
  static const unsigned flags[] = { 0, CGW_REPLACE };

  for (int i = 0; i < 2; i++)
    {
      unsigned at = 1, refused = 0;

      while (create_at (at, flags[i], &refused))
        at++;
      if (at == 1)
        cr_skip_test ("the library calls fstat by another name");
      cr_expect_gt (refused, 0);
    }
}

/* A handler may fork at any point of cgw_open, and return into it in the
   child: the file is the parent's, and the writer a copy.  */
CLOSING_TEST (system, fork_in_create)
{
  unsigned at = 1, refused = 0;

  stat_forks = true;
  while (create_at (at, 0, &refused))
    at++;
  cr_expect_eq (refused, 0);
}

/* An old file that cannot be emptied stays as it is, and is closed, though its
   descriptor be 0.  */
CLOSING_TEST (system, file_that_cannot_be_emptied)
{
  struct cgw_writer *w;
  struct stat st;
  int input;

  if (!CAN_REPLACE)
    cr_skip_test ("ftruncate is another system call");
  put_file (path, "old");
  input = dup (STDIN_FILENO);
  close (STDIN_FILENO);
  failing = FTRUNCATE;
  cr_expect_eq (create (&w, path, 0), CGW_EIO);
  failing = NOTHING;
  cr_expect_eq (fcntl (STDIN_FILENO, F_GETFD), -1);
  if (input != -1)
    cr_assert_eq (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  close (input);
  cr_expect_eq (cgw_errno (w), EPERM);
  cgw_free (w);
  cr_assert_eq (stat (path, &st), 0);
  cr_expect_eq (st.st_size, 3);
  cr_assert_eq (unlink (path), 0);
}

/* A link, and a socket, on the BSDs.  */
CLOSING_TEST (system, errnos_of_other_systems)
{
  static const struct { int theirs, ours; } errors[]
      = { { EMLINK, ELOOP }, { EOPNOTSUPP, ENXIO } };
  struct cgw_writer *w;

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    {
      call_errors[CALL_OPEN] = errors[i].theirs;
      cr_expect_eq (create (&w, path, CGW_PATH_STRICT), CGW_EFILE);
      call_errors[CALL_OPEN] = 0;
      cr_expect_eq (cgw_errno (w), errors[i].ours);
      cgw_free (w);
      cr_expect_eq (access (path, F_OK), -1);
    }
}

/* Replacements have absolute paths, so they need the name of the directory.  */

static void
check_path_error (const char *name, int error)
{
  struct cgw_writer *w;

  cr_expect_eq (create (&w, name, CGW_REPLACE), CGW_EIO);
  cr_expect_eq (cgw_errno (w), error, "%d", cgw_errno (w));
  cgw_free (w);
}

CLOSING_TEST (system, removed_directory)
{
  char removed[4096];

  snprintf (removed, sizeof removed, "%s/removed", directory);
  cr_assert_eq (mkdir (removed, 0700), 0);
  cr_assert_eq (chdir (removed), 0);
  cr_assert_eq (rmdir (removed), 0);
  check_path_error ("new", ENOENT);
}

/* Directories in each other, down to a path of 4070 bytes.  */
enum { COMPONENT = 200, DEEP = 4070 };

CLOSING_TEST (system, deep_directory)
{
  char name[COMPONENT + 3] = "";
  size_t n = 0, length;

  cr_assert_eq (chdir (directory), 0);
  length = strlen (directory);
  memset (name, 'd', COMPONENT);
  for (; length + COMPONENT + 3 < DEEP; length += 1 + COMPONENT, n++)
    cr_assert (mkdir (name, 0700) == 0 && chdir (name) == 0);
  /* The directory fits, but the file in it does not; then neither.  */
  memset (name, 'f', COMPONENT);
  check_path_error (name, ENAMETOOLONG);
  name[DEEP - length - 1] = '\0';
  cr_assert (mkdir (name, 0700) == 0 && chdir (name) == 0);
  check_path_error ("new", ENAMETOOLONG);
  cr_assert (chdir ("..") == 0 && rmdir (name) == 0);
  memset (name, 'd', COMPONENT);
  for (; n > 0; n--)
    cr_assert (chdir ("..") == 0 && rmdir (name) == 0);
}

static unsigned opens;

static void
count_opens (enum call call)
{
  opens += call == CALL_OPEN;
}

/* All temporary names are taken: ten are tried.  */
CLOSING_TEST (system, no_temporary_name)
{
  struct cgw_writer *w;

  put_file (path, "precious");
  call_errors[CALL_OPEN] = EEXIST;
  before_call = count_opens;
  cr_expect_eq (create (&w, path, CGW_REPLACE), CGW_EIO);
  call_errors[CALL_OPEN] = 0;
  before_call = NULL;
  cr_expect_eq (opens, 1 + 10); /* the first looks at the old file */
  cr_expect_eq (cgw_errno (w), EEXIST);
  cgw_free (w);
  check_text_file (path, "precious");
}

/* Without a page for the mark of a forked child there is neither a names object
   nor a writer.  */
CLOSING_TEST (system, no_page)
{
  struct heap heap = { 0 };
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgw_names *names;
  struct cgw_writer *w;
  size_t live;

  if (!CAN_REPLACE)
    cr_skip_test ("mmap is another system call");
  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  errno = 77;
  lacks_pages = true;
  cr_expect_eq (cgw_names_new (&names, &o), CGW_ENOMEM);
  lacks_pages = false;
  cr_expect_null (names);
  cr_expect_eq (heap.live, 0);
  names = make_names (&heap);
  live = heap.live;
  lacks_pages = true;
  cr_expect_eq (cgw_open (&w, names, path, NULL), CGW_ENOMEM);
  cr_expect_null (w);
  /* Nor is there one to say that names are missing.  */
  cr_expect_eq (cgw_open (&w, NULL, path, NULL), CGW_ENOMEM);
  lacks_pages = false;
  cr_expect_null (w);
  cr_expect_eq (heap.live, live);
  cr_expect_eq (errno, 77);
  cr_expect_eq (access (path, F_OK), -1);
  errno = 77;
  cr_expect_eq (cgw_open (&w, names, path, NULL), CGW_OK);
  cgw_free (w);
  cgw_names_free (names);
  cr_expect_eq (heap.live, 0);
}

/* A disk that is full inside a record: the file is cut to whole ones if it can
   be, and else keeps what was written.  Returns how long it is.  */
static size_t
fill_disk (size_t limit, int what_fails)
{
  struct rlimit before, low;
  struct sink got = { 0 };
  struct delivered d;
  struct cgw_writer *w;
  size_t n;

  cr_assert_eq (create (&w, path, 0), CGW_OK);
  cr_assert_eq (getrlimit (RLIMIT_FSIZE, &before), 0);
  low = (struct rlimit){ limit, before.rlim_max };
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &low), 0);
  failing = what_fails;
  scenario_run (&scenario, w, &d, NULL);
  cr_expect_eq (cgw_finish (w), CGW_EIO);
  failing = NOTHING;
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &before), 0);
  cr_expect_eq (cgw_errno (w), EFBIG);
  cgw_free (w);
  sink_load (&got, path);
  cr_expect (begins_with (&baseline, &got), "limit %zu", limit);
  n = got.n;
  sink_free (&got);
  cr_assert_eq (unlink (path), 0);
  return n;
}

CLOSING_TEST (system, file_that_cannot_be_cut)
{
  size_t whole, limit = baseline.n / 2;

  if (!CAN_REPLACE)
    cr_skip_test ("ftruncate is another system call");
  cr_assert_neq (signal (SIGXFSZ, SIG_IGN), SIG_ERR);
  while ((whole = fill_disk (limit, NOTHING)) == limit)
    limit++;
  cr_expect_lt (whole, limit);
  cr_expect_eq (fill_disk (limit, FSTAT), limit);
  cr_expect_eq (fill_disk (limit, FTRUNCATE), limit);
  cr_expect_eq (fill_disk (limit, LSEEK), whole);
}

/* A pipe that is full inside a record.  */
CLOSING_TEST (system, pipe_that_cannot_be_cut)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_pos at = { .line = 1 };
  enum cgw_status status = CGW_OK;
  struct cgw_writer *w;
  int ends[2], taken, after;

  part.events = &ir;
  part.n_events = 1;
  options.buffer_size = 16384; /* more than is written whole or not at all */
  cr_assert_eq (pipe2 (ends, O_NONBLOCK), 0);
  cr_assert_gt (fcntl (ends[1], F_SETPIPE_SZ, 8192), 0);
  cr_assert_eq (cgw_open_fd (&w, test_names (), ends[1], &options), CGW_OK);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  for (; status == CGW_OK && at.line < 1000000; at.line++)
    status = cgw_cost (w, &at, &(uint64_t){ 1 }, 1);
  cr_expect_eq (status, CGW_EAGAIN, "%s", cgw_strerror (status));
  cr_assert_eq (ioctl (ends[0], FIONREAD, &taken), 0);
  cr_expect_gt (taken, 4096);
  cr_expect_eq (cgw_salvage (w), CGW_EAGAIN);
  cr_assert_eq (ioctl (ends[0], FIONREAD, &after), 0);
  cr_expect_eq (after, taken);
  cgw_free (w);
  close (ends[0]);
  close (ends[1]);
}

/* Without entropy, names are hashed with what differs from run to run.  */
Test (system, no_entropy)
{
  struct cgw_names *names;
  uint64_t handles[500];
  char name[20];

  lacks_entropy = true;
  errno = 77;
  names = make_names (NULL);
  for (unsigned round = 0; round < 2; round++)
    for (unsigned i = 0; i < 500; i++)
      {
        struct cgw_file file;

        snprintf (name, sizeof name, "%u.c", i);
        file = cgw_add_file (names, name);
        if (round == 0)
          handles[i] = file.handle;
        cr_assert_neq (file.handle, 0);
        cr_assert_eq (file.handle, handles[i]);
      }
  cr_expect_eq (errno, 77);
  cr_expect (wanted_entropy);
  cgw_names_free (names);
}
