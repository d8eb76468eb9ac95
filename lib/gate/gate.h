/* gate.h - enter and leave a writer: one caller at a time.

   By default a writer belongs to one thread and the handlers that run in it.
   A handler runs to its end before the call that it interrupted continues, so
   a plain flag is enough, with compiler barriers.  With CGW_THREADS the flag is
   a try-lock.

   If the holder is another thread, normal code waits for it, at most ten
   seconds, and never takes the writer from it.  With CGW_WAIT, records wait,
   too, and all wait without limit.

   If the holder is in the calling thread, it is a call that the caller
   interrupted, or that was left by a longjmp.  It does not run until the caller
   returns, so cgw_finish may read the core, and cgw_reset and cgw_free may take
   it over.

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
   closed queue, maybe because the file is to be finished.  acquire: the queue
   was prepared before it was published.  seq_cst: see
   cgwi_slots_push.  */
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

/* Let records with the names added so far be deferred.  */
static inline void
cgwi_publish_names (struct cgw_writer *w)
{
  atomic_store (&w->n_files, w->core.encoder.files.n);
  atomic_store (&w->n_fns, w->core.encoder.fns.n);
}

/* Start without a holder, before the process is marked.  */
static inline void
cgwi_gate_make (struct cgw_writer *w)
{
  atomic_store_explicit (&w->held, w->threads, memory_order_relaxed);
}

/* Enter, and wait for other threads: at most ten seconds, or with CGW_WAIT as
   long as it takes.  CGW_EFORK, CGW_EBUSY.  */
enum cgw_status cgwi_wait_to_enter (struct cgw_writer *w);

/* Enter from normal code, and write what was deferred.  CGW_EFORK: the writer
   is a forked child's copy.  CGW_EBUSY: the caller interrupted the holder, or
   a longjmp left the holder, or another thread stayed inside for ten seconds.
   CGW_EFINISHED: as CGW_EBUSY, but cgw_finish has ended the writer.  */
enum cgw_status cgwi_enter (struct cgw_writer *w);

/* Enter for cgw_reset, cgw_recreate or cgw_free: take over from a holder that
   no longer runs, in this thread or in the parent process.  CGW_EBUSY: another
   thread stayed inside for ten seconds.  */
enum cgw_status cgwi_take_over (struct cgw_writer *w);

/* The same for a call that may yet fail: *entered is false if there was a
   holder.  Then do not leave, and that holder still has the writer.  */
enum cgw_status cgwi_try_take_over (struct cgw_writer *w, bool *entered);

/* Explain why a call from normal code, which is not inside, is refused.  Return
   the status.  */
enum cgw_status cgwi_explain_call (struct cgw_writer *w,
                                   enum cgw_status status,
                                   const struct cgwi_sentence *why);

/* Finish the file.  If the holder is in this thread, write what is committed,
   let the holder finish the file when it leaves, and return CGW_EBUSY.  */
enum cgw_status cgwi_close (struct cgw_writer *w);

#endif
