/* room.h - make room in the buffer: a larger one, or by writing it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ROOM_H
#define CGWI_ROOM_H 1

#include "core.h"

/* Make the buffer large enough for `more` bytes of padding and text (or what
   it takes before a write, if that is more), one record, and the end of a
   part.  False: no memory.  */
bool cgwi_fit (struct cgwi_core *c, const struct cgwi_lengths *l, size_t more);

/* Bytes of the longest end of a part, with the padding before each of its
   texts: the report of what was lost, the cost line of "[lost]", totals.  */
size_t cgwi_end_max (const struct cgwi_lengths *l);

/* Write what is buffered, in handlers, too.  CGW_OK, CGW_EAGAIN, CGW_EIO,
   CGW_EFORK.  */
enum cgw_status cgwi_flush (struct cgwi_core *c);

/* The same for normal code: waits while the descriptor takes nothing.  */
enum cgw_status cgwi_flush_waiting (struct cgwi_core *c);

/* Make room for a record.  CGW_EIO, CGW_EAGAIN, CGW_EFORK: there is none.  A
   descriptor that failed is not tried again: that is for normal code.  */
enum cgw_status cgwi_make_room (struct cgwi_core *c);

/* The same for normal code.  */
enum cgw_status cgwi_make_room_waiting (struct cgwi_core *c);

#endif
