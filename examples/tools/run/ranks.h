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
  RANKS_BYTES = 2,     /* events of bytes */
  RANKS_OWN_COSTS = 3, /* events of a rank's own file, at most */
  RANKS_COSTS = 5      /* events of the profile of all ranks, at most, but for
                          the last one, which is derived */
};

/* How many there are, if bytes are counted or not.  */

static inline size_t
ranks_n_own (bool bytes)
{
  return bytes ? RANKS_OWN_COSTS : RANKS_OWN_COSTS - RANKS_BYTES;
}

static inline size_t
ranks_n_costs (bool bytes)
{
  return bytes ? RANKS_COSTS : RANKS_COSTS - RANKS_BYTES;
}

/* The events of a rank's own file.  */
extern const struct cgw_event ranks_own_events[RANKS_OWN_COSTS];

/* The events of the profile of all: one more than it has costs.  Valid until
   the next call.  */
const struct cgw_event *ranks_events (uint32_t n_ranks, bool bytes);

/* Fills in the costs of all ranks from those of one.  */
void ranks_costs (const uint64_t own[RANKS_OWN_COSTS], bool is_slowest,
                  bool is_fastest, uint64_t costs[RANKS_COSTS]);

#endif /* RANKS_H */
