/* table.c - a hash table.  Entries have one size and begin with their key.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
hash_key (const unsigned char *key, size_t n)
{
  uint64_t hash = n;

  for (; n > 0; n -= 8, key += 8)
    {
      uint64_t word;
      memcpy (&word, key, 8);
      hash = (hash ^ word) * UINT64_C (0x9e3779b97f4a7c15);
      hash ^= hash >> 32;
    }
  return hash;
}

void *
table_entry (const struct table *t, uint32_t index)
{
  return t->entries + index * t->entry_size;
}

/* The slot of a key, or the free one where it belongs.  */
static uint32_t *
find_slot (const struct table *t, const void *key)
{
  uint32_t mask = t->n_slots - 1;
  uint32_t i = (uint32_t) hash_key (key, t->key_size) & mask;

  while (t->slots[i] != 0
         && memcmp (table_entry (t, t->slots[i] - 1), key, t->key_size) != 0)
    i = (i + 1) & mask;
  return &t->slots[i];
}

static void
grow_slots (struct table *t)
{
  t->n_slots = t->n_slots != 0 ? 2 * t->n_slots : 64;
  t->slots = resize (t->slots, t->n_slots, sizeof *t->slots);
  memset (t->slots, 0, t->n_slots * sizeof *t->slots);
  for (uint32_t i = 0; i < t->n; i++)
    *find_slot (t, table_entry (t, i)) = i + 1;
}

void *
table_find (const struct table *t, const void *key)
{
  uint32_t slot = t->n != 0 ? *find_slot (t, key) : 0;

  return slot != 0 ? table_entry (t, slot - 1) : NULL;
}

void *
table_add (struct table *t, const void *key)
{
  void *entry = table_find (t, key);

  if (entry != NULL)
    return entry;
  if (t->n >= UINT32_C (1) << 30)
    no_memory ();
  if (t->n >= t->n_slots / 2)
    grow_slots (t);
  if (t->n == t->capacity)
    {
      t->capacity = t->capacity != 0 ? 2 * t->capacity : 32;
      t->entries = resize (t->entries, t->capacity, t->entry_size);
    }
  *find_slot (t, key) = ++t->n;
  entry = table_entry (t, t->n - 1);
  memset (entry, 0, t->entry_size);
  memcpy (entry, key, t->key_size);
  return entry;
}

void
table_free (struct table *t)
{
  free (t->entries);
  free (t->slots);
}
