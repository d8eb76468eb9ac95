/* submit.c - refuse records, and defer them.

   SPDX-License-Identifier: MIT  */

#include "submit.h"

/* Convert the reason why a queue is closed to a status.  CGW_OK: it is
   open.  */
static enum cgw_status
closed_status (unsigned closed)
{
  return closed == CGWI_OPEN    ? CGW_OK
         : closed == CGWI_ENDED ? CGW_EFINISHED
                                : CGW_EORDER;
}

static enum cgw_status
queue_status (const struct cgwi_queue *q)
{
  return closed_status (cgwi_head_closed (atomic_load (&q->deferred)));
}

/* When the file has ended, nothing is missing in it.  */
enum cgw_status
cgwi_fail_record (struct cgw_writer *w, const struct cgwi_submitted *r,
                  enum cgw_status status)
{
  if (status == CGW_EINVAL
      && queue_status (atomic_load (&w->queue)) == CGW_EFINISHED)
    status = CGW_EFINISHED;
  if (cgwi_is_refused (status))
    atomic_fetch_add_explicit (&w->refused, 1, memory_order_relaxed);
  return cgwi_explain_record (w, r, status);
}

static bool
has_names (const struct cgw_names *names, const struct cgw_pos *pos)
{
  return cgwi_has_name (names, CGWI_FNS, cgwi_index (names, pos->fn.handle))
         && cgwi_has_name (names, CGWI_FILES,
                           cgwi_index (names, pos->file.handle));
}

/* Check what can be checked without being inside: names are never removed, and
   the events do not change while the queue is open.  */
static enum cgw_status
check (const struct cgw_writer *w, const struct cgwi_queue *q,
       const struct cgwi_submitted *r)
{
  const struct cgwi_encoder *e = &w->core.encoder;
  enum cgw_status status = queue_status (q);

  if (status != CGW_OK)
    return status;
  if (r->n > atomic_load (&w->n_events) || r->n > q->n_costs)
    return CGW_ECOSTS;
  if (!has_names (e->names, r->from)
      || (r->to != NULL && !has_names (e->names, r->to)))
    return CGW_EHANDLE;
  if (r->kind == CGWI_CALL && r->count == 0 && !(e->flags & CGW_ZERO_CALLS))
    return CGW_EINVAL;
  return CGW_OK;
}

static void
fill (struct cgwi_deferred *d, const struct cgwi_submitted *r)
{
  d->kind = r->kind;
  d->n = (uint32_t) r->n;
  d->from = *r->from;
  d->to = r->to != NULL ? *r->to : *r->from;
  d->count = r->count;
  d->followed = r->followed;
  for (size_t i = 0; i < r->n; i++)
    d->cost[i] = r->cost[i];
}

/* Count a record that cannot be deferred, unless the queue was closed
   meanwhile: cgw_finish waits for those that are being counted, because they
   belong to the last part.  */
static enum cgw_status
lose_busy (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  uint64_t me = cgwi_loser ();
  enum cgw_status status;

  atomic_fetch_add (&w->losers, me);
  status = queue_status (atomic_load (&w->queue));
  if (status == CGW_OK)
    {
      cgwi_count_busy (&w->core.accounts, r->cost,
                       r->kind == CGWI_COST ? r->n : 0);
      status = CGW_ELOST;
    }
  cgwi_fail_record (w, r, status);
  atomic_fetch_sub (&w->losers, me);
  return status;
}

/* Defer a record whose pointers are valid, or refuse or lose it.  */
static enum cgw_status
defer (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  /* acquire: the queue was prepared before it was published.  */
  struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);
  enum cgw_status status = check (w, q, r);
  uint32_t slot;

  if (status != CGW_OK)
    return cgwi_fail_record (w, r, status);
  slot = cgwi_slots_pop (q->slots, &q->idle);
  if (slot == CGWI_NO_SLOT)
    return lose_busy (w, r);
  fill (cgwi_queue_at (q, slot), r);
  status = closed_status (cgwi_slots_push (q->slots, &q->deferred, slot));
  if (status != CGW_OK)
    {
      /* The queue was closed meanwhile.  */
      cgwi_slots_push (q->slots, &q->idle, slot);
      return cgwi_fail_record (w, r, status);
    }
  cgwi_serve (w);
  return CGW_OK;
}

/* If the holder is a call of this thread, which does not run until the caller
   returns, a record never waits.  */
enum cgw_status
cgwi_submit_to_holder (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  enum cgw_status status = CGW_EBUSY;

  if (w->core.encoder.flags & CGW_WAIT)
    status = cgwi_wait_to_enter (w);
  if (status == CGW_EBUSY)
    return defer (w, r);
  return status == CGW_OK
             ? cgwi_end_record (w, *r, cgwi_write_record (&w->core, *r))
             : cgwi_fail_record (w, r, status);
}
