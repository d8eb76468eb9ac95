/* cgin_usual.c - the fast path: reads usual forms of the most frequent lines.

   These are cost lines, calls=, cfn= with a known id, and blank lines, with
   single blanks and numbers of at most 18 digits.  All other lines, and errors,
   are left to the functions that know all forms.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include <string.h>

/* What follows returns the byte behind what it read, or NULL.  The text ends in
   a NUL, which no line may have.  */

static inline const char *
digits (const char *p, uint64_t *value)
{
  const char *start = p;
  uint64_t sum = 0;
  unsigned digit;

  for (; (digit = (unsigned) *p - '0') <= 9; p++)
    sum = sum * 10 + digit;
  *value = sum;
  return (size_t) (p - start) - 1 < 18 ? p : NULL;
}

/* What addresses have behind "0x".  */
static const char *
hex_digits (const char *p, uint64_t *value)
{
  const char *start = p;
  unsigned digit;

  for (*value = 0;; p++)
    {
      if ((digit = (unsigned) *p - '0') > 9)
        {
          if ((digit = (unsigned) *p - 'a') > 5)
            break;
          digit += 10;
        }
      *value = *value << 4 | digit;
    }
  return (size_t) (p - start) - 1 < 16 ? p : NULL;
}

/* One blank behind a number, or none before the end of the line.  */
static inline const char *
blank (const char *p)
{
  if (*p == ' ')
    return p + 1;
  return *p == '\n' ? p : NULL;
}

static const char *
absolute (const char *p, uint64_t limit, uint64_t *value)
{
  p = p[0] == '0' && p[1] == 'x' ? hex_digits (p + 2, value)
                                 : digits (p, value);
  return p && *value <= limit ? blank (p) : NULL;
}

/* *value is the one before.  */
static inline const char *
subposition (const char *p, uint64_t limit, uint64_t *value)
{
  char sign = *p;
  uint64_t difference;

  if (sign == '*')
    return blank (p + 1);
  if (sign > '9')
    return NULL;
  if (sign != '+' && sign != '-')
    return absolute (p, limit, value);
  if (!(p = digits (p + 1, &difference))
      || difference > (sign == '+' ? limit - *value : *value))
    return NULL;
  *value += sign == '+' ? difference : -difference;
  return blank (p);
}

static inline const char *
position (const struct cgin *in, const char *p, uint64_t *instr,
          uint64_t *line)
{
  unsigned positions = in->header.positions;

  *instr = in->pos.instr;
  *line = in->pos.line;
  if (positions & CGW_INSTR && !(p = subposition (p, UINT64_MAX, instr)))
    return NULL;
  if (positions & CGW_LINE)
    p = subposition (p, UINT32_MAX, line);
  return p;
}

/* A cost line, into in->pos, costs and n.  Costs on the source line of a jump
   are another form.  */
static inline const char *
usual_cost_line (struct cgin *in, const char *p, uint64_t *costs, size_t *n)
{
  size_t max = in->pending == CGIN_JUMP ? 0 : in->header.n_listed;
  size_t i = 0;
  uint64_t instr, line;

  if (!(p = position (in, p, &instr, &line)))
    return NULL;
  for (; *p != '\n'; i++)
    if (i == max || !(p = digits (p, &costs[i])) || !(p = blank (p)))
      return NULL;
  in->pos.instr = instr;
  in->pos.line = (uint32_t) line;
  *n = i;
  return p + 1;
}

/* What follows "calls=".  */
static const char *
usual_calls (struct cgin *in, const char *p)
{
  uint64_t count, instr, line;

  if (!(p = digits (p, &count)) || *p != ' '
      || !(p = position (in, p + 1, &instr, &line)) || *p != '\n')
    return NULL;
  in->edge = (struct cgin_edge) {
    .to = { .instr = in->header.positions & CGW_INSTR ? instr : 0,
            .line = in->header.positions & CGW_LINE ? (uint32_t) line : 0 },
    .count = count
  };
  cgin_start_call (in, in->lines.number + 1);
  return p + 1;
}

/* What follows "cfn=(": an id that is known, without a name.  */
static const char *
usual_callee (struct cgin *in, const char *p)
{
  const uint32_t *found;
  uint64_t id;

  if (!(p = digits (p, &id)) || p[0] != ')' || p[1] != '\n'
      || !(found = cgin_fn_of (in, id)))
    return NULL;
  in->callee = *found;
  in->new_callee = true;
  in->pending = CGIN_CALLEE;
  return p + 2;
}

/* A line that is no cost line.  The comparisons stay within the NULs behind
   the text.  */
static const char *
usual_other_line (struct cgin *in, const char *p)
{
  if (*p == '\n')
    return p + 1;
  if (in->pending > CGIN_CALLEE)
    return NULL;
  if (memcmp (p, "cfn=(", 5) == 0)
    return usual_callee (in, p + 5);
  if (memcmp (p, "calls=", 6) == 0 && in->callee != UINT32_MAX)
    return usual_calls (in, p + 6);
  return NULL;
}

bool
cgin_usual_lines (struct cgin *in)
{
  uint64_t costs[CGW_EVENTS_MAX];
  const char *next;
  size_t n;

  if (in->in_header || in->header.has_bb)
    return true;
  for (const char *p = lines_ahead (&in->lines);; p = next)
    if ((next = usual_cost_line (in, p, costs, &n)))
      {
        lines_take (&in->lines, next);
        if (!cgin_end_cost_line (in, costs, n))
          return false;
      }
    else if ((next = usual_other_line (in, p)))
      lines_take (&in->lines, next);
    else
      return true;
}
