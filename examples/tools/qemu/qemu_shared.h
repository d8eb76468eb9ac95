/* qemu_shared.h - the memory in which the plugin tells cgw-qemu what became of
   the profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef QEMU_SHARED_H
#define QEMU_SHARED_H 1

#include <stdatomic.h>
#include <stdint.h>

/* Ids of processes are below this, in any kernel.  */
#define QEMU_PROCESSES (UINT32_C (1) << 22)

/* How a line of each profile's header begins, which no other tool writes.  */
#define QEMU_MARK "desc: " QEMU_PROCESSOR
#define QEMU_PROCESSOR "Processor under QEMU: "

struct qemu_shared
{
  /* Of the process that the command started: it runs the program; the profile
     was saved, or written at the end.  */
  _Atomic (uint32_t) is_running;
  _Atomic (uint32_t) is_saved;
  _Atomic (uint32_t) is_written;
  _Atomic (uint32_t) is_executing; /* another program */
  _Atomic (uint32_t) limits;  /* of the reader, that it meets */
  /* Of any process: profiles that were written.  */
  _Atomic (uint32_t) n_files;
  /* The one with the most instructions.  Processes that end at once may leave
     another one here.  A process 0 is the one that the command started.  */
  _Atomic (uint32_t) largest;
  _Atomic (uint64_t) most;
  /* The last one that could not be written, and why.  */
  _Atomic (uint32_t) failed;
  _Atomic (int) status;       /* enum cgw_status; CGW_OK: none failed */
  _Atomic (int) error;        /* errno, with CGW_EIO */
  /* Processes that were forked and executed other programs.  */
  _Atomic (uint32_t) n_executed;
  /* A bit for each process that was forked, has executed no other program, and
     has written no profile so far; and how many of these have ended, as another
     process has their id.  */
  _Atomic (uint32_t) missing[QEMU_PROCESSES / 32];
  _Atomic (uint32_t) n_replaced;
};

#endif /* QEMU_SHARED_H */
