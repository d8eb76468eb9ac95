/* cgin_names.c - the names of a callgrind file: ids, and functions.

   Readers agree on three tables: ob and cob; fl, fi, fe, cfi, cfl and jfi;
   fn, cfn and jfn.  An id lives to the end of the file, or until it is given
   to another name.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include "../base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
cgin_names_begin (struct cgin_names *names)
{
  const struct table ids = { .key_size = sizeof (uint64_t),
                             .entry_size = sizeof (struct cgin_id) };

  *names = (struct cgin_names) { .objects = ids, .files = ids, .fns = ids };
}

/* Most writers count ids from 1 in the order in which they define them.  */
static const uint32_t *
find_id (const struct table *ids, uint64_t id)
{
  const struct cgin_id *found = NULL;

  if (id - 1 < ids->n)
    found = table_entry (ids, (uint32_t) (id - 1));
  if (!found || found->id != id)
    found = table_find (ids, &id);
  return found ? &found->value : NULL;
}

static void
set_id (struct table *ids, uint64_t id, uint32_t value)
{
  struct cgin_id *entry = table_add (ids, &id);

  entry->value = value;
}

const uint32_t *
cgin_fn_of (const struct cgin *in, uint64_t id)
{
  return find_id (&in->names.fns, id);
}

/* Takes "(ID) name", "(ID)" or "name" apart.  Blanks around a name are not
   part of it: no reader keeps those in front, and those behind are left over
   from a writer's format string.  */
static bool
split_spec (struct cgin *in, char *spec, bool *has_id, uint64_t *id,
            char **name)
{
  const char *p = spec;

  *has_id = p[0] == '(' && p[1] >= '0' && p[1] <= '9';
  if (*has_id)
    {
      p++;
      if (!cgin_number (in, &p, id))
        return false;
      if (*p != ')')
        return cgin_fail_at (in, "bad id", spec);
      p++;
    }
  *name = spec + (cgin_skip_blanks (p) - spec);
  for (size_t n = strlen (*name); n > 0; n--)
    {
      if ((*name)[n - 1] != ' ' && (*name)[n - 1] != '\t')
        break;
      (*name)[n - 1] = '\0';
    }
  return true;
}

/* "???" is how unknown names are written; some writers leave them empty.  */
static const char *
or_unknown (const char *name)
{
  return *name ? name : "???";
}

/* Some writers do not define the ids of functions that they leave out, or of an
   object that has no name.  The costs are right, so only the name is lost.  */
static void
warn_of_undefined (const struct cgin *in, const char *spec)
{
  char text[80];

  snprintf (text, sizeof text, "undefined id becomes ???: %.*s",
            (int) strcspn (spec, ")") + 1, spec);
  cgin_warn (in, text);
}

/* The value of an id that stands alone, "(ID)", if it is one.  */
static const uint32_t *
reference (const struct table *ids, bool has_id, uint64_t id,
           const char *name)
{
  return has_id && !*name ? find_id (ids, id) : NULL;
}

static void
pass_on (struct cgin *in, const struct cgin_name *name)
{
  if (in->sink->name)
    in->sink->name (in->sink->context, name);
}

static uint32_t
add_object (struct cgin *in, const char *path)
{
  struct cgw_object object = cgw_add_object (in->sink->names, path);

  pass_on (in, &(struct cgin_name){ .kind = CGIN_OBJECT,
                                    .handle = object.handle, .text = path });
  return object.handle;
}

static uint32_t
add_file (struct cgin *in, const char *path)
{
  struct cgw_file file = cgw_add_file (in->sink->names, path);

  pass_on (in, &(struct cgin_name){ .kind = CGIN_FILE, .handle = file.handle,
                                    .text = path });
  return file.handle;
}

struct cgw_fn
cgin_add_fn (struct cgin *in, const char *name, struct cgw_file file,
             struct cgw_object object)
{
  struct cgw_fn fn = cgw_add_fn (in->sink->names, name, file, object);

  pass_on (in, &(struct cgin_name){ CGIN_FN, fn.handle, name, file, object });
  return fn;
}

/* Finds or adds the name of an object or a file.  */
static bool
take_path (struct cgin *in, char *spec, struct table *ids,
           uint32_t (*add) (struct cgin *in, const char *path),
           uint32_t *handle)
{
  const uint32_t *found;
  bool has_id;
  uint64_t id = 0;
  char *name;

  if (!split_spec (in, spec, &has_id, &id, &name))
    return false;
  if ((found = reference (ids, has_id, id, name)))
    {
      *handle = *found;
      return true;
    }
  if (has_id && !*name)
    warn_of_undefined (in, spec);
  *handle = add (in, or_unknown (name));
  if (has_id)
    set_id (ids, id, *handle);
  return true;
}

bool
cgin_object (struct cgin *in, char *spec, struct cgw_object *object)
{
  return take_path (in, spec, &in->names.objects, add_object,
                    &object->handle);
}

bool
cgin_file (struct cgin *in, char *spec, struct cgw_file *file)
{
  return take_path (in, spec, &in->names.files, add_file, &file->handle);
}

static void
set_fn_name (struct cgin_names *names, uint32_t index, const char *text)
{
  size_t size = strlen (text) + 1;

  names->fn_names = resize_for (names->fn_names, index,
                                &names->fn_names_capacity,
                                sizeof *names->fn_names);
  if (index >= names->n_fn_names)
    names->n_fn_names = index + 1;
  struct cgin_fn_name *name = &names->fn_names[index];
  if (name->text && strcmp (name->text, text) == 0)
    return;
  if (size > name->size)
    {
      name->text = resize (name->text, size, 1);
      name->size = size;
    }
  memcpy (name->text, text, size);
  name->bound = false;
}

/* The place of a function's name: that of its id, or of this use.  */
static uint32_t
fn_name_place (const struct cgin_names *names, bool has_id, uint64_t id,
               uint32_t plain)
{
  const uint32_t *found = find_id (&names->fns, id);

  if (!has_id)
    return plain;
  if (found)
    return *found;
  return names->n_fn_names > CGIN_FIRST_FN ? names->n_fn_names
                                           : CGIN_FIRST_FN;
}

bool
cgin_fn_name (struct cgin *in, char *spec, uint32_t plain, uint32_t *index)
{
  struct cgin_names *names = &in->names;
  const uint32_t *found;
  bool has_id;
  uint64_t id = 0;
  char *name;

  if (!split_spec (in, spec, &has_id, &id, &name))
    return false;
  if ((found = reference (&names->fns, has_id, id, name)))
    {
      *index = *found;
      return true;
    }
  if (has_id && !*name)
    warn_of_undefined (in, spec);
  *index = fn_name_place (names, has_id, id, plain);
  set_fn_name (names, *index, or_unknown (name));
  if (has_id)
    set_id (&names->fns, id, *index);
  return true;
}

struct cgw_fn
cgin_bind (struct cgin *in, uint32_t index, struct cgw_file file,
           struct cgw_object object)
{
  struct cgin_fn_name *name = &in->names.fn_names[index];

  if (!name->bound || name->file.handle != file.handle
      || name->object.handle != object.handle)
    {
      name->fn = cgin_add_fn (in, name->text, file, object);
      name->file = file;
      name->object = object;
      name->bound = true;
    }
  return name->fn;
}

void
cgin_names_free (struct cgin_names *names)
{
  for (uint32_t i = 0; i < names->n_fn_names; i++)
    free (names->fn_names[i].text);
  free (names->fn_names);
  table_free (&names->fns);
  table_free (&names->files);
  table_free (&names->objects);
}
