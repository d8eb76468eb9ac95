/* names.c - name compression: text -> index -> id.

   SPDX-License-Identifier: MIT  */

#include "names.h"
#include "cgw.h"
#include "text.h"

#include <string.h>

/* Ids stay below 2^31: KCachegrind reads them into an int.  */
#define MOST_NAMES INT32_MAX

static const char *
text_of (const struct cgwi_names *t, uint32_t index)
{
  return t->texts + t->spelled[index].start;
}

/* Makes room for `more` bytes behind the texts.  */
static bool
reserve_text (struct cgwi_names *t, const struct cgwi_memory *m, size_t more)
{
  size_t capacity = t->texts_capacity + t->texts_capacity / 2 + more + 256;
  char *texts;

  if (t->texts_capacity - t->texts_used >= more)
    return true;
  texts = cgwi_resize (m, t->texts, capacity);
  if (texts == NULL)
    return false;
  t->texts = texts;
  t->texts_capacity = capacity;
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
  uint32_t mask = t->n_slots - 1;

  if (t->n_slots == 0)
    return CGWI_NONE;
  for (uint32_t i = key->hash & mask; t->slots[i] != 0; i = (i + 1) & mask)
    if (equal (t, t->slots[i] - 1, key))
      return t->slots[i] - 1;
  return CGWI_NONE;
}

static void
put_slot (uint32_t *slots, uint32_t n_slots, uint32_t hash, uint32_t index)
{
  uint32_t mask = n_slots - 1;
  uint32_t i = hash & mask;

  while (slots[i] != 0)
    i = (i + 1) & mask;
  slots[i] = index + 1;
}

static bool
reserve_slots (struct cgwi_names *t, const struct cgwi_memory *m)
{
  uint32_t n_slots = t->n_slots == 0 ? 64 : t->n_slots * 2;
  uint32_t *slots;

  if (t->n_slots / 2 > t->n)
    return true;
  if (n_slots == 0) /* 2^32 slots do not fit */
    return false;
  slots = cgwi_resize (m, NULL, n_slots * sizeof *slots);
  if (slots == NULL)
    return false;
  memset (slots, 0, n_slots * sizeof *slots);
  for (uint32_t i = 0; i < t->n; i++)
    put_slot (slots, n_slots, t->spelled[i].hash, i);
  cgwi_release (m, t->slots);
  t->slots = slots;
  t->n_slots = n_slots;
  return true;
}

/* Makes room for one more in an array of n that has room for *capacity.
   Returns where it is now; NULL when there is no memory.  */
static void *
reserve (const struct cgwi_memory *m, void *array, size_t size, uint32_t n,
         uint32_t *capacity)
{
  uint32_t more = *capacity + *capacity / 2 + 32;

  if (n < *capacity)
    return array;
  array = cgwi_resize (m, array, more * size);
  if (array != NULL)
    *capacity = more;
  return array;
}

static bool
reserve_entry (struct cgwi_names *t, const struct cgwi_memory *m)
{
  struct cgwi_name *entries;
  struct cgwi_text *spelled;

  if (t->n >= MOST_NAMES)
    return false;
  entries = reserve (m, t->entries, sizeof *entries, t->n, &t->capacity);
  if (entries == NULL)
    return false;
  t->entries = entries;
  spelled
      = reserve (m, t->spelled, sizeof *spelled, t->n, &t->spelled_capacity);
  if (spelled == NULL)
    return false;
  t->spelled = spelled;
  return true;
}

uint32_t
cgwi_names_insert (struct cgwi_names *t, const struct cgwi_memory *m,
                   const struct cgwi_key *key)
{
  /* A cleaned text is in its place already, and its key would dangle if the
     texts moved; there is room for it, so they do not.  */
  if (!reserve_entry (t, m) || !reserve_slots (t, m)
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
  put_slot (t->slots, t->n_slots, key->hash, t->n);
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

/* Whether readers take a text, written without an id, for an id.  */
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
  uint32_t length = t->spelled[index].length;

  if (!plain || reads_as_id (text_of (t, index), length))
    {
      if (name->id == 0)
        name->id = ++t->last_id;
      name->part = part;
      p = cgwi_put_name (p, t, index, part, plain);
      *p++ = ' ';
    }
  memcpy (p, text_of (t, index), length);
  return p + length;
}
