/* gate.c - enter and leave a writer: one caller at a time.

   SPDX-License-Identifier: MIT  */

#include "gate.h"


/* The queue is two stacks of slots, idle and deferred.  A producer pops an idle
   slot, fills it, and pushes it on the deferred ones; in between it owns the
   slot.  So a producer that is interrupted there delays nobody.  The holder
   takes all deferred slots at once.  */

void
cgwi_queue_make_empty (struct cgwi_queue *q)
{
  memset (q, 0, sizeof *q);
  atomic_init (&q->deferred,
               (uint64_t) CGWI_NOT_BEGUN << CGWI_HEAD_CLOSED_SHIFT);
}

struct cgwi_queue *
cgwi_queue_make (const struct cgwi_memory *m, uint32_t n, size_t n_costs)
{
  size_t record = sizeof (struct cgwi_deferred) + n_costs * sizeof (uint64_t);
  struct cgwi_queue *q = cgwi_resize (m, NULL, sizeof *q);

  if (q == NULL)
    return NULL;
  cgwi_queue_make_empty (q);
  q->n_costs = n_costs;
  q->slots.n = n;
  if (n <= SIZE_MAX / 2 / record)
    {
      q->records = cgwi_resize (m, NULL, n * record);
      q->slots.links = cgwi_resize (m, NULL, n * sizeof *q->slots.links);
    }
  if (q->records == NULL || q->slots.links == NULL)
    {
      cgwi_queue_free (q, m);
      return NULL;
    }
  for (uint32_t i = n; i > 0; i--)
    cgwi_slots_push (q->slots, &q->idle, i - 1);
  return q;
}

void
cgwi_queue_free (struct cgwi_queue *q, const struct cgwi_memory *m)
{
  cgwi_release (m, q->records);
  cgwi_release (m, (void *) (uintptr_t) q->slots.links);
  cgwi_release (m, q);
}

/* Enter and leave.  */

/* Whether the holder is a call of this thread.  */
static bool
is_held_here (const struct cgw_writer *w)
{
  return w->threads
             ? atomic_load_explicit (&w->holder, memory_order_relaxed)
                   == cgwi_self ()
             : atomic_load_explicit (&w->held, memory_order_relaxed);
}

/* Check the mark each time, because a handler may fork meanwhile.  */
enum cgw_status
cgwi_wait_to_enter (struct cgw_writer *w)
{
  for (unsigned tries = 0; cgwi_mark_is_ours (&w->mark); tries++)
    {
      if (cgwi_try_enter (w))
        return CGW_OK;
      if (is_held_here (w))
        return CGW_EBUSY;
      cgwi_pause (tries);
    }
  return CGW_EFORK;
}

/* Write a deferred record, or lose it.  It was checked before, and its part is
   still open, so it is not refused now.  */
static void
take_deferred (struct cgw_writer *w, const struct cgwi_deferred *d, bool lose)
{
  struct cgwi_record r
      = { (enum cgwi_kind_of_record) d->kind, &d->from, &d->to, d->count,
          d->followed, d->cost, d->n };
  struct cgwi_why why;

  if (lose || cgwi_is_refused (cgwi_write_record (&w->core, &r, &why)))
    cgwi_lose_record (&w->core.accounts, &r);
}

static uint32_t
take_all (struct cgw_writer *w, unsigned closed, bool lose)
{
  struct cgwi_queue *q = atomic_load_explicit (&w->queue,
                                               memory_order_relaxed);
  uint32_t n = 0;
  uint32_t next;

  for (uint32_t slot = cgwi_slots_take_all (q->slots, &q->deferred, closed);
       slot != CGWI_NO_SLOT; slot = next, n++)
    {
      next = cgwi_slot_after (q->slots, slot);
      take_deferred (w, cgwi_queue_at (q, slot), lose);
      cgwi_slots_push (q->slots, &q->idle, slot);
    }
  return n;
}

uint32_t
cgwi_write_deferred (struct cgw_writer *w, unsigned closed)
{
  return closed == CGWI_KEEP_CLOSED && !cgwi_has_deferred (w)
             ? 0
             : take_all (w, closed, false);
}

