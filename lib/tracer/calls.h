/* calls.h - open and end calls, and book their costs.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CALLS_H
#define CGWI_CALLS_H 1

#include "frames.h"

/* The functions that most events take are inlined with the numbers of events
   and counters, which may be constants: so the loops for one event vanish.  */
struct cgwi_shape
{
  size_t n_events;
  size_t n_counters;
};

static inline struct cgwi_shape
cgwi_shape_of (const struct cgw_tracer *t)
{
  return (struct cgwi_shape){ t->p->n_events, t->n_counters };
}

static inline struct cgwi_edge *
cgwi_edge (const struct cgw_tracer *t, uint32_t index)
{
  return cgwi_table_entry (&t->p->edges, index);
}

static inline const struct cgwi_spot *
cgwi_self_spot (const struct cgw_tracer *t, uint32_t self)
{
  return cgwi_table_entry (&t->p->self, self);
}

/* The function of the current position, which may be inlined code; index 0
   is "???".  */
static inline uint32_t
cgwi_running_fn (const struct cgw_tracer *t)
{
  return t->depth != 0          ? cgwi_self_spot (t, cgwi_top (t)->self)->fn
         : t->root != CGWI_NONE ? t->root
                                : 0;
}

/* Book a cost of one event at a position and in the open calls.
   CGW_EOVERFLOW: nothing is booked.  */
static inline enum cgw_status
cgwi_book (struct cgw_tracer *t, uint32_t self, size_t event, uint64_t cost)
{
  struct cgw_profile *p = t->p;
  uint64_t total;

  if (__builtin_add_overflow (p->totals[event], cost, &total))
    return CGW_EOVERFLOW;
  p->totals[event] = total;
  cgwi_table_costs (&p->self, self)[event] += cost;
  t->sums[event] += cost;
  return CGW_OK;
}

/* Book the differences of the counters at the current position of the running
   function, whose frame is `top`.  CGW_EBACKWARDS, CGW_EOVERFLOW.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_book_inside (struct cgw_tracer *t, const struct cgwi_frame *top,
                  const uint64_t *counters, struct cgwi_shape shape)
{
  uint64_t *last = cgwi_last (t, shape.n_events);
  uint32_t self = top->self;
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < shape.n_counters; i++)
    {
      uint64_t value = counters[i];
      uint64_t cost;

      if (__builtin_sub_overflow (value, last[i], &cost))
        {
          status = CGW_EBACKWARDS;
          continue;
        }
      last[i] = value;
      if (cgwi_book (t, self, i, cost) != CGW_OK)
        status = CGW_EOVERFLOW;
    }
  return status;
}

/* The same; without an open call, only store the counters.  */
enum cgw_status cgwi_book_counters (struct cgw_tracer *t,
                                    const uint64_t *counters);

/* Push the frame `top`, for which there is room.  */
static inline __attribute__ ((always_inline)) void
cgwi_push (struct cgw_tracer *t, struct cgwi_frame *top, uint64_t tag,
           uint32_t edge, uint32_t self, uint32_t fn, struct cgwi_shape shape)
{
  t->depth++;
  top->tag = tag;
  top->edge = edge;
  top->self = self;
  top->fn = fn;
  for (size_t i = 0; i < shape.n_events; i++)
    top->start[i] = t->sums[i];
  t->active[fn]++;
}

/* Open a call from the frame `top` if the profile has the edge, and the callee
   begins where it began the last time.  Otherwise return false, and change
   nothing.  `at` may be NULL.  There must be room for a frame.  */
static inline __attribute__ ((always_inline)) bool
cgwi_open_known (struct cgw_tracer *t, struct cgwi_frame *top,
                 const struct cgw_pos *at, const struct cgw_pos *callee,
                 uint64_t tag, struct cgwi_shape shape)
{
  struct cgw_profile *p = t->p;
  struct cgwi_spot from, to;
  uint32_t edge, self;

  if (cgwi_profile_key (p, callee, &to) != CGW_OK)
    return false;
  if (at == NULL)
    from = *cgwi_self_spot (t, top->self);
  else if (cgwi_profile_key (p, at, &from) != CGW_OK)
    return false;
  else if (at->fn.handle == 0)
    from.fn = cgwi_self_spot (t, top->self)->fn;
  from.callee = to.fn;
  edge = cgwi_spots_find (&p->edges, &from);
  if (edge >= p->n_begins) /* also if there is none */
    return false;
  self = p->begins[edge];
  if (!cgwi_spot_equal (cgwi_self_spot (t, self), &to) || to.fn >= t->n_active
      || cgwi_edge (t, edge)->count == UINT64_MAX)
    return false;
  cgwi_edge (t, edge)->count++;
  cgwi_push (t, cgwi_next_frame (top, shape.n_events), tag, edge, self, to.fn,
             shape);
  return true;
}

