/* table.h - sums by position, or by position and called function: a hash table
   with costs behind each key.

   Entries are contiguous and in the order in which they were added.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TABLE_H
#define CGWI_TABLE_H 1

#include "../names/names.h"

#include <stdbool.h>
#include <stdint.h>

/* A position, alone or with a function that is called from there; a struct
   cgw_pos that uses its padding.  The names are handles, as the caller gives
   them.  In an entry of a table that is summed up, the unknown function is 0,
   and so is a function's own file: then one position is one entry.  */
struct cgwi_key
{
  uint32_t fn;
  uint32_t file;
  uint32_t line;
  uint32_t callee; /* a handle, or CGWI_NONE: a position alone */
  uint64_t instr;
};

/* Return a key's parts two by two: so comparing takes three words.  */
static inline uint64_t
cgwi_key_names (const struct cgwi_key *s)
{
  return (uint64_t) s->file << 32 | s->fn;
}

static inline uint64_t
cgwi_key_line (const struct cgwi_key *s)
{
  return (uint64_t) s->callee << 32 | s->line;
}

static inline bool
cgwi_key_equal (const struct cgwi_key *a, const struct cgwi_key *b)
{
  return cgwi_key_names (a) == cgwi_key_names (b)
         && cgwi_key_line (a) == cgwi_key_line (b) && a->instr == b->instr;
}

/* Odd factors of hashes.  They are secret: keys may come from others, who must
   not be able to choose keys that collide.  */
struct cgwi_factors
{
  uint64_t names;
  uint64_t line;
  uint64_t instr;
  uint64_t mix;
};

struct cgwi_factors cgwi_secret_factors (const struct cgw_names *names);

/* Spread the bits of a sum of products over both halves: a table takes the
   slot from the upper one, and a tag from the lower one.  */
static inline uint64_t
cgwi_mix (const struct cgwi_factors *f, uint64_t sum)
{
  return (sum ^ sum >> 32) * f->mix;
}

struct cgwi_table
{
  struct cgwi_array entries;
  size_t entry_size;
  size_t head;     /* bytes of an entry before its costs */
  uint32_t n;
  /* Open addressing.  A slot is 0 or has an entry's index plus 1 in the bits
     of `mask`, and bits of its hash in the others: so that probing hardly ever
     reads an entry, which may be a cache miss, in vain.  */
  uint32_t mask;   /* the number of slots, a power of two, minus 1 */
  uint32_t *slots;
  struct cgwi_factors factors;
};

/* Make an empty table of entries that have `head` bytes, a multiple of 8 that
   begins with a key, and n_costs costs.  */
void cgwi_table_init (struct cgwi_table *t, size_t head, size_t n_costs,
                      const struct cgwi_factors *factors);

/* Return an entry.  Valid until the next one is added.  */
static inline void *
cgwi_table_entry (const struct cgwi_table *t, uint32_t index)
{
  return (unsigned char *) t->entries.at + index * t->entry_size;
}

static inline uint64_t *
cgwi_table_costs (const struct cgwi_table *t, uint32_t index)
{
  return (void *) ((unsigned char *) t->entries.at + index * t->entry_size
                   + t->head);
}

/* The products are independent of each other, so that they overlap.  */
static inline uint64_t
cgwi_key_hash (const struct cgwi_table *t, const struct cgwi_key *s)
{
  return cgwi_mix (&t->factors, cgwi_key_names (s) * t->factors.names
                                    + cgwi_key_line (s) * t->factors.line
                                    + s->instr * t->factors.instr);
}

/* Return the index of a key's entry; CGWI_NONE: there is none.  */
static inline uint32_t
cgwi_table_find (const struct cgwi_table *t, const struct cgwi_key *key)
{
  uint64_t hash = cgwi_key_hash (t, key);
  uint32_t mask = t->mask;
  uint32_t tag = (uint32_t) hash & ~mask;
  uint32_t at = (uint32_t) (hash >> 32) & mask;
  uint32_t slot;

  for (; (slot = t->slots[at]) != 0; at = (at + 1) & mask)
    if ((slot ^ tag) <= mask
        && cgwi_key_equal (cgwi_table_entry (t, (slot & mask) - 1), key))
      return (slot & mask) - 1;
  return CGWI_NONE;
}

/* Return how many entries the slots are for: three quarters of them.  */
static inline uint32_t
cgwi_table_most (const struct cgwi_table *t)
{
  return (t->mask + 1) / 4 * 3;
}

/* Whether another entry needs no memory.  */
static inline bool
cgwi_table_has_room (const struct cgwi_table *t)
{
  return t->n < cgwi_table_most (t) && t->n < t->entries.room;
}

/* Add an entry that is new, for which there is room, all zeros behind its key.
   Return its index.  */
uint32_t cgwi_table_append (struct cgwi_table *t, const struct cgwi_key *key);

/* Return the index of a key's entry.  A new one is all zeros behind its key.
   CGWI_NONE: no memory.  */
uint32_t cgwi_table_add (struct cgwi_table *t, const struct cgwi_memory *m,
                         const struct cgwi_key *key);

/* Copy a table of the same factors to an empty one.  False: no memory, and the
   other one can only be cleared.  */
bool cgwi_table_copy (struct cgwi_table *to, const struct cgwi_memory *m,
                      const struct cgwi_table *from);

/* Remove all entries, and free the memory.  */
void cgwi_table_clear (struct cgwi_table *t, const struct cgwi_memory *m);

#endif
