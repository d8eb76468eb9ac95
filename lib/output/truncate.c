/* truncate.c - give up output that cannot be written: truncate the file to its
   last whole record.

   SPDX-License-Identifier: MIT  */

#include "../system.h"

#include "truncate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
cgwi_truncate_extent (struct cgwi_buffer *b, const struct cgwi_extent *e)
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

/* A crash handler must not write between the cut and the note of it.  */
void
cgwi_truncate (struct cgwi_buffer *b)
{
  if (!cgwi_buffer_begin (b, CGWI_WRITING))
    return;
  cgwi_truncate_extent (b, &b->now);
  cgwi_buffer_done (b);
}
