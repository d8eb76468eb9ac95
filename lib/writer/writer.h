/* writer.h - check the structs that callers pass; begin parts on behalf of other
   calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WRITER_H
#define CGWI_WRITER_H 1

#include "../text/refusal.h"
#include "../gate/gate.h"

/* Copy and check a caller's part.  Return how many of its events are not
   derived, 1 to CGW_EVENTS_MAX; 0, and a reason: it is invalid.  */
size_t cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                       struct cgwi_why *why);

/* Copy and check a caller's options, or the defaults for NULL.  False, and a
   reason: they are invalid, and the copy has the defaults.  */
bool cgwi_take_options (struct cgw_options *ours,
                        const struct cgw_options *theirs,
                        struct cgwi_why *why);

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
