/* sampled_inline.h - code that the compiler puts into its callers, from a file
   of its own.

   SPDX-License-Identifier: MIT  */

/* So long that its callers' own work, reading a clock, is far below a percent:
   under load a kernel may deliver only a sample in 40 ms.  */
static inline __attribute__ ((always_inline)) unsigned
mix (unsigned x)
{
  for (unsigned i = 0; i < 200000; i++)
    x = (x ^ i) * 1664525u + 1013904223u;
  return x;
}
