/* coroutine.c - coroutines: tracers that run inside a call of another one.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include <string.h>

enum cgw_status
cgwi_check_running (const struct cgw_tracer *t, enum cgwi_parameter parameter)
{
  return t->stopped ? CGWI_FAIL (t->p, CGW_EORDER, .reason = CGWI_WHY_STOPPED,
                                 .parameter = parameter)
         : t->resumed != NULL
             ? CGWI_FAIL (t->p, CGW_EORDER, .reason = CGWI_WHY_SUSPENDED,
                          .parameter = parameter)
             : CGW_OK;
}

enum cgw_status
cgwi_check_resumer (const struct cgw_tracer *t,
                    const struct cgw_tracer *resumer)
{
  struct cgw_profile *p = t->p;

  if (resumer == NULL)
    return cgwi_fail_null (p, CGWI_ARG_RESUMER);
  if (resumer == t)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_SAME,
                      .parameter = CGWI_ARG_T_AND_RESUMER);
  if (resumer->p != p)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT,
                      .parameter = CGWI_ARG_THEIR_PROFILES);
  if (resumer->n_counters != t->n_counters)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT_NUMBERS,
                      .parameter = CGWI_ARG_THEIR_COUNTERS, .a = t->n_counters,
                      .b = resumer->n_counters);
  if (resumer->calls_only != t->calls_only)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT,
                      .parameter = CGWI_ARG_THEIR_FLAGS);
  if (t->resumer != NULL)
    return CGWI_FAIL (p, CGW_EORDER, .reason = CGWI_WHY_RESUMED);
  if (!t->stopped && t->depth + t->missed != 0)
    return CGWI_FAIL (p, CGW_EORDER, .reason = CGWI_WHY_NOT_STOPPED);
  return cgwi_check_running (resumer, CGWI_ARG_RESUMER);
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
static void
move_frames (struct cgw_tracer *t, uint32_t *from, uint32_t *to,
             const uint64_t *sums)
{
  for (size_t i = t->depth; i > 0; i--)
    {
      struct cgwi_frame *frame = cgwi_frame (t, i);

      if (--from[frame->fn] == 0)
        cgwi_book_frame (t, frame);
      memcpy (frame->start, sums, t->p->n_events * sizeof *sums);
      to[frame->fn]++;
    }
}

/* Change by which edge the outermost function is called; CGWI_NONE: by none.
   No frame has the position where its function began, so keep that of the
   edge.  */
static void
set_outermost_edge (struct cgw_tracer *t, uint32_t index)
{
  struct cgwi_frame *outermost = cgwi_frame (t, 1);

  if (outermost->edge != CGWI_NONE)
    {
      t->begin_instr = cgwi_edge (t, outermost->edge)->to_instr;
      t->begin_line = cgwi_edge (t, outermost->edge)->to_line;
    }
  if (index != CGWI_NONE)
    {
      cgwi_add_count (t->p, &cgwi_edge (t, index)->count, 1);
      cgwi_add_target (cgwi_edge (t, index), t->begin_instr, t->begin_line);
    }
  outermost->edge = index;
}

/* Look up or add the edge to the outermost function.  */
static enum cgw_status
find_outermost_edge (struct cgw_tracer *t, const struct cgwi_key *from,
                     uint32_t *index)
{
  struct cgw_profile *p = t->p;
  struct cgwi_key key = *from;

  key.callee
      = cgwi_known_fn (p, p->names->first_handle + cgwi_frame (t, 1)->fn);
  *index = cgwi_table_add (&p->edges, cgwi_memory_of (p), &key);
  return *index != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Do all of resuming that may fail: adding the edge comes last, for it cannot
   be taken back.  */
static enum cgw_status
prepare_resume (struct cgw_tracer *t, struct cgw_tracer *resumer,
                const struct cgw_pos *at, struct cgwi_key *from,
                uint32_t *edge)
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
cgwi_resume (struct cgw_tracer *t, struct cgw_tracer *resumer,
             const struct cgw_pos *at)
{
  struct cgwi_key from = { .fn = 0 };
  enum cgw_status status;
  uint32_t edge = CGWI_NONE;

  t->stopped = true;
  if ((status = prepare_resume (t, resumer, at, &from, &edge)) != CGW_OK)
    return status;
  move_frames (t, t->active.at, resumer->counts.at, resumer->sums);
  carry_sums (resumer, t);
  if (t->depth != 0)
    set_outermost_edge (t, edge);
  t->counts.at = resumer->counts.at;
  t->resumer = resumer;
  resumer->resumed = t;
  t->from = from;
  t->from_self = cgwi_running_self (resumer);
  t->stopped = false;
  resumer->of_profile.path = CGWI_SLOW;
  return CGW_OK;
}

void
cgwi_yield (struct cgw_tracer *t)
{
  struct cgw_tracer *resumer = t->resumer;

  move_frames (t, t->counts.at, t->active.at, t->sums);
  carry_sums (t, resumer);
  if (t->depth != 0) /* until it is resumed, nobody calls it */
    set_outermost_edge (t, CGWI_NONE);
  t->counts = t->active;
  t->from_self = CGWI_NONE;
  t->resumer = resumer->resumed = NULL;
  resumer->stopped = t->stopped;
  t->stopped = true;
  t->of_profile.path = CGWI_SLOW;
  resumer->of_profile.path = cgwi_path_of (resumer);
}

void
cgwi_yield_to (struct cgw_tracer *t)
{
  struct cgw_tracer *each = cgwi_innermost (t);

  while (each != t)
    {
      struct cgw_tracer *resumer = each->resumer;

      cgwi_yield (each);
      each = resumer;
    }
}
