/* gate.h - enter and leave a writer: one caller at a time, its holder.

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

#include "writer.h"

/* Enter a writer without CGW_THREADS.  False: it has a holder, or it is a
   forked child's copy, or it has CGW_THREADS, for which `held` is always
   true.  */
static inline bool
cgwi_try_enter_alone (struct cgw_writer *w)
{
  if (!cgwi_mark_is_alive (&w->mark)
      || atomic_load_explicit (&w->held, memory_order_relaxed))
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

/* Enter.  False: the writer has a holder or, without CGW_THREADS, is a forked
   child's copy.

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

/* Start without a holder, before the process is marked.  */
static inline void
cgwi_gate_make (struct cgw_writer *w)
{
  atomic_store_explicit (&w->held, w->threads, memory_order_relaxed);
}

/* Enter, and wait for other threads.  CGW_EFORK: the writer is a forked child's
   copy.  CGW_EBUSY: the caller interrupted the holder.  */
enum cgw_status cgwi_wait_to_enter (struct cgw_writer *w);

/* Do so for a call of normal code, and write what was deferred.  Keep why it
   was refused.  */
enum cgw_status cgwi_enter (struct cgw_writer *w, enum cgwi_called called);

/* End such a call with that status: keep why it was refused, and leave.  Return
   the status.  */
enum cgw_status cgwi_end (struct cgw_writer *w, enum cgwi_called called,
                          enum cgw_status status, const struct cgwi_why *why);

#endif
