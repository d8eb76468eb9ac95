/* check_records.c - checks lines of costs, calls and jumps.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/infile.h"

#include <string.h>

/* Beyond this, numbers in floating point are rounded.  */
#define EXACT (UINT64_C (1) << 53)

/* Numbers.  */

/* A number of a line, and how it is spelled.  */
struct number
{
  uint64_t value;
  bool valid;
  bool too_large; /* for 64 bits */
  bool hex;
};

/* Reads a number at *p, which is stepped over it.  */
static struct number
read_number (struct check *c, const char **p)
{
  struct number n = { 0 };
  unsigned radix = 10, d;
  const char *start;

  if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
    {
      if ((*p)[1] == 'X')
        report (c, RULE_HEX_PREFIX);
      radix = 16;
      n.hex = true;
      *p += 2;
    }
  start = *p;
  for (; (d = digit_value (**p)) < radix; ++*p)
    {
      if (n.hex && **p < 'a' && d > 9)
        report (c, RULE_HEX_UPPER);
      n.too_large |= n.value > (UINT64_MAX - d) / radix;
      n.value = n.value * radix + d;
    }
  n.valid = *p > start;
  if (!n.hex && *start == '0' && *p > start + 1)
    report (c, RULE_LEADING_ZERO);
  return n;
}

static bool
ends (char c)
{
  return c == '\0' || c == ' ' || c == '\t';
}

/* Steps over blanks behind a number.  */
static const char *
next_number (struct check *c, const char *p)
{
  const char *next = skip_blanks (p);

  if (memchr (p, '\t', (size_t) (next - p)) && *next)
    report (c, RULE_TAB);
  return next;
}

/* Positions.  */

static void
check_line_number (struct check *c, char sign, const struct number *n)
{
  uint64_t *base = &c->records.base[LINE];

  if (n->hex)
    report (c, sign ? RULE_HEX_RELATIVE : RULE_HEX_LINE);
  if (sign == '-' && n->value > *base)
    report (c, RULE_LINE_NEGATIVE);
  if (sign == '-')
    *base = n->value > *base ? 0 : *base - n->value;
  else
    *base = sign ? *base + n->value : n->value;
  if (*base > UINT32_MAX || n->too_large)
    report (c, RULE_LINE_TOO_LARGE);
}

static void
check_address (struct check *c, enum subposition which, char sign,
               const struct number *n)
{
  uint64_t *base = &c->records.base[which];

  if (sign && n->hex)
    report (c, RULE_HEX_RELATIVE);
  if (sign && n->value >= UINT64_C (1) << 31)
    report (c, RULE_ADDRESS_DELTA);
  *base = sign == '-' ? *base - n->value
                      : sign ? *base + n->value : n->value;
}

/* Reads a subposition at *p; returns false if it is none.  */
static bool
check_subposition (struct check *c, const char **p, enum subposition which,
                   bool *relative)
{
  struct number n;
  char sign = **p;

  *relative = sign == '*' || sign == '+' || sign == '-';
  if (sign == '*')
    {
      ++*p;
      return ends (**p);
    }
  if (*relative)
    ++*p;
  n = read_number (c, p);
  if (!n.valid)
    return false;
  if ((**p == '-' || **p == '+') && digit_value ((*p)[1]) < 10)
    {
      report (c, RULE_RANGE);
      *p += 1 + strspn (*p + 1, "0123456789");
    }
  if (which == LINE)
    check_line_number (c, *relative ? sign : '\0', &n);
  else
    check_address (c, which, *relative ? sign : '\0', &n);
  return ends (**p);
}

static void
check_relative (struct check *c, bool relative)
{
  uint64_t last = c->records.position_line;

  if (relative && last <= c->header.part_line)
    report (c, c->header.part > 0 ? RULE_RELATIVE_FIRST_IN_PART
                                  : RULE_RELATIVE_FIRST);
  else if (relative && last <= c->names.fn_line)
    report (c, RULE_RELATIVE_AFTER_FN);
  c->records.position_line = c->line;
}

