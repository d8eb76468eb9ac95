/* jumps.c - the sums of jumps.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "jumps.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

struct name_key
{
  uint32_t kind;
  uint32_t handle;
};

struct name
{
  struct name_key key;
  char *text;
  const char *file;   /* of a function */
  const char *object;
  uint32_t object_handle; /* 0: unknown */
  uint32_t rank; /* among all names of its kind, from 1 */
};

struct jump_key
{
  uint64_t from_instr, to_instr;
  uint32_t from_line, to_line;
  uint32_t from_fn, from_file;
  uint32_t to_fn, to_file;
  uint32_t conditional;
  uint32_t zero;
};

struct jump
{
  struct jump_key key;
  uint64_t executed;
  uint64_t followed;
  uint32_t from_rank, from_file_rank;
  uint32_t to_rank, to_file_rank;
};

void
jumps_init (struct jumps *j)
{
  *j = (struct jumps){ { .key_size = sizeof (struct name_key),
                         .entry_size = sizeof (struct name) },
                       { .key_size = sizeof (struct jump_key),
                         .entry_size = sizeof (struct jump) } };
}

/* Names.  */

static struct name *
find_name (const struct jumps *j, enum cgin_kind kind, uint32_t handle)
{
  return table_find (&j->names, &(struct name_key){ kind, handle });
}

/* The text of a handle; 0 stands for an unknown name.  */
static const char *
text_of (const struct jumps *j, enum cgin_kind kind, uint32_t handle)
{
  const struct name *name = find_name (j, kind, handle);

  return name != NULL ? name->text : "???";
}

/* Where nothing names the object, it has no handle; where "???" does, it has
   one.  The library takes them for the same.  */
static uint32_t
known_object (const struct jumps *j, uint32_t handle)
{
  return strcmp (text_of (j, CGIN_OBJECT, handle), "???") != 0 ? handle : 0;
}

void
jumps_name (struct jumps *j, const struct cgin_name *n)
{
  struct name *name
      = n->handle != 0
            ? table_add (&j->names, &(struct name_key){ n->kind, n->handle })
            : NULL;

  if (name == NULL || name->text != NULL)
    return;
  name->text = copy_text (n->text);
  if (n->kind == CGIN_FN)
    {
      name->file = text_of (j, CGIN_FILE, n->file.handle);
      name->object = text_of (j, CGIN_OBJECT, n->object.handle);
      name->object_handle = known_object (j, n->object.handle);
    }
}

/* Adding.  */

/* The object of a function.  */
static uint32_t
object_of (const struct jumps *j, struct cgw_fn fn)
{
  const struct name *name = find_name (j, CGIN_FN, fn.handle);

  return name != NULL ? name->object_handle : 0;
}

static bool
fits (uint64_t sum, uint64_t more)
{
  return more <= UINT64_MAX - sum;
}

enum cgw_status
jumps_add (struct jumps *j, unsigned positions, const struct cgw_pos *from,
           const struct cgw_pos *to, const uint64_t *followed,
           uint64_t executed)
{
  struct jump_key key = { .from_fn = from->fn.handle,
                          .from_file = from->file.handle,
                          .to_fn = to->fn.handle,
                          .conditional = followed != NULL };
  struct jump *jump;

  if (object_of (j, from->fn) != object_of (j, to->fn))
    return CGW_EINVAL;
  /* In another function the file has no place: see cgw_jump.  */
  if (key.from_fn == key.to_fn)
    key.to_file = to->file.handle;
  if (positions & CGW_LINE)
    {
      key.from_line = from->line;
      key.to_line = to->line;
    }
  if (positions & CGW_INSTR)
    {
      key.from_instr = from->instr;
      key.to_instr = to->instr;
    }
  jump = table_add (&j->sums, &key);
  if (!fits (jump->executed, executed)
      || (followed != NULL && !fits (jump->followed, *followed)))
    return CGW_EOVERFLOW;
  jump->executed += executed;
  jump->followed += followed != NULL ? *followed : 0;
  return CGW_OK;
}

