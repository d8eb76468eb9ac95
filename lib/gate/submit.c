/* submit.c - defer records, and write those that were deferred.

   SPDX-License-Identifier: MIT  */

#include "submit.h"

enum cgw_status
cgwi_refuse (struct cgw_writer *w, enum cgw_status status)
{
  atomic_fetch_add_explicit (&w->refused, 1, memory_order_relaxed);
  return status == CGW_EFINISHED ? status : cgwi_keep (&w->core, status);
}

/* Why a queue is closed, as a status; CGW_OK: it is open.  */
static enum cgw_status
closed_status (unsigned closed)
{
  return closed == CGWI_OPEN    ? CGW_OK
         : closed == CGWI_ENDED ? CGW_EFINISHED
                                : CGW_EORDER;
}

/* Check what can be checked outside.  Names are never taken back, and the
   events do not change while the queue is open.  */
static enum cgw_status
check (const struct cgw_writer *w, const struct cgwi_queue *q,
       const struct cgwi_submitted *r)
{
  const struct cgwi_core *c = &w->core;
  uint32_t n_fns = atomic_load (&w->n_fns);
  uint32_t n_files = atomic_load (&w->n_files);
  unsigned closed = (unsigned) ((atomic_load (&q->deferred)
                                 & CGWI_HEAD_CLOSED)
                                >> CGWI_HEAD_CLOSED_SHIFT);

  if (closed != CGWI_OPEN)
    return closed_status (closed);
  if (r->n > atomic_load (&w->n_events) || r->n > q->n_costs)
    return CGW_ECOSTS;
  if (cgwi_index (c, n_fns, r->from->fn.handle) == CGWI_NONE
      || cgwi_index (c, n_files, r->from->file.handle) == CGWI_NONE
      || (r->to != NULL
          && (cgwi_index (c, n_fns, r->to->fn.handle) == CGWI_NONE
              || cgwi_index (c, n_files, r->to->file.handle) == CGWI_NONE)))
    return CGW_EHANDLE;
  if (r->kind == CGWI_CALL && r->count == 0
      && !(c->encoder.flags & CGW_ZERO_CALLS))
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
  /* release: cgwi_lose_deferred may read it before it is pushed.  */
  atomic_store_explicit (&d->filled, 1, memory_order_release);
}

/* Count a record that cannot be deferred.  */
static enum cgw_status
lose_busy (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  cgwi_count_busy (&w->core.accounts, r->cost,
                   r->kind == CGWI_COST ? r->n : 0);
  return cgwi_keep (&w->core, CGW_ELOST);
}

enum cgw_status
cgwi_defer (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  /* acquire: the queue was made ready before it was published.  */
  struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);
  enum cgw_status status = check (w, q, r);
  struct cgwi_deferred *d;
  uint32_t slot;

  if (status != CGW_OK)
    return cgwi_refuse (w, status);
  slot = cgwi_slots_pop (q->slots, &q->idle);
  if (slot == CGWI_NO_SLOT)
    return lose_busy (w, r);
  d = cgwi_queue_at (q, slot);
  fill (d, r);
  status = closed_status (cgwi_slots_push (q->slots, &q->deferred, slot));
  if (status != CGW_OK)
    {
      /* Closed meanwhile; cgwi_lose_deferred may have counted it.  */
      bool is_lost = atomic_exchange (&d->filled, 0) == 0;
      cgwi_slots_push (q->slots, &q->idle, slot);
      return is_lost ? CGW_ELOST : cgwi_refuse (w, status);
    }
  cgwi_serve (w);
  return CGW_OK;
}

/* Write one.  Its call said CGW_OK, so a record that is wrong is lost, not
   refused.  */
static void
write_one (struct cgw_writer *w, struct cgwi_queue *q, uint32_t slot)
{
  struct cgwi_deferred *d = cgwi_queue_at (q, slot);
  struct cgwi_submitted r
      = { (enum cgwi_kind_of_record) d->kind, &d->from, &d->to, d->count,
          d->followed, d->cost, d->n };
  enum cgw_status status;

  if (atomic_load_explicit (&d->filled, memory_order_relaxed) == 0)
    return; /* cgwi_lose_deferred counted it */
  w->core.begun = NULL;
  q->dropped_before = w->core.accounts.dropped;
  cgwi_in_order ();
  atomic_store_explicit (&q->current, slot, memory_order_relaxed);
  cgwi_in_order ();
  status = cgwi_write_record (&w->core, &r);
  if (cgwi_is_refused (status))
    cgwi_lose (&w->core, status, r.cost, r.kind == CGWI_COST ? r.n : 0);
  cgwi_in_order ();
  atomic_store_explicit (&d->filled, 0, memory_order_relaxed);
  cgwi_in_order ();
  atomic_store_explicit (&q->current, CGWI_NO_SLOT, memory_order_relaxed);
}

uint32_t
cgwi_write_deferred (struct cgw_writer *w, unsigned closed)
{
  struct cgwi_queue *q = atomic_load_explicit (&w->queue,
                                               memory_order_relaxed);
  uint32_t n = 0;
  uint32_t next;

  if (closed == CGWI_KEEP_CLOSED
      && (atomic_load (&q->deferred) & CGWI_HEAD_TOP) == 0)
    return 0;
  for (uint32_t slot = cgwi_slots_take_all (q->slots, &q->deferred, closed);
       slot != CGWI_NO_SLOT; slot = next, n++)
    {
      next = cgwi_slot_after (q->slots, slot);
      write_one (w, q, slot);
      cgwi_slots_push (q->slots, &q->idle, slot);
    }
  return n;
}

/* The stacks may be in the holder's hands, so this goes by the slots.  */
void
cgwi_lose_deferred (struct cgw_writer *w)
{
  struct cgwi_queue *q = atomic_load_explicit (&w->queue,
                                               memory_order_relaxed);
  uint32_t current;

  cgwi_slots_take_all (q->slots, &q->deferred, CGWI_ENDED);
  current = atomic_load_explicit (&q->current, memory_order_relaxed);
  for (uint32_t slot = 0; slot < q->slots.n; slot++)
    {
      struct cgwi_deferred *d = cgwi_queue_at (q, slot);
      bool is_decided = slot == current
                        && cgwi_is_decided (&w->core, q->dropped_before);

      if (atomic_exchange (&d->filled, 0) == 0 || is_decided)
        continue;
      cgwi_count_busy (&w->core.accounts, d->cost,
                       d->kind == CGWI_COST ? d->n : 0);
      cgwi_keep (&w->core, CGW_ELOST);
    }
}
