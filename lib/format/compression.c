/* compression.c - name compression.

   SPDX-License-Identifier: MIT  */

#include "encoder.h"

#include <string.h>

/* The names for which a new file has room at least: a tool that adds names
   while it records may never call from normal code before the end.  */
static const uint32_t at_least[CGWI_KINDS_OF_NAMES]
    = { [CGWI_OBJECTS] = 512, [CGWI_FILES] = 4096, [CGWI_FNS] = 8192 };

static bool
reserve_ids (struct cgwi_ids *ids, const struct cgwi_memory *m, size_t n,
             size_t least)
{
  size_t old = ids->array.room;
  size_t wanted = n + n / 2;

  if (n <= old && old != 0)
    return true;
  if (!cgwi_grow (m, &ids->array, wanted > least ? wanted : least,
                  sizeof (struct cgwi_id)))
    return false;
  memset ((struct cgwi_id *) ids->array.at + old, 0,
          (ids->array.room - old) * sizeof (struct cgwi_id));
  return true;
}

bool
cgwi_reserve_ids (struct cgwi_encoder *e, const struct cgwi_memory *m)
{
  bool all = true;

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    all &= reserve_ids (
        &e->ids[kind], m,
        atomic_load_explicit (&e->names->tables[kind].n, memory_order_relaxed),
        at_least[kind]);
  return all;
}

void
cgwi_free_ids (struct cgwi_encoder *e, const struct cgwi_memory *m)
{
  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    cgwi_release_array (m, &e->ids[kind].array);
}

char *
cgwi_put_name_text (char *p, const struct cgwi_encoder *e,
                    enum cgwi_kind_of_name kind, uint32_t index)
{
  const struct cgwi_name *name = cgwi_name (e->names, kind, index);

  memcpy (p, name->text, name->length);
  return p + name->length;
}

/* Whether readers take a text that is written without an id for an id.  */
static bool
reads_as_id (const char *text)
{
  return text[0] == '(' && text[1] >= '0' && text[1] <= '9';
}

/* Return the id of a name, as that part defines it.  Without room for it, each
   use has a new one.  */
static uint32_t
define (struct cgwi_ids *ids, uint32_t index, uint32_t part)
{
  struct cgwi_id *id;

  if (index >= ids->array.room)
    return ++ids->last;
  id = (struct cgwi_id *) ids->array.at + index;
  if (id->id == 0)
    id->id = ++ids->last;
  id->part = part;
  return id->id;
}

char *
cgwi_put_new_name (char *p, struct cgwi_encoder *e,
                   enum cgwi_kind_of_name kind, uint32_t index, uint32_t part,
                   bool plain)
{
  struct cgwi_ids *ids = &e->ids[kind];

  if ((!plain && index < ids->array.room)
      || reads_as_id (cgwi_name (e->names, kind, index)->text))
    {
      *p++ = '(';
      p = cgwi_put_decimal (p, define (ids, index, part));
      *p++ = ')';
      *p++ = ' ';
    }
  return cgwi_put_name_text (p, e, kind, index);
}
