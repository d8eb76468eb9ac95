/* write.c - write to a descriptor, or give up what cannot be written.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Write to the descriptor, but never in a child that a handler forked at any
   instruction of this function.  The iovec is in the page that the kernel
   wipes in a child.  If the fork comes before the check, the check notices; if
   it comes after, the child's writev finds an empty iovec.

   If the kernel cannot wipe the page, a fork between the check and the write
   goes unnoticed.  (writev is not on POSIX's list of async-signal-safe
   functions; where the page is wiped, on Linux, it is a system call like
   write.)  */
static ssize_t
write_to_fd (const struct cgwi_buffer *b, const char *from, size_t n)
{
  struct cgwi_iovec *iov = b->mark->page->iov;
  const struct cgwi_iovec what = { (void *) (uintptr_t) from, n };

  memcpy (iov, &what, sizeof what);
  cgwi_in_order ();
  if (!cgwi_mark_is_ours (b->mark))
    return 0;
  return b->mark->wiped ? cgwi_writev (b->fd, iov, 1)
                        : write (b->fd, from, n);
}

/* Write once, up to that offset.  Return 0, an errno, or CGWI_FORKED.  */
static int
write_some (struct cgwi_buffer *b, const struct cgwi_extent *e, uint64_t end)
{
  uint64_t written = atomic_load_explicit (&b->written, memory_order_relaxed);
  const char *from = e->bytes + (written - e->offset);
  size_t left = (size_t) (end - written);
  ssize_t n;

  if (!cgwi_mark_is_ours (b->mark))
    return CGWI_FORKED;
  errno = 0;
  n = b->write != NULL ? b->write (b->context, from, left)
                       : write_to_fd (b, from, left);
  if (n > 0 && (size_t) n <= left)
    {
      atomic_store_explicit (&b->written, written + (uint64_t) n,
                             memory_order_relaxed);
      return 0;
    }
  if (!cgwi_mark_is_ours (b->mark))
    return CGWI_FORKED;
  /* Nothing was taken, or a hook breaks its contract: EIO ends the loop.  */
  return n < 0 && errno != 0 ? errno : EIO;
}

int
cgwi_write_extent (struct cgwi_buffer *b, const struct cgwi_extent *e,
                   int stop)
{
  uint64_t end = e->offset + (uint64_t) (e->end - e->bytes);
  int before = cgwi_disable_cancel ();
  int kept = errno;
  int error = 0;

  while (error == 0
         && atomic_load_explicit (&b->written, memory_order_relaxed) < end)
    {
      if (atomic_load_explicit (&b->phase, memory_order_relaxed) & stop)
        error = CGWI_STOPPED;
      else if ((error = write_some (b, e, end)) == EINTR)
        error = 0;
    }
  errno = kept;
  cgwi_restore_cancel (before);
  return error == EWOULDBLOCK ? EAGAIN : error;
}

int
cgwi_write (struct cgwi_buffer *b)
{
  int error;

  if (!cgwi_buffer_begin (b, CGWI_WRITING))
    return CGWI_STOPPED;
  error = cgwi_write_extent (b, &b->now, CGWI_BUFFER_ENDED);
  /* Nobody else truncates what cgw_salvage has ended meanwhile.  */
  if (cgwi_buffer_done (b) && error != 0)
    cgwi_truncate (b, &b->now);
  return error;
}

void
cgwi_wait_writable (const struct cgwi_buffer *b)
{
  int before = cgwi_disable_cancel ();
  int kept = errno;

  cgwi_poll (b->fd);
  errno = kept;
  cgwi_restore_cancel (before);
}

bool
cgwi_is_writable (int fd)
{
  int kept = errno;
  int flags = cgwi_get_flags (fd);

  errno = kept;
  return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

uint64_t
cgwi_present_offset (int fd)
{
  int kept = errno;
  bool append = cgwi_get_flags (fd) & O_APPEND;
  off_t offset = lseek (fd, 0, append ? SEEK_END : SEEK_CUR);

  errno = kept;
  return offset > 0 ? (uint64_t) offset : 0;
}

/* Truncate a regular file, if it still ends where our bytes do.  */
static bool
cut (int fd, uint64_t end, uint64_t new_end)
{
  struct stat st;
  int flags = cgwi_get_flags (fd);

  return flags != -1 && !(flags & O_APPEND) && fstat (fd, &st) == 0
         && S_ISREG (st.st_mode) && (uint64_t) st.st_size == end
         && ftruncate (fd, (off_t) new_end) == 0
         && lseek (fd, (off_t) new_end, SEEK_SET) != -1;
}

void
cgwi_truncate (struct cgwi_buffer *b, const struct cgwi_extent *e)
{
  uint64_t written = atomic_load_explicit (&b->written, memory_order_relaxed);
  uint64_t whole = e->offset + cgwi_extent_whole (e, written);
  int before = cgwi_disable_cancel ();
  int kept = errno;

  if (whole != written && b->write == NULL && cgwi_mark_is_ours (b->mark)
      && cut (b->fd, written, whole))
    atomic_store_explicit (&b->written, whole, memory_order_relaxed);
  errno = kept;
  cgwi_restore_cancel (before);
}
