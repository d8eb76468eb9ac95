/* profile_file.c - cgw_profile_write: the sums of a profile as a part of a
   file; cgw_profile_save: as a file of their own.

   SPDX-License-Identifier: MIT  */

#include "../gate/gate.h"
#include "../profile/sorted.h"
#include "../text/number.h"
#include "../writer/writer.h"

#include <string.h>

/* Sums of signed events.  */

/* Readers take costs as unsigned.  A sum below 0 is written as 0, and desc:
   lines of the part, which callgrind_annotate and cg_annotate print, say of
   which events, how many and how much.  */

/* Sums below 0: how many, and the amount of all, at most 2^64-1.  */
struct negative
{
  uint64_t n;
  uint64_t amount;
};

/* Bytes of a description but for the event's name.  */
#define DESCRIPTION_MAX 300

static struct negative
negative_of (const struct cgwi_table *t, size_t event)
{
  struct negative n = { 0, 0 };

  for (uint32_t i = 0; i < t->n; i++)
    {
      uint64_t cost = cgwi_table_costs (t, i)[event];

      if (cost >> 63 == 0)
        continue;
      n.n++;
      if (__builtin_add_overflow (n.amount, 0 - cost, &n.amount))
        n.amount = UINT64_MAX;
    }
  return n;
}

static char *
put_negative (char *to, const struct negative *n, const char *what)
{
  to = cgwi_put_text (cgwi_put_decimal (to, n->n), what);
  to = cgwi_put_text (to, n->n == 1 ? " cost below 0 was written as 0, -"
                               : " costs below 0 were written as 0, -");
  to = cgwi_put_decimal (to, n->amount);
  return cgwi_put_text (to, n->amount == UINT64_MAX ? " or less together"
                                               : " together");
}

/* Describe the sums of a signed event that are below 0, in scratch memory: ""
   if there are none.  NULL: no memory.  */
static const char *
describe (struct cgw_profile *p, const struct cgwi_sorted *s, size_t event,
          const char *name)
{
  struct negative self = negative_of (s->self.t, event);
  struct negative inclusive = negative_of (s->edges.t, event);
  char *text, *end;

  if (self.n == 0 && inclusive.n == 0)
    return "";
  end = text = cgwi_scratch (p, strlen (name) + DESCRIPTION_MAX, 1);
  if (text == NULL)
    return NULL;
  end = cgwi_put_text (cgwi_put_text (end, "event "), name);
  end = cgwi_put_text (end, ": ");
  if (self.n != 0)
    end = put_negative (end, &self, " self");
  if (self.n != 0 && inclusive.n != 0)
    end = cgwi_put_text (end, "; ");
  if (inclusive.n != 0)
    end = put_negative (end, &inclusive, " inclusive");
  *end = '\0';
  return text;
}

/* Add up what is written as self costs.  */
static void
add_up (const struct cgw_profile *p, const struct cgwi_table *self,
        uint64_t *totals)
{
  memset (totals, 0, p->n_events * sizeof *totals);
  for (uint32_t i = 0; i < self->n; i++)
    for (size_t k = 0; k < p->n_events; k++)
      {
        uint64_t cost = cgwi_table_costs (self, i)[k];

        if ((!p->is_signed[k] || cost >> 63 == 0)
            && __builtin_add_overflow (totals[k], cost, &totals[k]))
          totals[k] = UINT64_MAX;
      }
}

/* Give a part that was copied the totals of what is written, and descriptions
   of what is written as 0 behind its own.  False: no memory.  */
static bool
describe_part (struct cgw_profile *p, const struct cgwi_sorted *s,
               struct cgw_part *part)
{
  uint64_t *totals = cgwi_scratch (p, p->n_events, sizeof *totals);
  const char **desc
      = part->n_desc < SIZE_MAX - p->n_events
            ? cgwi_scratch (p, part->n_desc + p->n_events, sizeof *desc)
            : NULL;
  size_t event = 0;

  if (totals == NULL || desc == NULL)
    return false;
  add_up (p, s->self.t, totals);
  if (part->summary == p->totals)
    part->summary = totals;
  for (size_t i = 0; i < part->n_desc; i++)
    desc[i] = part->desc[i];
  part->desc = desc;
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL && p->is_signed[event++])
      {
        const char *text = describe (p, s, event - 1,
                                     part->events[i].name);

        if (text == NULL)
          return false;
        if (*text != '\0')
          desc[part->n_desc++] = text;
      }
  return true;
}

/* Return costs with 0 for those below 0, in `copy` if need be, which has room
   for all events.  */
static const uint64_t *
at_least_zero (const struct cgw_profile *p, const uint64_t *costs,
               uint64_t *copy)
{
  if (!p->has_signed)
    return costs;
  for (size_t i = 0; i < p->n_events; i++)
    copy[i] = p->is_signed[i] && costs[i] >> 63 != 0 ? 0 : costs[i];
  return copy;
}

/* Writing.  */

/* Readers take the inclusive cost of calls=0 for self cost.  Whoever adds a
   cost there without counting calls knows of one at least.  */
