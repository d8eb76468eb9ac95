/* names.c - struct cgw_names: the objects, files and functions of a program.

   SPDX-License-Identifier: MIT  */

#include "names.h"

#include "../text/escape.h"

#include <string.h>

/* Ids stay below 2^31: KCachegrind reads them into an int.  */
#define NAMES_MAX INT32_MAX

/* Hashes.  */

static inline uint64_t
load (const char *p, size_t n)
{
  uint64_t word = 0;

  memcpy (&word, p, n);
  return word;
}

/* Return the last n bytes, 1 to 8, of a text as a number, without a loop.  */
static inline uint64_t
load_rest (const char *p, size_t n)
{
  if (n >= 4)
    return load (p, 4) << 32 | load (p + n - 4, 4);
  return (uint64_t) (unsigned char) p[0] << 16
         | (uint64_t) (unsigned char) p[n / 2] << 8
         | (unsigned char) p[n - 1];
}

/* Two words at a time, each hidden by a secret: who does not know it cannot
   choose names that collide.  */
static uint32_t
hash_name (const struct cgw_names *names, const char *text, size_t n,
           uint32_t file, uint32_t object)
{
  uint64_t s0 = names->secret[0], s1 = names->secret[1];
  uint64_t hash = cgwi_fold (s0 ^ n, s1 ^ ((uint64_t) file << 32 | object));

  for (; n > 16; text += 16, n -= 16)
    hash = cgwi_fold (hash ^ s0 ^ load (text, 8), s1 ^ load (text + 8, 8));
  if (n > 8)
    hash = cgwi_fold (hash ^ s0 ^ load (text, 8), s1 ^ load (text + n - 8, 8));
  else if (n > 0)
    hash = cgwi_fold (hash ^ s0 ^ load_rest (text, n), s1);
  return (uint32_t) (cgwi_fold (hash ^ s1, s0) >> 16);
}

/* Finding.  */

/* A name to find or add.  */
struct wanted
{
  enum cgwi_kind_of_name kind;
  const char *text;
  size_t n;
  uint32_t file;
  uint32_t object;
  uint32_t hash;
};

static bool
equal (const struct cgwi_name *name, const struct wanted *w)
{
  return name->length == w->n && name->file == w->file
         && name->object == w->object
         && memcmp (name->text, w->text, w->n) == 0;
}

/* acquire: a slot leads to a complete entry, and a table to complete slots.  A
   slot may have an index that no name has, or another one: see insert.  */
static uint32_t
find_name (const struct cgw_names *names, const struct wanted *w)
{
  const struct cgwi_name_table *t = &names->tables[w->kind];
  const struct cgwi_name_slots *slots
      = atomic_load_explicit (&t->slots, memory_order_acquire);
  uint32_t mask, slot;

  if (slots == NULL)
    return CGWI_NONE;
  mask = slots->n - 1;
  for (uint32_t i = w->hash & mask;
       (slot = atomic_load_explicit (&slots->at[i], memory_order_acquire)) != 0;
       i = (i + 1) & mask)
    if (((slot ^ w->hash) & ~mask) == 0)
      {
        uint32_t index = (slot & mask) - 1;

        if (cgwi_has_name (names, w->kind, index)
            && equal (cgwi_name (names, w->kind, index), w))
          return index;
      }
  return CGWI_NONE;
}

/* The lock.  */

/* Wait for other threads.  CGW_EBUSY: the caller interrupted the holder.  In a
   forked child the holder may be a thread of the parent, which does not exist
   there.  */
static enum cgw_status
take_lock (struct cgw_names *names)
{
  uint64_t me = cgwi_caller (&names->mark);

  for (unsigned tries = 0;; tries++)
    {
      uint64_t holder = 0;

      if (atomic_compare_exchange_strong (&names->lock, &holder, me))
        return CGW_OK;
      if (cgwi_caller_is_me (&names->mark, holder))
        return CGW_EBUSY;
      if (cgwi_caller_is_gone (&names->mark, holder)
          && atomic_compare_exchange_strong (&names->lock, &holder, me))
        return CGW_OK;
      cgwi_pause (tries);
    }
}

