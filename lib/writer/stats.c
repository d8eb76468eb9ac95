/* stats.c - cgw_get_stats, cgw_error, cgw_errno.

   SPDX-License-Identifier: MIT  */

#include "../gate/deferred.h"
#include "../gate/gate.h"
#include "structs.h"

/* Fill in the counts.  Only atomic ones may change meanwhile: the caller is
   inside, or the holder is a call of this thread, which does not run now.  */
static void
fill (const struct cgw_writer *w, struct cgw_stats *s, bool finished)
{
  const struct cgwi_core *c = &w->core;
  const struct cgwi_buffer *b = &c->buffer;
  struct cgwi_counts counts
      = finished ? cgwi_count_finished (&c->accounts, b, s->n_costs,
                                        s->recorded_costs, s->lost_costs)
                 : cgwi_count (&c->accounts, s->n_costs, s->recorded_costs,
                               s->lost_costs);
  size_t rest = cgwi_buffer_used (b) - cgwi_buffer_out (b);

  s->recorded = counts.recorded;
  s->lost = counts.lost;
  s->lost_busy = counts.lost_busy;
  s->refused = atomic_load_explicit (&w->refused, memory_order_relaxed);
  s->written
      = atomic_load_explicit (&b->written, memory_order_relaxed) - c->start;
  s->buffered = finished ? 0 : rest;
  s->discarded = finished ? rest : 0;
  s->names_changed = c->encoder.objects.changed + c->encoder.files.changed
                     + c->encoder.fns.changed;
}

static void
add_lost (struct cgw_stats *s, const struct cgwi_deferred *d)
{
  s->lost++;
  s->lost_busy++;
  for (size_t i = 0; d->kind == CGWI_COST && i < d->n && i < s->n_costs
                     && s->lost_costs != NULL;
       i++)
    s->lost_costs[i] += d->cost[i];
}

/* Count the records that the holder may never write.  */
static void
add_undecided (const struct cgw_writer *w, struct cgw_stats *s)
{
  const struct cgwi_deferred *d;
  uint32_t slot = 0;

  while ((d = cgwi_undecided (w, &slot)) != NULL)
    add_lost (s, d);
}

static bool
take_stats (struct cgw_stats *ours, const struct cgw_stats *theirs,
            struct cgwi_sentence *why)
{
  if (theirs == NULL)
    return cgwi_say (why, "stats is NULL");
  return cgwi_take_struct (ours, sizeof *ours, theirs, "stats",
                           "CGW_STATS_INIT", why);
}

enum cgw_status
cgw_get_stats (struct cgw_writer *w, struct cgw_stats *theirs)
{
  struct cgwi_sentence why = { "" };
  struct cgw_stats s;
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if (!take_stats (&s, theirs, &why))
    return cgwi_explain_call (w, CGW_EINVAL, &why);
  status = cgwi_enter (w);
  if (status != CGW_OK && status != CGW_EFINISHED)
    return status;
  fill (w, &s,
        status == CGW_EFINISHED || w->core.state == CGWI_FINISHED);
  if (status == CGW_OK)
    cgwi_leave (w);
  else
    add_undecided (w, &s);
  memcpy (theirs, &s, s.size < sizeof s ? s.size : sizeof s);
  return CGW_OK;
}

enum cgw_status
cgw_error (const struct cgw_writer *w)
{
  if (w == NULL)
    return CGW_EINVAL;
  if (!cgwi_mark_is_ours (&w->mark))
    return CGW_EFORK;
  if (atomic_load_explicit (&w->core.failing, memory_order_relaxed))
    return CGW_EIO;
  if (atomic_load_explicit (&w->finish_wanted, memory_order_relaxed))
    return CGW_EBUSY;
  return cgwi_errors_first (&w->core.errors);
}

int
cgw_errno (const struct cgw_writer *w)
{
  return w != NULL ? atomic_load_explicit (&w->core.error_number,
                                           memory_order_relaxed)
                   : 0;
}
