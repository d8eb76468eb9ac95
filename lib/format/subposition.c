/* subposition.c - one subposition of a cost line: absolute, +n, -n, or *.

   SPDX-License-Identifier: MIT  */

#include "subposition.h"

/* The entries of a distance and its opposite.  A sign and one digit are
   shorter than a line number of three digits; a sign and two, than one of
   four.  */
#define ENTRY(sign, t, o)                                                     \
  { { sign, (t) ? '0' + (t) : '0' + (o), (t) ? '0' + (o) : 0 },               \
    (t) ? 3 : 2, CGWI_NEAR + ((t) ? 1000 : 100) }
#define BOTH(t, o)                                                            \
  [CGWI_NEAR - (10 * (t) + (o))] = ENTRY ('-', t, o),                         \
  [CGWI_NEAR + (10 * (t) + (o))] = ENTRY ('+', t, o)
#define NINE(t)                                                               \
  BOTH (t, 1), BOTH (t, 2), BOTH (t, 3), BOTH (t, 4), BOTH (t, 5),            \
  BOTH (t, 6), BOTH (t, 7), BOTH (t, 8), BOTH (t, 9)
#define TEN(t) BOTH (t, 0), NINE (t)

const struct cgwi_near cgwi_near[2 * CGWI_NEAR + 1]
  = { [CGWI_NEAR] = { { '*' }, 1, 0 }, NINE (0),
      TEN (1), TEN (2), TEN (3), TEN (4), TEN (5), TEN (6), TEN (7), TEN (8),
      TEN (9) };

/* Write value relative to base, if that is shorter than absolute_length and
   every reader can read it; else write nothing and return NULL.  */
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

  if (!absolute && (end = cgwi_put_usual_line (p, line, base)) == NULL)
    end = put_relative (p, line, base, cgwi_decimal_length (line));
  return end != NULL ? end : cgwi_put_decimal (p, line);
}

char *
cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute)
{
  char *end = NULL;

  if (!absolute && (end = cgwi_put_usual_instr (p, instr, base)) == NULL)
    end = put_relative (p, instr, base, cgwi_hex_length (instr));
  return end != NULL ? end : cgwi_put_hex (p, instr);
}
