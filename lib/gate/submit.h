/* submit.h - submit a record: write it, or defer it for the holder to write.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBMIT_H
#define CGWI_SUBMIT_H 1

#include "../core/record.h"
#include "gate.h"

/* A record as the caller gives it.  */
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

/* Refuse a record: nothing changes but the count and the kept error.  */
enum cgw_status cgwi_refuse (struct cgw_writer *w, enum cgw_status status);

/* Leave a complete record for the holder.  */
enum cgw_status cgwi_defer (struct cgw_writer *w,
                            const struct cgwi_submitted *r);

/* Write what was deferred, inside; and close the queue for that reason, if it
   is not CGWI_KEEP_CLOSED.  Returns how many slots there were.  */
uint32_t cgwi_write_deferred (struct cgw_writer *w, unsigned closed);

/* Close the queue, and count what was deferred as lost, for a holder that may
   never go on.  */
void cgwi_lose_deferred (struct cgw_writer *w);

/* Write a record, inside.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_write_record (struct cgwi_core *c, const struct cgwi_submitted *r)
{
  switch (r->kind)
    {
    case CGWI_COST:
      return cgwi_write_cost (c, r->from, r->cost, r->n);
    case CGWI_CALL:
      return cgwi_write_call (c, r->from, r->to, r->count, r->cost, r->n);
    case CGWI_JUMP:
      return cgwi_write_jump (c, r->from, r->to, NULL, r->count);
    default:
      return cgwi_write_jump (c, r->from, r->to, &r->followed, r->count);
    }
}

/* Whether the core refused a record, and did not count it.  */
static inline bool
cgwi_is_refused (enum cgw_status status)
{
  return status != CGW_OK && status != CGW_EIO && status != CGW_EAGAIN
         && status != CGW_EFORK;
}

/* Submit a record.  Inlined where its kind is known.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_submit (struct cgw_writer *w, struct cgwi_submitted r)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if (r.from == NULL || (r.to == NULL && r.kind != CGWI_COST)
      || (r.cost == NULL && r.n != 0))
    return cgwi_refuse (w, CGW_EINVAL);
  if (!cgwi_mark_is_alive (&w->mark))
    return CGW_EFORK;
  if (!cgwi_try_enter (w))
    return cgwi_defer (w, &r);
  status = cgwi_write_record (&w->core, &r);
  if (cgwi_is_refused (status))
    cgwi_refuse (w, status);
  cgwi_leave (w);
  return status;
}

#endif
