/* queue.h - bounded lock-free MPSC queue of deferred records.  Producers may
   run in signal handlers.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_QUEUE_H
#define CGWI_QUEUE_H 1

#include "../core/record.h"
#include "../slots.h"

/* Why a queue is closed.  */
enum
{
  CGWI_OPEN = 0,
  CGWI_NOT_BEGUN = 1, /* no part is open: CGW_EORDER */
  CGWI_ENDED = 2      /* CGW_EFINISHED */
};

/* A record in a slot: what its pointers pointed to.  */
struct cgwi_deferred
{
  uint32_t kind; /* enum cgwi_kind_of_record */
  uint32_t n;
  struct cgw_pos from;
  struct cgw_pos to;
  uint64_t count;
  uint64_t followed;
  uint64_t cost[];
};

struct cgwi_queue
{
  _Atomic uint64_t deferred; /* stack of slots with records to write */
  _Atomic uint64_t idle;     /* stack of free slots */
  struct cgwi_slots slots;
  size_t n_costs;            /* room in each slot */
  unsigned char *records;    /* one for each slot */
  struct cgwi_queue *older;  /* the smaller one that this one replaced; another
                                thread may still read it */
};

/* Make a closed queue without slots.  */
void cgwi_queue_make_empty (struct cgwi_queue *q);

/* Make a closed queue of n slots, with room for n_costs costs each.  NULL: no
   memory.  */
struct cgwi_queue *cgwi_queue_make (const struct cgwi_memory *m, uint32_t n,
                                    size_t n_costs);

/* Free a queue that cgwi_queue_make made.  */
void cgwi_queue_free (struct cgwi_queue *q, const struct cgwi_memory *m);

static inline struct cgwi_deferred *
cgwi_queue_at (const struct cgwi_queue *q, uint32_t slot)
{
  size_t size
      = sizeof (struct cgwi_deferred) + q->n_costs * sizeof (uint64_t);

  return (struct cgwi_deferred *) (void *) (q->records + slot * size);
}

#endif