/* Steps over the subpositions of a cost line; NULL if there is something
   else.  */
static const char *
check_position (struct check *c, const char *p)
{
  bool any_relative = false, relative;

  for (unsigned i = 0; i < c->header.n_positions && *p; i++)
    {
      if (!check_subposition (c, &p, c->header.positions[i], &relative))
        return NULL;
      any_relative |= relative;
      p = next_number (c, p);
    }
  check_relative (c, any_relative);
  return p;
}

/* Costs.  */

static uint64_t
check_cost (struct check *c, const char **p)
{
  struct number n;
  const char *start = *p;

  if (**p == '.' && ends ((*p)[1]))
    {
      report (c, RULE_COST_DOT);
      ++*p;
      return 0;
    }
  if (**p == '-' && digit_value ((*p)[1]) < 10)
    {
      report (c, RULE_COST_NEGATIVE);
      *p += strcspn (*p, " \t");
      return 0;
    }
  n = read_number (c, p);
  if (!n.valid || !ends (**p))
    {
      report (c, RULE_COST_MALFORMED);
      *p = start + strcspn (start, " \t");
      return 0;
    }
  if (n.hex)
    report (c, RULE_COST_HEX);
  if (n.too_large)
    report (c, RULE_SUM_TOO_LARGE);
  else if (n.value > EXACT)
    report (c, RULE_COST_INEXACT);
  return n.value;
}

unsigned
check_costs (struct check *c, const char *p, uint64_t *costs)
{
  unsigned n = 0;

  for (; *p; p = next_number (c, p), n++)
    {
      uint64_t cost = check_cost (c, &p);
      if (n < EVENTS)
        costs[n] = cost;
    }
  if (n > c->header.n_events && c->header.any_events)
    report (c, RULE_TOO_MANY_COSTS);
  if (n > c->header.n_events)
    n = c->header.n_events;
  return n < EVENTS ? n : EVENTS;
}

void
add_costs (struct check *c, const uint64_t *costs, unsigned n)
{
  struct records *r = &c->records;
  bool too_large = r->sum_too_large;

  for (unsigned i = 0; i < n; i++)
    {
      r->sum_too_large |= costs[i] > UINT64_MAX - r->sums[i];
      r->sums[i] += costs[i];
    }
  if (r->sum_too_large && !too_large)
    report (c, RULE_SUM_TOO_LARGE);
}

/* Cost lines.  */

bool
is_cost_line (const char *text)
{
  return (*text >= '0' && *text <= '9') || *text == '*'
         || ((*text == '+' || *text == '-') && digit_value (text[1]) < 10);
}

static void
check_self (struct check *c, const uint64_t *costs, unsigned n)
{
  check_order_of_cost (c);
  if (n == 0 && c->header.any_events)
    report (c, RULE_COSTS_MISSING);
  else if (n < c->header.n_events)
    report (c, RULE_ZEROS_LEFT_OUT);
  add_costs (c, costs, n);
  if (n > 0)
    check_function_cost (c, costs[0]);
  check_formula_costs (c, c->names.fn, costs, n, false);
}

static void
check_call_cost (struct check *c, const uint64_t *costs, unsigned n)
{
  bool any = false;

  if (n == 0 && c->header.any_events)
    report (c, RULE_CALL_COSTS_MISSING);
  for (unsigned i = 0; i < n; i++)
    any |= costs[i] > 0;
  c->records.any_call_cost |= any;
  if (any && c->names.callee == c->names.fn)
    report (c, RULE_RECURSION);
  check_edge (c, costs, n, any);
  check_formula_costs (c, c->names.callee, costs, n, true);
}

