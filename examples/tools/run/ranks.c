/* ranks.c - the events of profiles of MPI programs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ranks.h"

#include <stdio.h>

static char bound[32];

#define TIMES \
  { .name = "Time", .long_name = "Time of all ranks in ns" }, \
  { .name = "Slow", .long_name = "Time of the slowest rank" }, \
  { .name = "Fast", .long_name = "Time of the fastest rank" }
#define SENT { .name = "Sent", .long_name = "Bytes sent" }
#define RECV { .name = "Recv", .long_name = "Bytes received" }
#define BOUND \
  { .name = "Bound", .long_name = "Time if all ranks were like the slowest", \
    .formula = bound }

const struct cgw_event ranks_own_events[RANKS_OWN_COSTS]
    = { { .name = "Time", .long_name = "Time in ns" }, SENT, RECV };

const struct cgw_event *
ranks_events (uint32_t n_ranks, bool bytes)
{
  /* The derived event comes last, after those of bytes or without them.  */
  static const struct cgw_event events[] = { TIMES, SENT, RECV, BOUND };
  static const struct cgw_event times[] = { TIMES, BOUND };

  snprintf (bound, sizeof bound, "%" PRIu32 " Slow", n_ranks);
  return bytes ? events : times;
}

void
ranks_costs (const uint64_t own[RANKS_OWN_COSTS], bool is_slowest,
             bool is_fastest, uint64_t costs[RANKS_COSTS])
{
  costs[0] = own[0];
  costs[1] = is_slowest ? own[0] : 0;
  costs[2] = is_fastest ? own[0] : 0;
  costs[3] = own[1];
  costs[4] = own[2];
}
