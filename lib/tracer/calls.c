/* calls.c - open and end calls, and book their costs.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include "../profile/sums.h"

#include <string.h>

enum cgw_status
cgwi_book_counters (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < t->n_counters; i++)
    {
      uint64_t cost = counters[i] - t->last[i];

      if (counters[i] < t->last[i])
        {
          status = CGW_EBACKWARDS;
          continue;
        }
      t->last[i] = counters[i];
      if (t->depth != 0
          && cgwi_book (t, cgwi_top (t)->self, i, cost) != CGW_OK)
        status = CGW_EOVERFLOW;
    }
  return status;
}

static bool
reserve_frame (struct cgw_tracer *t)
{
  /* A quarter more: the deepest stacks are rare, and their memory counts.  */
  size_t capacity = t->capacity + t->capacity / 4 + 32;
  unsigned char *frames;

  if (t->depth < t->capacity)
    return true;
  if (capacity > SIZE_MAX / t->frame_size)
    return false;
  frames = cgwi_resize (&t->p->w->memory, t->frames,
                        capacity * t->frame_size);
  if (frames == NULL)
    return false;
  t->frames = frames;
  t->capacity = capacity;
  return true;
}

bool
cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn)
{
  uint32_t n = fn + fn / 2 + 64;
  uint32_t *active;

  if (fn < t->n_active)
    return true;
  active = cgwi_resize (&t->p->w->memory, t->active, n * sizeof *active);
  if (active == NULL)
    return false;
  memset (active + t->n_active, 0, (n - t->n_active) * sizeof *active);
  t->active = active;
  t->n_active = n;
  return true;
}

enum cgw_status
cgwi_find_self (struct cgw_tracer *t, const struct cgw_pos *pos,
                uint32_t *self)
{
  struct cgw_profile *p = t->p;
  struct cgwi_spot key;

  if (cgwi_profile_spot (p, pos, &key) != CGW_OK)
    return CGW_EHANDLE;
  *self = cgwi_spots_add (&p->self, &p->w->memory, &key);
  return *self != CGWI_TABLE_NONE ? CGW_OK : CGW_ENOMEM;
}

static const struct cgwi_spot *
spot_of (const struct cgw_tracer *t, uint32_t self)
{
  return cgwi_table_entry (&t->p->self, self);
}

/* Make the key of a caller's position.  False: a call from nowhere.  */
static bool
caller_key (const struct cgw_tracer *t, const struct cgw_pos *at,
            struct cgwi_spot *key, enum cgw_status *status)
{
  *status = CGW_OK;
  if (at != NULL)
    *status = cgwi_profile_spot (t->p, at, key);
  else if (t->depth != 0)
    *key = *spot_of (t, cgwi_top (t)->self);
  else if (t->has_root)
    *key = (struct cgwi_spot){ .fn = t->root, .callee = CGWI_NONE };
  else
    return false;
  return true;
}

/* Count a call on an edge.  */
static enum cgw_status
count_call (struct cgw_profile *p, uint32_t index,
            const struct cgwi_spot *to)
{
  struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);

  if (edge->count == UINT64_MAX)
    return CGW_EOVERFLOW;
  edge->count++;
  if (p->n_calls++ == UINT64_MAX)
    p->exact = true;
  cgwi_add_target (edge, to->instr, to->line);
  return CGW_OK;
}

/* Push a frame, for which there is room.  */
static void
push (struct cgw_tracer *t, const struct cgwi_frame *frame)
{
  struct cgwi_frame *top = cgwi_frame (t, t->depth++);

  *top = *frame;
  memcpy (top->start, t->sums, t->p->n_events * sizeof *top->start);
  t->active[frame->fn]++;
}

