/* hash.h - what table.c and intern.c have in common: numbers that are found by
   the hash of their key, in an open-addressing table.  Keys stay with the user,
   who compares them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef HASH_H
#define HASH_H 1

#include <stddef.h>
#include <stdint.h>

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

#endif /* HASH_H */
