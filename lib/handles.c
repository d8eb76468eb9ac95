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

/* The handle of a name, or 0 with the error kept.  `file` and `object` are
   handles.  */
static uint32_t
add (struct cgw_writer *w, struct cgwi_names *t, const char *text,
     uint32_t file, uint32_t object)
{
  uint32_t index = CGWI_NONE;
  enum cgw_status status = CGW_EFINISHED;

  file = cgwi_index (w, &w->files, file);
  object = cgwi_index (w, &w->objects, object);
  if (w->state != CGWI_FINISHED)
    {
      status = file == CGWI_NONE || object == CGWI_NONE ? CGW_EHANDLE
                                                        : CGW_ENOMEM;
      if (status == CGW_ENOMEM)
        index = cgwi_add_name (w, t, text, file, object);
      if (index == CGWI_NONE)
        cgwi_keep (w, status);
    }
  return index != CGWI_NONE ? index ^ w->salt : 0;
}

static uint32_t
enter_and_add (struct cgw_writer *w, struct cgwi_names *t, const char *text,
               uint32_t file, uint32_t object)
{
  enum cgw_status status = cgwi_enter (w);
  uint32_t handle;

  if (status != CGW_OK)
    {
      cgwi_keep (w, status);
      return 0;
    }
  handle = add (w, t, text, file, object);
  cgwi_leave (w);
  return handle;
}

struct cgw_object
cgw_add_object (struct cgw_writer *w, const char *path)
{
  struct cgw_object result = { 0 };

  if (w != NULL)
    result.handle = enter_and_add (w, &w->objects, path, 0, 0);
  return result;
}

struct cgw_file
cgw_add_file (struct cgw_writer *w, const char *path)
{
  struct cgw_file result = { 0 };

  if (w != NULL)
    result.handle = enter_and_add (w, &w->files, path, 0, 0);
  return result;
}

struct cgw_fn
cgw_add_fn (struct cgw_writer *w, const char *name, struct cgw_file file,
            struct cgw_object object)
{
  struct cgw_fn result = { 0 };

  if (w != NULL)
    result.handle
        = enter_and_add (w, &w->fns, name, file.handle, object.handle);
  return result;
}
