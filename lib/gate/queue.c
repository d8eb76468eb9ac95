/* queue.c - bounded lock-free MPSC queue of deferred records.

   The queue is two stacks of slots, idle and deferred.  A producer pops an
   idle slot, fills it, and pushes it on the deferred ones; in between it owns
   the slot.  So a producer that is interrupted there delays nobody.  The holder
   takes all deferred slots at once.

   SPDX-License-Identifier: MIT  */

#include "queue.h"

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