/* Whether an edge that was looked up is one of this profile, and still
   valid.  */
static inline bool
cgwi_is_valid (const struct cgw_profile *p, uint64_t handle, uint64_t begin)
{
  return handle >> 32 == p->epoch && (uint32_t) handle < p->edges.n
         && begin < p->self.n;
}

/* The same for an edge that was looked up.  */
static inline __attribute__ ((always_inline)) bool
cgwi_open_edge_known (struct cgw_tracer *t, struct cgwi_frame *top,
                      uint64_t handle, uint64_t begin, uint64_t tag,
                      struct cgwi_shape shape)
{
  uint32_t index = (uint32_t) handle;
  struct cgwi_edge *entry;
  uint32_t fn;

  if (!cgwi_is_valid (t->p, handle, begin))
    return false;
  entry = cgwi_edge (t, index);
  fn = entry->key.callee;
  if (fn >= t->n_active || entry->count == UINT64_MAX)
    return false;
  entry->count++;
  cgwi_push (t, cgwi_next_frame (top, shape.n_events), tag, index,
             (uint32_t) begin, fn, shape);
  return true;
}

/* Open a call on an edge that was looked up.  CGW_EHANDLE, CGW_ENOMEM: the call
   is open, but missed.  CGW_EOVERFLOW: as cgwi_open_call.  */
enum cgw_status cgwi_open_edge (struct cgw_tracer *t, uint64_t handle,
                                uint64_t begin, uint64_t tag);

/* Look up or add an edge.  CGW_EHANDLE, CGW_ENOMEM.  */
enum cgw_status cgwi_find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee,
                                struct cgw_edge *edge);

/* Look up or add a position of the running function.  CGW_EHANDLE,
   CGW_ENOMEM.  */
enum cgw_status cgwi_find_self (struct cgw_tracer *t,
                                const struct cgw_pos *pos, uint32_t *self);

/* Make room for `active` of a function.  False: no memory.  */
bool cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn);

/* Open a call.  CGW_EHANDLE, CGW_ENOMEM: the call is open, but missed.
   CGW_EOVERFLOW: it is open, but the count of its edge would overflow.  */
enum cgw_status cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee, uint64_t tag);

/* Open a call from the same position as that of the innermost frame, which
   ends.  */
enum cgw_status cgwi_replace_call (struct cgw_tracer *t,
                                   const struct cgw_pos *callee, uint64_t tag);

/* Book the inclusive costs of a frame.  CGW_EOVERFLOW: not of all events.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_book_inclusive (struct cgw_tracer *t, const struct cgwi_frame *frame,
                     struct cgwi_shape shape)
{
  uint64_t *sums = cgwi_table_costs (&t->p->edges, frame->edge);
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < shape.n_events; i++)
    {
      uint64_t cost = t->sums[i] - frame->start[i];
      uint64_t sum;

      if (__builtin_add_overflow (sums[i], cost, &sum))
        status = CGW_EOVERFLOW;
      else
        sums[i] = sum;
    }
  return status;
}

/* End the innermost call, whose frame is `top`.  CGW_EOVERFLOW: its inclusive
   cost is not booked.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_end_call (struct cgw_tracer *t, const struct cgwi_frame *top,
               struct cgwi_shape shape)
{
  bool outermost = --t->active[top->fn] == 0;

  t->depth--;
  return outermost && top->edge != CGWI_TABLE_NONE
             ? cgwi_book_inclusive (t, top, shape)
             : CGW_OK;
}

/* Book the inclusive costs of the open calls so far, and let them start
   anew.  */
enum cgw_status cgwi_sync_calls (struct cgw_tracer *t);

/* Count the open calls in a new interval.  */
void cgwi_recount_calls (struct cgw_tracer *t);

#endif
