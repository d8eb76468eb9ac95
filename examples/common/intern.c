/* intern.c - a table that numbers distinct byte strings.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "intern.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
hash_bytes (const unsigned char *bytes, size_t n)
{
  uint64_t hash = n;

  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * UINT64_C (0x100000001b3);
  return (uint32_t) (hash ^ hash >> 32);
}

/* The slot of a string, or the free one where it belongs.  */
static uint32_t
find_slot (const struct intern *t, const void *bytes, size_t n, uint32_t hash)
{
  uint32_t i = hash & (t->n_slots - 1);

  for (; t->slots[i] != 0; i = (i + 1) & (t->n_slots - 1))
    {
      const struct intern_entry *e = &t->entries[t->slots[i] - 1];

      if (e->hash == hash && e->length == n
          && memcmp (t->bytes + e->offset, bytes, n) == 0)
        break;
    }
  return i;
}

static void
grow_slots (struct intern *t)
{
  t->n_slots = t->n_slots != 0 ? 2 * t->n_slots : 64;
  t->slots = resize (t->slots, t->n_slots, sizeof *t->slots);
  memset (t->slots, 0, t->n_slots * sizeof *t->slots);
  for (uint32_t i = 0; i < t->n; i++)
    {
      const struct intern_entry *e = &t->entries[i];
      uint32_t slot
          = find_slot (t, t->bytes + e->offset, e->length, e->hash);

      t->slots[slot] = i + 1;
    }
}

uint32_t
intern (struct intern *t, const void *bytes, size_t n)
{
  uint32_t hash = hash_bytes (bytes, n);
  uint32_t slot;

  if (t->n >= t->n_slots / 2)
    grow_slots (t);
  slot = find_slot (t, bytes, n, hash);
  if (t->slots[slot] != 0)
    return t->slots[slot] - 1;
  while (t->size - t->used < n + 8)
    {
      t->size = t->size != 0 ? 2 * t->size : 4096;
      t->bytes = resize (t->bytes, t->size, 1);
    }
  t->entries = resize_for (t->entries, t->n, &t->capacity,
                           sizeof *t->entries);
  t->entries[t->n] = (struct intern_entry){ t->used, (uint32_t) n, hash };
  memcpy (t->bytes + t->used, bytes, n);
  t->used += (n + 7) / 8 * 8;
  t->slots[slot] = ++t->n;
  return t->n - 1;
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
  free (t->slots);
  free (t->bytes);
}
