/* sum_map.h - sums by position in a std::unordered_map: what C needs of it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SUM_MAP_H
#define SUM_MAP_H 1

#include <cgw.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A map, one sum for each position.  */
void *sum_map_new (void);
void sum_map_free (void *map);

void sum_map_add (void *map, const struct cgw_pos *pos, uint64_t cost);
size_t sum_map_size (const void *map);

/* Hands each position with its sum to the function.  */
void sum_map_each (const void *map,
                   void (*act) (void *context, const struct cgw_pos *pos,
                                uint64_t sum),
                   void *context);

#ifdef __cplusplus
}
#endif

#endif /* SUM_MAP_H */
