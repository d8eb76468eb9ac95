/* subposition.c - one subposition of a cost line: absolute, +n, -n, or *.

   SPDX-License-Identifier: MIT  */

#include "subposition.h"

/* The entry of a distance.  A sign and one digit are shorter than a line number
   of three digits; a sign and two, than one of four.  */
#define ENTRY(sign, t, o)                                                     \
  { { sign, (t) ? '0' + (t) : '0' + (o), (t) ? '0' + (o) : 0 },               \
    (t) ? 3 : 2, CGWI_NEAR + ((t) ? 1000 : 100) }
#define NINE_DOWN(t)                                                          \
  ENTRY ('-', t, 9), ENTRY ('-', t, 8), ENTRY ('-', t, 7),                    \
  ENTRY ('-', t, 6), ENTRY ('-', t, 5), ENTRY ('-', t, 4),                    \
  ENTRY ('-', t, 3), ENTRY ('-', t, 2), ENTRY ('-', t, 1)
#define TEN_DOWN(t) NINE_DOWN (t), ENTRY ('-', t, 0)
#define NINE_UP(t)                                                            \
  ENTRY ('+', t, 1), ENTRY ('+', t, 2), ENTRY ('+', t, 3),                    \
  ENTRY ('+', t, 4), ENTRY ('+', t, 5), ENTRY ('+', t, 6),                    \
  ENTRY ('+', t, 7), ENTRY ('+', t, 8), ENTRY ('+', t, 9)
#define TEN_UP(t) ENTRY ('+', t, 0), NINE_UP (t)

const struct cgwi_near cgwi_near[2 * CGWI_NEAR + 1]
  = { TEN_DOWN (9), TEN_DOWN (8), TEN_DOWN (7), TEN_DOWN (6), TEN_DOWN (5),
      TEN_DOWN (4), TEN_DOWN (3), TEN_DOWN (2), TEN_DOWN (1), NINE_DOWN (0),
      { { '*' }, 1, 0 },
      NINE_UP (0), TEN_UP (1), TEN_UP (2), TEN_UP (3), TEN_UP (4),
      TEN_UP (5), TEN_UP (6), TEN_UP (7), TEN_UP (8), TEN_UP (9) };

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

  if (!absolute && (end = cgwi_put_fast_line (p, line, base)) == NULL)
    end = put_relative (p, line, base, cgwi_decimal_length (line));
  return end != NULL ? end : cgwi_put_decimal (p, line);
}

char *
cgwi_put_instr (char *p, uint64_t instr, uint64_t base, bool absolute)
{
  char *end = NULL;

  if (!absolute && (end = cgwi_put_fast_instr (p, instr, base)) == NULL)
    end = put_relative (p, instr, base, cgwi_hex_length (instr));
  return end != NULL ? end : cgwi_put_hex (p, instr);
}
