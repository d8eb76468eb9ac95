/* hash.c - numbers that are found by the hash of their key.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "hash.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
mix (uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

uint32_t
hash_of (const void *key, size_t n)
{
  const unsigned char *p = key;
  uint64_t hash = n, word = 0;

  for (; n >= sizeof word; n -= sizeof word, p += sizeof word)
    {
      memcpy (&word, p, sizeof word);
      hash = mix (hash, word);
    }
  word = 0;
  memcpy (&word, p, n);
  return (uint32_t) (n != 0 ? mix (hash, word) : hash);
}

static void
put (struct hash *h, struct hash_slot slot)
{
  uint32_t i = slot.hash & (h->n_slots - 1);

  while (h->slots[i].number != 0)
    i = (i + 1) & (h->n_slots - 1);
  h->slots[i] = slot;
}

/* Twice as many slots.  */
static void
grow (struct hash *h)
{
  struct hash old = *h;

  h->n_slots = old.n_slots != 0 ? 2 * old.n_slots : 64;
  h->slots = resize (NULL, h->n_slots, sizeof *h->slots);
  memset (h->slots, 0, h->n_slots * sizeof *h->slots);
  for (uint32_t i = 0; i < old.n_slots; i++)
    if (old.slots[i].number != 0)
      put (h, old.slots[i]);
  free (old.slots);
}

void
hash_add (struct hash *h, uint32_t hash, uint32_t number)
{
  if (number >= UINT32_C (1) << 30)
    no_memory ();
  if (number >= h->n_slots / 2)
    grow (h);
  put (h, (struct hash_slot){ hash, number + 1 });
}

void
hash_free (struct hash *h)
{
  free (h->slots);
}
