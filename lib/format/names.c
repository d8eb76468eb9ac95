/* names.c - the tables of name compression: text -> index -> id.

   SPDX-License-Identifier: MIT  */

#include "names.h"

#include "cgw.h"
#include "escape.h"

#include <string.h>

/* Ids stay below 2^31: KCachegrind reads them into an int.  */
#define NAMES_MAX INT32_MAX

static const char *
text_of (const struct cgwi_names *t, uint32_t index)
{
  return t->texts + t->spelled[index].start;
}

/* Make room for `more` bytes behind the texts.  */
static bool
reserve_text (struct cgwi_names *t, const struct cgwi_memory *m, size_t more)
{
  size_t capacity = t->texts_capacity + t->texts_capacity / 2 + more + 256;
  char *old = t->texts;
  char *texts;

  if (t->texts_capacity - t->texts_used >= more)
    return true;
  texts = cgwi_copy_larger (m, old, t->texts_used, capacity);
  if (texts == NULL)
    return false;
  t->texts = texts;
  cgwi_in_order ();
  t->texts_capacity = capacity;
  cgwi_release (m, old);
  return true;
}

bool
cgwi_names_key (struct cgwi_names *t, const struct cgwi_memory *m,
                struct cgwi_key *key, const char *text, size_t n,
                uint32_t file, uint32_t object)
{
  uint64_t hash;

  key->changed = !cgwi_name_is_clean (text, n);
  if (key->changed)
    {
      if (!reserve_text (t, m, CGW_NAME_MAX))
        return false;
      n = (size_t) (cgwi_put_clean_name (t->texts + t->texts_used, text, n)
                    - (t->texts + t->texts_used));
      text = t->texts + t->texts_used;
    }
  hash = cgwi_hash (text, n);
  hash = (hash ^ file) * UINT64_C (0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 29 ^ object) * UINT64_C (0x9e3779b97f4a7c15);
  key->text = text;
  key->length = (uint32_t) n;
  key->hash = (uint32_t) (hash >> 32);
  key->file = file;
  key->object = object;
  return true;
}

static bool
equal (const struct cgwi_names *t, uint32_t index, const struct cgwi_key *key)
{
  const struct cgwi_name *name = &t->entries[index];
  const struct cgwi_text *text = &t->spelled[index];

  return text->hash == key->hash && text->length == key->length
         && name->file == key->file && name->object == key->object
         && memcmp (text_of (t, index), key->text, key->length) == 0;
}

uint32_t
cgwi_names_find (const struct cgwi_names *t, const struct cgwi_key *key)
{
  const struct cgwi_name_slots *slots = t->slots;
  uint32_t i;

  if (slots == NULL)
    return CGWI_NONE;
  /* A slot may have an index that no name has yet: see cgwi_names_insert.  */
  for (i = key->hash & (slots->n - 1); slots->at[i] != 0;
       i = (i + 1) & (slots->n - 1))
    if (slots->at[i] <= t->n && equal (t, slots->at[i] - 1, key))
      return slots->at[i] - 1;
  return CGWI_NONE;
}

static void
put_slot (struct cgwi_name_slots *slots, uint32_t hash, uint32_t index)
{
  uint32_t i = hash & (slots->n - 1);

  while (slots->at[i] != 0)
    i = (i + 1) & (slots->n - 1);
  slots->at[i] = index + 1;
}

static bool
reserve_slot (struct cgwi_names *t, const struct cgwi_memory *m)
{
  struct cgwi_name_slots *old = t->slots;
  struct cgwi_name_slots *slots;
  uint32_t n = old == NULL ? 64 : old->n * 2;
  size_t size = sizeof *slots + n * sizeof *slots->at;

  if (old != NULL && old->n / 2 > t->n)
    return true;
  if (n == 0) /* 2^32 slots do not fit */
    return false;
  slots = cgwi_resize (m, NULL, size);
  if (slots == NULL)
    return false;
  memset (slots, 0, size);
  slots->n = n;
  for (uint32_t i = 0; i < t->n; i++)
    put_slot (slots, t->spelled[i].hash, i);
  cgwi_in_order ();
  t->slots = slots;
  cgwi_release (m, old);
  return true;
}

