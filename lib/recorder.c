/* recorder.c - slots for raw samples: handlers push, normal code drains.

   Each slot is on one of two stacks: idle slots, and slots whose samples wait
   for a drain.  A producer pops an idle slot, fills it, and pushes it on the
   other stack; in between it owns the slot.  A producer that never continues
   (its process was killed, or its handler left by longjmp) keeps one slot, and
   its sample counts as waiting; it delays nobody.

   The memory has slot numbers instead of pointers, so processes may share it.

   SPDX-License-Identifier: MIT  */

#include "cgw.h"
#include "platform.h"
#include "sized.h"
#include "slots.h"

#include <errno.h>
#include <string.h>

_Static_assert (sizeof (_Atomic uint64_t) == sizeof (uint64_t)
                    && _Alignof (_Atomic uint64_t) <= 8
                    && sizeof (_Atomic uint32_t) == sizeof (uint32_t),
                "the layout wants atomics like plain numbers");
/* An atomic that hides a lock would not work between processes.  */
_Static_assert (ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
                "the recorder needs lock-free atomics");

#define MOST_FRAMES (UINT32_C (1) << 16)

struct layout
{
  uint32_t n_slots;
  uint32_t max_frames;
  uint32_t n_costs;
};

/* In the memory behind it are the lost costs, the slots' links, and the
   samples.  A sample is a struct sample, its costs and its frames.  */
