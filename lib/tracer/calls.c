/* calls.c - open and end calls, and book their costs.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <string.h>

/* Take note of the counters, without booking.  CGW_EBACKWARDS.  */
static enum cgw_status
note_counters (struct cgw_tracer *t, const uint64_t *counters)
{
  uint64_t *last = cgwi_last (t, t->p->n_events);
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < t->n_counters; i++)
    if (counters[i] < last[i])
      status = cgwi_event_failed (t, CGW_EBACKWARDS,
                                  CGWI_WHY_BACKWARDS_OUTSIDE, i, counters[i],
                                  last[i]);
    else
      last[i] = counters[i];
  return status;
}

enum cgw_status
cgwi_book_counters (struct cgw_tracer *t, const uint64_t *counters)
{
  return t->depth != 0 ? cgwi_book_inside (t, cgwi_top (t), counters,
                                           cgwi_shape_of (t))
                       : note_counters (t, counters);
}

bool
cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn)
{
  return cgwi_reserve_words (cgwi_memory_of (t->p), &t->active,
                             fn + (size_t) 1);
}

/* Make the key of a position.  If it is not a callee's, function {0} is the
   running one.  */
static enum cgw_status
take_pos (const struct cgw_tracer *t, const struct cgw_pos *pos,
          enum cgwi_parameter parameter, struct cgwi_spot *key)
{
  struct cgw_pos at = *pos;

  if (at.fn.handle == 0 && parameter != CGWI_ARG_CALLEE)
    at.fn.handle = cgwi_running_fn (t);
  return cgwi_take_pos (t->p, &at, parameter, key);
}

enum cgw_status
cgwi_find_self (struct cgw_tracer *t, const struct cgw_pos *pos,
                enum cgwi_parameter parameter, uint32_t *self)
{
  struct cgwi_spot key;
  enum cgw_status status = take_pos (t, pos, parameter, &key);

  if (status != CGW_OK)
    return status;
  *self = cgwi_table_add (&t->p->self, cgwi_memory_of (t->p), &key);
  return *self != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Make the key of a caller's position.  False: a call from nowhere.  */
static bool
caller_key (const struct cgw_tracer *t, const struct cgw_pos *at,
            struct cgwi_spot *key, enum cgw_status *status)
{
  *status = CGW_OK;
  if (at != NULL)
    *status = take_pos (t, at, CGWI_ARG_AT, key);
  else if (t->depth != 0)
    *key = *cgwi_self_spot (t, cgwi_top (t)->self);
  else if (t->root.handle != 0)
    *key = cgwi_checked_key (t->p, &(struct cgw_pos){ .fn = t->root });
  else
    return false;
  return true;
}

/* Count a call on an edge.  */
static enum cgw_status
count_call (struct cgw_tracer *t, uint32_t index, uint32_t self)
{
  const struct cgwi_spot *to = cgwi_self_spot (t, self);
  struct cgwi_edge *edge = cgwi_edge (t, index);

  if (edge->count == UINT64_MAX)
    return cgwi_event_overflow (t, CGWI_WHY_COUNT_OVERFLOW, 0, edge->count,
                                1);
  edge->count++;
  cgwi_add_target (edge, to->instr, to->line);
  return CGW_OK;
}

/* Look up or add the edge to a position.  */
static enum cgw_status
add_edge (struct cgw_tracer *t, const struct cgwi_spot *from, uint32_t self,
          uint32_t *edge)
{
  struct cgw_profile *p = t->p;
  struct cgwi_spot key = *from;

  key.callee = cgwi_self_spot (t, self)->fn;
  *edge = cgwi_table_add (&p->edges, cgwi_memory_of (p), &key);
  if (*edge == CGWI_NONE)
    return CGW_ENOMEM;
  cgwi_edge (t, *edge)->hint = ~self;
  return CGW_OK;
}

/* Return the index of a position's function.  */
static uint32_t
fn_of (const struct cgw_tracer *t, uint32_t self)
{
  return cgwi_index (t->p->names, cgwi_self_spot (t, self)->fn);
}

/* Open a call on an edge, or on none.  */
static enum cgw_status
take (struct cgw_tracer *t, uint32_t edge, uint32_t self, uint64_t tag)
{
  uint32_t fn = fn_of (t, self);
  enum cgw_status status = CGW_OK;

  if (!cgwi_grow (cgwi_memory_of (t->p), &t->frames, t->depth + 1,
                  t->frame_size)
      || !cgwi_reserve_active (t, fn))
    return CGW_ENOMEM;
  if (edge != CGWI_NONE)
    status = count_call (t, edge, self);
  cgwi_push (t, cgwi_frame (t, t->depth), tag, edge, self, fn,
             cgwi_shape_of (t));
  return status;
}

static enum cgw_status
try_open (struct cgw_tracer *t, const struct cgwi_spot *from,
          const struct cgw_pos *callee, uint64_t tag)
{
  uint32_t edge = CGWI_NONE;
  enum cgw_status status;
  uint32_t self;

  if ((status = cgwi_find_self (t, callee, CGWI_ARG_CALLEE, &self)) != CGW_OK
      || (from != NULL
          && (status = add_edge (t, from, self, &edge)) != CGW_OK))
    return status;
  return take (t, edge, self, tag);
}

enum cgw_status
cgwi_find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                const struct cgw_pos *callee, struct cgw_edge *edge)
{
  enum cgw_status status;
  struct cgwi_spot from;
  uint32_t index, self;

  if ((status = cgwi_take_pos (t->p, at, CGWI_ARG_AT, &from)) != CGW_OK
      || (status = cgwi_find_self (t, callee, CGWI_ARG_CALLEE, &self))
             != CGW_OK
      || (status = add_edge (t, &from, self, &index)) != CGW_OK)
    return status;
  cgwi_add_target (cgwi_edge (t, index), cgwi_self_spot (t, self)->instr,
                   cgwi_self_spot (t, self)->line);
  t->p->has_stale = true;
  *edge = (struct cgw_edge){ (uint64_t) t->p->epoch << 32 | index,
                             (uint64_t) fn_of (t, self) << 32 | self };
  return CGW_OK;
}

