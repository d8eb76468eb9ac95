/* write_part.c - aggregation: write the sums of a profile as one part.

   SPDX-License-Identifier: MIT  */

#include "../api/parts.h"
#include "../api/structs.h"
#include "../core/room.h"
#include "sorted.h"

static struct cgw_pos
position (const struct cgw_profile *p, const struct cgwi_spot *s)
{
  const struct cgwi_core *c = &p->w->core;

  return (struct cgw_pos){
    .fn = { cgwi_handle (c, s->fn) },
    .file = { s->source == 0 ? 0 : cgwi_handle (c, s->source - 1) },
    .line = s->line,
    .instr = s->instr
  };
}

static enum cgw_status
write_sum (struct cgw_profile *p, const struct cgwi_sum *sum)
{
  const struct cgwi_edge *at = &sum->at;
  struct cgw_pos from = position (p, &at->key);
  struct cgw_pos to = { .fn = { cgwi_handle (&p->w->core, at->key.callee) },
                        .line = at->to_line,
                        .instr = at->to_instr };

  return sum->is_edge ? cgw_call (p->w, &from, &to, at->count, sum->costs,
                                  p->n_events)
                      : cgw_cost (p->w, &from, sum->costs, p->n_events);
}

/* Wait until the buffer has room: records do not wait, but normal code may.
   If this fails, the next record returns the error.  */
static void
wait_for_room (struct cgw_writer *w)
{
  if (cgwi_enter (w) != CGW_OK)
    return;
  cgwi_make_room_waiting (&w->core);
  cgwi_leave (w);
}

/* Write the sums.  Records that find no room are lost and counted as usual, so
   the part's totals are right even then.  */
static enum cgw_status
write_sums (struct cgw_profile *p, struct cgwi_sorted *s)
{
  enum cgw_status first = CGW_OK;
  enum cgw_status status;
  struct cgwi_sum sum;

  while (cgwi_sorted_next (p, s, &sum))
    {
      if (first == CGW_OK)
        wait_for_room (p->w);
      status = write_sum (p, &sum);
      first = first == CGW_OK ? status : first;
    }
  return first;
}

/* Check that the part has the events and positions of the profile.
   cgw_begin_part checks the rest.  */
static bool
suits (const struct cgw_profile *p, const struct cgw_part *part,
       struct cgwi_sentence *why)
{
  size_t n = 0;

  for (size_t i = 0; part->events != NULL && i < part->n_events; i++)
    n += part->events[i].formula == NULL;
  if (n != p->n_events)
    return cgwi_say (why, "part.events: the profile was made for %U events "
                          "that are not derived, the part has %U",
                     (uint64_t) p->n_events, (uint64_t) n);
  if ((part->positions != 0 ? part->positions : CGW_LINE) != p->positions)
    return cgwi_say (why, "part.positions are not those that the profile was "
                          "made for");
  return true;
}

/* Keep that the profile's part is missing, if the writer can be entered.  */
static enum cgw_status
miss_part (struct cgw_writer *w, enum cgw_status status)
{
  if (status == CGW_ENOMEM && cgwi_enter (w) == CGW_OK)
    {
      cgwi_miss_part (w, status);
      cgwi_leave (w);
    }
  return status;
}

/* Copy the caller's part, and check it.  */
static enum cgw_status
take_part (struct cgw_profile *p, const struct cgw_part *theirs,
           struct cgw_part *part)
{
  struct cgwi_errors *e = &p->w->core.errors;
  enum cgw_status status = cgwi_enter (p->w);

  if (status != CGW_OK)
    return status;
  if (p->w->core.state == CGWI_FINISHED)
    status = CGW_EFINISHED;
  else if (!cgwi_take_part (part, theirs, &e->last_why)
           || !suits (p, part, &e->last_why))
    {
      status = cgwi_errors_end (e, CGW_EINVAL);
      cgwi_miss_part (p->w, status);
    }
  else if (part->summary == NULL && part->n_summary == 0)
    {
      part->summary = p->totals;
      part->n_summary = p->n_events;
    }
  cgwi_leave (p->w);
  return status;
}

/* The file lacks what the profile could not add.  */
static void
keep_refused (const struct cgw_profile *p)
{
  int refused = atomic_load_explicit (&p->refused, memory_order_relaxed);
  enum cgw_status status = cgwi_refused_status (refused);
  const char *why = cgwi_refused_text (refused);
  struct cgwi_errors *e = &p->w->core.errors;
  struct cgwi_sentence *s
      = status != CGW_OK ? cgwi_errors_keep (e, status) : NULL;

  if (s == NULL)
    return;
  cgwi_say (s, "an addition to a profile was refused: %s",
            why != NULL ? why : cgw_strerror (status));
  cgwi_errors_explained (e, status);
}

/* Write a profile, inside.  */
static enum cgw_status
write_profile (struct cgw_profile *p, const struct cgw_part *theirs)
{
  struct cgw_part part;
  struct cgwi_sorted s;
  enum cgw_status status;

  if ((status = take_part (p, theirs, &part)) != CGW_OK)
    return status;
  cgwi_profile_sync (p);
  if ((status = cgwi_sort_profile (p, &s)) != CGW_OK)
    return miss_part (p->w, status);
  status = cgw_begin_part (p->w, &part);
  if (status == CGW_OK)
    {
      keep_refused (p);
      status = write_sums (p, &s);
    }
  cgwi_free_sorted (p, &s);
  return status;
}

enum cgw_status
cgw_profile_write (struct cgw_profile *p, const struct cgw_part *part)
{
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return CGW_EBUSY;
  status = write_profile (p, part);
  cgwi_profile_leave (p);
  return status;
}
