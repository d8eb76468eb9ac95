/* slots.h - lock-free stacks of slot numbers, for handlers in any thread.

   Slots are numbered from 0.  Each stack has a head, and all stacks of the
   same slots share one array of links; a slot is on one stack at a time.  The
   memory holds no pointers, so processes may share it.

   A head has the number of its top slot plus 1 (0: empty), why it is closed,
   and a tag that each change increments.  The tag keeps a pop from taking a
   head that changed and changed back meanwhile (ABA): 37 bits of it repeat
   after 2^37 changes, hours for a thread that is preempted in between.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SLOTS_H
#define CGWI_SLOTS_H 1

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CGWI_SLOTS_MAX (UINT32_C (1) << 24)
#define CGWI_NO_SLOT UINT32_MAX

/* Parts of a head.  */
#define CGWI_HEAD_TOP UINT64_C (0x1ffffff)
#define CGWI_HEAD_CLOSED_SHIFT 25
#define CGWI_HEAD_CLOSED (UINT64_C (3) << CGWI_HEAD_CLOSED_SHIFT)
#define CGWI_HEAD_TAG (UINT64_C (1) << 27)

struct cgwi_slots
{
  _Atomic uint32_t *links; /* of each slot: the one below it, plus 1 */
  uint32_t n;
};

/* The next state of a head with that top and closed bits.  */
static inline uint64_t
cgwi_next_head (uint64_t head, uint64_t top_and_closed)
{
  return ((head & ~(CGWI_HEAD_TAG - 1)) + CGWI_HEAD_TAG) | top_and_closed;
}

/* The slot at the top, or CGWI_NO_SLOT.  The bound is for memory that another
   process may have written nonsense to.  */
static inline uint32_t
cgwi_top_slot (struct cgwi_slots s, uint64_t head)
{
  uint64_t top = head & CGWI_HEAD_TOP;

  return top != 0 && top <= s.n ? (uint32_t) (top - 1) : CGWI_NO_SLOT;
}

/* Take the slot at the top; CGWI_NO_SLOT if there is none.

   acquire: a pop must see the link that the push of its slot stored; every
   change of a head is a read-modify-write, so the push's release reaches
   whoever reads a later head.  The link is read before the slot is ours, but
   then the exchange fails.  */
static inline uint32_t
cgwi_slots_pop (struct cgwi_slots s, _Atomic uint64_t *stack)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_acquire);
  uint32_t slot;

  while ((slot = cgwi_top_slot (s, head)) != CGWI_NO_SLOT)
    {
      uint32_t below
          = atomic_load_explicit (&s.links[slot], memory_order_relaxed);
      if (atomic_compare_exchange_weak_explicit (
              stack, &head, cgwi_next_head (head, below & CGWI_HEAD_TOP),
              memory_order_acquire, memory_order_acquire))
        break;
    }
  return slot;
}

/* Put a slot on top.  Returns 0, or why the stack is closed.

   seq_cst includes the release that hands over what the slot holds.  The
   queue of deferred records needs more: its producer looks at the writer's
   lock next, while the holder frees the lock and then looks at this head.  In
   the one order of all seq_cst operations, the later of the two sees the
   other's.  */
static inline unsigned
cgwi_slots_push (struct cgwi_slots s, _Atomic uint64_t *stack, uint32_t slot)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_relaxed);

  do
    {
      if ((head & CGWI_HEAD_CLOSED) != 0)
        return (unsigned) ((head & CGWI_HEAD_CLOSED)
                           >> CGWI_HEAD_CLOSED_SHIFT);
      atomic_store_explicit (&s.links[slot], (uint32_t) (head & CGWI_HEAD_TOP),
                             memory_order_relaxed);
    }
  while (!atomic_compare_exchange_weak_explicit (
      stack, &head, cgwi_next_head (head, slot + 1), memory_order_seq_cst,
      memory_order_relaxed));
  return 0;
}

/* What a change does to why a stack is closed, besides a reason.  */
#define CGWI_KEEP_CLOSED 4u

/* Take all slots, and close the stack for that reason (0: open it;
   CGWI_KEEP_CLOSED: leave it as it is).  Returns the slot that was pushed
   first; cgwi_slot_after leads to the others.

   seq_cst: includes the acquire that makes what the slots hold visible, and
   the release by which producers that find the stack open see what was made
   ready before.  */
static inline uint32_t
cgwi_slots_take_all (struct cgwi_slots s, _Atomic uint64_t *stack,
                     unsigned closed)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_relaxed);
  uint32_t first = CGWI_NO_SLOT;
  uint64_t bits;
  uint32_t slot;

  do
    bits = closed == CGWI_KEEP_CLOSED
               ? head & CGWI_HEAD_CLOSED
               : (uint64_t) closed << CGWI_HEAD_CLOSED_SHIFT;
  while (!atomic_compare_exchange_weak_explicit (
      stack, &head, cgwi_next_head (head, bits), memory_order_seq_cst,
      memory_order_relaxed));
  /* The first one pushed is at the bottom: turn the links around.  */
  slot = cgwi_top_slot (s, head);
  for (uint32_t i = 0; slot != CGWI_NO_SLOT && i < s.n; i++)
    {
      uint32_t below
          = atomic_load_explicit (&s.links[slot], memory_order_relaxed);
      atomic_store_explicit (&s.links[slot],
                             first == CGWI_NO_SLOT ? 0 : first + 1,
                             memory_order_relaxed);
      first = slot;
      slot = cgwi_top_slot (s, below);
    }
  return first;
}

/* The slot that was pushed after this one, among those taken.  */
static inline uint32_t
cgwi_slot_after (struct cgwi_slots s, uint32_t slot)
{
  return cgwi_top_slot (
      s, atomic_load_explicit (&s.links[slot], memory_order_relaxed));
}

#endif
