/* test_handles.c - a handle is good for its own names object only, even when
   that was freed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>

enum
{
  OBJECTS = 10000,
  KEPT_ALIVE = 100
};

struct handles
{
  struct cgw_object object;
  struct cgw_file file;
  struct cgw_fn fn;
};

static struct handles
add_handles (struct cgw_names *names)
{
  struct handles h;

  h.object = cgw_add_object (names, "object");
  h.file = cgw_add_file (names, "file");
  h.fn = cgw_add_fn (names, "function", h.file, h.object);
  return h;
}

/* Every call that takes a handle refuses it.  */
static void
expect_foreign (struct written *f, const struct handles *h)
{
  static const struct cgw_pos here = { .line = 1 };
  const struct cgw_pos fn = { .fn = h->fn, .line = 1 };
  const struct cgw_pos file = { .file = h->file, .line = 1 };
  const struct cgw_object no_object = { 0 };
  const struct cgw_file no_file = { 0 };
  const uint64_t cost = 1;

  cr_assert_eq (cgw_cost (f->w, &fn, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_cost (f->w, &file, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_call (f->w, &fn, &here, 1, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_call (f->w, &here, &fn, 1, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_jump (f->w, &file, &here, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_cond_jump (f->w, &here, &fn, 1, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_add_fn (f->names, "f", h->file, no_object).handle, 0);
  cr_assert_eq (cgw_add_fn (f->names, "f", no_file, h->object).handle, 0);
}

/* A tool that starts and stops again and again, with a handle cached in a
   static variable.  */
Test (handles, of_freed_and_other_names)
{
  static struct handles h[OBJECTS];
  struct cgw_names *others[KEPT_ALIVE];
  struct written f;

  for (int i = 0; i < OBJECTS; i++)
    {
      struct cgw_names *names = make_names (NULL);

      h[i] = add_handles (names);
      if (i % (OBJECTS / KEPT_ALIVE) == 0)
        others[i / (OBJECTS / KEPT_ALIVE)] = names;
      else
        cgw_names_free (names);
    }
  written_begin (&f, 0, "Ir", CGW_LINE);
  for (int i = 0; i < 1000; i++)
    add_handles (f.names);
  for (int i = 0; i < OBJECTS; i++)
    expect_foreign (&f, &h[i]);
  for (int i = 0; i < KEPT_ALIVE; i++)
    cgw_names_free (others[i]);
  written_cost (f.w, (struct cgw_pos){ .fn = add_handles (f.names).fn }, 1);
  written_end (&f, CGW_EHANDLE);
  written_free (&f);
}

/* All writers of a names object take its handles.  */
Test (handles, of_shared_names)
{
  struct cgw_names *names = make_names (NULL);
  struct handles h = add_handles (names);
  struct written f[2];

  for (int i = 0; i < 2; i++)
    {
      written_open_with (&f[i], names, NULL);
      cr_assert_eq (written_part (f[i].w, "Ir", CGW_LINE), CGW_OK);
    }
  cgw_names_free (names);
  for (int i = 0; i < 2; i++)
    {
      written_cost (f[i].w, written_line (h.fn, 1), 1);
      written_is (&f[i], "ob=(1) object\nfl=(1) file\nfn=(1) function\n"
                         "1 1\ntotals: 1\n");
    }
}
