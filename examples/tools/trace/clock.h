/* clock.h - the clocks of the traced threads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_CLOCK_H
#define TRACE_CLOCK_H 1

#include <stdint.h>
#include <time.h>

/* The processor's counter of time, where the kernel itself takes the time from
   it: reading it takes half as long as clock_gettime.  Its ticks become
   nanoseconds at once, so that sums of times stay sums.  */
struct ticks
{
  uint64_t first;
  uint64_t first_ns;
  uint64_t ns;       /* of 2^32 ticks; 0: there is no such counter */
};
extern struct ticks clock_ticks;

/* Finds out whether there is such a counter, and how fast it is; that takes
   some milliseconds.  */
void clock_begin (void);

/* In nanoseconds; 0 when there is no such clock, as that of a thread that is
   gone.  */
static inline uint64_t
clock_now (clockid_t clock)
{
  struct timespec now;

#if defined __x86_64__
  if (clock == CLOCK_MONOTONIC && clock_ticks.ns != 0)
    {
      uint64_t ticks = __builtin_ia32_rdtsc () - clock_ticks.first;

      __extension__ typedef unsigned __int128 product;
      return clock_ticks.first_ns
             + (uint64_t) ((product) ticks * clock_ticks.ns >> 32);
    }
#endif
  if (clock_gettime (clock, &now) != 0)
    return 0;
  return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

#endif /* TRACE_CLOCK_H */
