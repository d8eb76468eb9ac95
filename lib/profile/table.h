/* table.h - sums by key: a hash table of positions, or of positions and the
   functions that they call, with costs behind each.

   Entries are contiguous and in the order in which they were added.  The last
   ones can be removed.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TABLE_H
#define CGWI_TABLE_H 1

#include "../platform.h"

#include <stdbool.h>
#include <stdint.h>

/* A key.  It has no padding, because keys are hashed and compared as
   bytes.  */
struct cgwi_spot
{
  uint32_t fn;     /* index of a name, as in the writer */
  uint32_t source; /* 0: the function's own file; else index + 1 */
  uint32_t line;
  uint32_t callee; /* index, or CGWI_NONE: a position alone */
  uint64_t instr;
};

_Static_assert (sizeof (struct cgwi_spot) == 24, "keys have no padding");

struct cgwi_table
{
  unsigned char *entries; /* each begins with its key */
  uint32_t n;
  uint32_t capacity;
  size_t entry_size;
  size_t head;            /* bytes of an entry before its costs */
  uint32_t *slots;        /* open addressing: index + 1, or 0 */
  uint32_t n_slots;       /* a power of two, at least 4/3 of n */
};

/* Make an empty table of entries that have `head` bytes, a multiple of 8, and
   n_costs costs.  */
void cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs);

/* Return the index of a key's entry.  A new one is all zeros behind its key.
   CGWI_TABLE_FULL: no memory.  */
#define CGWI_TABLE_FULL UINT32_MAX
uint32_t cgwi_table_add (struct cgwi_table *t, const struct cgwi_memory *m,
                         const struct cgwi_spot *key);

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
