/* columns.c - events, formulas and their values.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "columns.h"

#include "../base/memory.h"
#include "../read/samples.h"

#include <stdlib.h>
#include <string.h>

/* Adding.  */

static struct column *
add (struct columns *c, const struct cgw_event *event)
{
  struct column *column;

  c->all = resize_for_one (c->all, c->n, sizeof *c->all);
  column = &c->all[c->n++];
  *column = (struct column){ .name = copy_text (event->name),
                             .title = copy_text (event->long_name),
                             .formula = copy_text (event->formula),
                             .told = unit_tell (event) };
  return column;
}

void
columns_add (struct columns *c, const struct cgw_event *event, bool is_signed,
             bool is_converted)
{
  struct column *column = add (c, event);

  column->is_signed = is_signed;
  column->is_converted = is_converted;
  c->n_costs = c->n;
}

size_t
columns_find (const struct columns *c, const char *name, size_t n)
{
  for (size_t i = 0; i < c->n; i++)
    if (strncmp (c->all[i].name, name, n) == 0 && c->all[i].name[n] == '\0')
      return i;
  return SIZE_MAX;
}

/* Numbers.  */

static struct amount
opposite (struct amount a)
{
  return (struct amount){ a.n, !a.is_below };
}

static struct amount
sum (struct amount a, struct amount b)
{
  if (a.is_below == b.is_below)
    return (struct amount){ a.n > UINT64_MAX - b.n ? UINT64_MAX : a.n + b.n,
                            a.is_below };
  if (a.n == b.n)
    return (struct amount){ 0 };
  return a.n > b.n ? (struct amount){ a.n - b.n, a.is_below }
                   : (struct amount){ b.n - a.n, b.is_below };
}

static struct amount
product (struct amount a, struct amount b)
{
  bool is_below = a.is_below != b.is_below;

  if (b.n != 0 && a.n > UINT64_MAX / b.n)
    return (struct amount){ UINT64_MAX, is_below };
  return (struct amount){ a.n * b.n, is_below };
}

struct amount
amount_change (struct amount a, struct amount b)
{
  return sum (b, opposite (a));
}

int
amount_compare (struct amount a, struct amount b)
{
  struct amount change = amount_change (a, b);

  return change.n == 0 ? 0 : change.is_below ? 1 : -1;
}

double
amount_number (struct amount a)
{
  return a.is_below ? -(double) a.n : (double) a.n;
}

/* Formulas.  */

/* Adds a term to the factors of a column.  */
static void
add_term (const struct columns *c, struct column *to, struct amount factor,
          size_t event)
{
  const struct column *from = &c->all[event];

  if (from->formula == NULL)
    to->factors[event] = sum (to->factors[event], factor);
  else
    for (size_t i = 0; i < c->n_costs; i++)
      to->factors[i]
          = sum (to->factors[i], product (from->factors[i], factor));
}

/* Reads a formula as the reader of profiles writes it: "10 Ir - Dr + 2 Dw".
   False: an event is not there.  */
static bool
read_formula (const struct columns *c, struct column *column)
{
  const char *p = column->formula;

  column->factors = resize (NULL, c->n_costs, sizeof *column->factors);
  memset (column->factors, 0, c->n_costs * sizeof *column->factors);
  for (;;)
    {
      struct amount factor = { .n = 1 };
      size_t n, event;

      if (*p == '+' || *p == '-')
        factor.is_below = *p++ == '-';
      p += strspn (p, " ");
      if (*p >= '0' && *p <= '9')
        {
          char *end;

          factor.n = strtoull (p, &end, 10);
          p = end + strspn (end, " ");
        }
      n = strcspn (p, " ");
      event = columns_find (c, p, n);
      if (event >= (size_t) (column - c->all) || c->all[event].is_converted)
        return false;
      add_term (c, column, factor, event);
      p += n + strspn (p + n, " ");
      if (*p == '\0')
        return true;
    }
}

static void
free_column (struct column *column)
{
  free (column->name);
  free (column->title);
  free (column->told.name);
  free (column->told.unit);
  free (column->formula);
  free (column->factors);
}

bool
columns_derive (struct columns *c, const struct cgw_event *event)
{
  struct column *column = add (c, event);

  if (read_formula (c, column))
    return true;
  free_column (column);
  c->n--;
  return false;
}

static void
show (struct columns *c, size_t column)
{
  for (size_t i = 0; i < c->n_shown; i++)
    if (c->shown[i] == column)
      return;
  c->shown = resize_for_one (c->shown, c->n_shown, sizeof *c->shown);
  c->shown[c->n_shown++] = column;
}

void
columns_show (struct columns *c, const char *list)
{
  do
    {
      char *name = import_next_listed (&list);

      for (size_t i = 0; i < c->n; i++)
        if (import_is_listed (name, c->all[i].name))
          show (c, i);
      free (name);
    }
  while (list != NULL);
}

void
columns_free (struct columns *c)
{
  for (size_t i = 0; i < c->n; i++)
    free_column (&c->all[i]);
  free (c->all);
  free (c->shown);
}

struct amount
column_amount (const struct columns *c, size_t index, const uint64_t *costs)
{
  const struct column *column = &c->all[index];
  struct amount all = { 0 };

  if (column->formula == NULL)
    return column->is_signed && costs[index] > INT64_MAX
               ? (struct amount){ -costs[index], true }
               : (struct amount){ costs[index], false };
  for (size_t i = 0; i < c->n_costs; i++)
    all = sum (all, product (column_amount (c, i, costs),
                             column->factors[i]));
  return all;
}
