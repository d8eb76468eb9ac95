/* unify.c - find the names of one writer in another, by their texts.

   SPDX-License-Identifier: MIT  */

#include "unify.h"

#include <string.h>

static uint32_t *
make_map (struct cgw_writer *w, uint32_t n)
{
  uint32_t *map
      = cgwi_resize (&w->memory, NULL, (n + (size_t) 1) * sizeof *map);

  if (map != NULL)
    memset (map, 0xff, n * sizeof *map); /* CGWI_NONE */
  return map;
}

enum cgw_status
cgwi_unify (struct cgwi_unified *u, struct cgw_writer *into,
            struct cgw_writer *from)
{
  enum cgw_status status;

  *u = (struct cgwi_unified){ .into = into, .from = from,
                              .copy = { .m = &into->memory } };
  if (into == from)
    return CGW_OK;
  if ((status = cgwi_enter (from)) != CGW_OK)
    return status;
  u->n_objects = from->core.encoder.objects.n;
  u->n_files = from->core.encoder.files.n;
  u->n_fns = from->core.encoder.fns.n;
  cgwi_leave (from);
  u->objects = make_map (into, u->n_objects);
  u->files = make_map (into, u->n_files);
  u->fns = make_map (into, u->n_fns);
  return u->objects != NULL && u->files != NULL && u->fns != NULL ? CGW_OK
                                                                  : CGW_ENOMEM;
}

void
cgwi_free_unified (struct cgwi_unified *u)
{
  const struct cgwi_memory *m = &u->into->memory;

  cgwi_release (m, u->objects);
  cgwi_release (m, u->files);
  cgwi_release (m, u->fns);
  cgwi_free_name_copy (&u->copy);
}

/* Find the copied name in `into`, or add it.  */
static enum cgw_status
enter_copy (struct cgwi_unified *u, struct cgwi_names *t, uint32_t file,
            uint32_t object, uint32_t *index)
{
  return cgwi_enter_name (u->into, t, u->copy.text, file, object, index);
}

static enum cgw_status
find_object (struct cgwi_unified *u, uint32_t index)
{
  enum cgw_status status;

  if (u->objects[index] != CGWI_NONE)
    return CGW_OK;
  status = cgwi_copy_name (&u->copy, u->from, &u->from->core.encoder.objects,
                           index);
  return status == CGW_OK ? enter_copy (u, &u->into->core.encoder.objects, 0,
                                        0, &u->objects[index])
                          : status;
}

static enum cgw_status
find_file (struct cgwi_unified *u, uint32_t index)
{
  enum cgw_status status;

  if (u->files[index] != CGWI_NONE)
    return CGW_OK;
  status = cgwi_copy_name (&u->copy, u->from, &u->from->core.encoder.files,
                           index);
  return status == CGW_OK ? enter_copy (u, &u->into->core.encoder.files, 0, 0,
                                        &u->files[index])
                          : status;
}

static enum cgw_status
copy_fn (struct cgwi_unified *u, uint32_t index)
{
  return cgwi_copy_name (&u->copy, u->from, &u->from->core.encoder.fns, index);
}

static enum cgw_status
find_fn (struct cgwi_unified *u, uint32_t index)
{
  enum cgw_status status;
  uint32_t file, object;

  if (u->fns[index] != CGWI_NONE)
    return CGW_OK;
  if ((status = copy_fn (u, index)) != CGW_OK)
    return status;
  file = u->copy.name.file;
  object = u->copy.name.object;
  if ((status = find_object (u, object)) != CGW_OK
      || (status = find_file (u, file)) != CGW_OK
      /* Those have overwritten the copy.  */
      || (status = copy_fn (u, index)) != CGW_OK)
    return status;
  return enter_copy (u, &u->into->core.encoder.fns, u->files[file],
                     u->objects[object], &u->fns[index]);
}

enum cgw_status
cgwi_unify_key (struct cgwi_unified *u, struct cgwi_spot *key)
{
  enum cgw_status status;

  if (u->into == u->from)
    return CGW_OK;
  if ((status = find_fn (u, key->fn)) != CGW_OK
      || (key->source != 0
          && (status = find_file (u, key->source - 1)) != CGW_OK)
      || (key->callee != CGWI_NONE
          && (status = find_fn (u, key->callee)) != CGW_OK))
    return status;
  key->fn = u->fns[key->fn];
  if (key->source != 0)
    key->source = u->files[key->source - 1] + 1;
  if (key->callee != CGWI_NONE)
    key->callee = u->fns[key->callee];
  return CGW_OK;
}
