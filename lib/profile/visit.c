/* visit.c - aggregation: pass the sums and the whole stacks to a visitor.

   SPDX-License-Identifier: MIT  */

#include "../sized.h"
#include "sorted.h"

#include <errno.h>

static enum cgw_status
visit_sum (const struct cgw_visitor *v, const struct cgw_profile *p,
           const struct cgwi_sum *sum)
{
  if (cgwi_is_zero (p, sum->count, sum->costs))
    return CGW_OK;
  if (sum->is_call)
    return v->call == NULL ? CGW_OK
                           : v->call (v->context, &sum->at, &sum->to,
                                      sum->count, sum->costs, p->n_events);
  return v->cost == NULL
             ? CGW_OK
             : v->cost (v->context, &sum->at, sum->costs, p->n_events);
}

/* Return the number of frames of the longest stack.  */
static uint32_t
most_frames (const struct cgw_profile *p)
{
  const struct cgwi_stack *stack = NULL;
  uint32_t most = 0;

  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    most = stack->n_frames > most ? stack->n_frames : most;
  return most;
}

/* Pass a stack whole.  Its positions are as those of the sums: callers name
   some functions and files in several ways.  */
static enum cgw_status
visit_stack (const struct cgw_visitor *v, const struct cgw_profile *p,
             const struct cgwi_stack *stack, struct cgw_pos *frames)
{
  if (cgwi_is_zero (p, stack->count, stack->costs))
    return CGW_OK;
  for (uint32_t i = 0; i < stack->n_frames; i++)
    {
      const struct cgw_pos given = cgwi_stack_frame (&p->stacks, stack, i);
      const struct cgwi_key key = cgwi_checked_key (p, &given);

      frames[i] = cgwi_position (&key);
    }
  return v->stack (v->context, frames, stack->n_frames, stack->count,
                   stack->costs, p->n_events);
}

/* The members may make calls that are cancellation points: the profile is busy
   meanwhile.  */
static enum cgw_status
visit_all (const struct cgw_visitor *v, const struct cgw_profile *p,
           struct cgwi_sorted *s, struct cgw_pos *frames)
{
  int before = cgwi_disable_cancel ();
  const struct cgwi_stack *stack = NULL;
  enum cgw_status status = CGW_OK;
  struct cgwi_sum sum;

  while (status == CGW_OK && cgwi_sorted_next (s, &sum))
    status = visit_sum (v, p, &sum);
  while (status == CGW_OK && frames != NULL
         && (stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    status = visit_stack (v, p, stack, frames);
  cgwi_restore_cancel (before);
  return status;
}

/* Visit, inside the profile.  */
static enum cgw_status
visit_profile (struct cgw_profile *p, const struct cgw_visitor *theirs)
{
  struct cgw_pos *frames = NULL;
  struct cgw_visitor v;
  struct cgwi_sorted s;
  enum cgw_status status;

  if (!cgwi_take_struct (&v, sizeof v, theirs, CGWI_ARG_VISITOR, &p->why))
    return CGW_EINVAL;
  status = cgwi_sort_profile (p, v.stack != NULL, &s);
  if (status == CGW_OK && v.stack != NULL
      && (frames = cgwi_scratch (p, most_frames (p), sizeof *frames)) == NULL)
    status = CGW_ENOMEM;
  if (status == CGW_OK && (status = visit_all (&v, p, &s, frames)) != CGW_OK)
    CGWI_FAIL (p, status, .reason = CGWI_WHY_VISITOR);
  cgwi_free_scratch (p);
  return status;
}

CGWI_COLD enum cgw_status
cgw_profile_visit (struct cgw_profile *p, const struct cgw_visitor *visitor)
{
  int kept = errno; /* which the visitor may change */
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_VISIT);

  if (status == CGW_OK)
    status = cgwi_profile_end (p, CGWI_CALLED_PROFILE_VISIT,
                               visit_profile (p, visitor));
  errno = kept;
  return status;
}