/* The first to lock in a process marks it, so that others need not ask the
   kernel which process this is.  */
static enum cgw_status
lock (struct cgw_names *names)
{
  enum cgw_status status = take_lock (names);

  if (status == CGW_OK && !cgwi_mark_is_alive (&names->mark))
    cgwi_mark_set (&names->mark);
  return status;
}

static void
unlock (struct cgw_names *names)
{
  atomic_store (&names->lock, 0);
}

/* Texts.  */

struct cgwi_text_block
{
  struct cgwi_text_block *older;
  size_t used;
  size_t room;
  char bytes[];
};

/* Return room for n bytes behind those used; NULL: no memory.  */
static char *
reserve_text (struct cgw_names *names, size_t n)
{
  struct cgwi_text_block *b = names->texts;
  size_t room = b == NULL ? 1024 : b->room < 65536 ? b->room * 2 : b->room;

  if (b == NULL || b->room - b->used < n)
    {
      room = room > n ? room : n;
      if (room > SIZE_MAX / 2
          || (b = cgwi_resize (&names->memory, NULL, sizeof *b + room)) == NULL)
        return NULL;
      b->older = names->texts;
      b->used = 0;
      b->room = room;
      cgwi_in_order ();
      names->texts = b;
    }
  return b->bytes + b->used;
}

/* Adding.  */

static void
put_name_slot (struct cgwi_name_slots *slots, uint32_t hash, uint32_t index)
{
  uint32_t mask = slots->n - 1;
  uint32_t i = hash & mask;

  while (atomic_load_explicit (&slots->at[i], memory_order_relaxed) != 0)
    i = (i + 1) & mask;
  atomic_store_explicit (&slots->at[i], (hash & ~mask) | (index + 1),
                         memory_order_release);
}

static bool
reserve_name_slot (struct cgw_names *names, enum cgwi_kind_of_name kind,
                   uint32_t n)
{
  struct cgwi_name_table *t = &names->tables[kind];
  struct cgwi_name_slots *old = atomic_load (&t->slots);
  uint32_t n_slots = old == NULL ? 64 : old->n * 2;
  size_t size = sizeof *old + n_slots * sizeof *old->at;
  struct cgwi_name_slots *slots;

  if (old != NULL && old->n / 2 > n)
    return true;
  if (n_slots == 0 || size / sizeof *old->at < n_slots
      || (slots = cgwi_resize (&names->memory, NULL, size)) == NULL)
    return false;
  memset (slots, 0, size);
  slots->older = old;
  slots->n = n_slots;
  for (uint32_t i = 0; i < n; i++)
    put_name_slot (slots, cgwi_name (names, kind, i)->hash, i);
  atomic_store_explicit (&t->slots, slots, memory_order_release);
  return true;
}

/* Make room for the name of an index.  */
static bool
reserve_entry (struct cgw_names *names, enum cgwi_kind_of_name kind,
               uint32_t index)
{
  uint32_t chunk = cgwi_chunk_place (index).chunk;
  size_t size = cgwi_chunk_size (chunk);
  struct cgwi_name **at = &names->tables[kind].chunks[chunk];

  return index < NAMES_MAX && size <= SIZE_MAX / sizeof **at
         && (*at != NULL
             || (*at = cgwi_resize (&names->memory, NULL, size * sizeof **at))
                    != NULL);
}

/* Add a name with a copy of its text, which may lie where the copy goes.  Return
   the new index, or CGWI_NONE: no memory, and nothing has changed.

   Incrementing the number of names commits the entry; the slot comes last.  A
   fork in between leaves a name that nobody finds, or a slot whose index the
   next name gets; finding checks both.  */
