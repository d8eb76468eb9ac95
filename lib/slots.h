/* slots.h - lock-free stacks of slot numbers, for handlers in any thread.

   Slots are numbered from 0.  Each stack has a head, and all stacks of the
   same slots share one array of links; a slot is on one stack at a time.  The
   memory holds no pointers, so processes may share it.

   A head has the number of its top slot plus 1 (0: empty), the reason why it
   is closed (0: it is open), and a tag that each change increments.  The tag
   keeps a pop from succeeding on a head that changed and changed back
   meanwhile (ABA).  Its 37 bits repeat after 2^37 changes: a pop would have to
   be preempted for hours.

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

/* Return the next state of a head, with these top and closed bits.  */
static inline uint64_t
cgwi_next_head (uint64_t head, uint64_t top_and_closed)
{
  return ((head & ~(CGWI_HEAD_TAG - 1)) + CGWI_HEAD_TAG) | top_and_closed;
}

/* Return the reason why a stack with that head is closed, or 0.  */
static inline unsigned
cgwi_head_closed (uint64_t head)
{
  return (unsigned) ((head & CGWI_HEAD_CLOSED) >> CGWI_HEAD_CLOSED_SHIFT);
}

/* Return the slot at the top, or CGWI_NO_SLOT.  Check its range, because
   another process may have corrupted shared memory.  */
static inline uint32_t
cgwi_top_slot (struct cgwi_slots s, uint64_t head)
{
  uint64_t top = head & CGWI_HEAD_TOP;

  return top != 0 && top <= s.n ? (uint32_t) (top - 1) : CGWI_NO_SLOT;
}

/* Pop the slot at the top.  CGWI_NO_SLOT: the stack is empty.

   acquire: the link must be at least as new as the head that leads to it.
   Every change of a head is a read-modify-write, so each push synchronizes
   with the load of any later head.  Until the exchange, another thread may pop
   the slot and change its link; then the tag has changed, and the exchange
   fails.  */
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

/* Push a slot.  Return 0, or the reason why the stack is closed.

   The exchange releases the contents of the slot, and its link.  seq_cst is
   for the queue of deferred records.  A producer pushes, then tries the
   writer's lock; a holder that leaves frees the lock, then reads this head.
   All threads agree on one order of these four, so if the holder misses the
   record, the producer finds the lock free and writes the record itself.  The
   first load may be stale: the exchange compares the whole head.  */
static inline unsigned
cgwi_slots_push (struct cgwi_slots s, _Atomic uint64_t *stack, uint32_t slot)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_relaxed);

  do
    {
      if (cgwi_head_closed (head) != 0)
        return cgwi_head_closed (head);
      atomic_store_explicit (&s.links[slot], (uint32_t) (head & CGWI_HEAD_TOP),
                             memory_order_relaxed);
    }
  while (!atomic_compare_exchange_weak_explicit (
      stack, &head, cgwi_next_head (head, slot + 1), memory_order_seq_cst,
      memory_order_relaxed));
  return 0;
}

/* Try to close a stack with that head for that reason, or with 0 to open it.
   The slots stay.  False: `head` has been updated.  release: see
   cgwi_slots_take_all.  */
static inline bool
cgwi_try_close (_Atomic uint64_t *stack, uint64_t *head, unsigned closed)
{
  uint64_t bits = (uint64_t) closed << CGWI_HEAD_CLOSED_SHIFT;

  return atomic_compare_exchange_weak_explicit (
      stack, head, cgwi_next_head (*head, (*head & CGWI_HEAD_TOP) | bits),
      memory_order_acq_rel, memory_order_relaxed);
}

/* Close a stack for that reason.  */
static inline void
cgwi_slots_close (_Atomic uint64_t *stack, unsigned closed)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_relaxed);

  while (!cgwi_try_close (stack, &head, closed))
    continue;
}

/* Open or close a stack that is closed for `from`, or 0; if it is not, leave it
   as it is.  */
static inline void
cgwi_slots_change (_Atomic uint64_t *stack, unsigned from, unsigned to)
{
  uint64_t head = atomic_load_explicit (stack, memory_order_relaxed);

  while (cgwi_head_closed (head) == from
         && !cgwi_try_close (stack, &head, to))
    continue;
}

/* Instead of a reason: leave it as it is.  */
#define CGWI_KEEP_CLOSED 4u

/* Take all slots, and close the stack for that reason (0: open it;
   CGWI_KEEP_CLOSED: leave it as it is).  Return the slot that was pushed
   first; cgwi_slot_after leads to the others.

   acquire: for the contents of the slots.  release: a thread that finds the
   stack open sees everything that was prepared before it was opened.  */
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
      stack, &head, cgwi_next_head (head, bits), memory_order_acq_rel,
      memory_order_relaxed));
  /* The slot that was pushed first is at the bottom: reverse the links.  */
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

/* Return the slot that was pushed after this one, of those taken.  */
static inline uint32_t
cgwi_slot_after (struct cgwi_slots s, uint32_t slot)
{
  return cgwi_top_slot (
      s, atomic_load_explicit (&s.links[slot], memory_order_relaxed));
}

#endif
