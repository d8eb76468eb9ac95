/* map.c - a hash table from 64-bit keys to small numbers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "map.h"

#include "tool.h"

#include <stdlib.h>

static void __attribute__ ((noreturn))
no_memory (void)
{
  tool_complain ("the names", 0, "out of memory");
  exit (TOOL_WRONG_USAGE);
}

uint64_t
map_hash (const char *bytes, size_t n)
{
  uint64_t hash = UINT64_C (14695981039346656037);

  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C (1099511628211);
  return n == 0 ? 0 : hash;
}

/* Ids are small numbers in a row: spread them.  */
static size_t
first_slot (const struct map *m, uint64_t key)
{
  return (size_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 20)
         & (m->n_slots - 1);
}

static struct map_slot *
find_slot (const struct map *m, uint64_t key)
{
  size_t i = first_slot (m, key);

  while (m->slots[i].value != 0 && m->slots[i].key != key)
    i = (i + 1) & (m->n_slots - 1);
  return &m->slots[i];
}

uint32_t
map_find (const struct map *m, uint64_t key)
{
  return m->n_slots == 0 ? 0 : find_slot (m, key)->value;
}

static void
enlarge (struct map *m)
{
  struct map old = *m;

  m->n_slots = old.n_slots ? 2 * old.n_slots : 64;
  m->slots = calloc (m->n_slots, sizeof *m->slots);
  if (!m->slots)
    no_memory ();
  for (size_t i = 0; i < old.n_slots; i++)
    if (old.slots[i].value != 0)
      *find_slot (m, old.slots[i].key) = old.slots[i];
  free (old.slots);
}

void
map_add (struct map *m, uint64_t key, uint32_t value)
{
  if (2 * m->n >= m->n_slots)
    enlarge (m);
  *find_slot (m, key) = (struct map_slot){ key, value };
  m->n++;
}

void
map_free (struct map *m)
{
  free (m->slots);
  *m = (struct map){ 0 };
}

void *
map_grow (void *items, size_t n, size_t size)
{
  if (n & (n - 1))
    return items;
  items = realloc (items, (n ? 2 * n : 1) * size);
  if (!items)
    no_memory ();
  return items;
}
