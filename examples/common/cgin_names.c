/* cgin_names.c - the names of a callgrind file: ids, and functions.

   Readers agree on three tables: ob and cob; fl, fi, fe, cfi, cfl and jfi;
   fn, cfn and jfn.  An id lives to the end of the file, or until it is given
   to another name.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t
first_slot (const struct cgin_ids *ids, uint64_t id)
{
  return (size_t) (id * UINT64_C (0x9e3779b97f4a7c15) >> 32)
         & (ids->n_slots - 1);
}

/* The slot that holds an id, or the free one where it would stand.  */
static struct cgin_id *
slot_of (const struct cgin_ids *ids, uint64_t id)
{
  size_t i = first_slot (ids, id);

  while (ids->slots[i].used && ids->slots[i].id != id)
    i = (i + 1) & (ids->n_slots - 1);
  return &ids->slots[i];
}

const uint32_t *
cgin_ids_find (const struct cgin_ids *ids, uint64_t id)
{
  if (ids->n_slots == 0)
    return NULL;
  const struct cgin_id *slot = slot_of (ids, id);
  return slot->used ? &slot->value : NULL;
}

static bool
grow (struct cgin_ids *ids)
{
  struct cgin_ids larger = { .n = ids->n };

  larger.n_slots = ids->n_slots ? 2 * ids->n_slots : 256;
  larger.slots = calloc (larger.n_slots, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < ids->n_slots; i++)
    if (ids->slots[i].used)
      *slot_of (&larger, ids->slots[i].id) = ids->slots[i];
  free (ids->slots);
  *ids = larger;
  return true;
}

/* False when there is no memory.  */
static bool
set_id (struct cgin_ids *ids, uint64_t id, uint32_t value)
{
  if (2 * ids->n >= ids->n_slots && !grow (ids))
    return false;
  struct cgin_id *slot = slot_of (ids, id);
  ids->n += !slot->used;
  *slot = (struct cgin_id) { id, value, true };
  return true;
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
forgive_undefined (const struct cgin *in, const char *spec)
{
  char text[80];

  snprintf (text, sizeof text, "undefined id becomes ???: %.40s", spec);
  cgin_warn (in, text);
}

/* The value of an id that stands alone, "(ID)", if it is one.  */
static const uint32_t *
reference (const struct cgin_ids *ids, bool has_id, uint64_t id,
           const char *name)
{
  return has_id && !*name ? cgin_ids_find (ids, id) : NULL;
}

static void
tell (struct cgin *in, const struct cgin_name *name)
{
  if (in->sink->name)
    in->sink->name (in->sink->context, name);
}

static uint32_t
add_object (struct cgin *in, const char *path)
{
  struct cgw_object object = cgw_add_object (in->sink->names, path);

  tell (in, &(struct cgin_name){ .kind = CGIN_OBJECT,
                                 .handle = object.handle, .text = path });
  return object.handle;
}

static uint32_t
add_file (struct cgin *in, const char *path)
{
  struct cgw_file file = cgw_add_file (in->sink->names, path);

  tell (in, &(struct cgin_name){ .kind = CGIN_FILE, .handle = file.handle,
                                 .text = path });
  return file.handle;
}

struct cgw_fn
cgin_add_fn (struct cgin *in, const char *name, struct cgw_file file,
             struct cgw_object object)
{
  struct cgw_fn fn = cgw_add_fn (in->sink->names, name, file, object);

  tell (in, &(struct cgin_name){ CGIN_FN, fn.handle, name, file, object });
  return fn;
}

/* Finds or adds the name of an object or a file.  */
static bool
take_path (struct cgin *in, char *spec, struct cgin_ids *ids,
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
    forgive_undefined (in, spec);
  *handle = add (in, or_unknown (name));
  return !has_id || set_id (ids, id, *handle) || cgin_no_memory (in);
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

/* Makes fn_names[index] valid.  */
static bool
reserve_fn_name (struct cgin_names *names, uint32_t index)
{
  if (index >= names->fn_names_capacity)
    {
      uint32_t capacity = 2 * index + 64;
      struct cgin_fn_name *larger
        = realloc (names->fn_names, capacity * sizeof *larger);
      if (!larger)
        return false;
      names->fn_names = larger;
      names->fn_names_capacity = capacity;
    }
  for (; names->n_fn_names <= index; names->n_fn_names++)
    names->fn_names[names->n_fn_names] = (struct cgin_fn_name) { 0 };
  return true;
}

static bool
set_fn_name (struct cgin_names *names, uint32_t index, const char *text)
{
  size_t size = strlen (text) + 1;

  if (!reserve_fn_name (names, index))
    return false;
  struct cgin_fn_name *name = &names->fn_names[index];
  if (name->text && strcmp (name->text, text) == 0)
    return true;
  if (size > name->size)
    {
      char *larger = realloc (name->text, size);
      if (!larger)
        return false;
      name->text = larger;
      name->size = size;
    }
  memcpy (name->text, text, size);
  name->bound = false;
  return true;
}

/* The place of a function's name: that of its id, or of this use.  */
static uint32_t
fn_name_place (const struct cgin_names *names, bool has_id, uint64_t id,
               uint32_t plain)
{
  const uint32_t *found = cgin_ids_find (&names->fns, id);

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
    forgive_undefined (in, spec);
  *index = fn_name_place (names, has_id, id, plain);
  if (!set_fn_name (names, *index, or_unknown (name))
      || (has_id && !set_id (&names->fns, id, *index)))
    return cgin_no_memory (in);
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
  free (names->fns.slots);
  free (names->files.slots);
  free (names->objects.slots);
}
