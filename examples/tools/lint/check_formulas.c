/* check_formulas.c - checks the values of derived events: do they sink below 0,
   where KCachegrind computes without a sign?

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/infile.h"
#include "../base/memory.h"

#include <ctype.h>
#include <stdlib.h>

struct formula
{
  uint64_t line;
  uint32_t event;  /* the number of its name */
  char *text;      /* NULL: it is none, or of events that are not known */
  uint64_t factors[EVENTS]; /* of the events that are counted, two's
                               complement */
};

/* What is added and subtracted.  Apart, neither needs a sign.  */
struct difference
{
  uint64_t plus, minus;
};

/* Values of one formula.  */
struct of_function
{
  struct difference self, inclusive;
};

void
check_formula (struct check *c, const char *name, size_t n, const char *text)
{
  struct formulas *f = &c->formulas;

  if (c->header.any_events || f->n == EVENTS)
    return;
  f->all = resize_for_one (f->all, f->n, sizeof *f->all);
  f->all[f->n++] = (struct formula){
    .line = c->line,
    .event = intern (&c->header.event_names, name, n),
    .text = copy_text (text)
  };
}

/* Adds an event, by the number of its name, with a factor; false: it is
   unknown.  */
static bool
add_event (const struct check *c, struct formula *to, uint32_t event,
           uint64_t factor)
{
  const struct header *h = &c->header;
  const struct formulas *f = &c->formulas;

  for (unsigned i = 0; i < h->n_first_events && i < EVENTS; i++)
    if (h->first_events[i] == event)
      {
        to->factors[i] += factor;
        return true;
      }
  for (const struct formula *from = f->all; from < to; from++)
    if (from->event == event && from->text)
      {
        for (unsigned i = 0; i < EVENTS; i++)
          to->factors[i] += factor * from->factors[i];
        return true;
      }
  return false;
}

/* Reads a term at *p, such as "- 2 Ir", which is stepped over it.  */
static bool
read_term (struct check *c, struct formula *f, const char **p)
{
  bool minus = **p == '-';
  uint64_t factor = 0;
  const char *name;

  *p = skip_blanks (minus || **p == '+' ? *p + 1 : *p);
  name = *p;
  for (; digit_value (**p) < 10 && factor <= INT32_MAX; ++*p)
    factor = factor * 10 + digit_value (**p);
  if (*p == name)
    factor = 1;
  *p = skip_blanks (*p);
  if (**p == '*')
    *p = skip_blanks (*p + 1);
  for (name = *p; isalnum ((unsigned char) **p) || **p == '_';)
    ++*p;
  return *p > name && factor <= INT32_MAX
         && add_event (c, f, intern (&c->header.event_names, name,
                                     (size_t) (*p - name)),
                       minus ? 0 - factor : factor);
}

void
check_formulas_begin (struct check *c)
{
  for (uint32_t i = 0; i < c->formulas.n; i++)
    {
      struct formula *f = &c->formulas.all[i];
      const char *p = skip_blanks (f->text);

      while (*p != '\0' && *p != ':' && read_term (c, f, &p))
        p = skip_blanks (p);
      if (*p != '\0' && *p != ':')
        {
          free (f->text);
          f->text = NULL;
        }
    }
}

static void
add (struct difference *d, const struct formula *f, const uint64_t *costs,
     unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (f->factors[i] >> 63 != 0)
      d->minus += (0 - f->factors[i]) * costs[i];
    else
      d->plus += f->factors[i] * costs[i];
}

void
check_formula_costs (struct check *c, uint32_t function, const uint64_t *costs,
                     unsigned n, bool inclusive)
{
  struct formulas *f = &c->formulas;

  for (uint32_t i = 0; function != NO_FUNCTION && i < f->n; i++)
    {
      uint32_t at = function * f->n + i;

      f->values = resize_for (f->values, at, &f->n_values, sizeof *f->values);
      add (inclusive ? &f->values[at].inclusive : &f->values[at].self,
           &f->all[i], costs, n);
    }
}

static bool
is_below_0 (const struct difference *d)
{
  return d->minus > d->plus;
}

void
check_formulas_end (struct check *c)
{
  const struct formulas *f = &c->formulas;

  for (uint32_t i = 0; i < f->n; i++)
    for (uint32_t at = i; at < f->n_values; at += f->n)
      if (f->all[i].text
          && (is_below_0 (&f->values[at].self)
              || is_below_0 (&f->values[at].inclusive)))
        {
          report_at (c, RULE_FORMULA_BELOW_0, f->all[i].line);
          break;
        }
}

void
check_formulas_free (struct formulas *f)
{
  for (uint32_t i = 0; i < f->n; i++)
    free (f->all[i].text);
  free (f->all);
  free (f->values);
}
