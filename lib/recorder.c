/* recorder.c - a ring of raw samples: handlers push, normal code drains.

   A slot has a state of its own, on which producers compete: free, reserved,
   published, free again.  The tail is where the next producer begins to look;
   it counts through all laps, and gives each sample its number.

   The ring of parked records (ring.c) needs an order, so its consumer stops
   at a slot that is reserved and not yet published.  Here a producer may be
   gone for good: killed in a process that shares the memory, or jumped out of
   by a handler.  So nobody stops at a reserved slot: the consumer passes it
   and looks again in the next drain, and a producer that comes round to it
   takes the next slot.  Who never comes back costs one slot, and one sample
   that is counted as waiting; nothing else.

   There are no pointers inside, only offsets.

   SPDX-License-Identifier: MIT  */

#include "cgw.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* A lock inside a handler can wait for the code that it interrupted, and none
   works between processes.  */
_Static_assert (ATOMIC_LLONG_LOCK_FREE == 2,
                "the recorder needs lock-free atomics of 64 bits");
_Static_assert (sizeof (_Atomic uint64_t) == sizeof (uint64_t)
                    && _Alignof (_Atomic uint64_t) <= 8,
                "the layout wants atomics like plain numbers");

#define MOST_SLOTS (UINT32_C (1) << 24)
#define MOST_FRAMES (UINT32_C (1) << 16)

/* A slot's state is one of these and, above them, its sample's number.  */
enum
{
  FREE = 0,
  RESERVED = 1,
  PUBLISHED = 2,
  STATE_BITS = 2,
  STATE_MASK = 3
};

/* What follows in the memory: the lost costs, the states, the slots.  A slot
   is a struct sample, the costs and the frames.  */
struct cgw_recorder
{
  uint32_t n_slots;         /* a power of two */
  uint32_t max_frames;
  uint32_t n_costs;
  uint32_t unused;
  _Atomic uint64_t drained; /* only the consumer changes it */
  uint64_t apart[8];        /* from what producers change: a cache line */
  _Atomic uint64_t tail;
  _Atomic uint64_t recorded;
  _Atomic uint64_t lost;
  _Atomic uint64_t cut;
  uint64_t memory[];
};

struct sample
{
  uint64_t tag;
  uint64_t n_frames;
  uint64_t memory[];
};

/* The layout.  */

static uint32_t
round_up (size_t n)
{
  uint32_t power = 1;

  while (power < n)
    power *= 2;
  return power;
}

static size_t
slot_size (size_t max_frames, size_t n_costs)
{
  return sizeof (struct sample) + (n_costs + max_frames) * sizeof (uint64_t);
}

size_t
cgw_recorder_size (size_t n_samples, size_t max_frames, size_t n_costs)
{
  uint64_t size;

  if (n_samples == 0 || n_samples > MOST_SLOTS || max_frames == 0
      || max_frames > MOST_FRAMES || n_costs > CGW_EVENTS_MAX)
    return 0;
  size = (uint64_t) round_up (n_samples)
         * (sizeof (uint64_t) + slot_size (max_frames, n_costs));
  size += sizeof (struct cgw_recorder) + n_costs * sizeof (uint64_t);
  return size <= SIZE_MAX / 2 ? (size_t) size : 0;
}

static _Atomic uint64_t *
lost_costs_of (struct cgw_recorder *r)
{
  return (_Atomic uint64_t *) (void *) r->memory;
}

static _Atomic uint64_t *
states_of (struct cgw_recorder *r)
{
  return lost_costs_of (r) + r->n_costs;
}

static struct sample *
slot_at (struct cgw_recorder *r, uint64_t number)
{
  uint64_t *slots = r->memory + r->n_costs + r->n_slots;
  size_t size = slot_size (r->max_frames, r->n_costs) / sizeof *slots;

  return (struct sample *) (void *) (slots
                                     + (number & (r->n_slots - 1)) * size);
}

static _Atomic uint64_t *
state_at (struct cgw_recorder *r, uint64_t number)
{
  return states_of (r) + (number & (r->n_slots - 1));
}

struct cgw_recorder *
cgw_recorder_init (void *memory, size_t n_samples, size_t max_frames,
                   size_t n_costs)
{
  struct cgw_recorder *r = memory;

  if (r == NULL || (uintptr_t) memory % sizeof (uint64_t) != 0
      || cgw_recorder_size (n_samples, max_frames, n_costs) == 0)
    return NULL;
  memset (r, 0, sizeof *r);
  r->n_slots = round_up (n_samples);
  r->max_frames = (uint32_t) max_frames;
  r->n_costs = (uint32_t) n_costs;
  for (uint32_t i = 0; i < r->n_costs; i++)
    atomic_init (&lost_costs_of (r)[i], 0);
  for (uint32_t i = 0; i < r->n_slots; i++)
    atomic_init (&states_of (r)[i], FREE);
  return r;
}

/* Producers.  */

/* Moves the tail past a number, unless somebody else did; returns where it is
   now.  */
static uint64_t
move_tail (struct cgw_recorder *r, uint64_t number)
{
  uint64_t expected = number;

  atomic_compare_exchange_strong (&r->tail, &expected, number + 1);
  return atomic_load (&r->tail);
}

/* Reserves a slot.  False: the ring is full.  The tail moves before the
   sample is published: what is published at the tail is left from the lap
   before.  Every round but those that skip means that another producer went
   on, so nobody is held up by one that stands still.  */