static uint32_t
insert (struct cgw_names *names, const struct wanted *w)
{
  struct cgwi_name_table *t = &names->tables[w->kind];
  uint32_t index = atomic_load_explicit (&t->n, memory_order_relaxed);
  char *text;

  if (!reserve_entry (names, w->kind, index)
      || !reserve_name_slot (names, w->kind, index)
      || (text = reserve_text (names, w->n + 1)) == NULL)
    return CGWI_NONE;
  memmove (text, w->text, w->n);
  text[w->n] = '\0';
  names->texts->used += w->n + 1;
  *(struct cgwi_name *) (uintptr_t) cgwi_name (names, w->kind, index)
      = (struct cgwi_name){ .text = text,
                            .length = (uint32_t) w->n,
                            .hash = w->hash,
                            .file = w->file,
                            .object = w->object };
  atomic_store_explicit (&t->n, index + 1, memory_order_release);
  put_name_slot (atomic_load_explicit (&t->slots, memory_order_relaxed),
                 w->hash, index);
  return index;
}

static uint32_t
hash_wanted (const struct cgw_names *names, const struct wanted *w)
{
  return hash_name (names, w->text, w->n, w->file, w->object);
}

/* Find or add a text that must be escaped or cut.  */
static uint32_t
add_changed (struct cgw_names *names, const struct wanted *w)
{
  struct wanted clean = *w;
  size_t max = w->n < CGW_NAME_MAX / CGWI_ESCAPED_BYTE
                   ? w->n * CGWI_ESCAPED_BYTE
                   : CGW_NAME_MAX;
  char *text = reserve_text (names, max + 1);
  uint32_t index;

  if (text == NULL)
    return CGWI_NONE;
  clean.text = text;
  clean.n = (size_t) (cgwi_put_clean_name (text, w->text, w->n) - text);
  clean.hash = hash_wanted (names, &clean);
  if ((index = find_name (names, &clean)) == CGWI_NONE
      && (index = insert (names, &clean)) != CGWI_NONE)
    atomic_fetch_add_explicit (&names->changed, 1, memory_order_relaxed);
  return index;
}

static uint32_t
add_locked (struct cgw_names *names, const struct wanted *w)
{
  uint32_t index = find_name (names, w);

  if (index != CGWI_NONE)
    return index;
  return cgwi_name_is_clean (w->text, w->n) ? insert (names, w)
                                            : add_changed (names, w);
}

uint32_t
cgwi_add_name (struct cgw_names *names, enum cgwi_kind_of_name kind,
               const char *text, size_t n, uint32_t file, uint32_t object,
               enum cgw_status *status)
{
  bool has_text = text != NULL && n > 0;
  struct wanted w = { .kind = kind, .text = has_text ? text : "???",
                      .n = has_text ? n : 3, .file = file, .object = object };
  bool is_first_object = kind == CGWI_OBJECTS && has_text
                         && !atomic_load_explicit (&names->has_objects,
                                                   memory_order_relaxed);
  uint32_t index;

  w.hash = hash_wanted (names, &w);
  *status = CGW_OK;
  if (((index = find_name (names, &w)) != CGWI_NONE && !is_first_object)
      || (*status = lock (names)) != CGW_OK)
    return *status == CGW_OK ? index : CGWI_NONE;
  index = add_locked (names, &w);
  if (index == CGWI_NONE)
    *status = CGW_ENOMEM;
  else if (is_first_object)
    atomic_store_explicit (&names->has_objects, true, memory_order_relaxed);
  unlock (names);
  return index;
}

/* Freeing.  */

static void
free_all (struct cgw_names *names)
{
  const struct cgwi_memory m = names->memory;
  struct cgwi_text_block *texts = names->texts;

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    {
      struct cgwi_name_table *t = &names->tables[kind];
      struct cgwi_name_slots *slots = atomic_load (&t->slots);

      for (uint32_t i = 0; i < CGWI_CHUNKS; i++)
        cgwi_release (&m, t->chunks[i]);
      while (slots != NULL)
        {
          struct cgwi_name_slots *older = slots->older;
          cgwi_release (&m, slots);
          slots = older;
        }
    }
  while (texts != NULL)
    {
      struct cgwi_text_block *older = texts->older;
      cgwi_release (&m, texts);
      texts = older;
    }
  cgwi_mark_free (&names->mark);
  cgwi_release (&m, names);
}

/* acq_rel: who frees sees what all others did.  */
void
cgwi_release_names (struct cgw_names *names)
{
  if (atomic_fetch_sub_explicit (&names->references, 1, memory_order_acq_rel)
      == 1)
    free_all (names);
}
