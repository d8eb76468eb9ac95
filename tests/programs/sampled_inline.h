/* sampled_inline.h - code that the compiler puts into its callers, from a file
   of its own.

   SPDX-License-Identifier: MIT  */

static inline __attribute__ ((always_inline)) unsigned
mix (unsigned x)
{
  for (unsigned i = 0; i < 20000; i++)
    x = (x ^ i) * 1664525u + 1013904223u;
  return x;
}
