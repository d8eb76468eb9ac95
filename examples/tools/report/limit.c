/* limit.c - what a cost may be.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "limit.h"

#include "../base/memory.h"
#include "../base/text.h"
#include "../base/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reading: "[FUNCTION:] EVENT > [+|-]NUMBER [%]".  */

static void __attribute__ ((noreturn))
refuse (const char *text)
{
  tool_usage_error (
      "--fail-if needs \"[FUNCTION:] EVENT > [+]NUMBER [%]\", not ", text);
}

/* "1000" or "1.25".  */
static const char *
read_number (struct limit *limit, const char *p)
{
  enum { DIGITS = 19 };
  const char *start = p;
  bool is_fraction = false;

  limit->scale = 1;
  for (; (*p >= '0' && *p <= '9') || (*p == '.' && !is_fraction); p++)
    {
      if (p - start >= DIGITS)
        refuse (limit->text);
      if (*p == '.')
        {
          is_fraction = true;
          continue;
        }
      limit->number.n = 10 * limit->number.n + (uint64_t) (*p - '0');
      if (is_fraction)
        limit->scale *= 10;
    }
  if (p == start || p[-1] == '.' || *start == '.')
    refuse (limit->text);
  return p;
}

/* What a name is, without the blanks around it.  */
static char *
copy_name (const char *start, const char *end)
{
  while (start < end && *start == ' ')
    start++;
  while (end > start && end[-1] == ' ')
    end--;
  return make_text ("%.*s", (int) (end - start), start);
}

/* The event is the last word; names of functions have colons, too.  */
static void
read_names (struct limit *limit, const char *end)
{
  const char *event;

  while (end > limit->text && end[-1] == ' ')
    end--;
  event = end;
  while (event > limit->text && event[-1] != ' ')
    event--;
  limit->event = copy_name (event, end);
  while (event > limit->text && event[-1] == ' ')
    event--;
  if (event > limit->text)
    {
      if (event[-1] != ':')
        refuse (limit->text);
      limit->function = copy_name (limit->text, event - 1);
    }
  if (*limit->event == '\0'
      || (limit->function != NULL && *limit->function == '\0'))
    refuse (limit->text);
}

struct limit
limit_parse (const char *text)
{
  struct limit limit = { .text = text };
  const char *p = strrchr (text, '>');

  if (p == NULL)
    refuse (text);
  read_names (&limit, p);
  p += 1 + strspn (p + 1, " ");
  limit.is_change = *p == '+' || *p == '-';
  if (limit.is_change)
    limit.number.is_below = *p++ == '-';
  p = read_number (&limit, p);
  p += strspn (p, " ");
  limit.is_percent = *p == '%';
  if (limit.is_percent)
    p++;
  if (p[strspn (p, " ")] != '\0' || (limit.is_percent && !limit.is_change)
      || (!limit.is_percent && limit.scale != 1))
    refuse (text);
  return limit;
}

void
limit_free (struct limit *limit)
{
  free (limit->function);
  free (limit->event);
}

/* Checking.  */

static bool
multiply (uint64_t *a, uint64_t b)
{
  return !__builtin_mul_overflow (*a, b, a);
}

/* Whether a change is more than a percentage of what was before.  */
static bool
is_more_than (const struct limit *limit, struct amount change,
              struct amount before)
{
  struct amount a = change;
  struct amount b = { before.n, limit->number.is_below };

  if (multiply (&a.n, 100) && multiply (&a.n, limit->scale)
      && multiply (&b.n, limit->number.n))
    return amount_compare (b, a) < 0;
  return amount_number (change) * 100 * (double) limit->scale
         > amount_number (limit->number) * (double) before.n;
}

static bool
is_over (const struct limit *limit, struct amount before, struct amount after)
{
  struct amount change = amount_change (before, after);

  return limit->is_percent
             ? is_more_than (limit, change, before)
             : amount_compare (limit->number,
                               limit->is_change ? change : after)
                   < 0;
}

static void
say (const struct limit *limit, const struct model *m, const char *file,
     struct amount before, struct amount after)
{
  char text[3][NUMBER_TEXT];
  struct amount change = amount_change (before, after);
  char *now = make_text (
      "%s%s%s is %s", limit->function != NULL ? limit->function : "",
      limit->function != NULL ? ": " : "", limit->event,
      number_text (text[0], after.is_below ? "-" : "", after.n));
  char *was
      = m->has_base
            ? make_text (", was %s: %s",
                         number_text (text[1], before.is_below ? "-" : "",
                                      before.n),
                         number_text (text[2], change.is_below ? "-" : "+",
                                      change.n))
            : copy_text ("");
  char *percent = m->has_base && before.n != 0
                      ? make_text (" (%+.2f %%)", 100 * amount_number (change)
                                                      / (double) before.n)
                      : copy_text ("");
  char *all = make_text ("%s%s%s; the limit is \"%s\"", now, was, percent,
                         limit->text);

  tool_say (file, 0, all);
  free (now);
  free (was);
  free (percent);
  free (all);
}

static void
check (const struct limit *limit, const struct model *m, const char *file,
       struct amount before, struct amount after, bool *over)
{
  if (!is_over (limit, before, after))
    return;
  *over = true;
  say (limit, m, file, before, after);
}

static bool
refuse_name (const char *file, const char *reason, const char *name)
{
  char *text = make_text ("--fail-if: %s %s", reason, name);

  tool_complain (file, 0, text);
  free (text);
  return false;
}

static struct amount
inclusive (const struct model *m, size_t column, struct sums_function *f,
           enum side side)
{
  return column_amount (&m->columns, column,
                        sums_inclusive (&m->sums, f, side));
}

bool
limit_check (const struct limit *limit, const struct model *m,
             const char *file, bool *over)
{
  size_t column
      = columns_find (&m->columns, limit->event, strlen (limit->event));
  bool is_there = limit->function == NULL;

  if (column == SIZE_MAX)
    return refuse_name (file, "there is no event", limit->event);
  if (is_there)
    check (limit, m, file,
           column_amount (&m->columns, column, m->sums.total[BEFORE]),
           column_amount (&m->columns, column, m->sums.total[AFTER]), over);
  for (uint32_t i = 0; i < m->n_functions && limit->function != NULL; i++)
    if (strcmp (m->functions[i].name, limit->function) == 0)
      {
        struct sums_function *f = m->functions[i].sums;

        is_there = true;
        check (limit, m, file, inclusive (m, column, f, BEFORE),
               inclusive (m, column, f, AFTER), over);
      }
  return is_there
         || refuse_name (file, "there is no function", limit->function);
}
