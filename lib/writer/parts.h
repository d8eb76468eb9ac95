/* parts.h - begin parts on behalf of other calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PARTS_H
#define CGWI_PARTS_H 1

#include "../gate/gate.h"

/* Begin a part for that call.  Return and keep what cgw_begin_part does.  */
enum cgw_status cgwi_begin_part_for (struct cgw_writer *w,
                                     const struct cgw_part *part,
                                     enum cgwi_called called);

/* Refuse a part for that call, as if cgw_begin_part had refused it: records
   return CGW_EORDER until one begins.  Return the status; or CGW_EFORK,
   CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_refuse_part_for (struct cgw_writer *w,
                                      enum cgwi_called called,
                                      enum cgw_status status,
                                      const struct cgwi_why *why);

/* Wait until the buffer has room: records do not wait, but normal code may.  If
   this fails, the next record returns the error.  */
void cgwi_wait_for_room (struct cgw_writer *w);

#endif
