/* table.h - a hash table.  Entries have one size and begin with their key.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TABLE_H
#define TABLE_H 1

#include "hash.h"

#include <stddef.h>
#include <stdint.h>

/* Begins with the two sizes alone.  */
struct table
{
  size_t key_size; /* keys have no padding */
  size_t entry_size;
  unsigned char *entries; /* in the order in which they were added */
  uint32_t n;
  struct hash hash; /* of indices */
};

/* The entry of a key, or NULL.  Valid until the next one is added.  */
void *table_find (const struct table *t, const void *key);

/* The same, but if there is none, it is added, zeroed behind its key.  Ends the
   program if there are 2^30 entries.  */
void *table_add (struct table *t, const void *key);

/* The entry of an index.  */
void *table_entry (const struct table *t, uint32_t index);

void table_free (struct table *t);

#endif /* TABLE_H */
