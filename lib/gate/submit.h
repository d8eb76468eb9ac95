/* submit.h - submit a record: write it, or defer it for the holder to write.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBMIT_H
#define CGWI_SUBMIT_H 1

#include "deferred.h"
#include "gate.h"

/* A record is refused or lost: count what is refused, and keep why.  Return the
   status.  */
enum cgw_status cgwi_fail_record (struct cgw_writer *w,
                                  const struct cgwi_submitted *r,
                                  enum cgw_status status);

/* Submit a record whose pointers are valid to a writer that has a holder:
   defer it, or with CGW_WAIT wait until another thread leaves.  */
enum cgw_status cgwi_submit_to_holder (struct cgw_writer *w,
                                       const struct cgwi_submitted *r);

/* End a record that was written, inside, with that status: leave.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_end_record (struct cgw_writer *w, struct cgwi_submitted r,
                 enum cgw_status status)
{
  if (status != CGW_OK)
    {
      struct cgwi_submitted copy = r;
      cgwi_fail_record (w, &copy, status);
    }
  cgwi_leave (w);
  return status;
}

/* Submit a record.  Inlined, because each caller's kind is a constant.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_submit (struct cgw_writer *w, struct cgwi_submitted r)
{
  if (w == NULL)
    return CGW_EINVAL;
  if (r.from == NULL || (r.to == NULL && r.kind != CGWI_COST)
      || (r.cost == NULL && r.n != 0))
    {
      struct cgwi_submitted copy = r;
      return cgwi_fail_record (w, &copy, CGW_EINVAL);
    }
  if (!cgwi_takes_records (w))
    {
      struct cgwi_submitted copy = r;
      return cgwi_fail_record (w, &copy,
                               cgwi_mark_is_alive (&w->mark) ? CGW_EFINISHED
                                                             : CGW_EFORK);
    }
  if (!cgwi_try_enter (w))
    {
      /* A copy, so that r need not be in memory on the fast path.  */
      struct cgwi_submitted copy = r;
      return cgwi_submit_to_holder (w, &copy);
    }
  return cgwi_end_record (w, r, cgwi_write_record (&w->core, r));
}

#endif
