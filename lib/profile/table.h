/* table.h - sums by key: a hash table of positions, of positions and the
   functions that they call, or of stacks, with costs behind each.

   Entries are contiguous and in the order in which they were added.  The last
   ones can be removed.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TABLE_H
#define CGWI_TABLE_H 1

#include "../platform.h"

#include <stdbool.h>
#include <stdint.h>

#define CGWI_TABLE_NONE UINT32_MAX /* no index */

struct cgwi_table
{
  unsigned char *entries;
  uint32_t n;
  uint32_t capacity;
  size_t entry_size;
  size_t head;    /* bytes of an entry before its costs */
  uint64_t (*hash) (const void *entry);
  /* Open addressing.  A slot is 0 or has an entry's index plus 1 in the bits of
     `mask`, and bits of its hash in the others: so that probing hardly ever
     reads an entry, which may be a cache miss, in vain.  */
  uint32_t *slots;
  uint32_t mask; /* their number, a power of two, minus 1 */
  uint32_t most; /* entries, with these slots */
};

/* Make an empty table of entries that have `head` bytes, a multiple of 8, and
   n_costs costs.  */
void cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs,
                      uint64_t (*hash) (const void *entry));

/* Where to look for an entry with that hash.  */
struct cgwi_probe
{
  uint32_t at;
  uint32_t tag;
};

static inline struct cgwi_probe
cgwi_probe_start (const struct cgwi_table *t, uint64_t hash)
{
  return (struct cgwi_probe){ (uint32_t) (hash >> 32) & t->mask,
                              (uint32_t) hash & ~t->mask };
}

/* Return the index of the next entry that may have the hash, or
   CGWI_TABLE_NONE.  */
static inline uint32_t
cgwi_probe_next (const struct cgwi_table *t, struct cgwi_probe *p)
{
  uint32_t slot;

  while ((slot = t->slots[p->at]) != 0)
    {
      p->at = (p->at + 1) & t->mask;
      if ((slot ^ p->tag) <= t->mask)
        return (slot & t->mask) - 1;
    }
  return CGWI_TABLE_NONE;
}

/* Make room for one more entry.  False: no memory.  */
bool cgwi_table_reserve (struct cgwi_table *t, const struct cgwi_memory *m);

/* Add an entry, for which there is room, of `n` bytes at `key` and zeros.
   Return its index.  */
uint32_t cgwi_table_append (struct cgwi_table *t, const void *key, size_t n);

/* Remove the entries that were added last, until n are left.  */
void cgwi_table_truncate (struct cgwi_table *t, uint32_t n);

/* Remove all entries, and free the memory.  */
void cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m);

/* Return an entry.  Valid until the next one is added.  */
static inline void *
cgwi_table_entry (const struct cgwi_table *t, uint32_t index)
{
  return t->entries + index * t->entry_size;
}

static inline uint64_t *
cgwi_table_costs (const struct cgwi_table *t, uint32_t index)
{
  return (uint64_t *) (void *) (t->entries + index * t->entry_size + t->head);
}

#endif
