/* unify.c - find the names of one writer in another, by their texts.

   SPDX-License-Identifier: MIT  */

#include "unify.h"

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
  for (int i = 0; i < CGWI_NAME_TABLES && status == CGW_OK; i++)
    {
      u->indices[i] = cgwi_number_names (from, i, &into->memory);
      status = u->indices[i] != NULL ? CGW_OK : CGW_ENOMEM;
    }
  cgwi_leave (from);
  return status;
}

void
cgwi_free_unified (struct cgwi_unified *u)
{
  for (int i = 0; i < CGWI_NAME_TABLES; i++)
    cgwi_release (&u->into->memory, u->indices[i]);
  cgwi_free_name_copy (&u->copy);
}

static enum cgw_status
copy (struct cgwi_unified *u, int table, uint32_t index)
{
  return cgwi_copy_name (&u->copy, u->from, table, index);
}

/* Find the copied name in `into`, or add it.  */
static enum cgw_status
enter_copy (struct cgwi_unified *u, int table, uint32_t index, uint32_t file,
            uint32_t object)
{
  return cgwi_enter_name (u->into, table, u->copy.text, file, object,
                          &u->indices[table][index]);
}

/* Find an object or a file.  */
static enum cgw_status
find_plain (struct cgwi_unified *u, int table, uint32_t index)
{
  enum cgw_status status = CGW_OK;

  if (u->indices[table][index] == CGWI_NONE
      && (status = copy (u, table, index)) == CGW_OK)
    status = enter_copy (u, table, index, 0, 0);
  return status;
}

static enum cgw_status
find_fn (struct cgwi_unified *u, uint32_t index)
{
  enum cgw_status status;
  uint32_t file, object;

  if (u->indices[CGWI_FNS][index] != CGWI_NONE)
    return CGW_OK;
  if ((status = copy (u, CGWI_FNS, index)) != CGW_OK)
    return status;
  file = u->copy.name.file;
  object = u->copy.name.object;
  if ((status = find_plain (u, CGWI_OBJECTS, object)) != CGW_OK
      || (status = find_plain (u, CGWI_FILES, file)) != CGW_OK
      /* Those have overwritten the copy.  */
      || (status = copy (u, CGWI_FNS, index)) != CGW_OK)
    return status;
  return enter_copy (u, CGWI_FNS, index, u->indices[CGWI_FILES][file],
                     u->indices[CGWI_OBJECTS][object]);
}

enum cgw_status
cgwi_unify_key (struct cgwi_unified *u, struct cgwi_spot *key)
{
  enum cgw_status status;

  if (u->into == u->from)
    return CGW_OK;
  if ((status = find_fn (u, key->fn)) != CGW_OK
      || (key->source != 0
          && (status = find_plain (u, CGWI_FILES, key->source - 1)) != CGW_OK)
      || (key->callee != CGWI_NONE
          && (status = find_fn (u, key->callee)) != CGW_OK))
    return status;
  key->fn = u->indices[CGWI_FNS][key->fn];
  if (key->source != 0)
    key->source = u->indices[CGWI_FILES][key->source - 1] + 1;
  if (key->callee != CGWI_NONE)
    key->callee = u->indices[CGWI_FNS][key->callee];
  return CGW_OK;
}
