/* handles.c - cgw_add_object, cgw_add_file, cgw_add_fn: names to handles.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

#define UNKNOWN "???"

/* Makes the buffer large enough for records with a name of n bytes in t.  */
static bool
fit_name (struct cgw_writer *w, const struct cgwi_names *t, size_t n)
{
  struct cgwi_lengths l = cgwi_lengths (w);
  size_t *longest = t == &w->objects ? &l.object
                    : t == &w->files ? &l.file
                                     : &l.fn;

  if (n <= *longest)
    return true;
  *longest = n;
  return cgwi_fit (w, &l, w->buffer.used);
}

uint32_t
cgwi_add_name (struct cgw_writer *w, struct cgwi_names *t, const char *text,
               uint32_t file, uint32_t object)
{
  struct cgwi_key key;
  uint32_t index;

  if (text == NULL || text[0] == '\0')
    text = UNKNOWN;
  if (!cgwi_names_key (t, &w->memory, &key, text, strlen (text), file, object))
    return CGWI_NONE;
  index = cgwi_names_find (t, &key);
  if (index != CGWI_NONE)
    return index;
  return fit_name (w, t, key.length) ? cgwi_names_insert (t, &w->memory, &key)
                                     : CGWI_NONE;
}

/* The handle of a name, or 0 with the error kept.  */
static uint32_t
add (struct cgw_writer *w, struct cgwi_names *t, const char *text,
     uint32_t file, uint32_t object)
{
  uint32_t index;

  if (w->state == CGWI_FINISHED)
    return 0;
  if (file == CGWI_NONE || object == CGWI_NONE)
    {
      cgwi_keep (w, CGW_EHANDLE);
      return 0;
    }
  index = cgwi_add_name (w, t, text, file, object);
  if (index == CGWI_NONE)
    {
      cgwi_keep (w, CGW_ENOMEM);
      return 0;
    }
  return index ^ w->salt;
}

struct cgw_object
cgw_add_object (struct cgw_writer *w, const char *path)
{
  return (struct cgw_object){ w ? add (w, &w->objects, path, 0, 0) : 0 };
}

struct cgw_file
cgw_add_file (struct cgw_writer *w, const char *path)
{
  return (struct cgw_file){ w ? add (w, &w->files, path, 0, 0) : 0 };
}

struct cgw_fn
cgw_add_fn (struct cgw_writer *w, const char *name, struct cgw_file file,
            struct cgw_object object)
{
  if (w == NULL)
    return (struct cgw_fn){ 0 };
  return (struct cgw_fn){ add (w, &w->fns, name,
                               cgwi_index (w, &w->files, file.handle),
                               cgwi_index (w, &w->objects, object.handle)) };
}
