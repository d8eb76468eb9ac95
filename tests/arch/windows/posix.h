/* posix.h - what the tests use of POSIX and Windows lacks.  Each source of the
   tests includes it first; see ../../arch.sh.  What cannot be had fails with
   ENOSYS, and ../skip lists the tests that need it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef ARCH_POSIX_H
#define ARCH_POSIX_H 1

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The printf of a declaration by __attribute__ is Microsoft's, which lacks
   "%zu"; the function that is called has it.  */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
/* A row of errors that has no status is a failure of the test.  */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define O_CLOEXEC O_NOINHERIT
#define O_NONBLOCK 0
#define F_SETFL 4
#define EDQUOT 10069
#define mkdir(path, mode) _mkdir (path)
#define stpcpy arch_stpcpy
#define strndup arch_strndup
#define mkstemp arch_mkstemp
#define dup2 arch_dup2
#define remove arch_remove
#define pipe(fds) _pipe (fds, 65536, O_BINARY)
#define pipe2(fds, flags) pipe (fds)
#define setenv(name, value, replace) _putenv_s (name, value)
#define fclose arch_fclose

static inline int
arch_no_system_call (void)
{
  errno = ENOSYS;
  return -1;
}

#define fork() arch_no_system_call ()
#define link(from, to) arch_no_system_call ()
#define symlink(from, to) arch_no_system_call ()
#define alarm(seconds) arch_no_system_call ()
#define fcntl(fd, command, ...) arch_no_system_call ()
#define kill(process, number) arch_no_system_call ()

static inline void *
memmem (const void *in, size_t n, const void *part, size_t length)
{
  for (const char *p = in; n >= length; p++, n--)
    if (memcmp (p, part, length) == 0)
      return (void *) (uintptr_t) p;
  return NULL;
}

static inline char *
stpcpy (char *to, const char *from)
{
  return strcpy (to, from) + strlen (from);
}

static inline char *
strndup (const char *text, size_t n)
{
  size_t length = strnlen (text, n);
  char *copy = calloc (1, length + 1);

  return copy != NULL ? memcpy (copy, text, length) : NULL;
}

static inline ssize_t
pread (int fd, void *bytes, size_t n, off_t offset)
{
  off_t before = lseek (fd, 0, SEEK_CUR);
  ssize_t result = lseek (fd, offset, SEEK_SET) != -1
                       ? read (fd, bytes, (unsigned) n)
                       : -1;

  lseek (fd, before, SEEK_SET);
  return result;
}

/* A stream into memory is a temporary file until it is closed.  Each source may
   have a few at a time.  */
static struct
{
  FILE *stream;
  char **text;
  size_t *n;
} arch_memory[8];

static inline FILE *
open_memstream (char **text, size_t *n)
{
  for (size_t i = 0; i < sizeof arch_memory / sizeof *arch_memory; i++)
    if (arch_memory[i].stream == NULL)
      {
        arch_memory[i].text = text;
        arch_memory[i].n = n;
        return arch_memory[i].stream = tmpfile ();
      }
  abort ();
}

static inline int
fclose (FILE *stream)
{
  for (size_t i = 0; i < sizeof arch_memory / sizeof *arch_memory; i++)
    if (stream == arch_memory[i].stream && stream != NULL)
      {
        size_t n = *arch_memory[i].n = (size_t) ftell (stream);

        rewind (stream);
        *arch_memory[i].text = calloc (1, n + 1);
        if (fread (*arch_memory[i].text, 1, n, stream) != n)
          abort ();
        arch_memory[i].stream = NULL;
      }
# undef fclose
  return fclose (stream);
# define fclose arch_fclose
}

/* mingw's lets nobody else open the file.  */
static inline int
mkstemp (char *template)
{
  return _mktemp (template) != NULL
             ? open (template, O_RDWR | O_CREAT | O_EXCL | O_BINARY, 0600)
             : -1;
}

/* Directories, too.  */
static inline int
remove (const char *path)
{
  return unlink (path) == 0 ? 0 : rmdir (path);
}

/* Windows returns 0.  */
static inline int
dup2 (int from, int to)
{
  return _dup2 (from, to) == 0 ? to : -1;
}

static inline char *
mkdtemp (char *template)
{
  return _mktemp (template) != NULL && mkdir (template, 0700) == 0 ? template
                                                                  : NULL;
}

#endif
