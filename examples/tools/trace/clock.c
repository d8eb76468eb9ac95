/* clock.c - how fast the processor's counter of time is.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct ticks clock_ticks;

#if defined __x86_64__
/* The kernel knows whether the counter is steady, and the same on all
   processors.  */
static bool
kernel_trusts_counter (void)
{
  static const char path[]
      = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  char name[8] = "";
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, name, sizeof name) : -1;

  if (fd >= 0)
    close (fd);
  return n == 4 && memcmp (name, "tsc\n", 4) == 0;
}

struct reading
{
  uint64_t ticks, ns;
};

/* Both clocks at one time: the closest of several readings.  */
static struct reading
read_both (void)
{
  struct reading best = { 0, 0 };
  uint64_t least = UINT64_MAX;

  for (int i = 0; i < 20; i++)
    {
      uint64_t before = __builtin_ia32_rdtsc ();
      uint64_t ns = clock_now (CLOCK_MONOTONIC);
      uint64_t time = __builtin_ia32_rdtsc () - before;

      if (time >= least)
        continue;
      least = time;
      best = (struct reading){ before + time / 2, ns };
    }
  return best;
}

void
clock_begin (void)
{
  enum { LONG_ENOUGH = 2000000 };
  struct reading first, last;

  if (!kernel_trusts_counter ())
    return;
  first = read_both ();
  do
    last = read_both ();
  while (last.ns - first.ns < LONG_ENOUGH);
  clock_ticks.first = first.ticks;
  clock_ticks.first_ns = first.ns;
  clock_ticks.ns = (uint64_t) ((double) (last.ns - first.ns) * 4294967296.0
                               / (double) (last.ticks - first.ticks));
}
#else
void
clock_begin (void)
{
}
#endif
