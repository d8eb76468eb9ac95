/* agent.h - shared declarations of the agent, the part of cgw-mpi that is
   preloaded into the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MPI_AGENT_H
#define MPI_AGENT_H 1

#include "rank.h"

#include <cgw.h>
#include <stdint.h>

/* After MPI_Init: begins the profile of this rank.  NULL: there is no memory
   for it, or another process has it.  */
struct rank_memory *agent_begin (uint32_t rank, uint32_t size,
                                 uint64_t library, const void *site);

/* Sends a request to the watcher, waits until it is done, and returns the
   answer.  CGW_EIO: the watcher has ended.  */
enum cgw_status agent_ask (struct rank_memory *memory,
                           enum rank_request request);

/* Before MPI_Abort, which may kill the whole job at once: has the watcher write
   this rank's profile.  */
void agent_abort (void);

#ifdef HAVE_SAMPLE
/* samples.c: takes samples at the memory's intervals.  */
void samples_begin (struct rank_memory *memory);

/* At MPI_Finalize; threads keep their clocks.  */
void samples_stop (void);

/* In a forked child, which is not sampled.  */
void samples_forget (void);
#endif

#endif /* MPI_AGENT_H */
