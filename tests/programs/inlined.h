/* inlined.h - what is inlined into the functions of inlined.cc.
   SPDX-License-Identifier: MIT  */

#include "tick.h"

#define INLINED static inline __attribute__ ((always_inline))

unsigned between (unsigned depth);

INLINED unsigned
spin (unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    tick ();
  return n;
}

INLINED unsigned
descend (unsigned depth)
{
  return between (depth - 1);
}
