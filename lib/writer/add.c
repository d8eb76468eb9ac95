/* add.c - cgw_add_object, cgw_add_file, cgw_add_fn.

   SPDX-License-Identifier: MIT  */

#include "../core/handles.h"
#include "../format/escape.h"
#include "../gate/gate.h"

/* A name to add.  */
struct wanted
{
  struct cgwi_names *table;
  const char *text;
  uint32_t file;    /* a handle, as object is */
  uint32_t object;
};

static uint64_t
hash_call (const struct wanted *n)
{
  return cgwi_hash (n->text, strlen (n->text))
         ^ (((uint64_t) n->file << 32 | n->object) + (uintptr_t) n->table);
}

static void
say_foreign (struct cgwi_core *c, const struct wanted *n, const char *which)
{
  cgwi_say (&c->errors.last_why,
            "cgw_add_fn, %q: %s is a handle of another writer, or of one that "
            "was freed", n->text, which);
}

/* Add a name, inside.  */
static enum cgw_status
add (struct cgw_writer *w, const struct wanted *n, uint32_t *handle)
{
  struct cgwi_core *c = &w->core;
  uint32_t file = cgwi_index (c, c->encoder.files.n, n->file);
  uint32_t object = cgwi_index (c, c->encoder.objects.n, n->object);
  uint32_t index;

  if (c->state == CGWI_FINISHED)
    return CGW_EFINISHED;
  if (file == CGWI_NONE || object == CGWI_NONE)
    {
      say_foreign (c, n, file == CGWI_NONE ? "file" : "object");
      return CGW_EHANDLE;
    }
  index = cgwi_add_name (c, n->table, n->text, file, object);
  if (index == CGWI_NONE)
    {
      cgwi_say (&c->errors.last_why, "no memory to add the name %q", n->text);
      return CGW_ENOMEM;
    }
  *handle = cgwi_handle (c, index);
  cgwi_publish_names (w);
  return CGW_OK;
}

/* Keep the error of a call that may be repeated, or forget it.  */
static void
keep (struct cgw_writer *w, const struct wanted *n, enum cgw_status status,
      const struct cgwi_sentence *why)
{
  if (status == CGW_OK && cgwi_errors_first (&w->core.errors) != CGW_OK)
    cgwi_errors_forget_call (&w->core.errors, hash_call (n));
  if (status == CGW_EHANDLE || status == CGW_ENOMEM || status == CGW_EBUSY)
    cgwi_errors_keep_call (&w->core.errors, status, why, hash_call (n));
}

/* Return the handle of a name, for which NULL is the same as ""; after an error
   0, and keep the error.  */
static uint32_t
enter_and_add (struct cgw_writer *w, struct cgwi_names *table,
               const char *text, uint32_t file, uint32_t object)
{
  static const struct cgwi_sentence busy
      = { "a name was not added: the handler interrupted another call on the "
          "writer, or another thread stayed in one for ten seconds" };
  const struct wanted n = { table, text != NULL ? text : "", file, object };
  enum cgw_status status = cgwi_enter (w);
  uint32_t handle = 0;

  if (status == CGW_OK)
    {
      status = add (w, &n, &handle);
      keep (w, &n, status, &w->core.errors.last_why);
      cgwi_leave (w);
    }
  else
    keep (w, &n, status, &busy);
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
