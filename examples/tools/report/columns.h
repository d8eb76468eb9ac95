/* columns.h - what is reported of each function: the events of a profile, and
   those that are derived of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef COLUMNS_H
#define COLUMNS_H 1

#include "../format/recording.h"
#include "../format/unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number with its sign.  */
struct amount
{
  uint64_t n;
  bool is_below; /* 0 */
};

struct column
{
  char *name;
  char *title;         /* or NULL */
  struct unit_told told;
  char *formula;       /* NULL: costs have it, at the column's own place */
  struct amount *factors; /* else: of each cost */
  bool is_converted;
  bool is_signed;      /* of costs: they may be below 0 */
};

/* Begins as {0}.  */
struct columns
{
  struct column *all;  /* the n_costs events that costs are of, and others */
  size_t n;
  size_t n_costs;
  size_t *shown;       /* in this order */
  size_t n_shown;
};

/* Adds an event of costs, before all derived ones.  One that is converted is in
   no formula.  */
void columns_add (struct columns *c, const struct cgw_event *event,
                  bool is_signed, bool is_converted);

/* Adds a derived event.  False: its formula is of events that are not
   there.  */
bool columns_derive (struct columns *c, const struct cgw_event *event);

/* Chooses what is shown: NULL: all, or names between commas.  */
void columns_show (struct columns *c, const char *list);

/* The column of this name; or SIZE_MAX.  */
size_t columns_find (const struct columns *c, const char *name, size_t n);

void columns_free (struct columns *c);

/* What a column has for these costs.  What passes an end of its range stays
   there.  */
struct amount column_amount (const struct columns *c, size_t column,
                             const uint64_t *costs);

/* As numbers: b - a, which stays at the ends, and the order.  */
struct amount amount_change (struct amount a, struct amount b);
int amount_compare (struct amount a, struct amount b);
double amount_number (struct amount a);

#endif /* COLUMNS_H */
