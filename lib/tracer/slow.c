/* slow.c - the slow path of a tracer's events, and the calls that take no
   other.

   SPDX-License-Identifier: MIT  */

#include "slow.h"

#include <string.h>

/* Leave.  */
static enum cgw_status
leave (struct cgw_tracer *t, enum cgwi_called called, enum cgw_status status)
{
  t->of_profile.path = cgwi_path_of (t);
  if (status != CGW_OK)
    cgwi_profile_refuse (t->p, called, status);
  cgwi_profile_leave (t->p);
  return status;
}

/* Enter.  CGW_EINVAL, CGW_EBUSY: do not leave.  */
static enum cgw_status
enter (struct cgw_tracer *t, enum cgwi_called called)
{
  if (t == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (t->p))
    return cgwi_profile_refuse (t->p, called, CGW_EBUSY);
  cgwi_follow_profile (t);
  return CGW_OK;
}

/* A call needs a running function, and there is none.  */
static enum cgw_status
no_open_call (struct cgw_tracer *t)
{
  return CGWI_FAIL (t->p, CGW_EDEPTH,
                    .reason = t->missed != 0 ? CGWI_WHY_ALL_REFUSED
                                             : CGWI_WHY_NO_OPEN_CALL);
}

/* End the running call, missed or not.  */
static enum cgw_status
end_one (struct cgw_tracer *t)
{
  if (t->missed != 0)
    t->missed--;
  else if (t->depth != 0)
    cgwi_end_call (t);
  else
    return no_open_call (t);
  return CGW_OK;
}

/* Leave calls until `depth` are open.  */
static enum cgw_status
unwind_to (struct cgw_tracer *t, size_t depth)
{
  if (depth > t->depth + t->missed)
    return CGWI_FAIL (t->p, CGW_EDEPTH, .reason = CGWI_WHY_FEWER_CALLS,
                      .a = depth, .b = t->depth + t->missed);
  while (t->depth + t->missed > depth)
    end_one (t);
  return CGW_OK;
}

/* Leave calls until the innermost one with this tag is running.  Calls that
   are missed have no tags.  */
static enum cgw_status
unwind_to_tag (struct cgw_tracer *t, uint64_t tag)
{
  size_t depth = t->depth;

  while (depth > 0 && cgwi_frame (t, depth)->tag != tag)
    depth--;
  return depth != 0 ? unwind_to (t, depth)
                    : CGWI_FAIL (t->p, CGW_EDEPTH, .reason = CGWI_WHY_NO_TAG,
                                 .a = tag);
}

/* The running function ends, and another one runs in its place.  */
static enum cgw_status
replace_call (struct cgw_tracer *t, const struct cgw_pos *callee, uint64_t tag)
{
  if (t->missed != 0)
    return CGW_OK;
  return t->depth != 0 ? cgwi_replace_call (t, callee, tag)
                       : no_open_call (t);
}

/* Set the current position of the running function.  */
static enum cgw_status
move_to (struct cgw_tracer *t, const struct cgw_pos *pos)
{
  uint32_t self;
  enum cgw_status status;

  if (t->depth == 0)
    return no_open_call (t);
  status = cgwi_find_self (t, pos, CGWI_ARG_POS, &self);
  /* Below a missed call, the frame is that of its caller.  */
  if (status == CGW_OK && t->missed == 0)
    t->top->self = self;
  return status;
}

/* Continue, after a stop or in the place of the coroutines that were
   resumed.  */
static enum cgw_status
resume (struct cgw_tracer *t, const uint64_t *counters)
{
  cgwi_yield_to (t);
  if (t->stopped && t->n_counters != 0)
    memcpy (cgwi_last (t, cgwi_shape_of (t)), counters,
            t->n_counters * sizeof *counters);
  t->stopped = false;
  return CGW_OK;
}

/* Check the costs of events that are no counters.  CGW_EINVAL, CGW_ECOSTS.  */
static enum cgw_status
check_costs (struct cgw_tracer *t, const uint64_t *cost, size_t n)
{
  return cgwi_check_costs (t->p, cost, n, t->p->n_events - t->n_counters);
}

