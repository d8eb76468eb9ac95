/* map.h - a table from 64-bit keys to small numbers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MAP_H
#define MAP_H 1

#include "../base/table.h"

/* Begins as MAP_INIT.  */
struct map
{
  struct table table;
};

struct map_entry
{
  uint64_t key;
  uint64_t value;
};

#define MAP_INIT                                                              \
  { { .key_size = sizeof (uint64_t),                                          \
      .entry_size = sizeof (struct map_entry) } }

/* A key for n bytes: a hash, or 0 if n is 0.  */
uint64_t map_hash (const char *bytes, size_t n);

/* The value of a key, or 0.  */
uint32_t map_find (const struct map *m, uint64_t key);

/* Gives a key a value above 0.  */
void map_add (struct map *m, uint64_t key, uint32_t value);

void map_free (struct map *m);

#endif /* MAP_H */
