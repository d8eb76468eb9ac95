/* sampled_library.c - a library to be loaded while its program is sampled.
   FUNCTION is the name of what takes the time.

   SPDX-License-Identifier: MIT  */

#include "sampled_inline.h"

#include <time.h>

static volatile unsigned sink;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

__attribute__ ((noinline, noclone)) static void
FUNCTION (double ms)
{
  for (double end = now () + ms; now () < end;)
    sink = mix (sink);
}

void run (double ms);

void
run (double ms)
{
  FUNCTION (ms);
  sink++;
}
