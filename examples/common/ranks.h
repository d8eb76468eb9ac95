/* ranks.h - the events and header lines of profiles of MPI programs, for
   cgw-mpi and cgw-merge --ranks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RANKS_H
#define RANKS_H 1

#include <cgw.h>

#include <inttypes.h>
#include <stdbool.h>

/* The descriptions in a rank's own file: its number, how many there are, and
   its nanoseconds outside MPI.  */
#define RANKS_RANK "Rank: %" PRIu32 " of %" PRIu32
#define RANKS_OUTSIDE "Outside MPI: %" PRIu64

enum
{
  RANKS_COSTS = 3, /* events of the profile of all ranks */
  RANKS_EVENTS = 4 /* and a derived one */
};

/* The event of a rank's own file.  */
extern const struct cgw_event ranks_own_event;

/* The events of the profile of all.  Valid until the next call.  */
const struct cgw_event *ranks_events (uint32_t n_ranks);

/* Fills in the costs of a rank for these events.  */
void ranks_costs (uint64_t time, bool is_slowest, bool is_fastest,
                  uint64_t costs[RANKS_COSTS]);

#endif /* RANKS_H */
