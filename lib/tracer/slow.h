/* slow.h - the slow path of a tracer's events.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SLOW_H
#define CGWI_SLOW_H 1

#include "calls.h"

/* An event with counters, and what else it has.  */
struct cgwi_event
{
  enum cgwi_called called;
  const uint64_t *counters;
  const struct cgw_pos *at;
  const struct cgw_pos *pos; /* the callee's, or where a function continues */
  struct cgw_edge edge;
  uint64_t tag;
  size_t depth;
  size_t n_pos; /* of a run */
  const uint64_t *cost;
  size_t n_cost;
  struct cgw_tracer *resumer;
};

/* Carry out an event in any state of the tracer, which may be NULL.  Return the
   status of the call.  CGWI_TAKE takes the members of a struct cgwi_event.  */
enum cgw_status cgwi_take_event (struct cgw_tracer *t,
                                 const struct cgwi_event *e);
#define CGWI_TAKE(t, ...)                                                     \
  cgwi_take_event (t, &(struct cgwi_event){ __VA_ARGS__ })

#endif
