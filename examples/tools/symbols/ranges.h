/* ranges.h - finds the range that contains an address, by binary search in a
   table that is sorted once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RANGES_H
#define RANGES_H 1

#include <stdbool.h>
#include <stdint.h>

/* Of the ranges around an address, the one with the highest level counts, then
   the one that begins last, then the one with the highest rank, the smallest,
   the one with the lowest order, the first.  */
struct range
{
  uint64_t start;
  uint64_t end;
  const void *what; /* lies there */
  uint32_t level;
  uint32_t rank;
  uint32_t order;
  bool is_thumb;   /* code of ARM's second set of instructions */
  uint32_t number; /* ranges_add sets it */
  uint64_t reach;  /* ranges_sort does: the highest end up to here */
};

/* The level of a label: it has no size, and ends where the next range begins,
   or at `end`.  Inside another range it has nothing.  */
enum { RANGES_LABEL };

/* Begins as {0}.  */
struct ranges
{
  struct range *range;
  uint32_t n;
  uint32_t capacity;
};

/* False: no memory.  */
bool ranges_add (struct ranges *r, struct range range);

/* To be called when all are added, before the first search.  */
void ranges_sort (struct ranges *r);

/* NULL: the address is in none.  */
const struct range *ranges_find (const struct ranges *r, uint64_t address);

void ranges_free (struct ranges *r);

#endif /* RANGES_H */
