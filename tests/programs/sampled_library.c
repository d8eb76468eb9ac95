/* sampled_library.c - a library to be loaded while its program is sampled.
   FUNCTION is the name of what takes the time.

   SPDX-License-Identifier: MIT  */

#include "sampled_inline.h"

static volatile unsigned sink;

__attribute__ ((noinline, noclone)) static void
FUNCTION (double ms)
{
  FOR_MS (ms)
    sink = mix (sink);
}

void run (double ms);

void
run (double ms)
{
  FUNCTION (ms);
  sink++;
}