struct cgw_recorder
{
  struct layout layout;
  /* Slots plus 1: the next one that a drain has taken, and the one that was
     passed on last.  They are here because `take` may leave a drain by
     longjmp.  volatile: each is read once, then checked, because another
     process may change it.  */
  volatile uint32_t taken;
  volatile uint32_t handed_out;
  uint32_t unused;
  _Atomic uint64_t drained;
  uint64_t apart[8]; /* a cache line, before what producers change */
  _Atomic uint64_t idle;
  _Atomic uint64_t waiting;
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

/* Return the size of the links, a multiple of 8.  */
static size_t
links_size (uint32_t n_slots)
{
  return (n_slots + 1) / 2 * sizeof (uint64_t);
}

size_t
cgw_recorder_size (size_t n_samples, size_t max_frames, size_t n_costs)
{
  uint64_t size;
  uint32_t n_slots;

  if (n_samples == 0 || n_samples > CGWI_SLOTS_MAX || max_frames == 0
      || max_frames > MOST_FRAMES || n_costs > CGW_EVENTS_MAX)
    return 0;
  n_slots = round_up (n_samples);
  size = (uint64_t) n_slots * slot_size (max_frames, n_costs);
  size += links_size (n_slots) + sizeof (struct cgw_recorder)
          + n_costs * sizeof (uint64_t);
  return size <= SIZE_MAX / 2 ? (size_t) size : 0;
}

static _Atomic uint64_t *
lost_costs_of (struct cgw_recorder *r)
{
  return (_Atomic uint64_t *) (void *) r->memory;
}

static struct layout
make_layout (size_t n_samples, size_t max_frames, size_t n_costs)
{
  return (struct layout){ round_up (n_samples), (uint32_t) max_frames,
                          (uint32_t) n_costs };
}

static struct cgwi_slots
slots_of (struct cgw_recorder *r, const struct layout *l)
{
  return (struct cgwi_slots){
    (_Atomic uint32_t *) (void *) (r->memory + l->n_costs), l->n_slots
  };
}

static struct sample *
sample_at (struct cgw_recorder *r, const struct layout *l, uint32_t slot)
{
  unsigned char *samples = (unsigned char *) (r->memory + l->n_costs)
                           + links_size (l->n_slots);

  return (struct sample *) (void *) (samples
                                     + slot
                                           * slot_size (l->max_frames,
                                                        l->n_costs));
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
  r->layout = make_layout (n_samples, max_frames, n_costs);
  for (uint32_t i = 0; i < n_costs; i++)
    atomic_init (&lost_costs_of (r)[i], 0);
  for (uint32_t i = r->layout.n_slots; i > 0; i--)
    cgwi_slots_push (slots_of (r, &r->layout), &r->idle, i - 1);
  return r;
}

/* Producers.  */

static enum cgw_status
lose_sample (struct cgw_recorder *r, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    atomic_fetch_add_explicit (&lost_costs_of (r)[i], cost[i],
                               memory_order_relaxed);
  atomic_fetch_add_explicit (&r->lost, 1, memory_order_relaxed);
  return CGW_ELOST;
}

static inline enum cgw_status
push (struct cgw_recorder *r, const struct layout *l, uint64_t tag,
      const uint64_t *frames, size_t n_frames, const uint64_t *cost, size_t n)
{
  struct sample *sample;
  uint32_t slot;

  if (frames == NULL || n_frames == 0 || (cost == NULL && n != 0))
    return CGW_EINVAL;
  if (n > l->n_costs)
    return CGW_ECOSTS;
  slot = cgwi_slots_pop (slots_of (r, l), &r->idle);
  if (slot == CGWI_NO_SLOT)
    return lose_sample (r, cost, n);
  atomic_fetch_add (&r->recorded, 1);
  if (n_frames > l->max_frames)
    {
      atomic_fetch_add_explicit (&r->cut, 1, memory_order_relaxed);
      n_frames = l->max_frames;
    }
  sample = sample_at (r, l, slot);
  sample->tag = tag;
  sample->n_frames = n_frames;
  memset (sample->memory, 0, l->n_costs * sizeof (uint64_t));
  if (n != 0)
    memcpy (sample->memory, cost, n * sizeof (uint64_t));
  memcpy (sample->memory + l->n_costs, frames, n_frames * sizeof (uint64_t));
  cgwi_slots_push (slots_of (r, l), &r->waiting, slot);
  return CGW_OK;
}

enum cgw_status
cgw_recorder_push (struct cgw_recorder *r, uint64_t tag,
                   const uint64_t *frames, size_t n_frames,
                   const uint64_t *cost, size_t n)
{
  return r != NULL ? push (r, &r->layout, tag, frames, n_frames, cost, n)
                   : CGW_EINVAL;
}

enum cgw_status
cgw_recorder_push_shared (struct cgw_recorder *r, size_t n_samples,
                          size_t max_frames, size_t n_costs, uint64_t tag,
                          const uint64_t *frames, size_t n_frames,
                          const uint64_t *cost, size_t n)
{
  struct layout l;

  if (r == NULL || cgw_recorder_size (n_samples, max_frames, n_costs) == 0)
    return CGW_EINVAL;
  l = make_layout (n_samples, max_frames, n_costs);
  return push (r, &l, tag, frames, n_frames, cost, n);
}

/* The consumer.  */

static void
hand_out (const struct sample *sample, const struct layout *l,
          void (*take) (void *context, const struct cgw_sample *),
          void *context)
{
  /* Read once and check: another process may have corrupted the memory.  */
  uint64_t n = *(const volatile uint64_t *) &sample->n_frames;
  struct cgw_sample s
      = { sample->memory + l->n_costs,
          n <= l->max_frames ? (size_t) n : l->max_frames, sample->memory,
          l->n_costs, sample->tag };

  take (context, &s);
}

static void
give_back (struct cgw_recorder *r, struct cgwi_slots slots)
{
  uint32_t slot = cgwi_top_slot (slots, r->handed_out);

  r->handed_out = 0;
  if (slot != CGWI_NO_SLOT)
    cgwi_slots_push (slots, &r->idle, slot);
}

/* Pass on the samples that were taken.  One that `take` leaves by longjmp
   counts as drained.  */
static size_t
hand_out_taken (struct cgw_recorder *r, const struct layout *l,
                void (*take) (void *context, const struct cgw_sample *),
                void *context)
{
  struct cgwi_slots slots = slots_of (r, l);
  size_t n = 0;
  uint32_t slot;

  while (n < l->n_slots
         && (slot = cgwi_top_slot (slots, r->taken)) != CGWI_NO_SLOT)
    {
      r->taken = cgwi_slot_after (slots, slot) + 1;
      atomic_fetch_add (&r->drained, 1);
      r->handed_out = slot + 1;
      hand_out (sample_at (r, l, slot), l, take, context);
      give_back (r, slots);
      n++;
    }
  return n;
}

/* Samples that are pushed meanwhile wait for the next drain, so this ends.
   `take` may make calls that are cancellation points.  */
static size_t
drain (struct cgw_recorder *r, const struct layout *l,
       void (*take) (void *context, const struct cgw_sample *),
       void *context)
{
  struct cgwi_slots slots = slots_of (r, l);
  int before = cgwi_disable_cancel ();
  int kept = errno; /* which `take` may change */
  size_t n;

  give_back (r, slots);
  n = hand_out_taken (r, l, take, context);
  r->taken
      = cgwi_slots_take_all (slots, &r->waiting, CGWI_KEEP_CLOSED) + 1;
  n += hand_out_taken (r, l, take, context);
  cgwi_restore_cancel (before);
  errno = kept;
  return n;
}

size_t
cgw_recorder_drain (struct cgw_recorder *r,
                    void (*take) (void *context, const struct cgw_sample *),
                    void *context)
{
  return r != NULL && take != NULL ? drain (r, &r->layout, take, context) : 0;
}

size_t
cgw_recorder_drain_shared (struct cgw_recorder *r, size_t n_samples,
                           size_t max_frames, size_t n_costs,
                           void (*take) (void *context,
                                         const struct cgw_sample *),
                           void *context)
{
  struct layout l;

  if (r == NULL || take == NULL
      || cgw_recorder_size (n_samples, max_frames, n_costs) == 0)
    return 0;
  l = make_layout (n_samples, max_frames, n_costs);
  return memcmp (&r->layout, &l, sizeof l) == 0 ? drain (r, &l, take, context)
                                                : SIZE_MAX;
}

/* Counts.  */

enum cgw_status
cgw_recorder_get_stats (const struct cgw_recorder *r,
                        struct cgw_recorder_stats *stats)
{
  /* Only read through it: atomic loads need a pointer to non-const.  */
  struct cgw_recorder *reader = (struct cgw_recorder *) (uintptr_t) r;
  struct cgw_recorder_stats s;
  struct cgwi_why why;

  if (r == NULL
      || !cgwi_take_struct (&s, sizeof s, stats, CGWI_ARG_STATS, &why))
    return CGW_EINVAL;
  /* Load in this order: drained never exceeds recorded.  */
  s.drained = atomic_load (&reader->drained);
  s.recorded = atomic_load (&reader->recorded);
  s.lost = atomic_load (&reader->lost);
  s.cut = atomic_load (&reader->cut);
  if (s.lost_costs != NULL)
    for (size_t i = 0; i < s.n_costs; i++)
      s.lost_costs[i] = i < r->layout.n_costs
                            ? atomic_load (&lost_costs_of (reader)[i])
                            : 0;
  memcpy (stats, &s, s.size < sizeof s ? s.size : sizeof s);
  return CGW_OK;
}
