/* record.h - write cost lines, calls and jumps.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_RECORD_H
#define CGWI_RECORD_H 1

#include "core.h"

/* Write a record whose pointers are not NULL.  CGW_EFINISHED, CGW_EORDER,
   CGW_EHANDLE, CGW_ECOSTS, CGW_EINVAL: it is refused, and nothing changes.
   CGW_EIO, CGW_EAGAIN, CGW_ELOST: it is lost, and counted.  CGW_EFORK: nothing
   changes.
   followed is NULL for a jump that is not conditional.  */
enum cgw_status cgwi_write_cost (struct cgwi_core *c,
                                 const struct cgw_pos *pos,
                                 const uint64_t *cost, size_t n);
enum cgw_status cgwi_write_call (struct cgwi_core *c,
                                 const struct cgw_pos *from,
                                 const struct cgw_pos *to, uint64_t count,
                                 const uint64_t *cost, size_t n);
enum cgw_status cgwi_write_jump (struct cgwi_core *c,
                                 const struct cgw_pos *from,
                                 const struct cgw_pos *to,
                                 const uint64_t *followed, uint64_t executed);

/* Write the cost line of what the open part lost.  The room must be there.  */
void cgwi_write_lost (struct cgwi_core *c, const uint64_t *lost);

#endif
