/* test_slots.c - the lock-free stacks in memory that another process has
   corrupted: no call leaves the slots, and each has an end.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../lib/slots.h"

#include <criterion/criterion.h>

enum { SLOTS = 3 };

static _Atomic uint32_t links[SLOTS];
static const struct cgwi_slots slots = { links, SLOTS };
static _Atomic uint64_t stack;

static void
push_all (void)
{
  stack = 0;
  for (uint32_t i = 0; i < SLOTS; i++)
    cr_assert_eq (cgwi_slots_push (slots, &stack, i), 0);
}

Test (slots, in_order)
{
  uint32_t slot;

  push_all ();
  slot = cgwi_slots_take_all (slots, &stack, 0);
  for (uint32_t i = 0; i < SLOTS; i++, slot = cgwi_slot_after (slots, slot))
    cr_expect_eq (slot, i);
  cr_expect_eq (slot, CGWI_NO_SLOT);
  cr_expect_eq (cgwi_slots_pop (slots, &stack), CGWI_NO_SLOT);
}

Test (slots, top_that_is_none)
{
  for (uint64_t top = SLOTS + 1; top <= CGWI_HEAD_TOP; top = 2 * top + 1)
    {
      stack = top;
      cr_expect_eq (cgwi_slots_pop (slots, &stack), CGWI_NO_SLOT);
      cr_expect_eq (stack, top);
      cr_expect_eq (cgwi_slots_take_all (slots, &stack, 0), CGWI_NO_SLOT);
    }
}

Test (slots, link_to_none)
{
  push_all ();
  links[1] = SLOTS + 1;
  cr_expect_eq (cgwi_slots_pop (slots, &stack), 2);
  cr_expect_eq (cgwi_slots_pop (slots, &stack), 1);
  cr_expect_eq (cgwi_slots_pop (slots, &stack), CGWI_NO_SLOT);
}

Test (slots, links_in_a_circle, .timeout = 60)
{
  push_all ();
  links[0] = SLOTS; /* the top */
  cr_expect_lt (cgwi_slots_take_all (slots, &stack, 0), SLOTS);
}

/* A stack is opened or closed only if it is closed for that reason.  */
Test (slots, closed)
{
  push_all ();
  cgwi_slots_close (&stack, 2);
  cr_expect_eq (cgwi_slots_push (slots, &stack, 0), 2);
  cgwi_slots_change (&stack, 1, 3);
  cr_expect_eq (cgwi_head_closed (stack), 2);
  cgwi_slots_change (&stack, 2, 0);
  cr_expect_eq (cgwi_head_closed (stack), 0);
  cr_expect_eq (cgwi_slots_take_all (slots, &stack, 1), 0);
  cr_expect_eq (cgwi_slots_take_all (slots, &stack, CGWI_KEEP_CLOSED),
                CGWI_NO_SLOT);
  cr_expect_eq (cgwi_head_closed (stack), 1);
}
