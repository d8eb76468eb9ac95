/* part.h - begin and end parts; comments.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PART_H
#define CGWI_PART_H 1

#include "core.h"

/* Begin a part that was checked, with n_events events that have costs, and end
   the one before.  *why is set for CGW_EINVAL.
   CGW_EINVAL, CGW_ENOMEM, CGW_EFINISHED, CGW_EIO, CGW_EAGAIN, CGW_EFORK:
   nothing was begun, and nothing changed.  */
enum cgw_status cgwi_begin_part (struct cgwi_core *c,
                                 const struct cgw_part *part, size_t n_events,
                                 struct cgwi_why *why);

/* Refuse records until the next part begins.  */
void cgwi_refuse_part (struct cgwi_core *c);

/* End the open part, if there is one: write the report of lost records, and
   the totals.  */
void cgwi_end_part (struct cgwi_core *c);

/* Write a comment line.  CGW_EORDER, CGW_EFINISHED, CGW_ENOMEM, CGW_EIO,
   CGW_EAGAIN, CGW_EFORK.  */
enum cgw_status cgwi_write_comment (struct cgwi_core *c, const char *text);

#endif
