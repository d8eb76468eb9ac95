/* ring.c - a fixed ring of slots for handlers.

   SPDX-License-Identifier: MIT  */

#include "ring.h"

#define MOST_SLOTS (UINT32_C (1) << 24)

/* An empty ring, all slots free.  */
static void
clear (struct cgwi_ring *r)
{
  atomic_init (&r->tail, 0);
  atomic_init (&r->head, 0);
  for (uint32_t i = 0; i < r->n_slots; i++)
    atomic_init (&cgwi_ring_slot (r, i)->turn, i);
}

bool
cgwi_ring_make (struct cgwi_ring *r, const struct cgwi_memory *m, uint32_t n,
                size_t bytes)
{
  uint32_t n_slots = 2; /* the least that tells full from empty */
  size_t size = (sizeof (struct cgwi_slot) + bytes + 7) / 8 * 8;
  unsigned char *slots;

  if (n > MOST_SLOTS)
    return false;
  while (n_slots < n)
    n_slots *= 2;
  if (r->n_slots != n_slots || r->slot_size != size)
    {
      if (size > SIZE_MAX / n_slots)
        return false;
      slots = cgwi_resize (m, NULL, size * n_slots);
      if (slots == NULL)
        return false;
      cgwi_ring_free (r, m);
      r->slots = slots;
      r->slot_size = size;
      r->n_slots = n_slots;
    }
  clear (r);
  return true;
}

void
cgwi_ring_free (struct cgwi_ring *r, const struct cgwi_memory *m)
{
  r->n_slots = 0;
  cgwi_release (m, r->slots);
  r->slots = NULL;
}

struct cgwi_slot *
cgwi_ring_reserve (struct cgwi_ring *r)
{
  uint32_t number = atomic_load_explicit (&r->tail, memory_order_relaxed);

  while (r->n_slots != 0)
    {
      struct cgwi_slot *slot = cgwi_ring_slot (r, number);
      uint32_t turn = atomic_load_explicit (&slot->turn, memory_order_acquire);

      if (turn == number)
        {
          if (atomic_compare_exchange_weak_explicit (
                  &r->tail, &number, number + 1, memory_order_seq_cst,
                  memory_order_relaxed))
            {
              slot->number = number;
              return slot;
            }
        }
      else if ((int32_t) (turn - number) < 0)
        break; /* not taken since the last lap: full */
      else
        number = atomic_load_explicit (&r->tail, memory_order_relaxed);
    }
  return NULL;
}
