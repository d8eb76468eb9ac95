/* room.h - make room in the buffer, by growing it or by writing it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ROOM_H
#define CGWI_ROOM_H 1

#include "core.h"

/* Make the buffer large enough for `more` bytes (or its limit, if that is
   more), one record of a part with n_events events, and the end of a part, with
   padding.  False: no memory.  */
bool cgwi_fit (struct cgwi_core *c, size_t n_events, size_t more);

/* Upper bound of the end of a part: the report of lost records, the cost line
   of "[lost]", and the totals, with the padding before each.  */
size_t cgwi_end_max (size_t n_events);

/* Write what is buffered.  Async-signal-safe.  CGW_EAGAIN, CGW_EIO, CGW_EFORK;
   CGW_EFINISHED: a crash handler has ended the file.  */
enum cgw_status cgwi_flush (struct cgwi_core *c);

/* The same for normal code: wait while the descriptor takes nothing.  */
enum cgw_status cgwi_flush_waiting (struct cgwi_core *c);

/* Make room for a record when there is none.  After an error there is still
   none, see cgwi_flush.  Do not try a descriptor again that failed; only normal
   code does.  Wait while it takes nothing only with CGW_WAIT.  */
enum cgw_status cgwi_make_room (struct cgwi_core *c);

/* The same for normal code: wait while the descriptor takes nothing.  */
enum cgw_status cgwi_make_room_waiting (struct cgwi_core *c);

#endif