static enum cgw_status
try_open (struct cgw_tracer *t, const struct cgwi_spot *from,
          const struct cgw_pos *callee, uint64_t tag)
{
  struct cgwi_frame frame = { .tag = tag, .edge = CGWI_TABLE_NONE };
  struct cgw_profile *p = t->p;
  enum cgw_status status;

  if ((status = cgwi_find_self (t, callee, &frame.self)) != CGW_OK)
    return status;
  frame.fn = spot_of (t, frame.self)->fn;
  if (!reserve_frame (t) || !cgwi_reserve_active (t, frame.fn))
    return CGW_ENOMEM;
  if (from != NULL)
    {
      struct cgwi_spot key = *from;

      key.callee = frame.fn;
      frame.edge = cgwi_spots_add (&p->edges, &p->w->memory, &key);
      if (frame.edge == CGWI_TABLE_NONE)
        return CGW_ENOMEM;
      status = count_call (p, frame.edge, spot_of (t, frame.self));
    }
  push (t, &frame);
  return status;
}

static enum cgw_status
open_from (struct cgw_tracer *t, const struct cgwi_spot *from,
           const struct cgw_pos *callee, uint64_t tag)
{
  enum cgw_status status = try_open (t, from, callee, tag);

  if (status == CGW_EHANDLE || status == CGW_ENOMEM)
    t->missed++;
  return status;
}

enum cgw_status
cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                const struct cgw_pos *callee, uint64_t tag)
{
  enum cgw_status status;
  struct cgwi_spot from;
  bool has_caller = caller_key (t, at, &from, &status);

  if (status == CGW_OK && t->missed == 0)
    return open_from (t, has_caller ? &from : NULL, callee, tag);
  /* Below a missed call, all are.  */
  t->missed++;
  return status;
}

/* Book the inclusive costs of the outermost activation of a function.  */
static enum cgw_status
book_inclusive (struct cgw_tracer *t, const struct cgwi_frame *frame)
{
  struct cgw_profile *p = t->p;
  uint64_t *sums = cgwi_table_costs (&p->edges, frame->edge);
  enum cgw_status status = CGW_OK;
  bool bounded = true;

  for (size_t i = 0; i < p->n_events; i++)
    {
      uint64_t cost = t->sums[i] - frame->start[i];

      if (__builtin_add_overflow (sums[i], cost, &sums[i]))
        {
          sums[i] -= cost;
          status = CGW_EOVERFLOW;
        }
      bounded &= !__builtin_add_overflow (p->called[i], cost, &p->called[i])
                 && p->called[i] + p->totals[i] >= p->totals[i];
    }
  return bounded || p->exact ? status : cgwi_profile_exactly (p, status);
}

enum cgw_status
cgwi_end_call (struct cgw_tracer *t)
{
  const struct cgwi_frame *frame = cgwi_top (t);
  bool outermost = --t->active[frame->fn] == 0;

  t->depth--;
  return outermost && frame->edge != CGWI_TABLE_NONE
             ? book_inclusive (t, frame)
             : CGW_OK;
}

enum cgw_status
cgwi_replace_call (struct cgw_tracer *t, const struct cgw_pos *callee,
                   uint64_t tag)
{
  uint32_t edge = cgwi_top (t)->edge;
  enum cgw_status ended = cgwi_end_call (t);
  enum cgw_status status;
  struct cgwi_spot from;

  if (edge != CGWI_TABLE_NONE)
    from = *(struct cgwi_spot *) cgwi_table_entry (&t->p->edges, edge);
  status = open_from (t, edge != CGWI_TABLE_NONE ? &from : NULL, callee, tag);
  return status != CGW_OK ? status : ended;
}

enum cgw_status
cgwi_sync_calls (struct cgw_tracer *t)
{
  enum cgw_status first = CGW_OK;
  size_t size = t->p->n_events * sizeof *t->sums;

  /* Outermost last: then `active` says of each whether there is one outside. */
  for (size_t i = t->depth; i-- > 0;)
    {
      struct cgwi_frame *frame = cgwi_frame (t, i);
      enum cgw_status status = CGW_OK;

      if (--t->active[frame->fn] == 0 && frame->edge != CGWI_TABLE_NONE)
        status = book_inclusive (t, frame);
      memcpy (frame->start, t->sums, size);
      first = first == CGW_OK ? status : first;
    }
  for (size_t i = 0; i < t->depth; i++)
    t->active[cgwi_frame (t, i)->fn]++;
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
      if (frame->edge != CGWI_TABLE_NONE)
        ((struct cgwi_edge *) cgwi_table_entry (&t->p->edges, frame->edge))
            ->count++;
    }
}
