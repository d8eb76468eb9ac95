/* room.h - make room in the buffer by writing it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ROOM_H
#define CGWI_ROOM_H 1

#include "core.h"

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
