/* table.h - sums by key: a hash table of positions, or of positions and the
   functions that they call, with costs behind each.

   Entries stand in the order in which they were added, one directly behind
   the other; the last ones can be taken back.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TABLE_H
#define CGWI_TABLE_H 1

#include "../platform.h"

#include <stdbool.h>
#include <stdint.h>

/* A key.  Without padding: keys are hashed and compared as bytes.  */
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

/* An empty table of entries of `head` bytes, a multiple of 8, and costs.  */
void cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs);

/* The index of a key's entry, which is all zeros behind its key if it is new;
   CGWI_TABLE_FULL when there is no memory for it.  */
#define CGWI_TABLE_FULL UINT32_MAX
uint32_t cgwi_table_add (struct cgwi_table *t, const struct cgwi_memory *m,
                         const struct cgwi_spot *key);

/* Takes back the entries that were added last, until n are left.  */
void cgwi_table_truncate (struct cgwi_table *t, uint32_t n);

/* Takes back all, and frees the memory.  */
void cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m);

/* An entry; valid until the next one is added.  */
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
