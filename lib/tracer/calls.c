/* calls.c - open and end calls, and book their costs.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <string.h>

/* Inclusive costs are differences of sums: before these would overflow, book
   what they are so far.  */
void
cgwi_book_slowly (struct cgw_tracer *t, uint32_t self, size_t event,
                  uint64_t cost)
{
  struct cgw_profile *p = t->p;

  if (!t->calls_only)
    {
      cgwi_add_cost (p, &p->totals[event], event, cost);
      cgwi_add_cost (p, &cgwi_self_costs (t, self, cgwi_shape_of (t))[event],
                     event, cost);
    }
  if (!p->is_signed[event] && t->sums[event] + cost < cost)
    cgwi_sync_calls (t);
  t->sums[event] += cost;
}

/* A counter is below its last value.  */
static enum cgw_status
backwards (struct cgw_tracer *t, size_t counter, uint64_t value, uint64_t last)
{
  const struct cgw_names *names = t->p->names;
  uint32_t fn = cgwi_index (names, cgwi_running_fn (t));

  return CGWI_FAIL (t->p, CGW_EBACKWARDS, .reason = CGWI_WHY_BACKWARDS,
                    .value = (uint32_t) counter, .a = value, .b = last,
                    .text = cgwi_name (names, CGWI_FNS, fn)->text);
}

/* Let the sums of a tracer, and of its resumers, start anew, as all open calls
   do.  */
static void
start_anew (struct cgw_tracer *t)
{
  size_t size = t->p->n_events * sizeof *t->sums;

  memset (t->sums, 0, size);
  for (const struct cgw_tracer *each = t; each != NULL; each = each->resumer)
    for (size_t i = 1; i <= each->depth; i++)
      memset (cgwi_frame (each, i)->start, 0, size);
}

enum cgw_status
cgwi_book_counters (struct cgw_tracer *t, const uint64_t *counters)
{
  struct cgwi_shape shape = cgwi_shape_of (t);
  uint32_t self = cgwi_running_self (t);
  uint64_t *last = cgwi_last (t, shape);
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < t->n_counters; i++)
    if (counters[i] < last[i] && !t->p->is_signed[i])
      status = status == CGW_OK ? backwards (t, i, counters[i], last[i])
                                : status;
    else
      {
        if (self != CGWI_NONE)
          cgwi_book (t, self, i, counters[i] - last[i], shape);
        last[i] = counters[i];
      }
  return status;
}

/* The array of the last resumer is that of all, and may move.  */
bool
cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn)
{
  struct cgw_tracer *each = t;

  while (each->resumer != NULL && each->resumer->counts.room <= fn)
    each = each->resumer;
  for (;; each = each->resumed)
    {
      cgwi_reserve_words (cgwi_memory_of (t->p), &each->active,
                          fn + (size_t) 1);
      each->counts = each->active;
      if (each->resumer != NULL)
        {
          each->counts.at = each->resumer->counts.at;
          if (each->resumer->counts.room < each->counts.room)
            each->counts.room = each->resumer->counts.room;
        }
      if (each == t)
        return t->counts.room > fn;
    }
}

/* Make the key of a position.  If it is not a callee's, function {0} is the
   running one.  */
static enum cgw_status
take_pos (const struct cgw_tracer *t, const struct cgw_pos *pos,
          enum cgwi_parameter parameter, struct cgwi_key *key)
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
  struct cgwi_key key;
  enum cgw_status status = take_pos (t, pos, parameter, &key);

  if (status != CGW_OK)
    return status;
  *self = cgwi_table_add (&t->p->self, cgwi_memory_of (t->p), &key);
  return *self != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

bool
cgwi_caller_key (const struct cgw_tracer *t, const struct cgw_pos *at,
                 struct cgwi_key *key, enum cgw_status *status)
{
  *status = CGW_OK;
  if (at != NULL && !cgwi_is_nowhere (t, at))
    *status = take_pos (t, at, CGWI_ARG_AT, key);
  else if (t->depth != 0)
    *key = *cgwi_self_key (t, t->top->self);
  else if (t->resumer != NULL && t->has_from)
    *key = t->from;
  else if (t->resumer == NULL && t->root.handle != 0)
    *key = cgwi_checked_key (t->p, &(struct cgw_pos){ .fn = t->root });
  else
    return false;
  return *status == CGW_OK;
}

