/* subposition.h - one subposition of a cost line: absolute, +n, -n, or *.

   A relative subposition counts from that of the last cost line of any kind:
   the lines after calls=, jump= and jcnd= move the base, targets do not.  It
   is decimal, because callgrind_annotate and gprof2dot lose a relative 0x, and
   below 2^31, because KCachegrind takes the difference into an int.

   Both functions write at p and return the end.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUBPOSITION_H
#define CGWI_SUBPOSITION_H 1

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the longest subposition: a sign or "0x" is never on top of 20
   digits.  */
#define CGWI_SUBPOSITION_MAX 20

/* A line: decimal, because hex lines break callgrind_annotate.  */
char *cgwi_put_line (char *p, uint32_t line, uint32_t base, bool absolute);

/* An address: 0x and lowercase hex when absolute.  */
char *cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute);

#endif
