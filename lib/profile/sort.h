/* sort.h - merge sort of indices.

   qsort may call malloc, and passes no context to its comparison.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SORT_H
#define CGWI_SORT_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether index a is before b.  */
typedef bool cgwi_less (void *context, uint32_t a, uint32_t b);

/* Sort n indices.  `room` is for n more, and has no meaning afterwards.  */
void cgwi_sort (uint32_t *at, uint32_t *room, size_t n, cgwi_less *less,
                void *context);

#endif