void
check_cost_line (struct check *c, const char *text)
{
  enum awaited awaited = c->records.awaited;
  uint64_t costs[EVENTS];
  unsigned n;
  size_t length = strlen (text);
  const char *p = check_position (c, text);

  c->records.awaited = NOTHING;
  if (!p)
    {
      report (c, RULE_UNKNOWN_LINE);
      return;
    }
  if (text[length - 1] == ' ' || text[length - 1] == '\t')
    report (c, RULE_TRAILING_BLANK);
  n = check_costs (c, p, costs);
  if (awaited == CALL_COST)
    check_call_cost (c, costs, n);
  else if (awaited == NOTHING)
    check_self (c, costs, n);
  else if (*p) /* for the spec's grammar, it is a self cost line */
    {
      report_at (c, RULE_JUMP_WITHOUT_SOURCE, c->records.awaited_line);
      check_self (c, costs, n);
    }
}

void
check_awaited (struct check *c)
{
  if (c->records.awaited == CALL_COST)
    report_at (c, RULE_CALLS_WITHOUT_COST_LINE, c->records.awaited_line);
  else if (c->records.awaited == JUMP_SOURCE)
    report_at (c, RULE_JUMP_WITHOUT_SOURCE, c->records.awaited_line);
  c->records.awaited = NOTHING;
}

/* Calls and jumps.  */

static void
await (struct check *c, enum awaited what)
{
  c->records.awaited = what;
  c->records.awaited_line = c->line;
}

/* COUNT of calls=COUNT TARGET; returns what is behind it.  */
static const char *
check_count (struct check *c, const char *p)
{
  struct number n = read_number (c, &p);

  if (n.hex)
    report (c, RULE_CALLS_HEX);
  else if (!n.valid || !ends (*p))
    report (c, RULE_CALLS_MALFORMED);
  else if (n.value == 0)
    report (c, RULE_CALLS_ZERO);
  else if (n.value > EXACT)
    report (c, RULE_COST_INEXACT);
  return skip_blanks (p);
}

static void
check_calls (struct check *c, const char *value)
{
  const char *target;

  check_order_of_calls (c);
  target = check_count (c, value);
  if (*target == '\0')
    report (c, RULE_CALLS_WITHOUT_TARGET);
  if (strpbrk (target, "+-*"))
    report (c, RULE_RELATIVE_TARGET);
  if (!c->records.first_calls_line)
    c->records.first_calls_line = c->line;
  await (c, CALL_COST);
}

/* jump=COUNT TARGET, jcnd=FOLLOWED/EXECUTED TARGET  */
static void
check_jump (struct check *c, const char *value, bool conditional)
{
  size_t n = strspn (value, "0123456789");
  const char *target = value + strcspn (value, " \t");
  size_t length = strlen (value);

  check_order (c);
  check_lonely_cfn (c);
  report (c, RULE_JUMPS);
  if (conditional && (n == 0 || value[n] != '/'))
    report (c, RULE_JCND_MALFORMED);
  if (length > 0 && strchr (" \t", value[length - 1]))
    report (c, RULE_TRAILING_BLANK);
  target = skip_blanks (target);
  if (c->header.positions[0] == INSTR
      && (after (target, "0x0 ") || after (target, "0 ")))
    report (c, RULE_JUMP_TO_ADDRESS_0);
  await (c, JUMP_SOURCE);
}

bool
check_call_or_jump (struct check *c, const char *text)
{
  const char *value;

  if ((value = after (text, "calls=")) != NULL)
    check_calls (c, value);
  else if ((value = after (text, "jump=")) != NULL)
    check_jump (c, value, false);
  else if ((value = after (text, "jcnd=")) != NULL)
    check_jump (c, value, true);
  else
    return false;
  return true;
}

void
check_records_part (struct check *c)
{
  struct records *r = &c->records;

  memset (r->sums, 0, sizeof r->sums);
  r->sum_too_large = false;
  memset (r->base, 0, sizeof r->base);
}

void
check_records_end (struct check *c)
{
  const struct records *r = &c->records;

  check_awaited (c);
  if (r->first_calls_line && !r->any_call_cost)
    report_at (c, RULE_CALLS_WITHOUT_INCLUSIVE, r->first_calls_line);
}
