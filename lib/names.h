/* names.h - name compression: text -> index -> id.

   There are three tables, because readers keep three: objects (ob, cob),
   files (fl, fi, fe, cfi, jfi) and functions (fn, cfn, jfn).  A function is
   (text, file, object), because KCachegrind binds a function's id to the file
   and object at its definition.

   An id is given at the first use in a file, so ids are dense from 1.  It is
   defined, as "(id) text", once in each part, because KCachegrind forgets ids
   at a part's end.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_NAMES_H
#define CGWI_NAMES_H 1

#include "memory.h"
#include "number.h"

#include <stdbool.h>
#include <stdint.h>

#define CGWI_NONE UINT32_MAX /* no index */

/* What a record needs of a name: small, because programs have so many names
   that each is far from the processor when it comes again.  */
struct cgwi_name
{
  uint32_t id;     /* 0: not used in this file yet */
  uint32_t part;   /* the part that it was defined in last, 0 none */
  uint32_t file;   /* of a function: indices into the other tables; else 0 */
  uint32_t object;
};

struct cgwi_text
{
  size_t start;    /* in the table's texts */
  uint32_t length;
  uint32_t hash;   /* of the text, the file and the object */
};

struct cgwi_names
{
  struct cgwi_name *entries;
  struct cgwi_text *spelled; /* the same names */
  uint32_t n;
  uint32_t capacity;         /* of entries */
  uint32_t spelled_capacity;
  uint32_t *slots;   /* open addressing: index + 1, or 0 */
  uint32_t n_slots;  /* a power of two, at least twice n */
  char *texts;
  size_t texts_used;
  size_t texts_capacity;
  size_t longest;    /* text, for the size of a record */
  uint32_t last_id;
  uint64_t changed;  /* names that had to be escaped or cut */
};

/* What names are compared by.  Valid until the table's next change.  */
struct cgwi_key
{
  const char *text;
  uint32_t length;
  uint32_t hash;
  uint32_t file;
  uint32_t object;
  bool changed; /* the text stands, cleaned, behind the table's texts */
};

/* Prepares the key of text (n bytes, not 0); false when there is no memory. */
bool cgwi_names_key (struct cgwi_names *t, const struct cgwi_memory *m,
                     struct cgwi_key *key, const char *text, size_t n,
                     uint32_t file, uint32_t object);

/* The index of a name, or CGWI_NONE.  */
uint32_t cgwi_names_find (const struct cgwi_names *t,
                          const struct cgwi_key *key);

/* Adds a name that is not there; CGWI_NONE when there is no memory or no
   index left, and then nothing has changed.  */
uint32_t cgwi_names_insert (struct cgwi_names *t, const struct cgwi_memory *m,
                            const struct cgwi_key *key);

/* Begins a new file: no name has an id.  */
void cgwi_names_restart (struct cgwi_names *t);

void cgwi_names_free (struct cgwi_names *t, const struct cgwi_memory *m);

/* Writes a name at p that this part may not have defined yet.  Returns the
   end.  */
char *cgwi_put_new_name (char *p, struct cgwi_names *t, uint32_t index,
                         uint32_t part, bool plain);

/* Writes a name at p: "(id) text" where this part has not defined it, "(id)"
   where it has; or in plain mode the text alone, unless that reads as an id.
   Returns the end.  */
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
