/* perf_map.h - names of code that a process generated at run time, from the map
   file that it writes for perf.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PERF_MAP_H
#define PERF_MAP_H 1

#include "ranges.h"

#include <stdint.h>

/* Begins as {0}.  */
struct perf_map
{
  struct ranges ranges;
  char *text;
};

/* Reads a file of this user's or of root's that was written since the process
   began, which counts in the kernel's ticks since the boot; 0 is unknown.  Any
   other file has no names.  */
void perf_map_read (struct perf_map *map, const char *path,
                    uint64_t start_time);

/* NULL: the address has none.  */
const char *perf_map_name (const struct perf_map *map, uint64_t address);

void perf_map_free (struct perf_map *map);

#endif /* PERF_MAP_H */
