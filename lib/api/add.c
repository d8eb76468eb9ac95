/* add.c - cgw_add_object, cgw_add_file, cgw_add_fn.

   SPDX-License-Identifier: MIT  */

#include "../core/handles.h"
#include "../gate/gate.h"

/* Add a name, inside.  `file` and `object` are handles.  */
static enum cgw_status
add (struct cgw_writer *w, struct cgwi_names *t, const char *text,
     uint32_t file, uint32_t object, uint32_t *handle)
{
  struct cgwi_core *c = &w->core;
  uint32_t index;

  if (c->state == CGWI_FINISHED)
    return CGW_EFINISHED;
  file = cgwi_index (c, c->encoder.files.n, file);
  object = cgwi_index (c, c->encoder.objects.n, object);
  if (file == CGWI_NONE || object == CGWI_NONE)
    return CGW_EHANDLE;
  index = cgwi_add_name (c, t, text, file, object);
  if (index == CGWI_NONE)
    return CGW_ENOMEM;
  *handle = cgwi_handle (c, index);
  cgwi_publish_names (w);
  return CGW_OK;
}

/* Return the handle of a name; after an error 0, and keep the error.  */
static uint32_t
enter_and_add (struct cgw_writer *w, struct cgwi_names *t, const char *text,
               uint32_t file, uint32_t object)
{
  enum cgw_status status = cgwi_enter (w);
  uint32_t handle = 0;

  if (status == CGW_OK)
    {
      status = add (w, t, text, file, object, &handle);
      cgwi_leave (w);
    }
  if (status != CGW_OK && status != CGW_EFINISHED)
    cgwi_keep (&w->core, status);
  return handle;
}

struct cgw_object
cgw_add_object (struct cgw_writer *w, const char *path)
{
  struct cgw_object result = { 0 };

  if (w != NULL)
    result.handle = enter_and_add (w, &w->core.encoder.objects, path, 0, 0);
  return result;
}

struct cgw_file
cgw_add_file (struct cgw_writer *w, const char *path)
{
  struct cgw_file result = { 0 };

  if (w != NULL)
    result.handle = enter_and_add (w, &w->core.encoder.files, path, 0, 0);
  return result;
}

struct cgw_fn
cgw_add_fn (struct cgw_writer *w, const char *name, struct cgw_file file,
            struct cgw_object object)
{
  struct cgw_fn result = { 0 };

  if (w != NULL)
    result.handle = enter_and_add (w, &w->core.encoder.fns, name, file.handle,
                                   object.handle);
  return result;
}
