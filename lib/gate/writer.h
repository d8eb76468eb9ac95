/* writer.h - struct cgw_writer: a core, and who may touch it when.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WRITER_H
#define CGWI_WRITER_H 1

#include "../core/core.h"
#include "../platform.h"
#include "queue.h"

struct cgw_writer
{
  /* The try-lock: 0 while nobody is inside; else, with CGW_THREADS, the
     holder's cgwi_self, and without, 1.  */
  _Atomic uintptr_t holder;
  bool threads;
  struct cgwi_mark mark;
  /* Never NULL; the one for the first part is published when it is ready.  */
  struct cgwi_queue *_Atomic queue;
  struct cgwi_core core; /* for the holder alone */

  /* A cgw_finish that could not enter wants the holder to finish the file.  */
  _Atomic bool finish_wanted;
  _Atomic uint64_t refused; /* records */
  /* What a record is checked against before it is deferred.  */
  _Atomic uint32_t n_events;
  _Atomic uint32_t n_files;
  _Atomic uint32_t n_fns;

  uint32_t n_slots; /* of the options */
  struct cgwi_queue no_queue;
  struct cgwi_memory memory;
};

#endif
