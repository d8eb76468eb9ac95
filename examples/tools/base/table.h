/* table.h - hash tables: of entries of one size, and of byte
   strings.  Keys are compared in full.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TABLE_H
#define TABLE_H 1

#include <stddef.h>
#include <stdint.h>

/* Numbers that are found by the hash of their key, in an open-addressing table.
   Keys stay with the user, who compares them.  */

/* Begins as {0}.  */
struct hash
{
  struct hash_slot
  {
    uint32_t hash;
    uint32_t number; /* plus 1, or 0 */
  } *slots;
  uint32_t n_slots; /* a power of two, or 0 */
};

uint32_t hash_of (const void *key, size_t n);

/* Returns a number with this hash, or HASH_NONE after the last of them.  *at is
   the hash at first.  */
#define HASH_NONE UINT32_MAX
static inline uint32_t
hash_next (const struct hash *h, uint32_t hash, uint32_t *at)
{
  if (h->n_slots == 0)
    return HASH_NONE;
  for (;;)
    {
      const struct hash_slot *slot = &h->slots[(*at)++ & (h->n_slots - 1)];

      if (slot->number == 0 || slot->hash == hash)
        return slot->number - 1;
    }
}

/* Adds the next number: they count from 0.  Ends the program if there are 2^30,
   or no memory.  */
void hash_add (struct hash *h, uint32_t hash, uint32_t number);

void hash_free (struct hash *h);

/* Entries of one size, which begin with their key.  */

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

/* The index of an entry.  */
uint32_t table_index (const struct table *t, const void *entry);

void table_free (struct table *t);

/* Numbers for distinct byte strings.  */

struct intern_entry
{
  size_t offset; /* into the bytes, a multiple of 8 */
  size_t length;
};

/* Begins as {0}.  */
struct intern
{
  struct intern_entry *entries;
  uint32_t n;
  struct hash hash; /* of numbers */
  unsigned char *bytes;
  size_t used;
  size_t size;
};

/* The number of a string, counted from 0 in the order in which they came
   first.  */
uint32_t intern (struct intern *t, const void *bytes, size_t n);

/* The string of a number, until the next is added.  */
const void *intern_bytes (const struct intern *t, uint32_t index, size_t *n);

void intern_free (struct intern *t);

#endif /* TABLE_H */