/* Writing.  */

static int
compare_texts (const char *a, const char *b)
{
  return a == b ? 0 : strcmp (a != NULL ? a : "", b != NULL ? b : "");
}

static int
compare_names (const void *one, const void *two)
{
  const struct name *a = *(struct name *const *) one;
  const struct name *b = *(struct name *const *) two;
  int order;

  if ((order = compare_texts (a->object, b->object)) != 0
      || (order = compare_texts (a->file, b->file)) != 0)
    return order;
  return strcmp (a->text, b->text);
}

/* Numbers all names in their order, so that jumps compare by numbers.  */
static void
rank_names (struct jumps *j)
{
  uint32_t n = j->names.n;
  struct name **order = resize (NULL, n, sizeof *order);

  for (uint32_t i = 0; i < n; i++)
    order[i] = table_entry (&j->names, i);
  qsort (order, n, sizeof *order, compare_names);
  for (uint32_t i = 0; i < n; i++)
    order[i]->rank = i + 1;
  free (order);
}

static uint32_t
rank_of (const struct jumps *j, enum cgin_kind kind, uint32_t handle)
{
  const struct name *name = find_name (j, kind, handle);

  return name != NULL ? name->rank : 0;
}

static int
compare_numbers (uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

static int
compare_jumps (const void *one, const void *two)
{
  const struct jump *a = one;
  const struct jump *b = two;
  int order;

  if ((order = compare_numbers (a->from_rank, b->from_rank)) != 0
      || (order = compare_numbers (a->from_file_rank, b->from_file_rank)) != 0
      || (order = compare_numbers (a->key.from_instr, b->key.from_instr)) != 0
      || (order = compare_numbers (a->key.from_line, b->key.from_line)) != 0
      || (order = compare_numbers (a->to_rank, b->to_rank)) != 0
      || (order = compare_numbers (a->to_file_rank, b->to_file_rank)) != 0
      || (order = compare_numbers (a->key.to_instr, b->key.to_instr)) != 0
      || (order = compare_numbers (a->key.to_line, b->key.to_line)) != 0)
    return order;
  return compare_numbers (a->key.conditional, b->key.conditional);
}

/* Brings the jumps into their order.  The table cannot be searched any more.  */
static void
sort (struct jumps *j)
{
  rank_names (j);
  for (uint32_t i = 0; i < j->sums.n; i++)
    {
      struct jump *jump = table_entry (&j->sums, i);

      jump->from_rank = rank_of (j, CGIN_FN, jump->key.from_fn);
      jump->from_file_rank = rank_of (j, CGIN_FILE, jump->key.from_file);
      jump->to_rank = rank_of (j, CGIN_FN, jump->key.to_fn);
      jump->to_file_rank = rank_of (j, CGIN_FILE, jump->key.to_file);
    }
  if (j->sums.n != 0)
    qsort (j->sums.entries, j->sums.n, j->sums.entry_size, compare_jumps);
}

void
jumps_write (struct jumps *j, struct cgw_writer *w)
{
  if (j->sums.n != 0)
    sort (j);
  for (uint32_t i = 0; i < j->sums.n; i++)
    {
      const struct jump *jump = table_entry (&j->sums, i);
      const struct jump_key *key = &jump->key;
      const struct cgw_pos from
          = { { key->from_fn }, { key->from_file }, key->from_line,
              key->from_instr };
      const struct cgw_pos to
          = { { key->to_fn }, { key->to_file }, key->to_line, key->to_instr };

      if (key->conditional)
        cgw_cond_jump (w, &from, &to, jump->followed, jump->executed);
      else
        cgw_jump (w, &from, &to, jump->executed);
    }
}

void
jumps_free (struct jumps *j)
{
  for (uint32_t i = 0; i < j->names.n; i++)
    free (((struct name *) table_entry (&j->names, i))->text);
  table_free (&j->names);
  table_free (&j->sums);
}