static uint64_t
count_of (const struct cgw_writer *w, const struct cgwi_sum *sum)
{
  return sum->count != 0 || w->core.encoder.flags & CGW_ZERO_CALLS
             ? sum->count
             : 1;
}

static enum cgw_status
write_sum (struct cgw_writer *w, const struct cgw_profile *p,
           const struct cgwi_sum *sum)
{
  uint64_t copy[CGW_EVENTS_MAX];
  const uint64_t *costs = at_least_zero (p, sum->costs, copy);

  if (cgwi_is_zero (p, sum->count, costs))
    return CGW_OK;
  return sum->is_call ? cgw_call (w, &sum->at, &sum->to, count_of (w, sum),
                                  costs, p->n_events)
                      : cgw_cost (w, &sum->at, costs, p->n_events);
}

/* Write the sums.  Records that find no room are lost and counted as usual, so
   the part's totals are right even then.  */
static enum cgw_status
write_sums (struct cgw_writer *w, const struct cgw_profile *p,
            struct cgwi_sorted *s)
{
  enum cgw_status first = CGW_OK;
  struct cgwi_sum sum;

  while (cgwi_sorted_next (s, &sum))
    {
      enum cgw_status status;

      if (first == CGW_OK)
        cgwi_wait_for_room (w);
      status = write_sum (w, p, &sum);
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
  if (p->names != w->core.encoder.names)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_DIFFERENT,
                         .parameter = CGWI_ARG_THEIR_NAMES);
  if (n != p->n_events)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_DIFFERENT_NUMBERS,
                         .parameter = CGWI_ARG_PART_AND_P_EVENTS,
                         .a = p->n_events, .b = n);
  if ((ours->positions != 0 ? ours->positions : CGW_LINE) != p->positions)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_DIFFERENT,
                         .parameter = CGWI_ARG_PART_AND_P_POSITIONS);
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
  enum cgw_status status = CGW_EINVAL;

  if (!take_part (&part, theirs, p, w, &why))
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, status, &why);
  status = cgwi_sort_profile (p, false, &s);
  if (status == CGW_OK && p->has_signed && !describe_part (p, &s, &part))
    status = CGW_ENOMEM;
  if (status != CGW_OK)
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, status, NULL);
  status = cgwi_begin_part_for (w, &part, CGWI_CALLED_PROFILE_WRITE);
  if (status == CGW_OK)
    {
      cgwi_inherit (&w->core.refusals, &p->refusals);
      status = write_sums (w, p, &s);
    }
  return status;
}

/* Write a part, inside the profile.  */
static enum cgw_status
write_profile (struct cgw_profile *p, struct cgw_writer *w,
               const struct cgw_part *part)
{
  enum cgw_status status = write_part (p, w, part);

  cgwi_free_scratch (p);
  return status;
}

enum cgw_status
cgw_profile_write (struct cgw_profile *p, struct cgw_writer *w,
                   const struct cgw_part *part)
{
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if (p == NULL)
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, CGW_EINVAL,
                                 &(struct cgwi_why){
                                   .reason = CGWI_WHY_NULL_ARGUMENT,
                                   .parameter = CGWI_ARG_PROFILE });
  if (!cgwi_profile_enter (p))
    return cgwi_refuse_part_for (w, CGWI_CALLED_PROFILE_WRITE, CGW_EBUSY,
                                 NULL);
  status = write_profile (p, w, part);
  cgwi_profile_leave (p);
  return status;
}

/* Saving.  */

/* Save a profile, inside.  What fails is why this call failed, but no error of
   the profile.  */
static enum cgw_status
save (struct cgw_profile *p, const char *path, const struct cgw_part *part,
      const struct cgw_options *theirs)
{
  struct cgw_writer *w;
  struct cgw_options options;
  struct cgwi_why why;
  enum cgw_status status;

  if (!cgwi_take_options (&options, theirs, &why))
    return cgwi_refuse (&p->refusals, CGWI_CALLED_PROFILE_SAVE, CGW_EINVAL,
                        &why);
  options.flags |= CGW_REPLACE;
  options.queue_slots = 1; /* nobody else has the writer */
  status = cgw_open (&w, p->names, path, &options);
  if (w == NULL)
    return cgwi_refuse (&p->refusals, CGWI_CALLED_PROFILE_SAVE, status, NULL);
  if (status == CGW_OK)
    {
      write_profile (p, w, part);
      status = cgw_finish (w);
    }
  if (status != CGW_OK)
    cgwi_pass_on_refusal (&p->refusals, &p->names->refusals,
                          &w->core.refusals, CGWI_CALLED_PROFILE_SAVE);
  cgw_free (w);
  return status;
}

CGWI_COLD enum cgw_status
cgw_profile_save (struct cgw_profile *p, const char *path,
                  const struct cgw_part *part,
                  const struct cgw_options *options)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_SAVE);

  if (status != CGW_OK)
    return status;
  status = save (p, path, part, options);
  cgwi_profile_leave (p);
  return status;
}
