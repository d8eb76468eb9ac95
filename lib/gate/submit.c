/* submit.c - submit a record: write it, or defer it for the holder to write.

   SPDX-License-Identifier: MIT  */

#include "submit.h"

static enum cgwi_called
called (const struct cgwi_record *r)
{
  return r->kind == CGWI_COST   ? CGWI_CALLED_COST
         : r->kind == CGWI_CALL ? CGWI_CALLED_CALL
         : r->kind == CGWI_JUMP ? CGWI_CALLED_JUMP
                                : CGWI_CALLED_COND_JUMP;
}

enum cgw_status
cgwi_fail_record (struct cgw_writer *w, const struct cgwi_record *r,
                  enum cgw_status status, const struct cgwi_why *why)
{
  if (cgwi_is_refused (status))
    atomic_fetch_add_explicit (&w->refused, 1, memory_order_relaxed);
  return cgwi_refuse (&w->core.refusals, called (r), status, why);
}

/* A queue is closed for that reason.  */
static enum cgw_status
fail_closed (struct cgw_writer *w, const struct cgwi_record *r,
             unsigned closed)
{
  return closed == CGWI_ENDED
             ? cgwi_fail_record (w, r, CGW_EFINISHED, NULL)
             : cgwi_fail_record (w, r, CGW_EORDER,
                                 &(struct cgwi_why){
                                   .reason = CGWI_WHY_NO_PART });
}

static unsigned
closed_for (const struct cgwi_queue *q)
{
  return cgwi_head_closed (atomic_load (&q->deferred));
}

static void
fill_deferred (struct cgwi_deferred *d, const struct cgwi_record *r)
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

/* Count a record that finds the queue full, unless that was closed meanwhile:
   cgw_finish waits for those that are being counted, because they belong to the
   last part.  */
static enum cgw_status
lose_busy (struct cgw_writer *w, const struct cgwi_record *r)
{
  uint64_t me = cgwi_loser ();
  enum cgw_status status;
  unsigned closed;

  atomic_fetch_add (&w->losers, me);
  closed = closed_for (atomic_load (&w->queue));
  if (closed == CGWI_OPEN)
    {
      cgwi_count_busy (&w->core.accounts, r->cost,
                       r->kind == CGWI_COST ? r->n : 0);
      status = cgwi_fail_record (w, r, CGW_ELOST,
                                 &(struct cgwi_why){
                                   .reason = CGWI_WHY_LOST_BUSY });
    }
  else
    status = fail_closed (w, r, closed);
  atomic_fetch_sub (&w->losers, me);
  return status;
}

/* Defer a record.  The events are known when the queue is open.  acquire: the
   queue was prepared before it was published.  Not inlined, so that its
   variables are not on the stack of a record that is written at once.  */
static __attribute__ ((noinline)) enum cgw_status
defer (struct cgw_writer *w, const struct cgwi_record *r)
{
  struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);
  unsigned closed = closed_for (q);
  struct cgwi_why why;
  enum cgw_status status;
  uint32_t slot;

  if (closed != CGWI_OPEN)
    return fail_closed (w, r, closed);
  if ((status = cgwi_check_record (&w->core.encoder, r, &why)) != CGW_OK)
    return cgwi_fail_record (w, r, status, &why);
  if ((slot = cgwi_slots_pop (q->slots, &q->idle)) == CGWI_NO_SLOT)
    return lose_busy (w, r);
  fill_deferred (cgwi_queue_at (q, slot), r);
  closed = cgwi_slots_push (q->slots, &q->deferred, slot);
  if (closed != CGWI_OPEN)
    {
      /* The queue was closed meanwhile.  */
      cgwi_slots_push (q->slots, &q->idle, slot);
      return fail_closed (w, r, closed);
    }
  return cgwi_serve (w);
}

/* If the holder is a call of this thread, which does not run until the caller
   returns, a record never waits.  */
enum cgw_status
cgwi_submit (struct cgw_writer *w, const struct cgwi_record *r)
{
  enum cgw_status status = CGW_EBUSY;

  if (w == NULL)
    return CGW_EINVAL;
  if (!cgwi_takes_records (w))
    status = cgwi_mark_is_alive (&w->mark) ? CGW_EFINISHED : CGW_EFORK;
  else if (cgwi_try_enter (w))
    status = CGW_OK;
  else if (w->core.encoder.flags & CGW_WAIT)
    status = cgwi_wait_to_enter (w);
  return status == CGW_OK      ? cgwi_write_and_leave (w, r)
         : status == CGW_EBUSY ? defer (w, r)
                               : cgwi_fail_record (w, r, status, NULL);
}
