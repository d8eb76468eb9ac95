/* model_names.c - names objects of the fuzzer fuzz_calls, and their model.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model_names.h"
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#define MARKER 4711 /* no errno */

/* Longer than a page, so that its records cross one.  */
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND                                                              \
  HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED    \
      HUNDRED
#define LONG THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND

#define TEXT(text) { text, sizeof text - 1, text, false }
#define CHANGED(text, written) { text, sizeof text - 1, written, true }

/* Two texts are the same name if they are written the same way.  */
struct model_text model_texts[MODEL_TEXTS] = {
  { NULL, 0, "???", false },
  { "", 0, "???", false },
  TEXT ("???"),
  TEXT ("main"),
  TEXT ("main.c"),
  TEXT ("operator new(unsigned long)"),
  TEXT ("(1)"),
  TEXT ("(2) two"),
  TEXT ("fn=main"),
  TEXT ("\xc3\xa9t\xc3\xa9"),
  TEXT (LONG),
  CHANGED ("two\nlines", "two\\x0alines"),
  CHANGED (" before", "\\x20before"),
  CHANGED ("behind ", "behind\\x20"),
  CHANGED ("\xff", "\\xff"),
  CHANGED ("a\0b", "a\\x00b")
};

static bool
is_same (const struct model_name *a, const struct model_name *b)
{
  return strcmp (a->text->written, b->text->written) == 0;
}

static bool
is_foreign (const struct model_names *names, const struct model_name *name)
{
  return name->handle != 0 && name->owner != names;
}

void
model_names_new (struct model_names *names)
{
  struct cgw_names_options o = CGW_NAMES_OPTIONS_INIT;
  size_t failed = names->heap.failed;
  enum cgw_status status, wanted;

  o.allocate = heap_allocate;
  o.allocate_context = &names->heap;
  errno = MARKER;
  status = cgw_names_new (&names->names, &o);
  wanted = names->heap.failed != failed ? CGW_ENOMEM : CGW_OK;
  if (status != wanted || (names->names != NULL) != (status == CGW_OK))
    fuzz_fail ("cgw_names_new: %d, not %d", status, wanted);
  for (size_t i = 0; i < 3; i++)
    names->name[i] = (struct model_name){ .owner = names,
                                          .kind = (enum model_kind_of_name) i,
                                          .text = &model_texts[0],
                                          .file = &names->name[1],
                                          .object = &names->name[0] };
  names->n = 3;
  names->first = CGW_OK;
  names->changed = 0;
  names->freed = false;
}

static const struct model_name *
find (const struct model_names *names, const struct model_name *wanted)
{
  for (size_t i = 3; i < names->n; i++)
    {
      const struct model_name *name = &names->name[i];

      if (name->kind == wanted->kind && is_same (name, wanted)
          && (name->kind != MODEL_FN
              || (is_same (name->file, wanted->file)
                  && is_same (name->object, wanted->object))))
        return name;
    }
  return NULL;
}

static uint32_t
add (struct cgw_names *names, const struct model_name *name, bool by_length)
{
  const struct model_text *t = name->text;
  struct cgw_file file = { name->file->handle };
  struct cgw_object object = { name->object->handle };

  by_length |= strlen (t->given != NULL ? t->given : "") != t->n;
  switch (name->kind)
    {
    case MODEL_OBJECT:
      return by_length ? cgw_add_object_n (names, t->given, t->n).handle
                       : cgw_add_object (names, t->given).handle;
    case MODEL_FILE:
      return by_length ? cgw_add_file_n (names, t->given, t->n).handle
                       : cgw_add_file (names, t->given).handle;
    default:
      return by_length
                 ? cgw_add_fn_n (names, t->given, t->n, file, object).handle
                 : cgw_add_fn (names, t->given, file, object).handle;
    }
}

static void
keep (struct model_names *names, enum cgw_status status)
{
  if (names->first == CGW_OK)
    names->first = status;
}

/* A name was added, or found: remember it.  */
static void
remember (struct model_names *names, const struct model_name *name,
          const struct model_name *known)
{
  if (known != NULL)
    {
      if (name->handle != known->handle)
        fuzz_fail ("two handles of one name");
      return;
    }
  for (size_t i = 3; i < names->n; i++)
    if (names->name[i].kind == name->kind
        && names->name[i].handle == name->handle)
      fuzz_fail ("one handle of two names");
  names->changed += name->text->changes;
  names->name[names->n++] = *name;
}

void
model_names_add (struct model_names *names, enum model_kind_of_name kind,
                 const struct model_text *text, bool by_length,
                 const struct model_name *file,
                 const struct model_name *object)
{
  struct model_name name = { .owner = names, .kind = kind, .text = text,
                             .file = file, .object = object };
  const struct model_name *known = find (names, &name);
  size_t failed = names->heap.failed;
  bool foreign = kind == MODEL_FN
                 && (is_foreign (names, file) || is_foreign (names, object));

  if (names->names == NULL || names->n == MODEL_NAMES_MAX)
    return;
  errno = MARKER;
  name.handle = add (names->names, &name, by_length);
  if (errno != MARKER && names->heap.failed == failed)
    fuzz_fail ("a name changes errno");
  if (foreign != (name.handle == 0) && names->heap.failed == failed)
    fuzz_fail (foreign ? "a foreign name is added" : "a name is not added");
  if (known != NULL && !foreign && !text->changes && name.handle == 0)
    fuzz_fail ("a known name needs memory");
  if (name.handle != 0)
    remember (names, &name, known);
  else
    keep (names, foreign ? CGW_EHANDLE : CGW_ENOMEM);
}

const struct model_name *
model_names_pick (const struct model_names *names,
                  enum model_kind_of_name kind, unsigned n)
{
  size_t of_kind = 0;

  for (size_t i = 0; i < names->n; i++)
    of_kind += names->name[i].kind == kind;
  n %= (unsigned) of_kind;
  for (size_t i = 0;; i++)
    if (names->name[i].kind == kind && n-- == 0)
      return &names->name[i];
}

void
model_names_check (const struct model_names *names)
{
  const char *sentence = NULL;
  enum cgw_status status;

  if (names->names == NULL || names->freed)
    return;
  status = cgw_names_error (names->names, &sentence);
  if (status != names->first || sentence == NULL || sentence[0] == '\0')
    fuzz_fail ("cgw_names_error: %d, not %d", status, names->first);
}

void
model_names_free (struct model_names *names)
{
  if (!names->freed)
    cgw_names_free (names->names);
  names->freed = true;
}
