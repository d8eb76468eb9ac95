/* profile_write.c - cgw_profile_write: the sums of a profile as a part of a
   file.

   SPDX-License-Identifier: MIT  */

#include "profile_write.h"

#include "../profile/sorted.h"
#include "../writer/check.h"
#include "../writer/parts.h"
#include "at_least_zero.h"

static struct cgw_pos
position (const struct cgwi_spot *s)
{
  return (struct cgw_pos){ { s->fn }, { s->file }, s->line, s->instr };
}

static enum cgw_status
write_sum (struct cgw_writer *w, const struct cgw_profile *p,
           const struct cgwi_sum *sum)
{
  struct cgw_pos at = position (sum->at);
  uint64_t copy[CGW_EVENTS_MAX];
  const uint64_t *costs = cgwi_at_least_zero (p, sum->costs, copy);

  if (sum->edge == NULL)
    return cgw_cost (w, &at, costs, p->n_events);
  return cgw_call (w, &at,
                   &(struct cgw_pos){ .fn = { sum->at->callee },
                                      .line = sum->edge->to_line,
                                      .instr = sum->edge->to_instr },
                   sum->edge->count, costs, p->n_events);
}

/* Write the sums.  Records that find no room are lost and counted as usual, so
   the part's totals are right even then.  */
static enum cgw_status
write_sums (struct cgw_writer *w, const struct cgw_profile *p,
            struct cgwi_sorted *s)
{
  enum cgw_status first = CGW_OK;
  struct cgwi_sum sum;

  while (cgwi_sorted_next (p, s, &sum))
    {
      enum cgw_status status;

      if (first == CGW_OK)
        cgwi_wait_for_room (w);
      status = write_sum (w, p, &sum);
      first = first == CGW_OK ? status : first;
    }
  return first;
}

/* Prepare to write sums below 0 as 0, in a part that was copied.  False: no
   memory.  */
static bool
prepare_zeros (struct cgw_profile *p, struct cgw_part *part,
               struct cgwi_zeroed *z)
{
  if (!cgwi_find_zeroed (p, part, z))
    return false;
  if (part->summary == p->totals)
    {
      part->summary = z->totals;
      part->n_summary = z->totals != NULL ? p->n_events : 0;
    }
  return true;
}

/* Say in comments what is written as 0.  */
static enum cgw_status
write_comments (struct cgw_writer *w, const struct cgw_profile *p,
                const struct cgwi_zeroed *z)
{
  enum cgw_status first = CGW_OK;

  for (size_t i = p->n_unsigned; i < p->n_events; i++)
    {
      enum cgw_status status = z->comments[i] != NULL
                                   ? cgw_comment (w, z->comments[i])
                                   : CGW_OK;
      first = first == CGW_OK ? status : first;
    }
  return first;
}

/* Copy the caller's part, and check that it suits the profile; what is wrong
   with the part itself, beginning it tells.  */
static bool
take_part (struct cgw_part *ours, const struct cgw_part *theirs,
           const struct cgw_profile *p, const struct cgw_writer *w,
           struct cgwi_why *why)
{
  size_t n;

  if ((n = cgwi_take_part (ours, theirs, why)) == 0)
    return false;
  if (p->names != w->core.encoder.user.names)
    return cgwi_because (why, CGWI_WHY_OTHER_NAMES, 0, NULL);
  if (n != p->n_events)
    {
      cgwi_because (why, CGWI_WHY_WRITE_EVENTS, p->n_events, NULL);
      why->b = n;
      return false;
    }
  if ((ours->positions != 0 ? ours->positions : CGW_LINE) != p->positions)
    return cgwi_because (why, CGWI_WHY_WRITE_POSITIONS, 0, NULL);
  if (p->takes_zero_calls && !(w->core.encoder.flags & CGW_ZERO_CALLS))
    return cgwi_because (why, CGWI_WHY_WRITE_ZERO_CALLS, 0, NULL);
  if (ours->summary == NULL)
    {
      ours->summary = p->totals;
      ours->n_summary = p->n_events;
    }
  return true;
}

static enum cgw_status
write_part (struct cgw_profile *p, struct cgw_writer *w,
            const struct cgw_part *theirs)
{
  struct cgwi_why why;
  struct cgw_part part;
  struct cgwi_sorted s;
  struct cgwi_zeroed zeroed = { NULL, NULL };
  enum cgw_status status = CGW_EINVAL, commented = CGW_OK;

  if (!take_part (&part, theirs, p, w, &why))
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, status, &why);
  cgwi_profile_sync (p);
  cgwi_because (&why, CGWI_WHY_NO_REASON, 0, NULL);
  status = cgwi_sort_profile (p, &s);
  if (status == CGW_OK && cgwi_has_signed (p)
      && !prepare_zeros (p, &part, &zeroed))
    status = CGW_ENOMEM;
  if (status != CGW_OK)
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, status, &why);
  status = cgwi_begin_part_for (w, &part, CGWI_CALLED_PROFILE_WRITE);
  if (status == CGW_OK)
    {
      cgwi_inherit (&w->core.refusals, &p->refusals);
      commented = write_comments (w, p, &zeroed);
      status = write_sums (w, p, &s);
      status = commented != CGW_OK ? commented : status;
    }
  return status;
}

enum cgw_status
cgwi_write_profile (struct cgw_profile *p, struct cgw_writer *w,
                    const struct cgw_part *part)
{
  enum cgw_status status = write_part (p, w, part);

  cgwi_free_borrowed (p);
  return status;
}

enum cgw_status
cgw_profile_write (struct cgw_profile *p, struct cgw_writer *w,
                   const struct cgw_part *part)
{
  enum cgw_status status;

  if (w == NULL)
    return p == NULL
               ? CGW_EINVAL
               : cgwi_refuse_unkept (&p->refusals, CGWI_CALLED_PROFILE_WRITE,
                                     CGW_EINVAL,
                                     &(struct cgwi_why){
                                       .reason = CGWI_WHY_NULL_ARGUMENT,
                                       .parameter = CGWI_ARG_WRITER });
  if (p == NULL)
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, CGW_EINVAL,
                                 &(struct cgwi_why){
                                   .reason = CGWI_WHY_NULL_ARGUMENT,
                                   .parameter = CGWI_ARG_PROFILE });
  if (!cgwi_profile_enter (p))
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, CGW_EBUSY,
                                 &(struct cgwi_why){
                                   .reason = CGWI_WHY_BUSY });
  status = cgwi_write_profile (p, w, part);
  cgwi_profile_leave (p);
  return status;
}
