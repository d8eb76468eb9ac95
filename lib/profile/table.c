/* table.c - sums by key: a hash table of entries in the order of adding.

   SPDX-License-Identifier: MIT  */

#include "table.h"

#include <string.h>

void
cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs)
{
  memset (t, 0, sizeof *t);
  t->head = head;
  t->entry_size = head + n_costs * sizeof (uint64_t);
}

static uint32_t
hash (const struct cgwi_spot *key)
{
  uint64_t words[3];
  uint64_t h = 0;

  memcpy (words, key, sizeof words);
  for (int i = 0; i < 3; i++)
    {
      h = (h ^ words[i]) * UINT64_C (0x9e3779b97f4a7c15);
      h ^= h >> 32;
    }
  return (uint32_t) h;
}

/* The slot where probing for an entry's key begins.  */
static uint32_t
first_slot (const struct cgwi_table *t, uint32_t index)
{
  return hash (cgwi_table_entry (t, index)) & (t->n_slots - 1);
}

static void
put_slot (struct cgwi_table *t, uint32_t index)
{
  uint32_t i = first_slot (t, index);

  while (t->slots[i] != 0)
    i = (i + 1) & (t->n_slots - 1);
  t->slots[i] = index + 1;
}

/* Return the index of a key, or CGWI_TABLE_FULL.  */
static uint32_t
find (const struct cgwi_table *t, const struct cgwi_spot *key)
{
  uint32_t mask = t->n_slots - 1;

  if (t->n_slots == 0)
    return CGWI_TABLE_FULL;
  for (uint32_t i = hash (key) & mask; t->slots[i] != 0; i = (i + 1) & mask)
    if (memcmp (cgwi_table_entry (t, t->slots[i] - 1), key, sizeof *key) == 0)
      return t->slots[i] - 1;
  return CGWI_TABLE_FULL;
}

static bool
reserve_slot (struct cgwi_table *t, const struct cgwi_memory *m)
{
  uint32_t n_slots = t->n_slots == 0 ? 64 : t->n_slots * 2;
  uint32_t *slots;

  if (t->n < t->n_slots - t->n_slots / 4)
    return true;
  if (n_slots == 0) /* 2^32 slots do not fit */
    return false;
  slots = cgwi_resize (m, NULL, n_slots * sizeof *slots);
  if (slots == NULL)
    return false;
  cgwi_release (m, t->slots);
  memset (slots, 0, n_slots * sizeof *slots);
  t->slots = slots;
  t->n_slots = n_slots;
  for (uint32_t i = 0; i < t->n; i++)
    put_slot (t, i);
  return true;
}

static bool
reserve_entry (struct cgwi_table *t, const struct cgwi_memory *m)
{
  /* Fewer than 2^31 * 3/4 entries: this does not wrap.  */
  uint32_t capacity = t->capacity + t->capacity / 2 + 32;
  unsigned char *entries;

  if (t->n < t->capacity)
    return true;
  if (capacity > SIZE_MAX / t->entry_size)
    return false;
  entries = cgwi_resize (m, t->entries, capacity * t->entry_size);
  if (entries == NULL)
    return false;
  t->entries = entries;
  t->capacity = capacity;
  return true;
}

uint32_t
cgwi_table_add (struct cgwi_table *t, const struct cgwi_memory *m,
                const struct cgwi_spot *key)
{
  uint32_t index = find (t, key);
  unsigned char *entry;

  if (index != CGWI_TABLE_FULL)
    return index;
  if (!reserve_slot (t, m) || !reserve_entry (t, m))
    return CGWI_TABLE_FULL;
  entry = cgwi_table_entry (t, t->n);
  memset (entry, 0, t->entry_size);
  memcpy (entry, key, sizeof *key);
  put_slot (t, t->n);
  return t->n++;
}

/* The last entry's slot can simply be emptied: entries further on in its run
   of slots are older, so their probing never passed it.  (When the slots grow,
   the entries are inserted again in their order.)  */
void
cgwi_table_truncate (struct cgwi_table *t, uint32_t n)
{
  while (t->n > n)
    {
      uint32_t i = first_slot (t, t->n - 1);
      while (t->slots[i] != t->n)
        i = (i + 1) & (t->n_slots - 1);
      t->slots[i] = 0;
      t->n--;
    }
}

void
cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m)
{
  cgwi_release (m, t->entries);
  cgwi_release (m, t->slots);
  t->entries = NULL;
  t->slots = NULL;
  t->n = t->capacity = t->n_slots = 0;
}