static enum cgw_status
check_event (struct cgw_tracer *t, const struct cgwi_event *e)
{
  bool needs_callee = e->called == CGWI_CALLED_TRACER_ENTER
                      || e->called == CGWI_CALLED_TRACER_TAIL;
  bool needs_pos = e->called == CGWI_CALLED_TRACER_MOVE
                   || (e->called == CGWI_CALLED_TRACER_BLOCK && e->n_pos != 0);
  bool is_sync = e->called == CGWI_CALLED_TRACER_SYNC;
  enum cgw_status status;

  if (e->pos == NULL && (needs_callee || needs_pos))
    return cgwi_fail_null (t->p, needs_pos ? CGWI_ARG_POS : CGWI_ARG_CALLEE);
  if (is_sync && cgwi_innermost (t)->stopped)
    return CGW_OK;
  if (e->counters == NULL && t->n_counters != 0)
    return CGWI_FAIL (t->p, CGW_EINVAL, .reason = CGWI_WHY_NULL_ARRAY,
                      .parameter = CGWI_ARG_COUNTERS,
                      .value = (uint32_t) t->n_counters);
  if (is_sync && t->resumed != NULL)
    return CGW_OK;
  if (e->called == CGWI_CALLED_TRACER_START)
    return t->stopped || t->resumed != NULL
               ? CGW_OK
               : CGWI_FAIL (t->p, CGW_EORDER, .reason = CGWI_WHY_NOT_STOPPED);
  if (e->called == CGWI_CALLED_TRACER_RESUME && t->resumed == NULL)
    return cgwi_check_resumer (t, e->resumer);
  if ((status = cgwi_check_running (t, CGWI_ARG_THE_TRACER)) != CGW_OK)
    return status;
  return e->called == CGWI_CALLED_TRACER_YIELD && t->resumer == NULL
             ? CGWI_FAIL (t->p, CGW_EORDER, .reason = CGWI_WHY_NO_RESUMER)
             : check_costs (t, e->cost, e->n_cost);
}

/* Do what an event says, after its counters were booked.  */
static enum cgw_status
carry_out (struct cgw_tracer *t, const struct cgwi_event *e)
{
  switch (e->called)
    {
    case CGWI_CALLED_TRACER_ENTER:
      return cgwi_open_call (t, e->at, e->pos, e->tag);
    case CGWI_CALLED_TRACER_ENTER_EDGE:
      return cgwi_open_edge (t, e->edge, e->tag);
    case CGWI_CALLED_TRACER_LEAVE:
      return end_one (t);
    case CGWI_CALLED_TRACER_TAIL:
      return replace_call (t, e->pos, e->tag);
    case CGWI_CALLED_TRACER_MOVE:
      return move_to (t, e->pos);
    case CGWI_CALLED_TRACER_BLOCK:
      return t->depth != 0
                 ? cgwi_run (t, e->pos, e->n_pos, e->cost, e->n_cost)
                 : no_open_call (t);
    case CGWI_CALLED_TRACER_START:
      return resume (t, e->counters);
    case CGWI_CALLED_TRACER_UNWIND_TAG:
      return unwind_to_tag (t, e->tag);
    case CGWI_CALLED_TRACER_RESUME:
      return cgwi_resume (t, e->resumer, e->at);
    case CGWI_CALLED_TRACER_YIELD:
      cgwi_yield (t);
      return CGW_OK;
    case CGWI_CALLED_TRACER_SYNC:
      cgwi_sync_calls (t);
      return CGW_OK;
    case CGWI_CALLED_TRACER_UNWIND:
      return unwind_to (t, e->depth);
    default: /* stop */
      t->stopped = true;
      return CGW_OK;
    }
}

CGWI_COLD enum cgw_status
cgwi_take_event (struct cgw_tracer *t, const struct cgwi_event *e)
{
  enum cgw_status status = enter (t, e->called);
  enum cgw_status booked = CGW_OK;
  struct cgw_tracer *running;

  if (status != CGW_OK)
    return status;
  if ((status = check_event (t, e)) == CGW_OK)
    {
      running = e->resumer != NULL ? e->resumer : cgwi_innermost (t);
      cgwi_follow_profile (running);
      if (!running->stopped)
        booked = cgwi_book_counters (running, e->counters);
      status = carry_out (t, e);
      status = status != CGW_OK ? status : booked;
    }
  return leave (t, e->called, status);
}

