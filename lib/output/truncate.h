/* truncate.h - give up output that cannot be written: truncate the file to its
   last whole record.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TRUNCATE_H
#define CGWI_TRUNCATE_H 1

#include "buffer.h"

/* Truncate a regular file to its last whole record, unless others may be
   writing to it, too.  The bytes behind it then count as not written.  Keep
   errno.  */
void cgwi_truncate (struct cgwi_buffer *b);

/* Do so with an extent, for the caller that has ended the buffer.  */
void cgwi_truncate_extent (struct cgwi_buffer *b, const struct cgwi_extent *e);

#endif
