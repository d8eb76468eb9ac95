/* ranges.c - finds the range that contains an address.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "ranges.h"

#include <stdlib.h>

bool
ranges_add (struct ranges *r, struct range range)
{
  if (r->n == r->capacity)
    {
      uint32_t capacity = r->capacity != 0 ? 2 * r->capacity : 256;
      struct range *more = reallocarray (r->range, capacity, sizeof *r->range);

      if (more == NULL)
        return false;
      r->range = more;
      r->capacity = capacity;
    }
  range.number = r->n;
  r->range[r->n++] = range;
  return true;
}

static int
compare (uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

/* By where they begin; of those that begin together, the best comes last.  */
static int
compare_ranges (const void *a, const void *b)
{
  const struct range *x = a, *y = b;
  int order = compare (x->start, y->start);

  if (order == 0)
    order = compare (x->level, y->level);
  if (order == 0)
    order = compare (x->rank, y->rank);
  if (order == 0)
    order = compare (y->end, x->end);
  if (order == 0)
    order = compare (y->order, x->order);
  return order != 0 ? order : compare (y->number, x->number);
}

/* Ends labels where the next range begins.  */
static void
end_labels (struct ranges *r)
{
  for (uint32_t i = r->n; i-- > 1;)
    {
      const struct range *next = &r->range[i];
      struct range *label = &r->range[i - 1];
      uint64_t end = next->start == label->start && next->level == RANGES_LABEL
                         ? next->end
                         : next->start;

      if (label->level == RANGES_LABEL && label->end > end)
        label->end = end;
    }
}

/* Labels that begin together all end where the next range begins, so only
   other ranges hide them.  */
static void
set_reach (struct ranges *r)
{
  uint64_t reach = 0, sized = 0;

  for (uint32_t i = 0; i < r->n; i++)
    {
      struct range *range = &r->range[i];

      if (range->level != RANGES_LABEL && range->end > sized)
        sized = range->end;
      if (range->level == RANGES_LABEL && range->start < sized)
        range->end = range->start;
      if (range->end > reach)
        reach = range->end;
      range->reach = reach;
    }
}

void
ranges_sort (struct ranges *r)
{
  if (r->n == 0)
    return;
  qsort (r->range, r->n, sizeof *r->range, compare_ranges);
  end_labels (r);
  set_reach (r);
}

const struct range *
ranges_find (const struct ranges *r, uint64_t address)
{
  const struct range *best = NULL;
  uint32_t low = 0, high = r->n;

  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;

      if (r->range[middle].start <= address)
        low = middle + 1;
      else
        high = middle;
    }
  while (low-- != 0 && r->range[low].reach > address)
    if (r->range[low].end > address
        && (best == NULL || r->range[low].level > best->level))
      best = &r->range[low];
  return best;
}

void
ranges_free (struct ranges *r)
{
  free (r->range);
}
