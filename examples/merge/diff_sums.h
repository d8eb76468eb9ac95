/* diff_sums.h - the sums of two profiles, and their differences.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_DIFF_SUMS_H
#define MERGE_DIFF_SUMS_H 1

#include "cgin.h"
#include "table.h"

#include <cgw.h>
#include <stdio.h>

enum side
{
  BEFORE,
  AFTER,
  SIDES
};

struct diff_sums
{
  size_t n;               /* events */
  bool by_line;
  struct table names;     /* of files, objects and functions, by handle */
  struct table functions;
  struct table places;    /* costs per position */
  struct table edges;     /* calls */
};

void diff_sums_begin (struct diff_sums *d, size_t n_events, bool by_line);
void diff_sums_free (struct diff_sums *d);

/* Learns the text of a handle.  */
void diff_sums_name (struct diff_sums *d, const struct cgin_name *name);

/* Add n costs to one side.  CGW_EOVERFLOW: a sum would pass 2^64-1.  */
enum cgw_status diff_sums_cost (struct diff_sums *d, enum side side,
                                const struct cgw_pos *pos,
                                const uint64_t *cost);
enum cgw_status diff_sums_call (struct diff_sums *d, enum side side,
                                const struct cgw_pos *from,
                                const struct cgw_pos *to, uint64_t count,
                                const uint64_t *cost);

/* Adds the differences to a profile of 2 n events: what is more, and what is
   less, of each.  */
void diff_sums_fill (const struct diff_sums *d, struct cgw_profile *profile);

/* Prints the largest changes of the first event, whose name is given.  */
void diff_sums_print (const struct diff_sums *d, const char *event,
                      FILE *stream);

#endif /* MERGE_DIFF_SUMS_H */
