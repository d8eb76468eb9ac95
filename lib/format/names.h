/* names.h - the tables of name compression: text -> index -> id.

   There are three tables, because readers keep three: objects (ob, cob),
   files (fl, fi, fe, cfi, jfi) and functions (fn, cfn, jfn).  A function is
   (text, file, object), because KCachegrind binds a function's id to the file
   and object at its definition.

   A name gets its id at its first use in a file, so ids are dense from 1.
   Each part defines it again, as "(id) text", because KCachegrind forgets ids
   at the end of a part.

   A table is consistent between any two instructions of a change, because a
   longjmp, or a fork in another thread, may leave it there; cgw_reset then
   reuses it, or cgw_free frees it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NAMES_H
#define CGWI_NAMES_H 1

#include "../platform.h"
#include "number.h"

#include <stdbool.h>
#include <stdint.h>

#define CGWI_NONE UINT32_MAX /* no index */

/* The part of a name that every record touches.  Keep it small: with many
   names, each lookup is a cache miss.  */
struct cgwi_name
{
  uint32_t id;     /* 0: not used in this file yet */
  uint32_t part;   /* the part that defined it last, 0 none */
  uint32_t file;   /* of a function: indices into the other tables; else 0 */
  uint32_t object;
};

struct cgwi_text
{
  size_t start;    /* in the table's texts */
  uint32_t length;
  uint32_t hash;   /* of the text, the file and the object */
};

/* Open addressing: index + 1, or 0.  */
struct cgwi_name_slots
{
  uint32_t n; /* a power of two, at least twice the number of names */
  uint32_t at[];
};

struct cgwi_names
{
  struct cgwi_name *entries;
  struct cgwi_text *spelled; /* the same names */
  uint32_t n;
  uint32_t capacity;         /* of entries */
  uint32_t spelled_capacity;
  struct cgwi_name_slots *slots;
  char *texts;
  size_t texts_used;
  size_t texts_capacity;
  size_t longest;            /* length of a text: bounds a record's length */
  uint32_t last_id;
  uint64_t changed;          /* names that were escaped or cut */
};

/* The key of a name.  Valid until the table's next change.  */
struct cgwi_key
{
  const char *text;
  uint32_t length;
  uint32_t hash;
  uint32_t file;
  uint32_t object;
  bool changed; /* the text is escaped, and lies behind the table's texts */
};

/* Prepare the key of a text (n bytes, not 0).  False: no memory.  */
bool cgwi_names_key (struct cgwi_names *t, const struct cgwi_memory *m,
                     struct cgwi_key *key, const char *text, size_t n,
                     uint32_t file, uint32_t object);

/* Return the index of a name, or CGWI_NONE.  */
uint32_t cgwi_names_find (const struct cgwi_names *t,
                          const struct cgwi_key *key);

/* Add a name that the table does not have.  CGWI_NONE: no memory, or no index
   left; then nothing has changed.  */
uint32_t cgwi_names_insert (struct cgwi_names *t, const struct cgwi_memory *m,
                            const struct cgwi_key *key);

/* Begin a new file: no name has an id.  */
void cgwi_names_restart (struct cgwi_names *t);

void cgwi_names_free (struct cgwi_names *t, const struct cgwi_memory *m);

/* Write a name's text alone at p, whatever it reads as.  Return the end.  */
char *cgwi_put_name_text (char *p, const struct cgwi_names *t,
                          uint32_t index);

/* Write a name at p, as cgwi_put_name, that this part may not have defined
   yet.  Return the end.  */
char *cgwi_put_new_name (char *p, struct cgwi_names *t, uint32_t index,
                         uint32_t part, bool plain);

/* Write a name at p: "(id) text" if this part has not defined it yet, else
   "(id)"; in plain mode the text alone, unless it reads as an id.  Return the
   end.  */
static inline char *
cgwi_put_name (char *p, struct cgwi_names *t, uint32_t index, uint32_t part,
               bool plain)
{
  const struct cgwi_name *name = &t->entries[index];

  if (name->part != part)
    return cgwi_put_new_name (p, t, index, part, plain);
  *p++ = '(';
  p = cgwi_put_decimal (p, name->id);
  *p++ = ')';
  return p;
}

#endif
