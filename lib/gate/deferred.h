/* deferred.h - write the records that were deferred.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_DEFERRED_H
#define CGWI_DEFERRED_H 1

#include "../core/record.h"
#include "../core/usual_record.h"
#include "writer.h"

/* Write the deferred records, inside.  Close the queue for that reason (or
   open it), unless it is CGWI_KEEP_CLOSED.  Return how many slots were
   taken.  */
uint32_t cgwi_write_deferred (struct cgw_writer *w, unsigned closed);

/* Count the deferred records as lost, inside, and close the queue for good.
   Return how many there were.  */
uint32_t cgwi_lose_deferred (struct cgw_writer *w);

/* Keep why a record was refused or lost with that status.  Return the status.
   Any handler in any thread may call this.  */
enum cgw_status cgwi_explain_record (struct cgw_writer *w,
                                     const struct cgwi_submitted *r,
                                     enum cgw_status status);

/* Write a record, inside.  By value: where the kind is known, r is in
   registers.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_write_record (struct cgwi_core *c, struct cgwi_submitted r)
{
  switch (r.kind)
    {
    case CGWI_COST:
      return cgwi_write_usual_cost (c, r.from, r.cost, r.n)
                 ? CGW_OK
                 : cgwi_write_cost (c, r.from, r.cost, r.n);
    case CGWI_CALL:
      return cgwi_write_call (c, r.from, r.to, r.count, r.cost, r.n);
    case CGWI_JUMP:
      return cgwi_write_jump (c, r.from, r.to, NULL, r.count);
    default:
      {
        uint64_t followed = r.followed;
        return cgwi_write_jump (c, r.from, r.to, &followed, r.count);
      }
    }
}

/* Whether the core refused a record, which it then has not counted.  */
static inline bool
cgwi_is_refused (enum cgw_status status)
{
  return status != CGW_OK && status != CGW_EIO && status != CGW_EAGAIN
         && status != CGW_ELOST && status != CGW_EFORK;
}

#endif
