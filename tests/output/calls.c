/* calls.c - system calls in place of libc's.  See calls.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096

void (*before_call) (enum call call);
void (*after_call) (enum call call);
void (*after_page) (void);
int call_errors[CALLS];

static void
begin (enum call call)
{
  if (before_call != NULL)
    before_call (call);
}

static long
end (enum call call, long result)
{
  int kept = errno;

  if (after_call != NULL)
    after_call (call);
  errno = kept;
  return result;
}

static long
fail_with (int error)
{
  errno = error;
  return -1;
}

int
open (const char *name, int flags, ...)
{
  va_list more;
  mode_t mode;
  long result;

  va_start (more, flags);
  mode = flags & O_CREAT ? va_arg (more, mode_t) : 0;
  va_end (more);
  begin (CALL_OPEN);
  result = call_errors[CALL_OPEN] != 0 && flags & O_CREAT
               ? fail_with (call_errors[CALL_OPEN])
               : syscall (SYS_openat, AT_FDCWD, name, flags, mode);
  return (int) end (CALL_OPEN, result);
}

/* glibc has this name for it with large files.  */
#if defined __GLIBC__ && !defined __USE_FILE_OFFSET64
int
open64 (const char *name, int flags, ...)
{
  va_list more;
  mode_t mode;

  va_start (more, flags);
  mode = flags & O_CREAT ? va_arg (more, mode_t) : 0;
  va_end (more);
  return open (name, flags, mode);
}
#endif

/* As Linux writes to a regular file.  */
static long
write_by_pages (int fd, const char *bytes, size_t n)
{
  size_t done = 0;

  while (done < n)
    {
      size_t some = PAGE - (size_t) lseek (fd, 0, SEEK_CUR) % PAGE;
      long result = syscall (SYS_write, fd, bytes + done,
                             some < n - done ? some : n - done);

      if (result <= 0)
        return done > 0 ? (long) done : result;
      done += (size_t) result;
      if (done < n)
        after_page ();
    }
  return (long) done;
}

/* The library writes one piece.  */
ssize_t
writev (int fd, const struct iovec *iov, int n)
{
  long result;

  begin (CALL_WRITE);
  result = call_errors[CALL_WRITE] != 0 ? fail_with (call_errors[CALL_WRITE])
           : after_page != NULL && n == 1
               ? write_by_pages (fd, iov->iov_base, iov->iov_len)
               : syscall (SYS_writev, fd, iov, n);
  return end (CALL_WRITE, result);
}

/* Where the kernel wipes no page in a forked child, this writes instead.  */
ssize_t
write (int fd, const void *bytes, size_t n)
{
  const struct iovec all = { (void *) (uintptr_t) bytes, n };

  return writev (fd, &all, 1);
}

int
close (int fd)
{
  long result;

  begin (CALL_CLOSE);
  result = syscall (SYS_close, fd);
  if (result == 0 && call_errors[CALL_CLOSE] != 0)
    result = fail_with (call_errors[CALL_CLOSE]);
  return (int) end (CALL_CLOSE, result);
}

int
rename (const char *from, const char *to)
{
  long result;

  begin (CALL_RENAME);
  result = call_errors[CALL_RENAME] != 0
               ? fail_with (call_errors[CALL_RENAME])
               : syscall (SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  return (int) end (CALL_RENAME, result);
}

int
unlink (const char *name)
{
  begin (CALL_UNLINK);
  return (int) end (CALL_UNLINK, syscall (SYS_unlinkat, AT_FDCWD, name, 0));
}
