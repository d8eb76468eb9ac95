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
        found (c, RULE_HEX_PREFIX);
      radix = 16;
      n.hex = true;
      *p += 2;
    }
  start = *p;
  for (; (d = digit_value (**p)) < radix; ++*p)
    {
      if (n.hex && **p < 'a' && d > 9)
        found (c, RULE_HEX_UPPER);
      n.too_large |= n.value > (UINT64_MAX - d) / radix;
      n.value = n.value * radix + d;
    }
  n.valid = *p > start;
  if (!n.hex && *start == '0' && *p > start + 1)
    found (c, RULE_LEADING_ZERO);
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
    found (c, RULE_TAB);
  return next;
}

/* Positions.  */

static void
check_line_number (struct check *c, char sign, const struct number *n)
{
  uint64_t *base = &c->base[LINE];

  if (n->hex)
    found (c, sign ? RULE_HEX_RELATIVE : RULE_HEX_LINE);
  if (sign == '-' && n->value > *base)
    found (c, RULE_LINE_NEGATIVE);
  if (sign == '-')
    *base = n->value > *base ? 0 : *base - n->value;
  else
    *base = sign ? *base + n->value : n->value;
  if (*base > UINT32_MAX || n->too_large)
    found (c, RULE_LINE_TOO_LARGE);
}

static void
check_address (struct check *c, enum subposition which, char sign,
               const struct number *n)
{
  uint64_t *base = &c->base[which];

  if (sign && n->hex)
    found (c, RULE_HEX_RELATIVE);
  if (sign && n->value >= UINT64_C (1) << 31)
    found (c, RULE_ADDRESS_DELTA);
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
      found (c, RULE_RANGE);
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
  if (relative && !c->position_in_part)
    found (c, c->part > 0 ? RULE_RELATIVE_FIRST_IN_PART : RULE_RELATIVE_FIRST);
  else if (relative && !c->position_in_fn)
    found (c, RULE_RELATIVE_AFTER_FN);
  c->position_in_part = c->position_in_fn = true;
}

/* Steps over the subpositions of a cost line; NULL if there is something
   else.  */
static const char *
check_position (struct check *c, const char *p)
{
  bool any_relative = false, relative;

  for (unsigned i = 0; i < c->n_positions && *p; i++)
    {
      if (!check_subposition (c, &p, c->positions[i], &relative))
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
      found (c, RULE_COST_DOT);
      ++*p;
      return 0;
    }
  if (**p == '-' && digit_value ((*p)[1]) < 10)
    {
      found (c, RULE_COST_NEGATIVE);
      *p += strcspn (*p, " \t");
      return 0;
    }
  n = read_number (c, p);
  if (!n.valid || !ends (**p))
    {
      found (c, RULE_COST_MALFORMED);
      *p = start + strcspn (start, " \t");
      return 0;
    }
  if (n.hex)
    found (c, RULE_COST_HEX);
  if (n.too_large)
    found (c, RULE_SUM_TOO_LARGE);
  else if (n.value > EXACT)
    found (c, RULE_COST_INEXACT);
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
  if (n > c->n_events && c->any_events)
    found (c, RULE_TOO_MANY_COSTS);
  return n < c->n_events ? n : c->n_events < EVENTS ? c->n_events : EVENTS;
}

void
add_costs (struct check *c, const uint64_t *costs, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    {
      c->sums.too_large |= costs[i] > UINT64_MAX - c->sums.of[i];
      c->sums.of[i] += costs[i];
    }
  if (c->sums.too_large && !c->sum_said)
    found (c, RULE_SUM_TOO_LARGE);
  c->sum_said = c->sums.too_large;
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
  check_order (c);
  if (c->cfn_line)
    found (c, RULE_COSTS_AFTER_CFN);
  check_lonely_cfn (c);
  if (n == 0 && c->any_events)
    found (c, RULE_COSTS_MISSING);
  else if (n < c->n_events)
    found (c, RULE_ZEROS_LEFT_OUT);
  add_costs (c, costs, n);
  if (c->fn != NO_FUNCTION && n > 0)
    c->functions[c->fn].self += costs[0];
  c->cob_stays = false;
}