/* End opening a call.  If it was refused, it has no frame.  */
static enum cgw_status
opened (struct cgw_tracer *t, enum cgw_status status)
{
  if (status == CGW_EHANDLE || status == CGW_ENOMEM)
    t->missed++;
  return status;
}

/* Below a missed call, all are.  */
static enum cgw_status
miss (struct cgw_tracer *t)
{
  t->missed++;
  return CGW_OK;
}

enum cgw_status
cgwi_open_edge (struct cgw_tracer *t, struct cgw_edge edge, uint64_t tag)
{
  if (!cgwi_is_valid (t->p, edge.handle, edge.begin))
    return opened (t, CGWI_FAIL (t->p, CGW_EHANDLE,
                                 .reason = CGWI_WHY_FOREIGN_EDGE));
  return t->missed == 0 ? opened (t, take (t, (uint32_t) edge.handle,
                                           (uint32_t) edge.begin, tag))
                        : miss (t);
}

enum cgw_status
cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                const struct cgw_pos *callee, uint64_t tag)
{
  enum cgw_status status;
  struct cgwi_spot from;
  bool has_caller = caller_key (t, at, &from, &status);

  if (status != CGW_OK)
    return opened (t, status);
  return t->missed == 0
             ? opened (t, try_open (t, has_caller ? &from : NULL, callee, tag))
             : miss (t);
}

enum cgw_status
cgwi_replace_call (struct cgw_tracer *t, const struct cgw_pos *callee,
                   uint64_t tag)
{
  const struct cgwi_frame *top = cgwi_top (t);
  uint32_t edge = top->edge;
  enum cgw_status ended = cgwi_end_call (t, top, cgwi_shape_of (t));
  enum cgw_status status;
  struct cgwi_spot from;

  if (edge != CGWI_NONE)
    from = cgwi_edge (t, edge)->key;
  status = opened (t, try_open (t, edge != CGWI_NONE ? &from : NULL,
                                callee, tag));
  return status != CGW_OK ? status : ended;
}

enum cgw_status
cgwi_sync_calls (struct cgw_tracer *t)
{
  enum cgw_status first = CGW_OK;
  size_t size = t->p->n_events * sizeof *t->sums;

  /* Outermost last: then `active` says of each whether there is one
     outside.  */
  for (size_t i = t->depth; i-- > 0;)
    {
      struct cgwi_frame *frame = cgwi_frame (t, i);
      enum cgw_status status = CGW_OK;

      if (--*cgwi_active (t, frame->fn) == 0 && frame->edge != CGWI_NONE)
        status = cgwi_book_inclusive (t, frame, cgwi_shape_of (t));
      memcpy (frame->start, t->sums, size);
      first = first == CGW_OK ? status : first;
    }
  for (size_t i = 0; i < t->depth; i++)
    ++*cgwi_active (t, cgwi_frame (t, i)->fn);
  return first;
}

void
cgwi_recount_calls (struct cgw_tracer *t)
{
  size_t size = t->p->n_events * sizeof *t->sums;

  t->interval = t->p->interval;
  for (size_t i = 0; i < t->depth; i++)
    {
      struct cgwi_frame *frame = cgwi_frame (t, i);

      memcpy (frame->start, t->sums, size);
      if (frame->edge != CGWI_NONE)
        cgwi_edge (t, frame->edge)->count++;
    }
}
