/* submit.c - refuse records, and defer them.

   SPDX-License-Identifier: MIT  */

#include "submit.h"

#include "explain.h"

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

/* Whether cgw_finish has ended the file, which then lacks nothing more.  */
static bool
is_ended (const struct cgw_writer *w)
{
  return queue_status (atomic_load_explicit (&w->queue, memory_order_acquire))
         == CGW_EFINISHED;
}

enum cgw_status
cgwi_refuse (struct cgw_writer *w, const struct cgwi_submitted *r,
             enum cgw_status status)
{
  atomic_fetch_add_explicit (&w->refused, 1, memory_order_relaxed);
  cgwi_errors_silence (&w->core.errors);
  if (status != CGW_EFINISHED && !is_ended (w))
    cgwi_keep_refused (w, r, status);
  return status;
}

/* Check what can be checked without being inside: names are never removed, and
   the events do not change while the queue is open.  */
static enum cgw_status
check (const struct cgw_writer *w, const struct cgwi_queue *q,
       const struct cgwi_submitted *r)
{
  const struct cgwi_core *c = &w->core;
  uint32_t n_fns = atomic_load (&w->n_fns);
  uint32_t n_files = atomic_load (&w->n_files);
  enum cgw_status status = queue_status (q);

  if (status != CGW_OK)
    return status;
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
  /* release: cgwi_undecided may read it before it is pushed.  */
  atomic_store_explicit (&d->filled, 1, memory_order_release);
}

/* Count a record that cannot be deferred.  */
static enum cgw_status
lose_busy (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  cgwi_count_busy (&w->core.accounts, r->cost,
                   r->kind == CGWI_COST ? r->n : 0);
  return cgwi_errors_keep_text (&w->core.errors, CGW_ELOST,
                                "a record was lost: the queue of deferred "
                                "records was full; see options.queue_slots "
                                "and CGW_WAIT");
}

/* Defer a record whose pointers are valid, or refuse or lose it.  */
static enum cgw_status
defer (struct cgw_writer *w, const struct cgwi_submitted *r)
{
  /* acquire: the queue was prepared before it was published.  */
  struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);
  enum cgw_status status = check (w, q, r);
  struct cgwi_deferred *d;
  uint32_t slot;

  if (status != CGW_OK)
    return cgwi_refuse (w, r, status);
  slot = cgwi_slots_pop (q->slots, &q->idle);
  if (slot == CGWI_NO_SLOT)
    return lose_busy (w, r);
  d = cgwi_queue_at (q, slot);
  fill (d, r);
  status = closed_status (cgwi_slots_push (q->slots, &q->deferred, slot));
  if (status != CGW_OK)
    {
      /* The queue was closed meanwhile.  */
      atomic_store_explicit (&d->filled, 0, memory_order_relaxed);
      cgwi_slots_push (q->slots, &q->idle, slot);
      return cgwi_refuse (w, r, status);
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
  return status == CGW_OK ? cgwi_submit_inside (w, *r) : status;
}