/* Look up or add the edge to a position.  */
static enum cgw_status
add_edge (struct cgw_tracer *t, const struct cgwi_key *from, uint32_t self,
          uint32_t *edge)
{
  struct cgw_profile *p = t->p;
  struct cgwi_key key = *from;

  key.callee = cgwi_self_key (t, self)->fn;
  *edge = cgwi_table_add (&p->edges, cgwi_memory_of (p), &key);
  return *edge != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Add where a call begins to an edge.  */
static void
add_target (struct cgw_tracer *t, uint32_t index, uint32_t self)
{
  struct cgwi_edge *edge = cgwi_edge (t, index);
  const struct cgwi_key *to = cgwi_self_key (t, self);

  cgwi_add_target (edge, to->instr, to->line);
  edge->hint = ~self; /* the fast path need not add it */
}

/* Return where a call begins that begins at a position.  */
static uint64_t
begin_of (const struct cgw_tracer *t, uint32_t self)
{
  uint32_t fn = cgwi_index (t->p->names, cgwi_self_key (t, self)->fn);

  return (uint64_t) fn << 32 | self;
}

/* Open a call on an edge, or on none.  */
static enum cgw_status
take_call (struct cgw_tracer *t, uint32_t edge, uint32_t self, uint64_t tag)
{
  uint64_t begin = begin_of (t, self);
  const struct cgwi_key *to = cgwi_self_key (t, self);

  /* Growing moves the frames, and so is the last that may fail.  */
  if (!cgwi_reserve_active (t, (uint32_t) (begin >> 32))
      || !cgwi_grow (cgwi_memory_of (t->p), &t->frames, t->depth + 2,
                     t->frame_size))
    return CGW_ENOMEM;
  t->top = cgwi_frame (t, t->depth);
  t->end = cgwi_frame (t, t->frames.room - 1);
  if (edge != CGWI_NONE)
    {
      cgwi_add_count (t->p, &cgwi_edge (t, edge)->count, 1);
      add_target (t, edge, self);
    }
  else
    {
      t->begin_instr = to->instr;
      t->begin_line = to->line;
    }
  cgwi_push (t, cgwi_prepare_frame (t, tag, edge, begin, cgwi_shape_of (t)),
             cgwi_shape_of (t));
  return CGW_OK;
}

static enum cgw_status
try_open (struct cgw_tracer *t, const struct cgwi_key *from,
          const struct cgw_pos *callee, uint64_t tag)
{
  uint32_t edge = CGWI_NONE;
  enum cgw_status status;
  uint32_t self;

  if ((status = cgwi_find_self (t, callee, CGWI_ARG_CALLEE, &self)) != CGW_OK
      || (from != NULL
          && (status = add_edge (t, from, self, &edge)) != CGW_OK))
    return status;
  return take_call (t, edge, self, tag);
}

enum cgw_status
cgwi_find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                const struct cgw_pos *callee, struct cgw_edge *edge)
{
  enum cgw_status status;
  struct cgwi_key from;
  uint32_t index, self;

  if ((status = take_pos (t, at, CGWI_ARG_AT, &from)) != CGW_OK
      || (status = cgwi_find_self (t, callee, CGWI_ARG_CALLEE, &self))
             != CGW_OK
      || (status = add_edge (t, &from, self, &index)) != CGW_OK)
    return status;
  add_target (t, index, self);
  *edge = (struct cgw_edge){ (uint64_t) t->p->epoch << 32 | index,
                             begin_of (t, self) };
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
  return t->missed == 0 ? opened (t, take_call (t, (uint32_t) edge.handle,
                                                (uint32_t) edge.begin, tag))
                        : miss (t);
}

enum cgw_status
cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                const struct cgw_pos *callee, uint64_t tag)
{
  enum cgw_status status;
  struct cgwi_key from;
  bool has_caller = cgwi_caller_key (t, at, &from, &status);

  if (status != CGW_OK)
    return opened (t, status);
  return t->missed == 0
             ? opened (t, try_open (t, has_caller ? &from : NULL, callee, tag))
             : miss (t);
}

void
cgwi_book_frame (struct cgw_tracer *t, const struct cgwi_frame *frame)
{
  uint64_t *sums;

  if (frame->edge == CGWI_NONE)
    return;
  sums = cgwi_edge_costs (cgwi_edge (t, frame->edge));
  for (size_t i = 0; i < t->p->n_events; i++)
    cgwi_add_cost (t->p, &sums[i], i, t->sums[i] - frame->start[i]);
}

void
cgwi_end_call (struct cgw_tracer *t)
{
  struct cgwi_shape shape = cgwi_shape_of (t);

  if (cgwi_close_call (t, shape))
    return;
  cgwi_book_frame (t, t->top);
  cgwi_pop (t, shape);
}

enum cgw_status
cgwi_replace_call (struct cgw_tracer *t, const struct cgw_pos *callee,
                   uint64_t tag)
{
  uint32_t edge = t->top->edge;
  struct cgwi_key from;

  cgwi_end_call (t);
  if (edge != CGWI_NONE)
    from = cgwi_edge (t, edge)->key;
  return opened (t, try_open (t, edge != CGWI_NONE ? &from : NULL, callee,
                              tag));
}

/* From the innermost frame to the outermost: so the counts say of each whether
   its function has one outside.  */
void
cgwi_sync_calls (struct cgw_tracer *t)
{
  t = cgwi_innermost (t);
  for (const struct cgw_tracer *each = t; each != NULL; each = each->resumer)
    for (size_t i = each->depth; i > 0; i--)
      {
        struct cgwi_frame *frame = cgwi_frame (each, i);

        if (--*cgwi_active (t, frame->fn) == 0)
          cgwi_book_frame (t, frame);
      }
  for (const struct cgw_tracer *each = t; each != NULL; each = each->resumer)
    for (size_t i = 1; i <= each->depth; i++)
      ++*cgwi_active (t, cgwi_frame (each, i)->fn);
  start_anew (t);
}

void
cgwi_follow_profile (struct cgw_tracer *t)
{
  if (t->interval == t->p->interval)
    return;
  t = cgwi_innermost (t);
  start_anew (t);
  for (struct cgw_tracer *each = t; each != NULL; each = each->resumer)
    {
      each->interval = t->p->interval;
      for (size_t i = 1; i <= each->depth; i++)
        {
          const struct cgwi_frame *frame = cgwi_frame (each, i);

          if (frame->edge != CGWI_NONE)
            cgwi_add_count (t->p, &cgwi_edge (t, frame->edge)->count, 1);
        }
    }
}
