/* table.c - hash tables: of entries of one size, and of byte
   strings.  Keys are compared in full.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "table.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Numbers that are found by the hash of their key, in an open-addressing table.
   Keys stay with the user, who compares them.  */

/* Keys are from files: nobody who chooses them may know how they hash.  */
static uint64_t secret[2];

__attribute__ ((constructor)) static void
choose_secret (void)
{
  if (getrandom (secret, sizeof secret, GRND_NONBLOCK) != sizeof secret)
    {
      struct timespec now;

      clock_gettime (CLOCK_MONOTONIC, &now);
      secret[0] ^= (uintptr_t) &now * UINT64_C (0x9e3779b97f4a7c15);
      secret[1] ^= (uint64_t) now.tv_nsec * UINT64_C (0xbf58476d1ce4e5b9);
    }
}

/* The halves of a product of 128 bits, without the carries, as one number.  */
static uint64_t
mix (uint64_t hash, uint64_t word)
{
  uint64_t a = hash ^ secret[0], b = word ^ secret[1];
  uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
  uint64_t high = (a >> 32) * (b >> 32);
  uint64_t middle
      = (a >> 32) * (b & UINT32_MAX) ^ (a & UINT32_MAX) * (b >> 32);

  return low ^ high ^ (middle << 32 | middle >> 32);
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
  return (uint32_t) (mix (hash, word) >> 16);
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

/* Entries of one size, which begin with their key.  */

void *
table_entry (const struct table *t, uint32_t index)
{
  return t->entries + index * t->entry_size;
}

uint32_t
table_index (const struct table *t, const void *entry)
{
  size_t offset = (size_t) ((const unsigned char *) entry - t->entries);

  return (uint32_t) (offset / t->entry_size);
}

static void *
find_entry (const struct table *t, const void *key, uint32_t hash)
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
  return find_entry (t, key, hash_of (key, t->key_size));
}

void *
table_add (struct table *t, const void *key)
{
  uint32_t hash = hash_of (key, t->key_size);
  void *entry = find_entry (t, key, hash);

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

/* Numbers for distinct byte strings.  */

static uint32_t
find_string (const struct intern *t, const void *bytes, size_t n, uint32_t hash)
{
  uint32_t at = hash, i;

  while ((i = hash_next (&t->hash, hash, &at)) != HASH_NONE)
    if (t->entries[i].length == n
        && memcmp (t->bytes + t->entries[i].offset, bytes, n) == 0)
      break;
  return i;
}

uint32_t
intern (struct intern *t, const void *bytes, size_t n)
{
  uint32_t hash = hash_of (bytes, n);
  uint32_t i = find_string (t, bytes, n, hash);

  if (i != HASH_NONE)
    return i;
  while (t->size - t->used < n + 8)
    {
      t->size = t->size != 0 ? 2 * t->size : 4096;
      t->bytes = resize (t->bytes, t->size, 1);
    }
  hash_add (&t->hash, hash, t->n);
  t->entries = resize_for_one (t->entries, t->n, sizeof *t->entries);
  t->entries[t->n] = (struct intern_entry){ t->used, n };
  memcpy (t->bytes + t->used, bytes, n);
  t->used += (n + 7) / 8 * 8;
  return t->n++;
}

const void *
intern_bytes (const struct intern *t, uint32_t index, size_t *n)
{
  const struct intern_entry *e = &t->entries[index];

  if (n != NULL)
    *n = e->length;
  return t->bytes + e->offset;
}

void
intern_free (struct intern *t)
{
  free (t->entries);
  hash_free (&t->hash);
  free (t->bytes);
}
