/* sampled_inline.h - the work of programs that are sampled: code that the
   compiler puts into its callers, from a file of its own.  With TICKS, a
   millisecond of processor time is a tick instead: see tick.h.

   SPDX-License-Identifier: MIT  */

#ifdef TICKS

# include "tick.h"

# define FOR_MS(ms) for (int i = 0; i < (ms); i++)

static inline __attribute__ ((always_inline)) unsigned
mix (unsigned x)
{
  tick ();
  return x + 1;
}

#else

# include <time.h>

# define FOR_MS(ms) for (double end = now () + (ms); now () < end;)

/* This thread's processor time in milliseconds: shares of it are the same on
   every machine.  */
static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

/* So long that its callers' own work, reading a clock, is far below a percent:
   under load a kernel may deliver only a sample in 40 ms.  */
static inline __attribute__ ((always_inline)) unsigned
mix (unsigned x)
{
  for (unsigned i = 0; i < 200000; i++)
    x = (x ^ i) * 1664525u + 1013904223u;
  return x;
}

#endif
