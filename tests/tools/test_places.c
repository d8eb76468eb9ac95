/* test_places.c - call instructions, and a thread's outermost frames.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "symbols/base.h"
#include "symbols/call.h"

#include <criterion/criterion.h>
#include <string.h>

/* call.c.  */

#define CALL(code) call_length ((const unsigned char *) code, sizeof code - 1)

/* What objdump says of x86-64's calls, with other code before them.  */
Test (call, lengths)
{
  cr_assert_eq (CALL ("\x90\x90\xe8\x01\x02\x03\x04"), 5); /* call rel32 */
  cr_assert_eq (CALL ("\x90\x90\x90\xff\xd0"), 2);         /* *%rax */
  cr_assert_eq (CALL ("\x90\x90\x41\xff\xd4"), 3);         /* *%r12 */
  cr_assert_eq (CALL ("\x90\x90\x90\xff\x10"), 2);         /* *(%rax) */
  cr_assert_eq (CALL ("\x90\x90\x90\xff\x50\x18"), 3);     /* *24(%rax) */
  cr_assert_eq (CALL ("\x90\xff\x90\x00\x01\x00\x00"), 6); /* *256(%rax) */
  cr_assert_eq (CALL ("\x90\xff\x15\x10\x20\x00\x00"), 6); /* *x(%rip) */
  cr_assert_eq (CALL ("\x90\x90\x90\xff\x14\xc8"), 3);  /* *(%rax,%rcx,8) */
  cr_assert_eq (CALL ("\x90\x41\xff\x54\xc5\x08"), 5);  /* *8(%r13,%rax,8) */
  cr_assert_eq (CALL ("\x41\xff\x94\xc5\x00\x01\x00\x00"), 8);
  /* A table: *x(,%rax,8).  */
  cr_assert_eq (CALL ("\x90\xff\x14\xc5\x40\x11\x60\x00"), 7);
  cr_assert_eq (CALL ("\x42\xff\x14\xe5\x40\x11\x60\x00"), 8);
}

Test (call, what_is_none)
{
  cr_assert_eq (CALL (""), 1);
  cr_assert_eq (CALL ("\xe8"), 1);
  cr_assert_eq (CALL ("\xff"), 1);
  cr_assert_eq (CALL ("\x90\xff\x14"), 1); /* an operand is missing */
  cr_assert_eq (CALL ("\x90\x90\x90\x90\x90\x90\x90\x90"), 1);
  cr_assert_eq (CALL ("\x90\x90\x90\xff\xe0"), 1); /* jmp *%rax */
}

/* base.c.  */

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
