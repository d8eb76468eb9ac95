/* inlined.h - what is inlined into the functions of inlined.cc.
   SPDX-License-Identifier: MIT  */

#define INLINED static inline __attribute__ ((always_inline))

unsigned between (unsigned depth);

INLINED unsigned
spin (unsigned n)
{
  volatile unsigned x = n;

  for (unsigned i = 0; i < n; i++)
    x = x * 3 + (x >> 5);
  return x;
}

INLINED unsigned
descend (unsigned depth)
{
  return between (depth - 1);
}
