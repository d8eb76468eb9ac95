/* guard.h - who is inside a writer: one caller at a time, and nobody waits.

   By default a writer belongs to one thread and the handlers that run in it.
   A handler that interrupts a call runs to its end before the call goes on,
   so a plain flag is enough; the compiler alone must keep the order.  With
   threads the flag is a lock that is only ever tried.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_GUARD_H
#define CGWI_GUARD_H 1

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cgwi_guard
{
  _Atomic uint32_t busy;
  bool threads;
};

/* Whether the caller is inside now; if not, somebody else is.  */
static inline bool
cgwi_guard_enter (struct cgwi_guard *g)
{
  uint32_t free = 0;

  if (g->threads)
    return atomic_compare_exchange_strong (&g->busy, &free, 1);
  if (atomic_load_explicit (&g->busy, memory_order_relaxed) != 0)
    return false;
  /* A handler that comes here finds the guard free, and leaves it so.  */
  atomic_store_explicit (&g->busy, 1, memory_order_relaxed);
  atomic_signal_fence (memory_order_seq_cst);
  return true;
}

/* The caller must look for parked records afterwards: they may have come
   until the very last moment.  */
static inline void
cgwi_guard_leave (struct cgwi_guard *g)
{
  if (g->threads)
    {
      atomic_exchange (&g->busy, 0);
      return;
    }
  atomic_signal_fence (memory_order_seq_cst);
  atomic_store_explicit (&g->busy, 0, memory_order_relaxed);
  atomic_signal_fence (memory_order_seq_cst);
}

#endif
