/* test_places.c - a thread's outermost frames.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols/base.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MAIN = 2, LAST = 4 };

static const struct base_frame frames[]
    = { { .fn.handle = 11 },
        { .fn.handle = 12 },
        { .fn.handle = 13, .is_main = true },
        { .fn.handle = 14 },
        { .fn.handle = 15 } };

Test (base, main_begins_what_all_stacks_have)
{
  cr_assert_eq (base_first (frames, 5, true, NULL), MAIN);
  cr_assert_eq (base_first (frames, 5, false, NULL), MAIN);
}

/* Without main: the thread's routine, and the two functions that call it.  */
Test (base, a_thread)
{
  cr_assert_eq (base_first (frames + 3, 2, true, NULL), 0);
  cr_assert_eq (base_first (frames, 2, true, NULL), 0);
  struct base_frame routine[5];
  memcpy (routine, frames, sizeof routine);
  routine[MAIN].is_main = false;
  cr_assert_eq (base_first (routine, 5, true, NULL), 2);
  cr_assert_eq (base_first (routine, 5, false, NULL), 5);
}

/* What the stack has already is not put behind it again.  */
Test (base, what_the_stack_ends_with)
{
  const struct cgw_fn main_fn = { 13 }, last = { 15 }, other = { 99 };

  cr_assert_eq (base_first (frames, 5, true, &main_fn), MAIN + 1);
  cr_assert_eq (base_first (frames, 5, true, &last), 5);
  cr_assert_eq (base_first (frames, 5, true, &other), MAIN);
  cr_assert_eq (base_first (frames, 0, true, &other), 0);
}
