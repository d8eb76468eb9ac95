/* sort.h - sorts indices, in memory of the allocator hook.

   qsort may call malloc, and hands its comparison no context.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SORT_H
#define CGWI_SORT_H 1

#include "../platform.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether index a stands before b.  */
typedef bool cgwi_less (void *context, uint32_t a, uint32_t b);

/* The indices 0 to n - 1 in order: n of them, and room for as many behind
   them.  The caller's to release; NULL when there is no memory.  */
uint32_t *cgwi_sort (const struct cgwi_memory *m, uint32_t n,
                     cgwi_less *less, void *context);

#endif
