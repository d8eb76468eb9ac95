/* cgin_number.c - numbers and subpositions of a callgrind file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

static bool
too_large (struct cgin *in, const char *text)
{
  return cgin_fail_at (in, "number larger than 64 bits", text);
}

static bool
hex_number (struct cgin *in, const char **p, uint64_t *value)
{
  const char *start = *p;
  unsigned digit;

  *p += 2;
  *value = 0;
  if (digit_value (**p) > 15)
    return cgin_fail_at (in, "bad number", start);
  for (; (digit = digit_value (**p)) < 16; ++*p)
    {
      if (*value >> 60)
        return too_large (in, start);
      *value = *value << 4 | digit;
    }
  return true;
}

bool
cgin_number (struct cgin *in, const char **p, uint64_t *value)
{
  const char *s = *p;
  uint64_t sum = 0;
  unsigned digit;

  if (s[0] == '0' && s[1] == 'x')
    return hex_number (in, p, value);
  for (; (digit = (unsigned) *s - '0') <= 9; s++)
    {
      if (sum >= UINT64_MAX / 10
          && (sum > UINT64_MAX / 10 || digit > UINT64_MAX % 10))
        return too_large (in, *p);
      sum = sum * 10 + digit;
    }
  if (s == *p)
    return cgin_fail_at (
      in, *s == '-' ? "negative number" : "expected a number", s);
  *p = s;
  *value = sum;
  return true;
}

/* What follows a number: blanks, or the end of the line.  */
static bool
number_ends (struct cgin *in, const char **p)
{
  const char *s = *p;

  if (*s != '\0' && *s != ' ' && *s != '\t')
    return cgin_fail_at (in, "bad number at", s);
  *p = cgin_skip_blanks (s);
  return true;
}

bool
cgin_last_number (struct cgin *in, const char *p, uint64_t *value)
{
  p = cgin_skip_blanks (p);
  if (!cgin_number (in, &p, value) || !number_ends (in, &p))
    return false;
  return *p == '\0' || cgin_fail_at (in, "more than one number", p);
}

/* A cost.  cg_merge and cg_annotate use "." for 0.  cg_diff writes costs below
   0, which no reader of callgrind's format takes.  */
static bool
one_cost (struct cgin *in, const char **p, uint64_t *value)
{
  if ((*p)[0] == '-')
    return cgin_fail_at (in, "negative cost (of cg_diff?  compare its inputs by "
                             "cgw-merge --diff instead)", *p);
  if ((*p)[0] != '.')
    return cgin_number (in, p, value) && number_ends (in, p);
  ++*p;
  *value = 0;
  return number_ends (in, p);
}

bool
cgin_numbers (struct cgin *in, const char *p, uint64_t *values, size_t max,
              size_t *n)
{
  for (*n = 0; *p != '\0'; ++*n)
    {
      if (*n == max)
        return cgin_fail_at (in, "more costs than events", p);
      if (!one_cost (in, &p, &values[*n]))
        return false;
    }
  return true;
}

/* Reads one subposition into *value.  *in_range: it lies in 0 .. limit.  One
   below 0 is 0, one above limit is above it.  */
static bool
subposition (struct cgin *in, const char **p, uint64_t base, uint64_t limit,
             uint64_t *value, bool *in_range)
{
  char sign = **p;

  if (sign == '*')
    {
      ++*p;
      *value = base;
      *in_range = true;
      return number_ends (in, p);
    }
  if (sign == '+' || sign == '-')
    ++*p;
  if (!cgin_number (in, p, value) || !number_ends (in, p))
    return false;
  if (sign == '+')
    {
      *in_range = base <= limit && *value <= limit - base;
      *value = *in_range ? base + *value : UINT64_MAX;
    }
  else if (sign == '-')
    {
      *in_range = *value <= base;
      *value = *in_range ? base - *value : 0;
    }
  else
    *in_range = *value <= limit;
  return true;
}

/* Steps over the address of a basic block, which the library does not
   keep.  */
static bool
skip_bb (struct cgin *in, const char **p)
{
  uint64_t value;
  bool in_range;

  return !in->header.has_bb
         || subposition (in, p, 0, UINT64_MAX, &value, &in_range);
}

bool
cgin_position (struct cgin *in, const char **p, const struct cgw_pos *base,
               struct cgw_pos *pos)
{
  unsigned positions = in->header.positions;
  const char *start = *p;
  bool in_range = true;
  uint64_t value;

  if (positions & CGW_INSTR)
    {
      if (!subposition (in, p, base->instr, UINT64_MAX, &pos->instr,
                        &in_range))
        return false;
      if (!in_range)
        return cgin_fail_at (in, "address out of range", start);
    }
  if (!skip_bb (in, p))
    return false;
  if (positions & CGW_LINE)
    {
      if (!subposition (in, p, base->line, UINT32_MAX, &value, &in_range))
        return false;
      if (!in_range && value != 0)
        return cgin_fail_at (in, "line number out of range", start);
      /* callgrind counts on from the wrong line behind a call that has not
         returned yet (calls=0).  As KCachegrind does: the unknown line.  */
      if (!in_range)
        cgin_warn (in, "line number below 0: taken for 0, unknown");
      pos->line = (uint32_t) value;
    }
  return true;
}

bool
cgin_target (struct cgin *in, const char *p, const struct cgw_pos *base,
             struct cgw_pos *pos)
{
  unsigned positions = in->header.positions;
  bool in_range = false;
  uint64_t value;

  pos->instr = 0;
  pos->line = 0;
  if (*p != '\0' && positions & CGW_INSTR)
    {
      if (!subposition (in, &p, base->instr, UINT64_MAX, &value, &in_range))
        return false;
      pos->instr = in_range ? value : 0;
    }
  if (*p != '\0' && !skip_bb (in, &p))
    return false;
  if (*p != '\0' && positions & CGW_LINE)
    {
      if (!subposition (in, &p, base->line, UINT32_MAX, &value, &in_range))
        return false;
      pos->line = in_range ? (uint32_t) value : 0;
    }
  /* xdebug writes a second 0 where there is one subposition.  */
  while (*p != '\0')
    if (!subposition (in, &p, 0, UINT64_MAX, &value, &in_range))
      return false;
  return true;
}
