/* coroutine.c - coroutines: tracers that run inside a call of another one.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <string.h>

static enum cgw_status
refuse (struct cgw_profile *p, enum cgw_status status, enum cgwi_reason reason)
{
  return CGWI_FAIL (p, status, .reason = reason);
}

enum cgw_status
cgwi_check_resumer (const struct cgw_tracer *t,
                    const struct cgw_tracer *resumer)
{
  struct cgw_profile *p = t->p;

  if (resumer == NULL)
    return cgwi_fail_null (p, CGWI_ARG_RESUMER);
  if (resumer == t)
    return refuse (p, CGW_EINVAL, CGWI_WHY_OWN_RESUMER);
  if (resumer->p != p)
    return refuse (p, CGW_EINVAL, CGWI_WHY_OTHER_PROFILE);
  if (resumer->n_counters != t->n_counters)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_OTHER_COUNTERS,
                      .a = t->n_counters, .b = resumer->n_counters);
  if (t->resumer != NULL)
    return refuse (p, CGW_EORDER, CGWI_WHY_RESUMED);
  if (!t->paused && t->depth + t->missed != 0)
    return refuse (p, CGW_EORDER, CGWI_WHY_RUNS);
  if (resumer->resumed != NULL)
    return refuse (p, CGW_EORDER, CGWI_WHY_RESUMER_SUSPENDED);
  return resumer->paused ? refuse (p, CGW_EORDER, CGWI_WHY_RESUMER_PAUSED)
                         : CGW_OK;
}

/* Carry the sums, and the counters of the last event.  */
static void
carry_sums (const struct cgw_tracer *from, struct cgw_tracer *to)
{
  size_t n = to->p->n_events + to->n_counters;

  memcpy (to->sums, from->sums, n * sizeof *to->sums);
}

/* Book the inclusive costs of a coroutine's frames, and let them start anew, at
   these sums.  They leave an array of counts, in which nobody counts them until
   they are booked, and enter another one, which has room.  */
static enum cgw_status
move_frames (struct cgw_tracer *t, uint32_t *from, uint32_t *to,
             const uint64_t *sums)
{
  enum cgw_status first = CGW_OK;

  for (size_t i = t->depth; i > 0; i--)
    {
      struct cgwi_frame *frame = cgwi_frame (t, i);
      enum cgw_status status = CGW_OK;

      if (--from[frame->fn] == 0)
        status = cgwi_book_frame (t, frame);
      memcpy (frame->start, sums, t->p->n_events * sizeof *sums);
      to[frame->fn]++;
      first = first == CGW_OK ? status : first;
    }
  return first;
}

/* Look up or add the edge to the outermost function.  No frame has the position
   where its function began, but an edge by which it was called does.  */
static enum cgw_status
find_outermost_edge (struct cgw_tracer *t, const struct cgwi_spot *from,
                     uint32_t *index)
{
  struct cgw_profile *p = t->p;
  const struct cgwi_frame *outermost = cgwi_frame (t, 1);
  uint32_t earlier = outermost->edge != CGWI_NONE ? outermost->edge
                                                  : t->first_edge;
  struct cgwi_spot key = *from;

  key.callee = cgwi_known_fn (p, p->names->first_handle + outermost->fn);
  *index = cgwi_table_add (&p->edges, cgwi_memory_of (p), &key);
  if (*index == CGWI_NONE)
    return CGW_ENOMEM;
  if (earlier != CGWI_NONE && cgwi_edge (t, earlier)->key.callee == key.callee)
    cgwi_add_target (cgwi_edge (t, *index), cgwi_edge (t, earlier)->to_instr,
                     cgwi_edge (t, earlier)->to_line);
  return CGW_OK;
}

/* Do all of resuming that may fail: adding the edge comes last, for it cannot
   be taken back.  */
static enum cgw_status
prepare (struct cgw_tracer *t, struct cgw_tracer *resumer,
         const struct cgw_pos *at, struct cgwi_spot *from, uint32_t *edge)
{
  enum cgw_status status;
  bool has_from = cgwi_caller_key (resumer, at, from, &status);

  t->has_from = has_from;
  if (status != CGW_OK)
    return status;
  if (resumer->counts.room < t->active.room
      && !cgwi_reserve_active (resumer, (uint32_t) (t->active.room - 1)))
    return CGW_ENOMEM;
  return has_from && t->depth != 0 ? find_outermost_edge (t, from, edge)
                                   : CGW_OK;
}

enum cgw_status
cgwi_resume_from (struct cgw_tracer *t, struct cgw_tracer *resumer,
                  const struct cgw_pos *at)
{
  struct cgwi_spot from = { .fn = 0 };
  enum cgw_status status, counted = CGW_OK;
  uint32_t edge = CGWI_NONE;

  t->paused = true;
  if ((status = prepare (t, resumer, at, &from, &edge)) != CGW_OK)
    return status;
  status = move_frames (t, t->active.at, resumer->counts.at, resumer->sums);
  carry_sums (resumer, t);
  if (edge != CGWI_NONE)
    counted = cgwi_count_call (t, edge, 0, 0);
  if (t->depth != 0)
    cgwi_frame (t, 1)->edge = edge;
  t->counts.at = resumer->counts.at;
  t->resumer = resumer;
  resumer->resumed = t;
  t->from = from;
  t->from_self = cgwi_running_self (resumer);
  t->paused = false;
  resumer->of_profile.pace = CGWI_UNUSUAL;
  return status != CGW_OK ? status : counted;
}

enum cgw_status
cgwi_yield (struct cgw_tracer *t)
{
  struct cgw_tracer *resumer = t->resumer;
  enum cgw_status status
      = move_frames (t, t->counts.at, t->active.at, t->sums);

  carry_sums (t, resumer);
  if (t->depth != 0)
    {
      struct cgwi_frame *outermost = cgwi_frame (t, 1);

      if (outermost->edge != CGWI_NONE)
        t->first_edge = outermost->edge;
      outermost->edge = CGWI_NONE; /* until it is resumed, nobody calls it */
    }
  t->counts = t->active;
  t->from_self = CGWI_NONE;
  t->resumer = resumer->resumed = NULL;
  resumer->paused = t->paused;
  t->paused = true;
  t->of_profile.pace = CGWI_UNUSUAL;
  resumer->of_profile.pace = cgwi_pace_of (resumer);
  return status;
}

enum cgw_status
cgwi_yield_to (struct cgw_tracer *t)
{
  struct cgw_tracer *each = cgwi_innermost (t);
  enum cgw_status first = CGW_OK;

  while (each != t)
    {
      struct cgw_tracer *resumer = each->resumer;
      enum cgw_status status = cgwi_yield (each);

      first = first == CGW_OK ? status : first;
      each = resumer;
    }
  return first;
}
