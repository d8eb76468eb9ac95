/* handles.c - add names.

   SPDX-License-Identifier: MIT  */

#include "handles.h"

#include "room.h"

#define UNKNOWN "???"

/* Make the buffer large enough for records with a name of n bytes in t.  */
static bool
fit_name (struct cgwi_core *c, const struct cgwi_names *t, size_t n)
{
  struct cgwi_lengths l = cgwi_lengths (&c->encoder);
  size_t *longest = t == &c->encoder.objects ? &l.object
                    : t == &c->encoder.files ? &l.file
                                             : &l.fn;

  if (n <= *longest)
    return true;
  *longest = n;
  return cgwi_fit (c, &l, cgwi_buffer_used (&c->buffer));
}

static uint32_t
find_or_insert (struct cgwi_core *c, struct cgwi_names *t, const char *text,
                uint32_t file, uint32_t object)
{
  struct cgwi_key key;
  uint32_t index;

  if (!cgwi_names_key (t, c->memory, &key, text, strlen (text), file, object))
    return CGWI_NONE;
  index = cgwi_names_find (t, &key);
  if (index != CGWI_NONE)
    return index;
  return fit_name (c, t, key.length)
             ? cgwi_names_insert (t, c->memory, &key)
             : CGWI_NONE;
}

uint32_t
cgwi_add_name (struct cgwi_core *c, struct cgwi_names *t, const char *text,
               uint32_t file, uint32_t object)
{
  bool has_text = text != NULL && text[0] != '\0';
  uint32_t index
      = find_or_insert (c, t, has_text ? text : UNKNOWN, file, object);

  if (t == &c->encoder.objects && has_text && index != CGWI_NONE)
    c->encoder.has_objects = true;
  return index;
}
