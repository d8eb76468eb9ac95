/* deferred.c - write the records that were deferred.

   SPDX-License-Identifier: MIT  */

#include "deferred.h"

#include "explain.h"

/* Write the record in a slot.  Its call returned CGW_OK, so if it proves wrong
   now it is lost, not refused.  */
static void
write_one (struct cgw_writer *w, struct cgwi_queue *q, uint32_t slot)
{
  struct cgwi_deferred *d = cgwi_queue_at (q, slot);
  struct cgwi_submitted r
      = { (enum cgwi_kind_of_record) d->kind, &d->from, &d->to, d->count,
          d->followed, d->cost, d->n };
  enum cgw_status status;

  w->core.begun = NULL;
  q->dropped_before = w->core.accounts.dropped;
  cgwi_in_order ();
  atomic_store_explicit (&q->current, slot, memory_order_relaxed);
  cgwi_in_order ();
  status = cgwi_write_record (&w->core, r);
  if (cgwi_is_refused (status))
    {
      cgwi_count_dropped (&w->core.accounts, r.cost,
                          r.kind == CGWI_COST ? r.n : 0);
      cgwi_keep_refused (w, &r, status);
    }
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

/* Whether the record in a slot is neither recorded nor counted as lost.  The
   holder may be writing it.  */
static bool
is_undecided (const struct cgw_writer *w, const struct cgwi_queue *q,
              uint32_t slot)
{
  const struct cgwi_deferred *d = cgwi_queue_at (q, slot);

  return atomic_load_explicit (&d->filled, memory_order_acquire) != 0
         && (slot != atomic_load_explicit (&q->current, memory_order_relaxed)
             || !cgwi_is_decided (&w->core, q->dropped_before));
}

/* The holder may be inside cgwi_write_deferred, with slots on no stack: look
   at all slots.  */
const struct cgwi_deferred *
cgwi_undecided (const struct cgw_writer *w, uint32_t *slot)
{
  const struct cgwi_queue *q = atomic_load (&w->queue);

  for (; *slot < q->slots.n; ++*slot)
    if (is_undecided (w, q, *slot))
      return cgwi_queue_at (q, (*slot)++);
  return NULL;
}
