/* add.c - the public calls on names: make, add, explain, free.

   SPDX-License-Identifier: MIT  */

#include "../sized.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>

/* The allocator when there is no hook.  */
static void *
allocate (void *context, void *p, size_t n)
{
  (void) context;
  if (n > 0)
    return realloc (p, n);
  free (p);
  return NULL;
}

/* Return where the handles of new names begin, 1 to 2^31.  The multiples of the
   golden ratio spread evenly: of any 10,000 names objects that a process makes
   one after the other, no two are closer than 140,000 handles; of 100,000,
   9,000.  Each copy of the library in a process has a counter elsewhere, and so
   begins elsewhere, far from small numbers.  */
static uint32_t
first_handle (void)
{
  static _Atomic uint32_t made;
  uint32_t n = atomic_fetch_add_explicit (&made, 1, memory_order_relaxed);
  uint64_t copy = cgwi_fold ((uintptr_t) &made, UINT64_C (0x9fb21c651e98df25));
  uint32_t begin = (uint32_t) copy | UINT32_C (1) << 30;

  return ((n * UINT32_C (1327217885) + begin) & INT32_MAX) + 1;
}

/* Add the names that every names object has: see CGWI_UNKNOWN.  */
static bool
add_first_names (struct cgw_names *names)
{
  enum cgw_status status;

  for (int kind = 0; kind < CGWI_KINDS_OF_NAMES; kind++)
    if (cgwi_add_name (names, (enum cgwi_kind_of_name) kind, NULL, 0, 0, 0,
                       &status)
        == CGWI_NONE)
      return false;
  return cgwi_add_name (names, CGWI_FNS, "[lost]", 6, 0, 0, &status)
         != CGWI_NONE;
}

CGWI_COLD enum cgw_status
cgw_names_new (struct cgw_names **result,
               const struct cgw_names_options *options)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  struct cgwi_memory m;
  struct cgw_names *names;
  struct cgwi_why why;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (options != NULL
      && !cgwi_take_struct (&o, sizeof o, options, CGWI_ARG_OPTIONS, &why))
    return CGW_EINVAL;
  m = (struct cgwi_memory){ o.allocate != NULL ? o.allocate : allocate,
                            o.allocate_context };
  if ((names = cgwi_resize (&m, NULL, sizeof *names)) == NULL)
    return CGW_ENOMEM;
  memset (names, 0, sizeof *names);
  names->memory = m;
  names->references = 1;
  names->first_handle = first_handle ();
  cgwi_random (names->secret, 2);
  if (!cgwi_mark_make (&names->mark) || !add_first_names (names))
    {
      cgwi_release_names (names);
      return CGW_ENOMEM;
    }
  *result = names;
  return CGW_OK;
}

CGWI_COLD void
cgw_names_free (struct cgw_names *names)
{
  if (names != NULL)
    cgwi_release_names (names);
}

/* Keep why a name was not added, and return no handle.  */
static uint32_t
refuse_name (struct cgw_names *names, enum cgwi_called called,
             enum cgw_status status, const struct cgwi_why *why)
{
  cgwi_refuse (&names->refusals, called, status, why);
  return 0;
}

/* Return the handle of a name; after an error 0, and keep why.  `file` and
   `object` are handles.  */
static uint32_t
add_name (struct cgw_names *names, enum cgwi_called called,
          enum cgwi_kind_of_name kind, const char *text, size_t n,
          uint32_t file, uint32_t object)
{
  enum cgw_status status;
  uint32_t index;

  if (names == NULL)
    return 0;
  file = cgwi_index (names, file);
  object = cgwi_index (names, object);
  if (!cgwi_has_name (names, CGWI_FILES, file))
    return refuse_name (
        names, called, CGW_EHANDLE,
        &(struct cgwi_why){ .reason = CGWI_WHY_FOREIGN,
                            .parameter = CGWI_ARG_FILE_HANDLE });
  if (!cgwi_has_name (names, CGWI_OBJECTS, object))
    return refuse_name (
        names, called, CGW_EHANDLE,
        &(struct cgwi_why){ .reason = CGWI_WHY_FOREIGN,
                            .parameter = CGWI_ARG_OBJECT_HANDLE });
  index = cgwi_add_name (names, kind, text, n, file, object, &status);
  return index != CGWI_NONE ? cgwi_handle (names, index)
                            : refuse_name (names, called, status, NULL);
}

