/* write.h - the only loop that writes to a descriptor; and give up output that
   cannot be written: truncate the file to its last whole record.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WRITE_H
#define CGWI_WRITE_H 1

#include "buffer.h"

/* Write what the buffer holds.  Async-signal-safe.  Return 0, the errno of the
   write that failed (EAGAIN for EWOULDBLOCK), CGWI_FORKED: this process is a
   forked child, and the bytes are its parent's; or CGWI_STOPPED: the buffer was
   ended.  Keep errno.  */
#define CGWI_FORKED (-1)
#define CGWI_STOPPED (-2)
int cgwi_write (struct cgwi_buffer *b);

/* Write what an extent of the buffer holds, until a bit of `stop` is in the
   phase, for the caller that has begun or ended the buffer.  The same
   results.  */
int cgwi_write_extent (struct cgwi_buffer *b, const struct cgwi_extent *e,
                       int stop);

/* Wait until the descriptor takes bytes again or fails for good; the next
   write tells which.  Keep errno.  */
void cgwi_wait_writable (const struct cgwi_buffer *b);

/* Whether the descriptor is open for writing.  Keep errno.  */
bool cgwi_is_writable (int fd);

/* Return the offset in the file of the next byte, on which padding depends; 0
   if the descriptor has no offset.  Keep errno.  */
uint64_t cgwi_present_offset (int fd);

/* Truncate a regular file to the last whole record of an extent, unless others
   may be writing to it, too, for the caller that has ended the buffer, or is
   the only one to write it.  The bytes behind it then count as not written.
   Keep errno.  */
void cgwi_truncate (struct cgwi_buffer *b, const struct cgwi_extent *e);

#endif