static void
check_call_cost (struct check *c, const uint64_t *costs, unsigned n)
{
  bool any = false;

  if (n == 0 && c->any_events)
    found (c, RULE_CALL_COSTS_MISSING);
  for (unsigned i = 0; i < n; i++)
    any |= costs[i] > 0;
  c->any_call_cost |= any;
  if (any && c->callee == c->fn)
    found (c, RULE_RECURSION);
  check_edge (c, costs, n, any);
}

void
check_cost_line (struct check *c, const char *text)
{
  enum awaited awaited = c->awaited;
  uint64_t costs[EVENTS];
  unsigned n;
  size_t length = strlen (text);
  const char *p = check_position (c, text);

  c->awaited = NOTHING;
  if (!p)
    {
      found (c, RULE_UNKNOWN_LINE);
      return;
    }
  if (text[length - 1] == ' ' || text[length - 1] == '\t')
    found (c, RULE_TRAILING_BLANK);
  n = check_costs (c, p, costs);
  if (awaited == CALL_COST)
    check_call_cost (c, costs, n);
  else if (awaited == NOTHING)
    check_self (c, costs, n);
  else if (*p) /* for the spec's grammar, it is a self cost line */
    {
      report (c->report, RULE_JUMP_WITHOUT_SOURCE, c->awaited_line);
      check_self (c, costs, n);
    }
}

void
check_awaited (struct check *c)
{
  if (c->awaited == CALL_COST)
    report (c->report, RULE_CALLS_WITHOUT_COST_LINE, c->awaited_line);
  else if (c->awaited == JUMP_SOURCE)
    report (c->report, RULE_JUMP_WITHOUT_SOURCE, c->awaited_line);
  c->awaited = NOTHING;
}

/* Calls and jumps.  */

static void
await (struct check *c, enum awaited what)
{
  c->awaited = what;
  c->awaited_line = c->line;
}

/* COUNT of calls=COUNT TARGET; returns what is behind it.  */
static const char *
check_count (struct check *c, const char *p)
{
  struct number n = read_number (c, &p);

  if (n.hex)
    found (c, RULE_CALLS_HEX);
  else if (!n.valid || !ends (*p))
    found (c, RULE_CALLS_MALFORMED);
  else if (n.value == 0)
    found (c, RULE_CALLS_ZERO);
  else if (n.value > EXACT)
    found (c, RULE_COST_INEXACT);
  return skip_blanks (p);
}

static void
check_calls (struct check *c, const char *value)
{
  const char *target;

  check_order (c);
  if (c->callee == NO_FUNCTION)
    found (c, RULE_CALLS_BEFORE_CFN);
  else if (!c->cfn_line)
    found (c, RULE_CFN_NOT_REPEATED);
  c->cfn_line = 0;
  target = check_count (c, value);
  if (*target == '\0')
    found (c, RULE_CALLS_WITHOUT_TARGET);
  if (strpbrk (target, "+-*"))
    found (c, RULE_RELATIVE_TARGET);
  if (!c->first_calls_line)
    c->first_calls_line = c->line;
  /* They count up to the cost line.  */
  c->cob_stays = c->has_callee_object || c->cob_stays;
  c->has_callee_file = c->has_callee_object = false;
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
  found (c, RULE_JUMPS);
  if (conditional && (n == 0 || value[n] != '/'))
    found (c, RULE_JCND_MALFORMED);
  if (length > 0 && strchr (" \t", value[length - 1]))
    found (c, RULE_TRAILING_BLANK);
  target = skip_blanks (target);
  if (c->positions[0] == INSTR
      && (after (target, "0x0 ") || after (target, "0 ")))
    found (c, RULE_JUMP_TO_ADDRESS_0);
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
