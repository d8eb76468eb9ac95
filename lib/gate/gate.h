/* gate.h - enter and leave a writer: one caller at a time.

   By default a writer belongs to one thread and the handlers that run in it.
   A handler that interrupts a call runs to its end before the call goes on, so
   a plain flag is enough; the compiler alone must keep the order.  With
   CGW_THREADS the flag is a try-lock.

   A holder that is another thread is left alone: normal code waits for it, for
   ten seconds.  A holder in the calling thread is a call that the caller
   interrupted, or that a longjmp left: nothing runs until the caller returns,
   so cgw_finish may look into the core, and cgw_reset and cgw_free take it
   over.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_GATE_H
#define CGWI_GATE_H 1

#include "writer.h"

/* Enter, unless somebody is inside.

   seq_cst: see cgwi_slots_push; it includes the acquire that makes what the
   last holder did to the core visible.  */
static inline bool
cgwi_try_enter (struct cgw_writer *w)
{
  uintptr_t nobody = 0;

  if (w->threads)
    return atomic_compare_exchange_strong (&w->holder, &nobody, cgwi_self ());
  if (atomic_load_explicit (&w->holder, memory_order_relaxed) != 0)
    return false;
  /* A handler that comes here finds the writer free, and leaves it free.  */
  atomic_store_explicit (&w->holder, 1, memory_order_relaxed);
  cgwi_in_order ();
  return true;
}

/* Leave, without a look at what was deferred meanwhile.  */
static inline void
cgwi_unlock (struct cgw_writer *w)
{
  if (w->threads)
    {
      /* seq_cst: see cgwi_slots_push.  */
      atomic_store (&w->holder, 0);
      return;
    }
  cgwi_in_order ();
  atomic_store_explicit (&w->holder, 0, memory_order_relaxed);
  cgwi_in_order ();
}

/* Whether there is something for a holder to do: records to be written, or a
   queue that is closed, maybe because the file is to be finished.  acquire: the
   queue was made ready before it was published; seq_cst: see
   cgwi_slots_push.  */
static inline bool
cgwi_needs_service (const struct cgw_writer *w)
{
  const struct cgwi_queue *q
      = atomic_load_explicit (&w->queue, memory_order_acquire);

  return (atomic_load (&q->deferred) & (CGWI_HEAD_TOP | CGWI_HEAD_CLOSED))
         != 0;
}

/* Do what cgwi_needs_service found, while nobody else is inside.  A bounded
   number of records: handlers call it, too.  */
void cgwi_serve (struct cgw_writer *w);

/* Leave.  */
static inline void
cgwi_leave (struct cgw_writer *w)
{
  cgwi_unlock (w);
  if (cgwi_needs_service (w))
    cgwi_serve (w);
}

/* Let records with the names that there are now be deferred.  */
static inline void
cgwi_publish_names (struct cgw_writer *w)
{
  atomic_store (&w->n_files, w->core.encoder.files.n);
  atomic_store (&w->n_fns, w->core.encoder.fns.n);
}

/* Enter from normal code.  CGW_EFORK: the writer is a forked child's copy.
   CGW_EBUSY: the call interrupted the holder, or a longjmp left the holder, or
   another thread is inside for more than ten seconds.  CGW_EFINISHED: as
   CGW_EBUSY, but cgw_finish was called since.  */
enum cgw_status cgwi_enter (struct cgw_writer *w);

/* Enter for cgw_reset or cgw_free: take over from a holder that does not run
   any more, in this thread or in the process that forked this one.  CGW_EBUSY:
   another thread is inside.  */
enum cgw_status cgwi_take_over (struct cgw_writer *w);

/* cgw_finish: finish the file; or let the holder do so when it leaves, and
   write what is committed.  */
enum cgw_status cgwi_close (struct cgw_writer *w);

#endif
