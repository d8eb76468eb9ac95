/* names.h - struct cgw_names: the objects, files and functions of a program.

   There are three tables, because readers keep three: objects (ob, cob), files
   (fl, fi, fe, cfi, jfi) and functions (fn, cfn, jfn).  A function is (text,
   file, object), because KCachegrind binds a function's id to the file and
   object at its definition.

   A table only grows.  Its entries lie in chunks, each twice as large as the
   one before, so they never move; the number of entries is incremented when a
   new one is complete.  So anybody may read entries at any time, without
   entering anything.  Adding takes a lock.  It is consistent between any two
   instructions, because a fork in another thread may leave it there.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NAMES_H
#define CGWI_NAMES_H 1

#include "../platform.h"
#include "../text/refusal.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CGWI_NONE UINT32_MAX /* no index */

/* The tables, to loop over.  */
enum cgwi_kind_of_name
{
  CGWI_OBJECTS,
  CGWI_FILES,
  CGWI_FNS,
  CGWI_KINDS_OF_NAMES
};

/* The indices of names that every names object has.  */
#define CGWI_UNKNOWN 0 /* "???", in each table */
#define CGWI_LOST_FN 1 /* "[lost]" */

/* Chunks.  */

#define CGWI_FIRST_CHUNK_BITS 5
#define CGWI_CHUNKS (31 - CGWI_FIRST_CHUNK_BITS)

struct cgwi_chunk_place
{
  uint32_t chunk;
  uint32_t at; /* in the chunk */
};

static inline struct cgwi_chunk_place
cgwi_chunk_place (uint32_t index)
{
  uint32_t i = index + (UINT32_C (1) << CGWI_FIRST_CHUNK_BITS);
  uint32_t top = 31 - (uint32_t) __builtin_clz (i);

  return (struct cgwi_chunk_place){ top - CGWI_FIRST_CHUNK_BITS,
                                    i ^ UINT32_C (1) << top };
}

static inline size_t
cgwi_chunk_size (uint32_t chunk)
{
  return (size_t) 1 << (CGWI_FIRST_CHUNK_BITS + chunk);
}

/* Entries.  */

struct cgwi_name
{
  const char *text; /* as it is written; ends in a NUL */
  uint32_t length;
  uint32_t hash;
  uint32_t file;    /* of a function: indices in the other tables; else 0 */
  uint32_t object;
};

/* Open addressing.  A slot is 0, or a name's index plus 1, below n, and the
   hash's bits from n on; those below n are where the search begins.  */
struct cgwi_name_slots
{
  struct cgwi_name_slots *older; /* the smaller ones that these replaced:
                                    another thread may still read them */
  uint32_t n; /* a power of two, at least twice the number of names */
  _Atomic uint32_t at[];
};

struct cgwi_name_table
{
  _Atomic uint32_t n;
  struct cgwi_name *chunks[CGWI_CHUNKS];
  struct cgwi_name_slots *_Atomic slots;
};

struct cgwi_text_block;

struct cgw_names
{
  struct cgwi_memory memory;
  _Atomic uint32_t references;
  uint32_t first_handle;   /* that of the names with index 0: see below */
  uint64_t secret[2];      /* for hashes, which others must not foresee */
  struct cgwi_name_table tables[CGWI_KINDS_OF_NAMES];
  /* For those who add.  */
  struct cgwi_mark mark;   /* of the process that adds */
  _Atomic uint64_t lock;   /* 0, or the holder's cgwi_caller */
  struct cgwi_text_block *texts;
  _Atomic bool has_objects; /* one was added by its name, or as "???" */
  _Atomic uint64_t changed; /* names that were escaped or cut */
  struct cgwi_refusals refusals;
};

/* Multiply to 128 bits, and fold these to 64: a step of a hash, if both numbers
   hide what others may choose by secret bits.  */
static inline uint64_t
cgwi_fold (uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide) a * b;

  return (uint64_t) product ^ (uint64_t) (product >> 64);
#else
  uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
  uint64_t high = (a >> 32) * (b >> 32);
  uint64_t middle = (a >> 32) * (b & UINT32_MAX) ^ (a & UINT32_MAX) * (b >> 32);

  return low ^ high ^ (middle << 32 | middle >> 32);
#endif
}

/* Handles.  A handle is an index plus the first handle of its names object,
   which no earlier one had: so handles of another names object, even of one
   that was freed, are out of range.  0 is the unknown name's.  */

static inline uint32_t
cgwi_handle (const struct cgw_names *names, uint32_t index)
{
  return names->first_handle + index;
}

/* Return a handle's index, which is out of range if it is of other names.  */
static inline uint32_t
cgwi_index (const struct cgw_names *names, uint32_t handle)
{
  return handle == 0 ? CGWI_UNKNOWN : handle - names->first_handle;
}

static inline bool
cgwi_has_name (const struct cgw_names *names, enum cgwi_kind_of_name kind,
               uint32_t index)
{
  return index < atomic_load_explicit (&names->tables[kind].n,
                                       memory_order_acquire);
}

/* Return a name that there is.  */
static inline const struct cgwi_name *
cgwi_name (const struct cgw_names *names, enum cgwi_kind_of_name kind,
           uint32_t index)
{
  struct cgwi_chunk_place p = cgwi_chunk_place (index);

  return &names->tables[kind].chunks[p.chunk][p.at];
}

/* Return the index of a text of n bytes, added if need be; CGWI_NONE: it cannot
   be added, and *status says why: CGW_ENOMEM, CGW_EBUSY.  NULL and "" are the
   unknown name.  `file` and `object` are indices, 0 but for functions.  Finding
   a known name takes no lock, unless it must be escaped or cut.  */
uint32_t cgwi_add_name (struct cgw_names *names, enum cgwi_kind_of_name kind,
                        const char *text, size_t n, uint32_t file,
                        uint32_t object, enum cgw_status *status);

/* Use the names, and keep them until cgwi_release_names.  */
static inline void
cgwi_hold_names (struct cgw_names *names)
{
  atomic_fetch_add_explicit (&names->references, 1, memory_order_relaxed);
}

void cgwi_release_names (struct cgw_names *names);

#endif