static bool
reserve (struct cgw_recorder *r, uint64_t *reserved)
{
  uint64_t number = atomic_load (&r->tail);
  uint32_t skipped = 0;

  while (skipped < r->n_slots)
    {
      _Atomic uint64_t *state = state_at (r, number);
      uint64_t seen = atomic_load_explicit (state, memory_order_acquire);

      if (seen == FREE
          && atomic_compare_exchange_strong (
              state, &seen, number << STATE_BITS | RESERVED))
        {
          move_tail (r, number);
          *reserved = number;
          return true;
        }
      if ((seen & STATE_MASK) == RESERVED)
        {
          number = move_tail (r, number);
          skipped++;
        }
      else if (atomic_load (&r->tail) != number)
        number = atomic_load (&r->tail);
      else if ((seen & STATE_MASK) == PUBLISHED)
        return false;
    }
  return false;
}

static enum cgw_status
lose (struct cgw_recorder *r, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    atomic_fetch_add_explicit (&lost_costs_of (r)[i], cost[i],
                               memory_order_relaxed);
  atomic_fetch_add_explicit (&r->lost, 1, memory_order_relaxed);
  return CGW_ELOST;
}

enum cgw_status
cgw_recorder_push (struct cgw_recorder *r, uint64_t tag,
                   const uint64_t *frames, size_t n_frames,
                   const uint64_t *cost, size_t n)
{
  struct sample *slot;
  uint64_t number;

  if (r == NULL || frames == NULL || n_frames == 0
      || (cost == NULL && n != 0))
    return CGW_EINVAL;
  if (n > r->n_costs)
    return CGW_ECOSTS;
  if (!reserve (r, &number))
    return lose (r, cost, n);
  atomic_fetch_add (&r->recorded, 1);
  if (n_frames > r->max_frames)
    {
      atomic_fetch_add_explicit (&r->cut, 1, memory_order_relaxed);
      n_frames = r->max_frames;
    }
  slot = slot_at (r, number);
  slot->tag = tag;
  slot->n_frames = n_frames;
  memset (slot->memory, 0, r->n_costs * sizeof (uint64_t));
  if (n != 0)
    memcpy (slot->memory, cost, n * sizeof (uint64_t));
  memcpy (slot->memory + r->n_costs, frames, n_frames * sizeof (uint64_t));
  atomic_store_explicit (state_at (r, number),
                         number << STATE_BITS | PUBLISHED,
                         memory_order_release);
  return CGW_OK;
}

/* The consumer.  */

static void
hand_over (struct cgw_recorder *r, const struct sample *slot,
           void (*take) (void *context, const struct cgw_sample *),
           void *context)
{
  /* A process that shares the memory may have gone wild.  */
  size_t n = slot->n_frames <= r->max_frames ? (size_t) slot->n_frames
                                             : r->max_frames;
  struct cgw_sample sample = { slot->memory + r->n_costs, n, slot->memory,
                               r->n_costs, slot->tag };

  take (context, &sample);
}

/* Looks at all slots, for one that its producer held long may be anywhere;
   from the tail on, where the oldest are.  What is pushed meanwhile waits for
   the next drain: so this ends, and stays in order.  */
size_t
cgw_recorder_drain (struct cgw_recorder *r,
                    void (*take) (void *context, const struct cgw_sample *),
                    void *context)
{
  uint64_t end;
  size_t n = 0;

  if (r == NULL || take == NULL
      || atomic_load (&r->recorded) == atomic_load (&r->drained))
    return 0;
  end = atomic_load (&r->tail);
  for (uint32_t i = 0; i < r->n_slots; i++)
    {
      _Atomic uint64_t *state = state_at (r, end + i);
      uint64_t seen = atomic_load_explicit (state, memory_order_acquire);

      if ((seen & STATE_MASK) != PUBLISHED || seen >> STATE_BITS >= end)
        continue;
      hand_over (r, slot_at (r, end + i), take, context);
      atomic_fetch_add (&r->drained, 1);
      atomic_store_explicit (state, FREE, memory_order_release);
      n++;
    }
  return n;
}

/* Counts.  */

/* Takes a struct of this or another version, if it asks for nothing that is
   not known here.  */
static bool
take_stats (struct cgw_recorder_stats *ours, const void *theirs)
{
  const unsigned char *bytes = theirs;
  size_t size;

  memcpy (&size, theirs, sizeof size);
  if (size < sizeof size)
    return false;
  for (size_t i = sizeof *ours; i < size; i++)
    if (bytes[i] != 0)
      return false;
  memset (ours, 0, sizeof *ours);
  memcpy (ours, theirs, size < sizeof *ours ? size : sizeof *ours);
  return true;
}

enum cgw_status
cgw_recorder_get_stats (const struct cgw_recorder *r,
                        struct cgw_recorder_stats *stats)
{
  /* Nothing is changed through it.  */
  struct cgw_recorder *reader = (struct cgw_recorder *) (uintptr_t) r;
  struct cgw_recorder_stats s;

  if (r == NULL || stats == NULL || !take_stats (&s, stats))
    return CGW_EINVAL;
  /* In this order no sample seems to be drained before it was recorded.  */
  s.drained = atomic_load (&reader->drained);
  s.recorded = atomic_load (&reader->recorded);
  s.lost = atomic_load (&reader->lost);
  s.cut = atomic_load (&reader->cut);
  if (s.lost_costs != NULL)
    for (size_t i = 0; i < s.n_costs; i++)
      s.lost_costs[i] = i < r->n_costs
                            ? atomic_load (&lost_costs_of (reader)[i])
                            : 0;
  memcpy (stats, &s, s.size < sizeof s ? s.size : sizeof s);
  return CGW_OK;
}
