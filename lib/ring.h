/* ring.h - a fixed ring of slots that any handler in any thread may put into,
   and one consumer at a time takes from.

   Lock-free: a producer reserves a slot by moving the tail, fills it, and
   publishes it by the slot's turn.  A producer that is interrupted in between
   leaves its slot, and those after it, unseen until it goes on; nobody waits.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_RING_H
#define CGWI_RING_H 1

#include "memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A lock inside a handler can wait for the code that it interrupted.  */
_Static_assert (ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2
                    && ATOMIC_POINTER_LOCK_FREE == 2,
                "the handler API needs lock-free atomics");

/* A slot's turn is its number, counted through all laps, while it is free; one
   more while it holds something.  */
struct cgwi_slot
{
  _Atomic uint32_t turn;
  uint32_t number;  /* in this lap; the producer's, then the consumer's */
  uint64_t bytes[]; /* what the slot holds */
};

struct cgwi_ring
{
  unsigned char *slots;
  size_t slot_size;
  uint32_t n_slots;      /* a power of two; 0: every put finds it full */
  _Atomic uint32_t tail; /* the number of the next slot to reserve */
  _Atomic uint32_t head; /* of the next to take; only the consumer moves it */
};

/* Makes a ring of at least n slots for `bytes` each; false when there is no
   memory.  Nobody else may use the ring meanwhile.  */
bool cgwi_ring_make (struct cgwi_ring *r, const struct cgwi_memory *m,
                     uint32_t n, size_t bytes);

void cgwi_ring_free (struct cgwi_ring *r, const struct cgwi_memory *m);

static inline struct cgwi_slot *
cgwi_ring_slot (const struct cgwi_ring *r, uint32_t number)
{
  return (struct cgwi_slot *) (void *) (r->slots
                                        + r->slot_size
                                              * (number & (r->n_slots - 1)));
}

/* Producer: reserves a slot to fill, or returns NULL when the ring is full. */
struct cgwi_slot *cgwi_ring_reserve (struct cgwi_ring *r);

static inline void
cgwi_ring_publish (struct cgwi_slot *slot)
{
  /* seq_cst: the producer looks next whether somebody holds the writer, who
     leaves it and then looks into the ring.  One of them sees the other.  */
  atomic_store (&slot->turn, slot->number + 1);
}

/* Whether nothing is reserved.  seq_cst: see cgwi_ring_publish.  */
static inline bool
cgwi_ring_is_empty (const struct cgwi_ring *r)
{
  return atomic_load (&r->tail)
         == atomic_load_explicit (&r->head, memory_order_relaxed);
}

/* Consumer: the next slot that is published, or NULL.  */
static inline struct cgwi_slot *
cgwi_ring_first (const struct cgwi_ring *r)
{
  uint32_t head = atomic_load_explicit (&r->head, memory_order_relaxed);
  struct cgwi_slot *slot;

  if (r->n_slots == 0)
    return NULL;
  slot = cgwi_ring_slot (r, head);
  return atomic_load (&slot->turn) == head + 1 ? slot : NULL;
}

/* Consumer: gives the first slot back.  */
static inline void
cgwi_ring_take (struct cgwi_ring *r, struct cgwi_slot *slot)
{
  uint32_t head = atomic_load_explicit (&r->head, memory_order_relaxed);

  atomic_store_explicit (&r->head, head + 1, memory_order_relaxed);
  atomic_store_explicit (&slot->turn, head + r->n_slots, memory_order_release);
}

#endif
