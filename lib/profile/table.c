/* table.c - a hash table of entries in the order of adding.

   SPDX-License-Identifier: MIT  */

#include "table.h"

#include <string.h>

#define FIRST_SLOTS 64

/* The slots of an empty table, which are only read.  */
static uint32_t no_slots[2];

void
cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs,
                 uint64_t (*hash) (const void *entry))
{
  memset (t, 0, sizeof *t);
  t->head = head;
  t->entry_size = head + n_costs * sizeof (uint64_t);
  t->hash = hash;
  t->slots = no_slots;
  t->mask = 1;
}

/* Return the slot from which on an entry is looked for.  */
static struct cgwi_probe
probe_of (const struct cgwi_table *t, uint32_t index)
{
  return cgwi_probe_start (t, t->hash (cgwi_table_entry (t, index)));
}

static uint32_t
next_slot (const struct cgwi_table *t, uint32_t at)
{
  return (at + 1) & t->mask;
}

static void
put_slot (struct cgwi_table *t, uint32_t index)
{
  struct cgwi_probe p = probe_of (t, index);

  while (t->slots[p.at] != 0)
    p.at = next_slot (t, p.at);
  t->slots[p.at] = p.tag | (index + 1);
}

static void
release_slots (struct cgwi_table *t, const struct cgwi_memory *m)
{
  if (t->slots != no_slots)
    cgwi_release (m, t->slots);
}

static bool
reserve_slot (struct cgwi_table *t, const struct cgwi_memory *m)
{
  uint32_t n = t->slots == no_slots ? FIRST_SLOTS : (t->mask + 1) * 2;
  uint32_t *slots;

  if (t->n < t->most)
    return true;
  if (n == 0 || (size_t) n * sizeof *slots / sizeof *slots != n)
    return false;
  slots = cgwi_resize (m, NULL, n * sizeof *slots);
  if (slots == NULL)
    return false;
  release_slots (t, m);
  memset (slots, 0, n * sizeof *slots);
  t->slots = slots;
  t->mask = n - 1;
  t->most = n / 4 * 3;
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

bool
cgwi_table_reserve (struct cgwi_table *t, const struct cgwi_memory *m)
{
  return reserve_slot (t, m) && reserve_entry (t, m);
}

uint32_t
cgwi_table_append (struct cgwi_table *t, const void *key, size_t n)
{
  unsigned char *entry = cgwi_table_entry (t, t->n);

  memcpy (entry, key, n);
  memset (entry + n, 0, t->entry_size - n);
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
      struct cgwi_probe p = probe_of (t, t->n - 1);

      while (t->slots[p.at] != (p.tag | t->n))
        p.at = next_slot (t, p.at);
      t->slots[p.at] = 0;
      t->n--;
    }
}

void
cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m)
{
  cgwi_release (m, t->entries);
  release_slots (t, m);
  cgwi_table_init (t, t->head, (t->entry_size - t->head) / sizeof (uint64_t),
                   t->hash);
}
