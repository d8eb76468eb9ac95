/* intern.c - a table that numbers distinct byte strings.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "intern.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
find (const struct intern *t, const void *bytes, size_t n, uint32_t hash)
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
  uint32_t i = find (t, bytes, n, hash);

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
