/* gate.h - struct cgw_writer: a core, and the gate to it.  One caller at a time
   enters, its holder.

   By default a writer belongs to one thread and the handlers that run in it.
   A handler runs to its end before the call that it interrupted continues, so
   a plain flag is enough, with compiler barriers.  With CGW_THREADS the flag is
   a try-lock.

   If the holder is another thread, normal code waits for it, and with CGW_WAIT
   records do.  If the holder is in the calling thread, it is a call that the
   caller interrupted: nobody waits for it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_GATE_H
#define CGWI_GATE_H 1

#include "../core/record.h"
#include "../platform.h"
#include "../slots.h"

/* The queue of deferred records: bounded, lock-free, MPSC.  Producers may run in
   signal handlers.  */

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

/* The writer.  */

struct cgw_writer
{
  struct cgwi_mark mark;
  bool threads;
  _Atomic bool held;        /* without CGW_THREADS: there is a holder */
  _Atomic uintptr_t holder; /* with: 0, or the holder's cgwi_self */
  /* Never NULL.  A new one is published when it is complete.  */
  struct cgwi_queue *_Atomic queue;
  struct cgwi_core core; /* for the holder alone */

  _Atomic bool salvaged;     /* by cgw_salvage */
  _Atomic uint64_t refused;  /* records */
  _Atomic uint64_t losers;   /* the sum of cgwi_loser of the calls that are
                                counting a record as lost outside */

  uint32_t n_slots; /* options.queue_slots, or the default */
  struct cgwi_queue no_queue;
  struct cgwi_memory memory;
};

/* Whether records may enter.  Cheap.  */
static inline bool
cgwi_takes_records (const struct cgw_writer *w)
{
  return atomic_load_explicit (&w->mark.page->takes_records,
                               memory_order_relaxed);
}

/* Enter a writer without CGW_THREADS.  False: it has a holder, or it has
   CGW_THREADS, for which `held` is always true.  */
static inline bool
cgwi_try_enter_alone (struct cgw_writer *w)
{
  if (atomic_load_explicit (&w->held, memory_order_relaxed))
    return false;
  /* A handler that interrupts here finds the writer free, and leaves it
     free.  */
  atomic_store_explicit (&w->held, true, memory_order_relaxed);
  cgwi_in_order ();
  return true;
}

static inline void
cgwi_unlock_alone (struct cgw_writer *w)
{
  cgwi_in_order ();
  atomic_store_explicit (&w->held, false, memory_order_relaxed);
  cgwi_in_order ();
}

/* Enter.  False: the writer has a holder.

   Success acquires what the last holder did to the core.  seq_cst matters for
   failure: see cgwi_slots_push.  */
static inline bool
cgwi_try_enter (struct cgw_writer *w)
{
  uintptr_t nobody = 0;

  return w->threads ? atomic_compare_exchange_strong (&w->holder, &nobody,
                                                      cgwi_self ())
                    : cgwi_try_enter_alone (w);
}

/* Leave, without writing what was deferred meanwhile.  */
static inline void
cgwi_unlock (struct cgw_writer *w)
{
  if (w->threads)
    /* Release the core.  seq_cst: see cgwi_slots_push.  */
    atomic_store (&w->holder, 0);
  else
    cgwi_unlock_alone (w);
}

/* Whether a holder may have something to do: deferred records to write, or a
   closed queue, maybe because cgw_salvage ended the file.  acquire: the queue
   was prepared before it was published.  seq_cst: see cgwi_slots_push.  */
static inline bool
cgwi_needs_service (const struct cgw_writer *w)
{
  const struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);

  return (atomic_load (&q->deferred) & (CGWI_HEAD_TOP | CGWI_HEAD_CLOSED))
         != 0;
}

static inline bool
cgwi_has_deferred (const struct cgw_writer *w)
{
  const struct cgwi_queue *q = atomic_load (&w->queue);

  return (atomic_load (&q->deferred) & CGWI_HEAD_TOP) != 0;
}

/* Write the deferred records, inside.  Close the queue for that reason (or
   open it), unless it is CGWI_KEEP_CLOSED.  Return how many slots were
   taken.  */
uint32_t cgwi_write_deferred (struct cgw_writer *w, unsigned closed);

/* Do what cgwi_needs_service found, unless there is another holder.  Write a
   bounded number of records, because handlers call this, too.  Return CGW_OK:
   cgw_cost ends with this call, and so needs no stack frame.  */
enum cgw_status cgwi_serve (struct cgw_writer *w);

/* Leave, and write what was deferred meanwhile.  */
static inline void
cgwi_leave (struct cgw_writer *w)
{
  cgwi_unlock (w);
  if (cgwi_needs_service (w))
    cgwi_serve (w);
}

/* Whether there is a holder.  */
static inline bool
cgwi_is_held (const struct cgw_writer *w)
{
  return w->threads
             ? atomic_load_explicit (&w->holder, memory_order_relaxed) != 0
             : atomic_load_explicit (&w->held, memory_order_relaxed);
}

/* Enter, and wait for other threads.  CGW_EFORK: the writer is a forked child's
   copy.  CGW_EBUSY: the caller interrupted the holder.  */
enum cgw_status cgwi_wait_to_enter (struct cgw_writer *w);

/* Do so for a call of normal code, and write what was deferred.  Keep why it
   was refused.  */
enum cgw_status cgwi_enter (struct cgw_writer *w, enum cgwi_called called);

/* A thread among w->losers: 1, and above it a hash, so that a sum tells whether
   it is of this thread alone.  */
#define CGWI_LOSER_BITS 20
uint64_t cgwi_loser (void);

/* Wait for the records that are being counted as lost, when the queue is closed
   for good.  False: the caller interrupted the calls that do that.  */
bool cgwi_wait_for_losers (struct cgw_writer *w);

/* End such a call with that status: keep why it was refused, and leave.  Return
   the status.  */
enum cgw_status cgwi_end (struct cgw_writer *w, enum cgwi_called called,
                          enum cgw_status status, const struct cgwi_why *why);

#endif
