/* shared_file.c - memory that a tool shares with the program that it runs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "shared_file.h"

#include "../base/coverage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char folder_pattern[] = "/dev/shm/cgw-XXXXXX";

/* Puts a name that nobody can guess behind the folder's.  */
static bool
choose_name (char *path, size_t size)
{
  unsigned char bytes[16];
  size_t n = strlen (path);

  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    return false;
  path[n++] = '/';
  for (size_t i = 0; i < sizeof bytes; i++, n += 2)
    snprintf (path + n, size - n, "%02x", bytes[i]);
  return true;
}

static void
remove_both (char *path)
{
  unlink (path);
  *strrchr (path, '/') = '\0';
  rmdir (path);
}

/* Waits for the end of the tool, which alone has the other end of the pipe, and
   removes the file.  No signal ends this before.  */
static void __attribute__ ((noreturn))
remove_at_end (char *path, int end)
{
  sigset_t all;
  char byte;

  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, NULL);
  setsid ();
  /* Whoever reads the tool's output must not wait for this process.  */
  for (int fd = 0; fd < end; fd++)
    close (fd);
  while (read (end, &byte, 1) < 0 && errno == EINTR)
    continue;
  remove_both (path);
  leave (0);
}

/* The process that removes it is no child of the tool, which may wait for any
   child.  Of a child of its own, waitpid learns nothing if SIGCHLD is
   ignored.  */
static bool
start_remover (char *path)
{
  const struct sigaction usual = { .sa_handler = SIG_DFL };
  struct sigaction action;
  int ends[2], status;
  pid_t child;
  bool ok;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return false;
  sigaction (SIGCHLD, &usual, &action);
  child = fork ();
  if (child == 0)
    {
      pid_t remover = fork ();

      if (remover != 0)
        leave (remover < 0);
      close (ends[1]);
      remove_at_end (path, ends[0]);
    }
  close (ends[0]);
  /* The other end stays open, in this process alone.  */
  ok = child > 0 && waitpid (child, &status, 0) == child && status == 0;
  sigaction (SIGCHLD, &action, NULL);
  return ok;
}

/* The memory is taken at once: where it is short, there would be SIGBUS in the
   program later.  */
static int
make_named (char *path, size_t size)
{
  int fd = -1;

  strcpy (path, folder_pattern);
  if (mkdtemp (path) == NULL)
    return -1;
  if (chmod (path, 0711) == 0 && choose_name (path, SHARED_FILE_PATH))
    fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0
      && (fchmod (fd, 0666) != 0
          || posix_fallocate (fd, 0, (off_t) size) != 0
          || !start_remover (path)))
    {
      close (fd);
      fd = -1;
    }
  if (fd < 0)
    {
      if (strlen (path) == sizeof folder_pattern - 1)
        strcat (path, "/");
      remove_both (path);
    }
  return fd;
}

static int
make_nameless (char *path)
{
  int fd = memfd_create ("cgw", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  snprintf (path, SHARED_FILE_PATH, "/proc/%ld/fd/%d", (long) getpid (), fd);
  return fd;
}

/* Returns the descriptor, or -1.  Whoever made the memory smaller would end the
   tool by SIGBUS; a file with a name cannot be sealed.  */
static int
make_either (char *path, size_t size)
{
  int fd = geteuid () == 0 ? make_named (path, size) : -1;

  if (fd < 0)
    fd = make_nameless (path);
  if (fd >= 0 && ftruncate (fd, (off_t) size) != 0)
    {
      close (fd);
      return -1;
    }
  if (fd >= 0)
    fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK);
  return fd;
}

/* A limit of the size of files (ulimit -f) holds for memory, too.  Only root can
   lift it; for others, too little is an error and must be no signal.  */
bool
shared_file_make (struct shared_file *f, size_t size)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN }, action;
  struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY }, limit;
  bool is_lifted = getrlimit (RLIMIT_FSIZE, &limit) == 0
                   && setrlimit (RLIMIT_FSIZE, &none) == 0;
  int fd, error;

  sigaction (SIGXFSZ, &ignore, &action);
  fd = make_either (f->path, size);
  error = errno;
  sigaction (SIGXFSZ, &action, NULL);
  if (is_lifted)
    setrlimit (RLIMIT_FSIZE, &limit);
  errno = error;
  if (fd < 0)
    return false;
  f->memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return f->memory != MAP_FAILED;
}
