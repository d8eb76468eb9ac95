/* submit.h - submit a record: write it, or defer it for the holder to write.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBMIT_H
#define CGWI_SUBMIT_H 1

#include "gate.h"

/* Submit a record to a writer, which may be NULL.  */
enum cgw_status cgwi_submit (struct cgw_writer *w,
                             const struct cgwi_record *r);

/* A record is refused or lost: count what is refused, and keep why, as
   cgwi_refuse does.  Return the status.  */
enum cgw_status cgwi_fail_record (struct cgw_writer *w,
                                  const struct cgwi_record *r,
                                  enum cgw_status status,
                                  const struct cgwi_why *why);

/* Write a record, inside, and leave.  */
static inline enum cgw_status
cgwi_write_and_leave (struct cgw_writer *w, const struct cgwi_record *r)
{
  struct cgwi_why why;
  enum cgw_status status = cgwi_write_record (&w->core, r, &why);

  if (status != CGW_OK)
    cgwi_fail_record (w, r, status, &why);
  cgwi_leave (w);
  return status;
}

#endif
