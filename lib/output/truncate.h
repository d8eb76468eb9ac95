/* truncate.h - give up output that cannot be written.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TRUNCATE_H
#define CGWI_TRUNCATE_H 1

#include "buffer.h"

/* Truncate a regular file to its last whole record, unless somebody else may
   be writing to it, too.  What is behind that counts as not written.  Keeps
   errno.  */
void cgwi_truncate (struct cgwi_buffer *b);

#endif
