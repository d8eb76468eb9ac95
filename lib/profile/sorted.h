/* sorted.h - the sums of a profile in the order of its part: by object, file,
   function, source file, address and line; costs before calls.

   Names are ordered by their texts, so the order depends on the sums alone.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SORTED_H
#define CGWI_SORTED_H 1

#include "profile.h"
#include "ranks.h"

struct cgwi_sorted
{
  struct cgwi_ranks ranks;
  uint32_t *self;  /* indices of entries */
  uint32_t *edges;
  uint64_t *costs; /* of the last sum */
  uint32_t next_self;
  uint32_t next_edge;
};

/* The self costs of a position, or the calls of an edge.  */
struct cgwi_sum
{
  bool is_edge;
  struct cgwi_edge at; /* of self costs only the key */
  const uint64_t *costs;
};

/* Expand the stacks, and sort.  CGW_ENOMEM, CGW_EFORK, CGW_EBUSY,
   CGW_EFINISHED.  */
enum cgw_status cgwi_sort_profile (struct cgw_profile *p,
                                   struct cgwi_sorted *s);

/* Get the next sum.  False: there is none.  */
bool cgwi_sorted_next (const struct cgw_profile *p, struct cgwi_sorted *s,
                       struct cgwi_sum *sum);

void cgwi_free_sorted (struct cgw_profile *p, struct cgwi_sorted *s);

#endif
