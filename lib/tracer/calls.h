/* calls.h - open and end calls, and book their costs.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CALLS_H
#define CGWI_CALLS_H 1

#include "tracer.h"

/* Book a cost of one event at a position and in the open calls.
   CGW_EOVERFLOW: nothing is booked.  */
static inline enum cgw_status
cgwi_book (struct cgw_tracer *t, uint32_t self, size_t event, uint64_t cost)
{
  struct cgw_profile *p = t->p;

  if (p->totals[event] + cost < cost)
    return CGW_EOVERFLOW;
  p->totals[event] += cost;
  cgwi_table_costs (&p->self, self)[event] += cost;
  t->sums[event] += cost;
  return CGW_OK;
}

/* Book the differences of the counters where the running function stands.
   CGW_EBACKWARDS, CGW_EOVERFLOW.  */
enum cgw_status cgwi_book_counters (struct cgw_tracer *t,
                                    const uint64_t *counters);

/* Look up or add a position.  CGW_EHANDLE, CGW_ENOMEM.  */
enum cgw_status cgwi_find_self (struct cgw_tracer *t,
                                const struct cgw_pos *pos, uint32_t *self);

/* Make room for `active` of a function.  False: no memory.  */
bool cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn);

/* Open a call.  CGW_EHANDLE, CGW_ENOMEM: it is a missed one.  CGW_EOVERFLOW: it
   is open, but its edge has no more room for a count.  */
enum cgw_status cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee, uint64_t tag);

/* Open a call from the same position as that of the innermost frame, which
   ends.  */
enum cgw_status cgwi_replace_call (struct cgw_tracer *t,
                                   const struct cgw_pos *callee, uint64_t tag);

/* End the innermost call.  CGW_EOVERFLOW: its inclusive cost is not booked.  */
enum cgw_status cgwi_end_call (struct cgw_tracer *t);

/* Book the inclusive costs of the open calls so far, and let them start
   anew.  */
enum cgw_status cgwi_sync_calls (struct cgw_tracer *t);

/* Count the open calls in a new interval.  */
void cgwi_recount_calls (struct cgw_tracer *t);

#endif
