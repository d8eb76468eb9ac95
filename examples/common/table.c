/* table.c - a hash table.  Entries have one size and begin with their key.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

void *
table_entry (const struct table *t, uint32_t index)
{
  return t->entries + index * t->entry_size;
}

static void *
find (const struct table *t, const void *key, uint32_t hash)
{
  uint32_t at = hash, i;

  while ((i = hash_next (&t->hash, hash, &at)) != HASH_NONE)
    if (memcmp (table_entry (t, i), key, t->key_size) == 0)
      return table_entry (t, i);
  return NULL;
}

void *
table_find (const struct table *t, const void *key)
{
  return find (t, key, hash_of (key, t->key_size));
}

void *
table_add (struct table *t, const void *key)
{
  uint32_t hash = hash_of (key, t->key_size);
  void *entry = find (t, key, hash);

  if (entry != NULL)
    return entry;
  hash_add (&t->hash, hash, t->n);
  t->entries = resize_for_one (t->entries, t->n, t->entry_size);
  entry = table_entry (t, t->n++);
  memset (entry, 0, t->entry_size);
  return memcpy (entry, key, t->key_size);
}

void
table_free (struct table *t)
{
  free (t->entries);
  hash_free (&t->hash);
}
