/* map.c - a table from 64-bit keys to small numbers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "map.h"

uint64_t
map_hash (const char *bytes, size_t n)
{
  uint64_t hash = UINT64_C (14695981039346656037);

  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C (1099511628211);
  return n == 0 ? 0 : hash;
}

uint32_t
map_find (const struct map *m, uint64_t key)
{
  const struct map_entry *entry = table_find (&m->table, &key);

  return entry != NULL ? (uint32_t) entry->value : 0;
}

void
map_add (struct map *m, uint64_t key, uint32_t value)
{
  struct map_entry *entry = table_add (&m->table, &key);

  entry->value = value;
}

void
map_free (struct map *m)
{
  table_free (&m->table);
}
