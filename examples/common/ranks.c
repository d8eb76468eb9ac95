/* ranks.c - the events of profiles of MPI programs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ranks.h"

#include <stdio.h>

const struct cgw_event ranks_own_event
    = { .name = "Time", .long_name = "Time in ns" };

const struct cgw_event *
ranks_events (uint32_t n_ranks)
{
  static char bound[32];
  static const struct cgw_event events[RANKS_EVENTS] = {
    { .name = "Time", .long_name = "Time of all ranks in ns" },
    { .name = "Slow", .long_name = "Time of the slowest rank" },
    { .name = "Fast", .long_name = "Time of the fastest rank" },
    { .name = "Bound",
      .long_name = "Time if all ranks were like the slowest",
      .formula = bound }
  };

  snprintf (bound, sizeof bound, "%" PRIu32 " Slow", n_ranks);
  return events;
}

void
ranks_costs (uint64_t time, bool is_slowest, bool is_fastest,
             uint64_t costs[RANKS_COSTS])
{
  costs[0] = time;
  costs[1] = is_slowest ? time : 0;
  costs[2] = is_fastest ? time : 0;
}