/* Make room for one more in an array of t->n elements that has room for
   *capacity.  False: no memory.  */
static bool
reserve (const struct cgwi_memory *m, void *array, size_t size, uint32_t n,
         uint32_t *capacity)
{
  uint32_t more = *capacity + *capacity / 2 + 32;
  void *old, *larger;

  if (n < *capacity)
    return true;
  memcpy (&old, array, sizeof old);
  larger = cgwi_copy_larger (m, old, n * size, more * size);
  if (larger == NULL)
    return false;
  memcpy (array, &larger, sizeof larger);
  cgwi_in_order ();
  *capacity = more;
  cgwi_release (m, old);
  return true;
}

static bool
reserve_entry (struct cgwi_names *t, const struct cgwi_memory *m)
{
  return t->n < NAMES_MAX
         && reserve (m, &t->entries, sizeof *t->entries, t->n, &t->capacity)
         && reserve (m, &t->spelled, sizeof *t->spelled, t->n,
                     &t->spelled_capacity);
}

uint32_t
cgwi_names_insert (struct cgwi_names *t, const struct cgwi_memory *m,
                   const struct cgwi_key *key)
{
  /* An escaped text is in place already, with room for it reserved: the texts
     do not move, which would leave its key dangling.  */
  if (!reserve_entry (t, m) || !reserve_slot (t, m)
      || (!key->changed && !reserve_text (t, m, key->length)))
    return CGWI_NONE;
  memmove (t->texts + t->texts_used, key->text, key->length);
  t->entries[t->n] = (struct cgwi_name) { .file = key->file,
                                          .object = key->object };
  t->spelled[t->n] = (struct cgwi_text) { .start = t->texts_used,
                                          .length = key->length,
                                          .hash = key->hash };
  t->texts_used += key->length;
  t->changed += key->changed;
  if (t->longest < key->length)
    t->longest = key->length;
  /* Incrementing t->n commits the name.  If a longjmp or a fork comes before
     that, the slot holds the index that the next name will get.  */
  put_slot (t->slots, key->hash, t->n);
  cgwi_in_order ();
  return t->n++;
}

void
cgwi_names_restart (struct cgwi_names *t)
{
  for (uint32_t i = 0; i < t->n; i++)
    t->entries[i].id = t->entries[i].part = 0;
  t->last_id = 0;
  t->changed = 0;
}

void
cgwi_names_free (struct cgwi_names *t, const struct cgwi_memory *m)
{
  cgwi_release (m, t->entries);
  cgwi_release (m, t->spelled);
  cgwi_release (m, t->slots);
  cgwi_release (m, t->texts);
}

char *
cgwi_put_name_text (char *p, const struct cgwi_names *t, uint32_t index)
{
  uint32_t length = t->spelled[index].length;

  memcpy (p, text_of (t, index), length);
  return p + length;
}

/* Whether readers take a text that is written without an id for an id.  */
static bool
reads_as_id (const char *text, size_t n)
{
  return n >= 2 && text[0] == '(' && text[1] >= '0' && text[1] <= '9';
}

char *
cgwi_put_new_name (char *p, struct cgwi_names *t, uint32_t index,
                   uint32_t part, bool plain)
{
  struct cgwi_name *name = &t->entries[index];

  if (!plain || reads_as_id (text_of (t, index), t->spelled[index].length))
    {
      if (name->id == 0)
        name->id = ++t->last_id;
      name->part = part;
      p = cgwi_put_name (p, t, index, part, plain);
      *p++ = ' ';
    }
  return cgwi_put_name_text (p, t, index);
}
