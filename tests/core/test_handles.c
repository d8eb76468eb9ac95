/* test_handles.c - a handle is good for its own writer only, even when that was
   freed.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>

enum
{
  WRITERS = 10000,
  KEPT_ALIVE = 100
};

struct handles
{
  struct cgw_object object;
  struct cgw_file file;
  struct cgw_fn fn;
};

static struct handles
add_handles (struct cgw_writer *w)
{
  struct handles h;

  h.object = cgw_add_object (w, "object");
  h.file = cgw_add_file (w, "file");
  h.fn = cgw_add_fn (w, "function", h.file, h.object);
  return h;
}

/* Every call that takes a handle refuses it.  */
static void
expect_foreign (struct cgw_writer *w, const struct handles *h)
{
  static const struct cgw_pos here = { .line = 1 };
  const struct cgw_pos fn = { .fn = h->fn, .line = 1 };
  const struct cgw_pos file = { .file = h->file, .line = 1 };
  const uint64_t cost = 1;

  cr_assert_eq (cgw_cost (w, &fn, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_cost (w, &file, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_call (w, &fn, &here, 1, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_call (w, &here, &fn, 1, &cost, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_jump (w, &file, &here, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_cond_jump (w, &here, &fn, 1, 1), CGW_EHANDLE);
  cr_assert_eq (cgw_add_fn (w, "f", h->file, (struct cgw_object){ 0 }).handle,
                0);
  cr_assert_eq (cgw_add_fn (w, "f", (struct cgw_file){ 0 }, h->object).handle,
                0);
}

/* A tool that starts and stops again and again, with a handle cached in a
   static variable.  */
Test (handles, of_freed_and_other_writers)
{
  static struct handles h[WRITERS];
  static struct written others[KEPT_ALIVE];
  struct written f;
  struct cgw_writer *w;

  for (int i = 0; i < WRITERS; i++)
    {
      struct written freed;
      struct written *one = i % (WRITERS / KEPT_ALIVE) == 0
                                ? &others[i / (WRITERS / KEPT_ALIVE)]
                                : &freed;
      h[i] = add_handles (written_open (one, NULL));
      if (one == &freed)
        cgw_free (freed.w);
    }
  w = written_begin (&f, 0, "Ir", CGW_LINE);
  for (int i = 0; i < 1000; i++)
    add_handles (w);
  for (int i = 0; i < WRITERS; i++)
    expect_foreign (w, &h[i]);
  for (int i = 0; i < KEPT_ALIVE; i++)
    cgw_free (others[i].w);
  written_cost (w, (struct cgw_pos){ .fn = add_handles (w).fn }, 1);
  written_end (&f, CGW_EHANDLE);
  written_free (&f);
}

/* A profile and its stacks take handles, too.  */
Test (handles, of_a_freed_writer_in_a_profile)
{
  struct written f;
  struct handles stale = add_handles (written_open (&f, NULL));
  struct cgw_profile *p;
  struct cgw_pos at = { .fn = stale.fn, .line = 1 };
  const uint64_t cost = 1;

  cgw_free (f.w);
  add_handles (written_open (&f, NULL));
  cr_assert_eq (cgw_profile_new (&p, f.w, 1, CGW_LINE), CGW_OK);
  cr_expect_eq (cgw_profile_cost (p, &at, &cost, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_profile_call (p, &at, &at, 1, &cost, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_profile_stack (p, &at, 1, 1, &cost, 1), CGW_EHANDLE);
  cgw_profile_free (p);
  cgw_free (f.w);
}