/* Keep that cgw_salvage has lost records.  */
static void
keep_loss (struct cgw_writer *w)
{
  cgwi_keep_error (&w->core.refusals, CGW_ELOST, CGWI_WHY_LOST_SALVAGED, 0);
}

/* cgw_salvage has ended the file, and does not enter: count what was deferred
   as lost.  Keep that before, or cgw_salvage in another thread finds neither
   deferred records nor an error.  Inside.  */
static void
finish_salvaged (struct cgw_writer *w)
{
  struct cgwi_refusals *r = &w->core.refusals;

  cgwi_slots_close (&atomic_load (&w->queue)->deferred, CGWI_ENDED);
  if (cgwi_has_deferred (w))
    keep_loss (w);
  take_all (w, CGWI_KEEP_CLOSED, true);
  cgwi_inherit (r, &w->core.encoder.names->refusals);
  cgwi_set_state (&w->core, CGWI_FINISHED);
}

static bool
must_finish (const struct cgw_writer *w)
{
  return atomic_load_explicit (&w->salvaged, memory_order_relaxed)
         && cgwi_state (&w->core) != CGWI_FINISHED;
}

/* Write what was deferred, inside.  Return an upper bound of the records.  */
static uint32_t
serve (struct cgw_writer *w)
{
  if (!must_finish (w))
    return cgwi_write_deferred (w, CGWI_KEEP_CLOSED);
  finish_salvaged (w);
  return 0;
}

/* A closed queue alone is nothing to do.  The call that leaves may have been
   inside when cgw_salvage ended the file, and have records that were lost.
   After as many records as the queue holds, leave the rest to the next call:
   this may run in a handler.  */
enum cgw_status
cgwi_serve (struct cgw_writer *w)
{
  uint32_t n = 0;

  if (must_finish (w))
    keep_loss (w);
  while (n <= w->n_slots && (cgwi_has_deferred (w) || must_finish (w))
         && cgwi_try_enter (w))
    {
      n += 1 + serve (w);
      cgwi_unlock (w);
    }
  return CGW_OK;
}

enum cgw_status
cgwi_enter (struct cgw_writer *w, enum cgwi_called called)
{
  enum cgw_status status = cgwi_wait_to_enter (w);

  if (status != CGW_OK)
    return cgwi_refuse (&w->core.refusals, called, status, NULL);
  cgwi_reserve_ids (&w->core.encoder, &w->memory);
  serve (w);
  return CGW_OK;
}

uint64_t
cgwi_loser (void)
{
  uint64_t hash = (uint64_t) cgwi_self () * UINT64_C (0x9e3779b97f4a7c15);

  hash = (hash ^ hash >> 32) * UINT64_C (0xd6e8feb86659fd93);
  return (hash ^ hash >> 32) << CGWI_LOSER_BITS | 1;
}

/* The fence: a call that counts a record as lost sees that the queue is closed,
   or this sees the call.  */
bool
cgwi_wait_for_losers (struct cgw_writer *w)
{
  uint64_t me = cgwi_loser (), losers;

  atomic_thread_fence (memory_order_seq_cst);
  for (unsigned tries = 0; (losers = atomic_load (&w->losers)) != 0; tries++)
    {
      if (losers == (losers & ((1u << CGWI_LOSER_BITS) - 1)) * me)
        return false;
      cgwi_pause (tries);
    }
  return true;
}

/* A call fails that cgw_salvage has interrupted: the file has ended.  */
enum cgw_status
cgwi_end (struct cgw_writer *w, enum cgwi_called called,
          enum cgw_status status, const struct cgwi_why *why)
{
  if (status != CGW_OK
      && atomic_load_explicit (&w->salvaged, memory_order_relaxed))
    {
      status = CGW_EFINISHED;
      why = NULL;
    }
  if (status != CGW_OK)
    cgwi_refuse (&w->core.refusals, called, status, why);
  cgwi_leave (w);
  return status;
}
