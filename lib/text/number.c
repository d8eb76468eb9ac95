/* number.c - uint64_t as decimal and as 0x-hex, at a pointer.

   SPDX-License-Identifier: MIT  */

#include "number.h"

/* One entry of the table: hundreds, tens, ones.  */
#define SMALL(h, t, o)                                                        \
  { { ' ', (h) ? '0' + (h) : (t) ? '0' + (t) : '0' + (o),                     \
      (h) ? '0' + (t) : (t) ? '0' + (o) : 0,                                  \
      (h) ? '0' + (o) : 0,                                                    \
      '0' + (h), '0' + (t), '0' + (o),                                        \
      (h) ? 3 : (t) ? 2 : 1 } }
#define TEN(h, t)                                                             \
  SMALL (h, t, 0), SMALL (h, t, 1), SMALL (h, t, 2), SMALL (h, t, 3),         \
  SMALL (h, t, 4), SMALL (h, t, 5), SMALL (h, t, 6), SMALL (h, t, 7),         \
  SMALL (h, t, 8), SMALL (h, t, 9)
#define HUNDRED(h)                                                            \
  TEN (h, 0), TEN (h, 1), TEN (h, 2), TEN (h, 3), TEN (h, 4),                 \
  TEN (h, 5), TEN (h, 6), TEN (h, 7), TEN (h, 8), TEN (h, 9)

const struct cgwi_small cgwi_small[1000]
  = { HUNDRED (0), HUNDRED (1), HUNDRED (2), HUNDRED (3), HUNDRED (4),
      HUNDRED (5), HUNDRED (6), HUNDRED (7), HUNDRED (8), HUNDRED (9) };

static const uint64_t power_of_ten[20]
  = { 1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
      1000000000u, 10000000000u, 100000000000u, 1000000000000u,
      10000000000000u, 100000000000000u, 1000000000000000u,
      10000000000000000u, 100000000000000000u, 1000000000000000000u,
      10000000000000000000u };

/* How many bits n needs; 1 for 0.  */
static unsigned
bit_length (uint64_t n)
{
  return 64 - (unsigned) __builtin_clzll (n | 1);
}

unsigned
cgwi_decimal_length (uint64_t n)
{
  /* 1233 / 4096 approximates log10 (2): the result is right or one too
     low, and at most 19.  */
  unsigned digits = bit_length (n) * 1233 >> 12;
  return digits + (n >= power_of_ten[digits]) + (n == 0);
}

unsigned
cgwi_hex_length (uint64_t n)
{
  return 2 + (bit_length (n) + 3) / 4;
}

char *
cgwi_put_decimal (char *p, uint64_t n)
{
  char *end = cgwi_put_fast_decimal (p, n);

  if (end != NULL)
    return end;
  p = cgwi_put_decimal (p, n / 1000);
  memcpy (p, cgwi_small[n % 1000].bytes + CGWI_PADDED, 3);
  return p + 3;
}

char *
cgwi_put_hex (char *p, uint64_t n)
{
  char *end = p + cgwi_hex_length (n);
  char *q = end;

  do
    *--q = "0123456789abcdef"[n & 15];
  while ((n >>= 4) != 0);
  p[0] = '0';
  p[1] = 'x';
  return end;
}
