/* subposition.c - one subposition of a cost line: absolute, +n, -n, or *.

   SPDX-License-Identifier: MIT  */

#include "subposition.h"
#include "number.h"

/* Writes value relative to base, if that is shorter than its absolute_length
   and every reader can follow; else writes nothing and returns NULL.  */
static char *
put_relative (char *p, uint64_t value, uint64_t base, unsigned absolute_length)
{
  uint64_t distance = value > base ? value - base : base - value;

  if (distance == 0)
    {
      *p = '*';
      return p + 1;
    }
  if (distance > INT32_MAX
      || 1 + cgwi_decimal_length (distance) >= absolute_length)
    return NULL;
  *p = value > base ? '+' : '-';
  return cgwi_put_decimal (p + 1, distance);
}

char *
cgwi_put_line (char *p, uint32_t line, uint32_t base, bool absolute)
{
  char *end = NULL;

  if (!absolute)
    end = put_relative (p, line, base, cgwi_decimal_length (line));
  return end != NULL ? end : cgwi_put_decimal (p, line);
}

char *
cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute)
{
  char *end = NULL;

  if (!absolute)
    end = put_relative (p, instr, base, cgwi_hex_length (instr));
  return end != NULL ? end : cgwi_put_hex (p, instr);
}
