/* subposition.h - one subposition of a cost line: absolute, +n, -n, or *.

   The base of a relative subposition is that of the last cost line of any
   kind: the lines below calls=, jump= and jcnd= move it, targets do not.  A
   relative one is decimal, because callgrind_annotate and gprof2dot ignore a
   relative 0x; below 2^31, because KCachegrind reads the difference into an
   int; and shorter than the absolute one.

   The put functions write at p and return the end.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBPOSITION_H
#define CGWI_SUBPOSITION_H 1

#include "../text/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the longest subposition: one with a sign or "0x" has fewer than 20
   digits.  */
#define CGWI_SUBPOSITION_MAX 20

/* Write a line number, in decimal, because hex ones break
   callgrind_annotate. */
char *cgwi_put_line (char *p, uint32_t line, uint32_t base, bool absolute);

/* Write an address; an absolute one as 0x and lowercase hex.  */
char *cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute);

/* The texts of -CGWI_NEAR to +CGWI_NEAR, ready to copy as four bytes: almost
   all subpositions in real profiles are that near the previous one.  */
#define CGWI_NEAR 99
struct cgwi_near
{
  char text[3];
  unsigned char length;
  uint32_t least; /* for lines: see cgwi_put_fast_line */
};

extern const struct cgwi_near cgwi_near[2 * CGWI_NEAR + 1];

/* As the functions above, for a near subposition or a line below 10000; else
   write nothing and return NULL.  A distance across 2^32 or 2^64 is not near:
   adding CGWI_NEAR to the value detects it, because that sum wraps, too.  */

static inline char *
cgwi_put_fast_line (char *p, uint32_t line, uint32_t base)
{
  uint32_t i = line - base + CGWI_NEAR;

  if (__builtin_expect (i <= 2 * CGWI_NEAR
                            && line + CGWI_NEAR >= cgwi_near[i].least, 1))
    {
      memcpy (p, &cgwi_near[i], 4);
      return p + cgwi_near[i].length;
    }
  /* A sign and three digits are not shorter than four digits.  */
  return line < 10000 ? cgwi_put_fast_decimal (p, line) : NULL;
}

/* At most three bytes: shorter than 0x63.  */
static inline char *
cgwi_put_fast_instr (char *p, uint64_t instr, uint64_t base)
{
  uint64_t i = instr - base + CGWI_NEAR;

  if (i > 2 * CGWI_NEAR || instr + CGWI_NEAR < 2 * CGWI_NEAR)
    return NULL;
  memcpy (p, &cgwi_near[i], 4);
  return p + cgwi_near[i].length;
}

#endif
