/* subposition.h - one subposition of a cost line: absolute, +n, -n, or *.

   A relative subposition counts from that of the last cost line of any kind:
   the lines after calls=, jump= and jcnd= move the base, targets do not.  It
   is decimal, because callgrind_annotate and gprof2dot lose a relative 0x, and
   below 2^31, because KCachegrind takes the difference into an int.  It is
   written where it is shorter than the absolute one.

   All functions write at p and return the end.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBPOSITION_H
#define CGWI_SUBPOSITION_H 1

#include "number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the longest subposition: a sign or "0x" is never on top of 20
   digits.  */
#define CGWI_SUBPOSITION_MAX 20

/* A line: decimal, because hex lines break callgrind_annotate.  */
char *cgwi_put_line (char *p, uint32_t line, uint32_t base, bool absolute);

/* An address: 0x and lowercase hex when absolute.  */
char *cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute);

/* The texts of -CGWI_NEAR to +CGWI_NEAR, ready to copy as four bytes: almost
   all subpositions of a real profile are that near to the last.  */
#define CGWI_NEAR 99
struct cgwi_near
{
  char text[3];
  unsigned char length;
  uint32_t least; /* for lines: see cgwi_put_usual_line */
};

extern const struct cgwi_near cgwi_near[2 * CGWI_NEAR + 1];

/* Write what the functions above write, where that is near or a line below
   10000; else they write nothing and return NULL.  The value and CGWI_NEAR are
   added because a distance over the end of the numbers is not near: that sum
   wraps, too.  */

static inline char *
cgwi_put_usual_line (char *p, uint32_t line, uint32_t base)
{
  uint32_t i = line - base + CGWI_NEAR;

  if (__builtin_expect (i <= 2 * CGWI_NEAR
                            && line + CGWI_NEAR >= cgwi_near[i].least, 1))
    {
      memcpy (p, &cgwi_near[i], 4);
      return p + cgwi_near[i].length;
    }
  /* A sign and three digits are not shorter than four.  */
  return line < 10000 ? cgwi_put_usual_decimal (p, line) : NULL;
}

/* Three bytes are shorter than 0x63.  */
static inline char *
cgwi_put_usual_instr (char *p, uint64_t instr, uint64_t base)
{
  uint64_t i = instr - base + CGWI_NEAR;

  if (i > 2 * CGWI_NEAR || instr + CGWI_NEAR < 2 * CGWI_NEAR)
    return NULL;
  memcpy (p, &cgwi_near[i], 4);
  return p + cgwi_near[i].length;
}

#endif
