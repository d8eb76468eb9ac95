/* deferred.h - write the records that were deferred.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_DEFERRED_H
#define CGWI_DEFERRED_H 1

#include "../core/record.h"
#include "writer.h"

/* A record as it is submitted.  */
struct cgwi_submitted
{
  enum cgwi_kind_of_record kind;
  const struct cgw_pos *from;
  const struct cgw_pos *to;
  uint64_t count;
  uint64_t followed;
  const uint64_t *cost;
  size_t n;
};

/* Write the deferred records, inside.  Close the queue for that reason (or
   open it), unless it is CGWI_KEEP_CLOSED.  Return how many slots were
   taken.  */
uint32_t cgwi_write_deferred (struct cgw_writer *w, unsigned closed);

/* Close the queue, and count the deferred records as lost, because the holder
   may never continue.  */
void cgwi_lose_deferred (struct cgw_writer *w);

/* Return the deferred record that a holder in this thread was writing, and that
   is neither recorded nor lost; or NULL.  It is lost if the holder never
   continues.  */
const struct cgwi_deferred *cgwi_undecided (const struct cgw_writer *w);

/* Write a record, inside.  By value: where the kind is known, r is in
   registers.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_write_record (struct cgwi_core *c, struct cgwi_submitted r)
{
  switch (r.kind)
    {
    case CGWI_COST:
      return cgwi_write_cost (c, r.from, r.cost, r.n);
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
         && status != CGW_EFORK;
}

#endif
