/* sort.h - merge sort of indices, in memory of the allocator hook.

   qsort may call malloc, and passes no context to its comparison.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SORT_H
#define CGWI_SORT_H 1

#include "profile.h"

/* Whether index a is before b.  */
typedef bool cgwi_less (void *context, uint32_t a, uint32_t b);

/* Return the indices 0 to n - 1 in order, with room for as many behind them,
   in memory that p borrows.  NULL: there is none.  */
uint32_t *cgwi_sort (struct cgw_profile *p, uint32_t n, cgwi_less *less,
                     void *context);

#endif
