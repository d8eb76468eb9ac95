/* table.c - a hash table of positions in the order of adding.

   SPDX-License-Identifier: MIT  */

#include "table.h"

#include <string.h>

#define FIRST_SLOTS 64

/* The slots of an empty table, which are only read.  */
static uint32_t no_slots[2];

/* Each factor depends on the whole secret (a step of SplitMix64).  */
static uint64_t
factor (const struct cgw_names *names, unsigned i)
{
  uint64_t x = names->secret[0] + i * UINT64_C (0x9e3779b97f4a7c15);

  x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9) ^ names->secret[1];
  x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
  return (x ^ x >> 31) | 1;
}

struct cgwi_factors
cgwi_secret_factors (const struct cgw_names *names)
{
  return (struct cgwi_factors){ factor (names, 1), factor (names, 2),
                                factor (names, 3), factor (names, 4) };
}

void
cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs,
                 const struct cgwi_factors *factors)
{
  *t = (struct cgwi_table){ .entry_size = head + n_costs * sizeof (uint64_t),
                            .head = head,
                            .mask = 1, .slots = no_slots,
                            .factors = *factors };
}

static void
put_slot (struct cgwi_table *t, uint32_t index)
{
  uint64_t hash = cgwi_key_hash (t, cgwi_table_entry (t, index));
  uint32_t at = (uint32_t) (hash >> 32) & t->mask;

  while (t->slots[at] != 0)
    at = (at + 1) & t->mask;
  t->slots[at] = ((uint32_t) hash & ~t->mask) | (index + 1);
}

static void
release_slots (struct cgwi_table *t, const struct cgwi_memory *m)
{
  uint32_t *old = t->slots;

  t->slots = no_slots;
  t->mask = 1;
  cgwi_in_order ();
  if (old != no_slots)
    cgwi_release (m, old);
}

/* Make room for one more entry in the slots.  */
static bool
reserve_slot (struct cgwi_table *t, const struct cgwi_memory *m)
{
  size_t n = t->slots == no_slots ? FIRST_SLOTS : ((size_t) t->mask + 1) * 2;
  uint32_t *slots;

  if (t->n < cgwi_table_most (t))
    return true;
  if (n > (size_t) 1 << 31 || n > SIZE_MAX / 2 / sizeof *slots
      || (slots = cgwi_resize (m, NULL, n * sizeof *slots)) == NULL)
    return false;
  memset (slots, 0, n * sizeof *slots);
  release_slots (t, m);
  t->mask = (uint32_t) n - 1;
  t->slots = slots;
  for (uint32_t i = 0; i < t->n; i++)
    put_slot (t, i);
  return true;
}

uint32_t
cgwi_table_append (struct cgwi_table *t, const struct cgwi_key *key)
{
  unsigned char *entry = cgwi_table_entry (t, t->n);

  memcpy (entry, key, sizeof *key);
  memset (entry + sizeof *key, 0, t->entry_size - sizeof *key);
  put_slot (t, t->n);
  return t->n++;
}

uint32_t
cgwi_table_add (struct cgwi_table *t, const struct cgwi_memory *m,
                const struct cgwi_key *key)
{
  uint32_t index = cgwi_table_find (t, key);

  if (index != CGWI_NONE)
    return index;
  return reserve_slot (t, m)
                 && cgwi_grow (m, &t->entries, t->n + (size_t) 1,
                               t->entry_size)
             ? cgwi_table_append (t, key)
             : CGWI_NONE;
}

bool
cgwi_table_copy (struct cgwi_table *to, const struct cgwi_memory *m,
                 const struct cgwi_table *from)
{
  size_t size = ((size_t) from->mask + 1) * sizeof *from->slots;
  uint32_t *slots;

  if (from->n == 0)
    return true;
  if (!cgwi_grow (m, &to->entries, from->n, from->entry_size)
      || (slots = cgwi_resize (m, NULL, size)) == NULL)
    return false;
  memcpy (to->entries.at, from->entries.at, from->n * from->entry_size);
  memcpy (slots, from->slots, size);
  to->slots = slots;
  to->mask = from->mask;
  to->n = from->n;
  return true;
}

void
cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m)
{
  t->n = 0;
  release_slots (t, m);
  cgwi_release_array (m, &t->entries);
}
