/* inlined.cc - inlined functions: inside each other, in a recursion, and one
   that is also called.  A third of the ticks (see tick.h) is in the recursion, a
   third in hidden, and a third in copied, each through spin.  With an argument,
   all are in the recursion.
   SPDX-License-Identifier: MIT  */

#include "inlined.h"

enum { LEVELS = 4, PART = 10 };

static volatile unsigned sum;

namespace
{
__attribute__ ((always_inline)) inline unsigned
hidden (unsigned n)
{
  return spin (n) + 1;
}
}

/* With one argument only, so that gcc makes a copy for it.  */
static __attribute__ ((noinline)) unsigned
copied (unsigned n)
{
  return spin (n) + 1;
}

__attribute__ ((noinline)) unsigned
recurse (unsigned depth)
{
  if (depth != 0)
    {
      sum += descend (depth);
      sum += spin (PART);
    }
  return sum;
}

__attribute__ ((noinline)) unsigned
between (unsigned depth)
{
  sum += recurse (depth);
  return sum;
}

static unsigned (*volatile also_called) (unsigned) = hidden;

int
main (int argc, char **)
{
  sum += recurse (LEVELS);
  if (argc == 1)
    {
      sum += hidden (LEVELS / 2 * PART); /* inlined */
      sum += also_called (LEVELS / 2 * PART);
      sum += copied (LEVELS * PART);
    }
  return 0;
}