/* The calls.  */

static enum cgw_status
find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, struct cgw_edge *edge)
{
  return edge == NULL || at == NULL || callee == NULL
             ? cgwi_fail_null (t->p, edge == NULL ? CGWI_ARG_EDGE
                                     : at == NULL ? CGWI_ARG_AT
                                                  : CGWI_ARG_CALLEE)
             : cgwi_find_edge (t, at, callee, edge);
}

enum cgw_status
cgw_tracer_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                 const struct cgw_pos *callee, struct cgw_edge *edge)
{
  enum cgw_status status;

  if (edge != NULL)
    *edge = (struct cgw_edge){ 0, 0 };
  status = enter (t, CGWI_CALLED_TRACER_EDGE);
  return status == CGW_OK ? leave (t, CGWI_CALLED_TRACER_EDGE,
                                   find_edge (t, at, callee, edge))
                          : status;
}

enum cgw_status
cgw_tracer_tail (struct cgw_tracer *t, const struct cgw_pos *callee,
                 uint64_t tag, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_TAIL, .counters = counters,
                    .pos = callee, .tag = tag);
}

enum cgw_status
cgw_tracer_move (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_MOVE, .counters = counters,
                    .pos = pos);
}

enum cgw_status
cgw_tracer_block (struct cgw_tracer *t, const struct cgw_pos *pos,
                  size_t n_pos, const uint64_t *cost, size_t n,
                  const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_BLOCK,
                    .counters = counters, .pos = pos, .n_pos = n_pos,
                    .cost = cost, .n_cost = n);
}

enum cgw_status
cgw_tracer_unwind (struct cgw_tracer *t, size_t depth,
                   const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_UNWIND,
                    .counters = counters, .depth = depth);
}

enum cgw_status
cgw_tracer_unwind_tag (struct cgw_tracer *t, uint64_t tag,
                       const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_UNWIND_TAG,
                    .counters = counters, .tag = tag);
}

enum cgw_status
cgw_tracer_stop (struct cgw_tracer *t, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_STOP,
                    .counters = counters);
}

enum cgw_status
cgw_tracer_start (struct cgw_tracer *t, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_START,
                    .counters = counters);
}

enum cgw_status
cgw_tracer_resume (struct cgw_tracer *t, struct cgw_tracer *resumer,
                   const struct cgw_pos *at, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_RESUME,
                    .counters = counters, .at = at, .resumer = resumer);
}

enum cgw_status
cgw_tracer_yield (struct cgw_tracer *t, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_YIELD,
                    .counters = counters);
}

enum cgw_status
cgw_tracer_sync (struct cgw_tracer *t, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_SYNC,
                    .counters = counters);
}

/* Book costs that are no counters.  */
static enum cgw_status
book_costs (struct cgw_tracer *t, const struct cgw_pos *pos,
            const uint64_t *cost, size_t n)
{
  uint32_t self = cgwi_running_self (t);
  enum cgw_status status;

  if ((status = cgwi_check_running (t, CGWI_ARG_THE_TRACER)) != CGW_OK
      || (status = check_costs (t, cost, n)) != CGW_OK)
    return status;
  if (pos == NULL && self == CGWI_NONE)
    return no_open_call (t);
  if (pos != NULL
      && (status = cgwi_find_self (t, pos, CGWI_ARG_POS, &self)) != CGW_OK)
    return status;
  for (size_t i = 0; i < n; i++)
    cgwi_book (t, self, t->n_counters + i, cost[i], cgwi_shape_of (t));
  return CGW_OK;
}

enum cgw_status
cgw_tracer_cost (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  enum cgw_status status = enter (t, CGWI_CALLED_TRACER_COST);

  return status == CGW_OK ? leave (t, CGWI_CALLED_TRACER_COST,
                                   book_costs (t, pos, cost, n))
                          : status;
}
