/* writer.h - struct cgw_writer: a core, and the state of its gate.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WRITER_H
#define CGWI_WRITER_H 1

#include "../core/core.h"
#include "../platform.h"
#include "queue.h"

struct cgw_writer
{
  struct cgwi_mark mark;
  bool threads;
  _Atomic bool held;        /* without CGW_THREADS: there is a holder */
  _Atomic uintptr_t holder; /* with: 0, or the holder's cgwi_self */
  /* Never NULL.  A new one is published when it is complete.  */
  struct cgwi_queue *_Atomic queue;
  struct cgwi_core core; /* for the holder alone */

  _Atomic bool salvaged;     /* by cgw_salvage: the next holder concludes */
  _Atomic uint64_t refused;  /* records */
  _Atomic uint64_t losers;   /* the sum of cgwi_loser of the calls that are
                                counting a record as lost outside */
  _Atomic uint32_t n_events; /* for checking a record before it is deferred */

  uint32_t n_slots; /* options.queue_slots, or the default */
  struct cgwi_queue no_queue;
  struct cgwi_memory memory;
};

#endif
