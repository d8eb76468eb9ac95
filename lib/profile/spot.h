/* spot.h - the keys of a profile: positions, alone or with a callee.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SPOT_H
#define CGWI_SPOT_H 1

#include "table.h"

/* A position, and a function that is called from there.  A key may name a
   function's own file, or leave it out: both are one position of the file, but
   the files of functions belong to the writer, which adding must not touch.
   So there may be two entries, which are written as one.  */
struct cgwi_spot
{
  uint32_t fn;     /* index of a name, as in the writer */
  uint32_t source; /* 0: the function's own file; else index + 1 */
  uint32_t line;
  uint32_t callee; /* index, or CGWI_NONE: a position alone */
  uint64_t instr;
};

/* Return a key's parts two by two: so comparing takes three words.  */
static inline uint64_t
cgwi_spot_names (const struct cgwi_spot *s)
{
  return (uint64_t) s->source << 32 | s->fn;
}

static inline uint64_t
cgwi_spot_line (const struct cgwi_spot *s)
{
  return (uint64_t) s->callee << 32 | s->line;
}

static inline bool
cgwi_spot_equal (const struct cgwi_spot *a, const struct cgwi_spot *b)
{
  return cgwi_spot_names (a) == cgwi_spot_names (b)
         && cgwi_spot_line (a) == cgwi_spot_line (b) && a->instr == b->instr;
}

/* Spread the bits of a sum of products over both halves: the table takes a slot
   from the upper one, and a tag from the lower one.  */
static inline uint64_t
cgwi_mix (uint64_t sum)
{
  return (sum ^ sum >> 32) * UINT64_C (0x9e3779b97f4a7c15);
}

/* The products are independent of each other, so that they overlap.  */
static inline uint64_t
cgwi_sum_words (uint64_t names, uint64_t line, uint64_t instr)
{
  return names * UINT64_C (0xd6e8feb86659fd93) + line
         + instr * UINT64_C (0xe7037ed1a0b428db);
}

static inline uint64_t
cgwi_spot_hash (const struct cgwi_spot *s)
{
  return cgwi_mix (cgwi_sum_words (cgwi_spot_names (s), cgwi_spot_line (s),
                                   s->instr));
}

/* Make an empty table whose entries begin with a spot.  */
void cgwi_spots_init (struct cgwi_table *t, size_t head, size_t n_costs);

/* Return the index of a spot's new entry; CGWI_TABLE_NONE: no memory.  */
uint32_t cgwi_spots_add_new (struct cgwi_table *t,
                             const struct cgwi_memory *m,
                             const struct cgwi_spot *spot);

static inline uint32_t
cgwi_spots_find (const struct cgwi_table *t, const struct cgwi_spot *spot)
{
  struct cgwi_probe p = cgwi_probe_start (t, cgwi_spot_hash (spot));
  uint32_t index;

  do
    index = cgwi_probe_next (t, &p);
  while (index != CGWI_TABLE_NONE
         && !cgwi_spot_equal (cgwi_table_entry (t, index), spot));
  return index;
}

/* Return the index of a spot's entry.  A new one is all zeros behind its key.
   CGWI_TABLE_NONE: no memory.  */
static inline uint32_t
cgwi_spots_add (struct cgwi_table *t, const struct cgwi_memory *m,
                const struct cgwi_spot *spot)
{
  uint32_t index = cgwi_spots_find (t, spot);

  return index != CGWI_TABLE_NONE ? index : cgwi_spots_add_new (t, m, spot);
}

#endif
