/* status.c - cgw_error, cgw_explain, cgw_errno, cgw_get_stats, cgw_version.

   SPDX-License-Identifier: MIT  */

#include "../gate/gate.h"
#include "../sized.h"

CGWI_COLD const char *
cgw_explain (struct cgw_writer *w)
{
  return cgwi_explain_last (w != NULL ? &w->core.refusals : NULL);
}

CGWI_COLD enum cgw_status
cgw_error (struct cgw_writer *w, const char **sentence)
{
  struct cgwi_refusals failing = { .first = { .word = 0 } };
  struct cgwi_refusals *r;

  if (w == NULL)
    return cgwi_tell_first (NULL, NULL, sentence);
  if (!cgwi_mark_is_ours (&w->mark))
    {
      if (sentence != NULL)
        *sentence = cgw_strerror (CGW_EFORK);
      return CGW_EFORK;
    }
  r = &w->core.refusals;
  /* cgw_salvage tries again, and keeps what the file lacks.  */
  if (atomic_load_explicit (&w->core.failing, memory_order_acquire)
      && !atomic_load (&w->salvaged))
    {
      r = &failing;
      cgwi_keep_error (r, CGW_EIO, CGWI_WHY_NOT_WRITTEN,
                       (uint32_t) cgw_errno (w));
    }
  else if (cgwi_first_error (r) == CGW_OK
           && cgwi_state (&w->core) != CGWI_FINISHED)
    r = &w->core.encoder.names->refusals;
  return cgwi_tell_first (&w->core.refusals, r, sentence);
}

int
cgw_errno (const struct cgw_writer *w)
{
  return w != NULL ? atomic_load_explicit (&w->core.error_number,
                                           memory_order_relaxed)
                   : 0;
}

const char *
cgw_version (void)
{
  return CGW_VERSION_STRING;
}

/* Fill in the counts, inside.  */
static void
fill_stats (const struct cgw_writer *w, struct cgw_stats *s)
{
  const struct cgwi_core *c = &w->core;
  const struct cgwi_buffer *b = &c->buffer;
  bool ended = cgwi_state (c) == CGWI_FINISHED;
  struct cgwi_counts counts
      = cgwi_count (&c->accounts, b, ended, s->n_costs, s->recorded_costs,
                    s->lost_costs);
  size_t rest = cgwi_buffer_used (b) - cgwi_buffer_out (b);

  s->recorded = counts.recorded;
  s->lost = counts.lost;
  s->lost_busy = counts.lost_busy;
  s->refused = atomic_load_explicit (&w->refused, memory_order_relaxed);
  s->written
      = atomic_load_explicit (&b->written, memory_order_relaxed) - c->start;
  s->buffered = ended ? 0 : rest;
  s->discarded = ended ? rest : 0;
  s->names_changed = atomic_load_explicit (&c->encoder.names->changed,
                                           memory_order_relaxed);
}

CGWI_COLD enum cgw_status
cgw_get_stats (struct cgw_writer *w, struct cgw_stats *theirs)
{
  struct cgwi_why why;
  struct cgw_stats s;
  enum cgw_status status;

  if (w == NULL)
    return CGW_EINVAL;
  if ((status = cgwi_enter (w, CGWI_CALLED_GET_STATS)) != CGW_OK)
    return status;
  if (cgwi_take_struct (&s, sizeof s, theirs, CGWI_ARG_STATS, &why))
    {
      fill_stats (w, &s);
      memcpy (theirs, &s, s.size < sizeof s ? s.size : sizeof s);
    }
  else
    status = cgwi_refuse (&w->core.refusals, CGWI_CALLED_GET_STATS, CGW_EINVAL,
                          &why);
  cgwi_leave (w);
  return status;
}
