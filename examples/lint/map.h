/* map.h - a hash table from 64-bit keys to small numbers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MAP_H
#define MAP_H 1

#include <stddef.h>
#include <stdint.h>

struct map
{
  struct map_slot
  {
    uint64_t key;
    uint32_t value; /* 0: the slot is free */
  } *slots;
  size_t n;
  size_t n_slots; /* a power of two, or 0 */
};

/* A key for n bytes: a hash, or 0 if n is 0.  */
uint64_t map_hash (const char *bytes, size_t n);

/* The value of a key, or 0.  */
uint32_t map_find (const struct map *m, uint64_t key);

/* Gives a key that has none a value above 0.  Ends the program when there is
   no memory.  */
void map_add (struct map *m, uint64_t key, uint32_t value);

void map_free (struct map *m);

/* Makes room for one more item behind n of them, which is doubled at powers of
   two.  Ends the program when there is no memory.  */
void *map_grow (void *items, size_t n, size_t size);

#endif /* MAP_H */