/* NULL is the unknown name.  */
static size_t
name_length (const char *text)
{
  return text != NULL ? strlen (text) : 0;
}

struct cgw_object
cgw_add_object (struct cgw_names *names, const char *path)
{
  return (struct cgw_object){ add_name (names, CGWI_CALLED_ADD_OBJECT,
                                        CGWI_OBJECTS, path, name_length (path),
                                        0, 0) };
}

struct cgw_object
cgw_add_object_n (struct cgw_names *names, const char *path, size_t length)
{
  return (struct cgw_object){ add_name (names, CGWI_CALLED_ADD_OBJECT_N,
                                        CGWI_OBJECTS, path, length, 0, 0) };
}

struct cgw_file
cgw_add_file (struct cgw_names *names, const char *path)
{
  return (struct cgw_file){ add_name (names, CGWI_CALLED_ADD_FILE, CGWI_FILES,
                                      path, name_length (path), 0, 0) };
}

struct cgw_file
cgw_add_file_n (struct cgw_names *names, const char *path, size_t length)
{
  return (struct cgw_file){ add_name (names, CGWI_CALLED_ADD_FILE_N,
                                      CGWI_FILES, path, length, 0, 0) };
}

struct cgw_fn
cgw_add_fn (struct cgw_names *names, const char *name, struct cgw_file file,
            struct cgw_object object)
{
  return (struct cgw_fn){ add_name (names, CGWI_CALLED_ADD_FN, CGWI_FNS, name,
                                    name_length (name), file.handle,
                                    object.handle) };
}

struct cgw_fn
cgw_add_fn_n (struct cgw_names *names, const char *name, size_t length,
              struct cgw_file file, struct cgw_object object)
{
  return (struct cgw_fn){ add_name (names, CGWI_CALLED_ADD_FN_N, CGWI_FNS,
                                    name, length, file.handle,
                                    object.handle) };
}

/* Return a name; NULL: names is NULL, or the handle is of other names.  */
static const struct cgwi_name *
name_of (const struct cgw_names *names, enum cgwi_kind_of_name kind,
         uint32_t handle)
{
  uint32_t index = names != NULL ? cgwi_index (names, handle) : CGWI_NONE;

  return names != NULL && cgwi_has_name (names, kind, index)
             ? cgwi_name (names, kind, index)
             : NULL;
}

const char *
cgw_object_name (const struct cgw_names *names, struct cgw_object object)
{
  const struct cgwi_name *name
      = name_of (names, CGWI_OBJECTS, object.handle);

  return name != NULL ? name->text : NULL;
}

const char *
cgw_file_name (const struct cgw_names *names, struct cgw_file file)
{
  const struct cgwi_name *name = name_of (names, CGWI_FILES, file.handle);

  return name != NULL ? name->text : NULL;
}

/* Return the handle of an index, {0} for the unknown name.  */
static uint32_t
known_handle (const struct cgw_names *names, uint32_t index)
{
  return index != CGWI_UNKNOWN ? cgwi_handle (names, index) : 0;
}

const char *
cgw_fn_name (const struct cgw_names *names, struct cgw_fn fn,
             struct cgw_file *file, struct cgw_object *object)
{
  const struct cgwi_name *name = name_of (names, CGWI_FNS, fn.handle);

  if (file != NULL)
    file->handle = name != NULL ? known_handle (names, name->file) : 0;
  if (object != NULL)
    object->handle = name != NULL ? known_handle (names, name->object) : 0;
  return name != NULL ? name->text : NULL;
}

CGWI_COLD const char *
cgw_names_explain (struct cgw_names *names)
{
  return cgwi_explain_last (names != NULL ? &names->refusals : NULL);
}

CGWI_COLD enum cgw_status
cgw_names_error (struct cgw_names *names, const char **sentence)
{
  struct cgwi_refusals *r = names != NULL ? &names->refusals : NULL;

  return cgwi_tell_first (r, r, sentence);
}
