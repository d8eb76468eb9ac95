/* sorted.h - the sums of a profile in the order of its part: by object, file,
   function, source file, address and line; costs before calls.

   Names are ordered by their texts, so the order depends on the sums alone.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SORTED_H
#define CGWI_SORTED_H 1

#include "profile.h"

/* A number for each name of a names object, by index: its rank, or its number
   in a packed profile, or its index in another names object.  */
struct cgwi_numbers
{
  uint32_t *of[CGWI_KINDS_OF_NAMES];
  uint32_t n[CGWI_KINDS_OF_NAMES]; /* names that have one */
};

/* Make a number for each present name, CGWI_NONE, in scratch memory of p.
   False: there is none.  */
bool cgwi_make_numbers (struct cgwi_numbers *n, const struct cgw_names *names,
                        struct cgw_profile *p);

/* The entries of a table.  */
struct cgwi_order
{
  const struct cgwi_table *t;
  const uint64_t *items; /* an index in each lower half */
  uint32_t next;         /* item */
};

struct cgwi_sorted
{
  const struct cgw_names *names;
  struct cgwi_numbers ranks; /* of the names in the sums */
  uint32_t n_fns;            /* with a rank */
  struct cgwi_order self;
  struct cgwi_order edges;
};

/* The self costs of a position, or the calls of an edge.  */
struct cgwi_sum
{
  bool is_call;
  uint64_t count; /* of the calls, or 0 */
  struct cgw_pos at;
  struct cgw_pos to; /* of the calls */
  const uint64_t *costs;
};

/* Book the open calls, and sort the sums: with those of the stacks, or without
   them if these stay whole.  Valid until cgwi_free_scratch.  CGW_ENOMEM.  */
enum cgw_status cgwi_sort_profile (struct cgw_profile *p, bool whole,
                                   struct cgwi_sorted *s);

/* Get the next sum.  False: there is none.  */
bool cgwi_sorted_next (struct cgwi_sorted *s, struct cgwi_sum *sum);

#endif
