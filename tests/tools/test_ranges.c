/* test_ranges.c - which range an address is in: random ranges against a search
   through all of them, and labels.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols/ranges.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Whether a comes before b, as ranges.h says of those around an address.  */
static bool
is_better (const struct range *a, const struct range *b)
{
  if (a->level != b->level)
    return a->level > b->level;
  if (a->start != b->start)
    return a->start > b->start;
  if (a->rank != b->rank)
    return a->rank > b->rank;
  if (a->end != b->end)
    return a->end < b->end;
  if (a->order != b->order)
    return a->order < b->order;
  return a->number < b->number;
}

Test (ranges, random_ones)
{
  enum { N = 40, ADDRESSES = 60 };

  for (unsigned seed = 1; seed <= 2000; seed++)
    {
      struct ranges r = { 0 };
      struct range all[N];

      srand (seed);
      for (uint32_t i = 0; i < N; i++)
        {
          all[i] = (struct range){ .start = (unsigned) rand () % 50,
                                   .level = 1 + (unsigned) rand () % 3,
                                   .rank = (unsigned) rand () % 2,
                                   .order = (unsigned) rand () % 2,
                                   .number = i };
          all[i].end = all[i].start + 1 + (unsigned) rand () % 10;
          cr_assert (ranges_add (&r, all[i]));
        }
      ranges_sort (&r);
      for (uint64_t address = 0; address < ADDRESSES; address++)
        {
          const struct range *found = ranges_find (&r, address), *best = NULL;

          for (uint32_t i = 0; i < N; i++)
            if (all[i].start <= address && address < all[i].end
                && (best == NULL || is_better (&all[i], best)))
              best = &all[i];
          cr_assert_eq (found != NULL, best != NULL);
          cr_assert (found == NULL || found->number == best->number,
                     "seed %u, address %u", seed, (unsigned) address);
        }
      ranges_free (&r);
    }
}

static const char *
at (const struct ranges *r, uint64_t address)
{
  const struct range *found = ranges_find (r, address);

  return found != NULL ? found->what : "";
}

/* A label has no size: it ends where the next range begins.  */
Test (ranges, labels)
{
  struct ranges r = { 0 };
  const struct range all[]
      = { { .start = 10, .end = 100, .what = "label" },
          { .start = 20, .end = 30, .what = "function", .level = 1 },
          { .start = 25, .end = 100, .what = "inside" },
          { .start = 30, .end = 50, .what = "last" } };

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cr_assert (ranges_add (&r, all[i]));
  ranges_sort (&r);
  cr_assert_str_eq (at (&r, 9), "");
  cr_assert_str_eq (at (&r, 10), "label");
  cr_assert_str_eq (at (&r, 19), "label");
  cr_assert_str_eq (at (&r, 20), "function");
  cr_assert_str_eq (at (&r, 25), "function");
  cr_assert_str_eq (at (&r, 29), "function");
  cr_assert_str_eq (at (&r, 30), "last");
  cr_assert_str_eq (at (&r, 49), "last");
  cr_assert_str_eq (at (&r, 50), "");
  ranges_free (&r);
}

Test (ranges, none)
{
  struct ranges r = { 0 };

  ranges_sort (&r);
  cr_assert_null (ranges_find (&r, 0));
  ranges_free (&r);
}
