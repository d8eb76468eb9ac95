/* numbers.h - a number for each name of a names object: its rank, or its
   number in a packed profile, or its index in another names object.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NUMBERS_H
#define CGWI_NUMBERS_H 1

#include "profile.h"

struct cgwi_numbers
{
  uint32_t *of[CGWI_KINDS_OF_NAMES]; /* by index */
};

/* Make a number for each present name, CGWI_NONE, in memory that p borrows.
   False: there is none.  */
bool cgwi_make_numbers (struct cgwi_numbers *n, const struct cgw_names *names,
                        struct cgw_profile *p);

/* Rank the present names of p: by their texts; functions first by object and
   file.  Indices follow the order in which names were added, and a sorted file
   must not depend on that.  */
bool cgwi_rank_names (struct cgwi_numbers *n, struct cgw_profile *p);

#endif
