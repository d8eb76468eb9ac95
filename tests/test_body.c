/* test_body.c - the lines of a part's body, each rule by its exact bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A writer with an open part of one event and lines.  */
static struct cgw_writer *
start (struct written *f)
{
  return written_begin (f, 0, "Ir", CGW_LINE);
}

/* ob=, fl=, fn=.  */

Test (body, object_file_function_in_this_order)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "lib.so", "a.c", "main"), 16),
                5);
  written_is (&f, "ob=(1) lib.so\nfl=(1) a.c\nfn=(1) main\n16 5\ntotals: 5\n");
}

Test (body, no_object_line_for_the_unknown_object)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, NULL, "a.c", "main"), 16), 5);
  written_is (&f, "fl=(1) a.c\nfn=(1) main\n16 5\ntotals: 5\n");
}

Test (body, unknown_function)
{
  struct written f;

  written_cost (start (&f), (struct cgw_pos){ .line = 0 }, 5);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n0 5\ntotals: 5\n");
}

/* NULL and "" are the same unknown.  */
Test (body, unknown_names)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "", "", ""), 1), 1);
  written_cost (w, written_line (written_fn (w, NULL, NULL, NULL), 1), 1);
  written_cost (w, (struct cgw_pos){ .line = 1 }, 1);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n1 1\n* 1\n* 1\ntotals: 3\n");
}

Test (body, the_same_function_is_not_named_again)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, "o", "a.c", "main");

  written_cost (w, written_line (fn, 100), 5);
  written_cost (w, written_line (fn, 101), 6);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) main\n100 5\n+1 6\n"
                  "totals: 11\n");
}

Test (body, another_function_of_the_file)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "o", "a.c", "f"), 1), 1);
  written_cost (w, written_line (written_fn (w, "o", "a.c", "g"), 2), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\nfn=(2) g\n2 1\n"
                  "totals: 2\n");
}

Test (body, a_function_of_another_file)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "o", "a.c", "f"), 1), 1);
  written_cost (w, written_line (written_fn (w, "o", "b.c", "g"), 2), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
                  "fl=(2) b.c\nfn=(2) g\n2 1\ntotals: 2\n");
}

/* The file stays: only KCachegrind's function is forgotten at ob=.  */
Test (body, a_function_of_another_object)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "o", "a.c", "f"), 1), 1);
  written_cost (w, written_line (written_fn (w, "p", "a.c", "g"), 2), 1);
  written_cost (w, written_line (written_fn (w, NULL, "a.c", "h"), 3), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
                  "ob=(2) p\nfn=(2) g\n2 1\n"
                  "ob=(3) ???\nfn=(3) h\n3 1\ntotals: 3\n");
}

Test (body, back_to_a_function)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "b.c", "g");

  written_cost (w, written_line (a, 1), 1);
  written_cost (w, written_line (b, 2), 1);
  written_cost (w, written_line (a, 3), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
                  "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n2 1\n"
                  "ob=(1)\nfl=(1)\nfn=(1)\n3 1\ntotals: 3\n");
}

/* Ids are given at first use, so that they are dense in the file.  */
Test (body, names_that_are_not_used_have_no_id)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_fn (w, "unused.so", "unused.c", "unused");
  written_cost (w, written_line (written_fn (w, "o", "a.c", "f"), 1), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n");
}

/* fi=, fe=.  */

Test (body, inlined_code_and_back)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_cost (w, written_line (fn, 1), 1);
  written_cost (w, written_inline (fn, h, 2), 1);
  written_cost (w, written_inline (fn, h, 3), 1);
  written_cost (w, written_line (fn, 4), 1);
  written_cost (w, written_line (fn, 5), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 1\n3 1\n"
                  "fe=(1)\n4 1\n5 1\ntotals: 5\n");
}

Test (body, inlined_code_from_two_files)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, written_line (fn, 1), 1);
  written_cost (w, written_inline (fn, cgw_add_file (w, "a.h"), 2), 1);
  written_cost (w, written_inline (fn, cgw_add_file (w, "b.h"), 3), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 1\n"
                  "fi=(3) b.h\n3 1\ntotals: 3\n");
}

Test (body, inlined_code_first)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, written_inline (fn, cgw_add_file (w, "a.h"), 2), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\ntotals: 1\n");
}

Test (body, the_functions_own_file_is_not_inlined)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, written_inline (fn, cgw_add_file (w, "a.c"), 2), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n2 1\ntotals: 1\n");
}

Test (body, inlined_code_from_an_unknown_file)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, written_inline (fn, cgw_add_file (w, ""), 2), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) ???\n2 1\ntotals: 1\n");
}

/* Readers disagree on the file of a fn= after fi=.  */
Test (body, the_file_comes_again_after_inlined_code)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_cost (w, written_inline (a, cgw_add_file (w, "a.h"), 2), 1);
  written_cost (w, written_line (b, 2), 1);
  written_cost (w, written_line (a, 2), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\n"
                  "fl=(1)\nfn=(2) g\n2 1\nfn=(1)\n2 1\ntotals: 3\n");
}

/* Also when a fe= came back to it.  */
Test (body, the_file_comes_again_after_fe)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_cost (w, written_inline (a, cgw_add_file (w, "a.h"), 2), 1);
  written_cost (w, written_line (a, 2), 1);
  written_cost (w, written_line (b, 2), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\nfe=(1)\n* 1\n"
                  "fl=(1)\nfn=(2) g\n2 1\ntotals: 3\n");
}

/* Calls.  */

Test (body, call_inside_a_file)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "o", "a.c", "g");
  struct cgw_pos from = written_line (a, 16), to = written_line (b, 30);

  cr_assert_eq (cgw_call (w, &from, &to, 3, (uint64_t[]){ 700 }, 1), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f),
                    "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                    "cfn=(2) g\ncalls=3 30\n16 700\ntotals: 0\n");
  cr_assert_eq (
      profile_calls (f.profile,
                     &(struct profile_at){ "o", "a.c", "f", NULL, 0, 0 },
                     &(struct profile_at){ "o", "a.c", "g", NULL, 0, 0 }),
      3);
  written_free (&f);
}

Test (body, call_into_another_file)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "o", "b.c", "g");

  written_call (w, written_line (a, 1), written_line (b, 2), 7);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                  "cfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n");
}

Test (body, call_into_another_object)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "a.c", "g");
  struct cgw_fn c = written_fn (w, "p", "b.c", "h");

  written_call (w, written_line (a, 1), written_line (b, 2), 7);
  written_call (w, written_line (a, 1), written_line (c, 2), 7);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                  "cob=(2) p\ncfn=(2) g\ncalls=1 2\n1 7\n"
                  "cob=(2)\ncfi=(2) b.c\ncfn=(3) h\ncalls=1 2\n* 7\n"
                  "totals: 0\n");
}

Test (body, call_into_the_unknown_object)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_call (w, written_line (a, 1), written_line (b, 2), 7);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                  "cob=(2) ???\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n");
}

/* cob= and cfi= are forgotten after each call, and cfn= by some readers.  */
Test (body, each_call_names_its_callee)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "b.c", "g");

  for (int i = 0; i < 2; i++)
    written_call (w, written_line (a, 1), written_line (b, 2), 7);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                  "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\n"
                  "cob=(2)\ncfi=(2)\ncfn=(2)\ncalls=1 2\n* 7\ntotals: 0\n");
}

/* Without cfi= readers disagree on the file while a fi= is active.  */
Test (body, call_from_inlined_code)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");
  struct cgw_fn c = written_fn (w, NULL, "a.h", "h");
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_call (w, written_inline (a, h, 1), written_line (b, 2), 7);
  written_call (w, written_inline (a, h, 1), written_line (c, 2), 7);
  written_call (w, written_line (a, 1), written_line (b, 2), 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n"
                  "cfi=(1)\ncfn=(2) g\ncalls=1 2\n1 7\n"
                  "cfi=(2)\ncfn=(3) h\ncalls=1 2\n* 7\n"
                  "fe=(1)\ncfn=(2)\ncalls=1 2\n* 7\ntotals: 0\n");
}

/* The callee's file is its function's own.  */
Test (body, the_callees_inlined_file_is_not_used)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "b.c", "g");

  written_call (w, written_line (a, 1),
                written_inline (b, cgw_add_file (w, "b.h"), 2), 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n"
                  "cfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n");
}

Test (body, recursion)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");

  written_call (w, written_line (a, 5), written_line (a, 1), 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=1 1\n5 7\n"
                  "totals: 0\n");
}

Test (body, call_of_the_unknown_function)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");

  written_call (w, written_line (a, 5), (struct cgw_pos){ .line = 0 }, 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\ncfi=(2) ???\ncfn=(2) ???\n"
                  "calls=1 0\n5 7\ntotals: 0\n");
}

Test (body, call_without_costs)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_pos pos = written_line (written_fn (w, NULL, "a.c", "f"), 5);

  cr_assert_eq (cgw_call (w, &pos, &pos, UINT64_MAX, NULL, 0), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\ncfn=(1)\n"
                  "calls=18446744073709551615 5\n5 0\ntotals: 0\n");
}

Test (body, calls_of_count_zero_if_wanted)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, CGW_ZERO_CALLS, "Ir", CGW_LINE);
  struct cgw_pos pos = written_line (written_fn (w, NULL, "a.c", "f"), 5);

  cr_assert_eq (cgw_call (w, &pos, &pos, 0, (uint64_t[]){ 7 }, 1), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=0 5\n5 7\n"
                  "totals: 0\n");
}

/* Jumps.  */

Test (body, jump_inside_a_function)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos from = written_line (fn, 5), to = written_line (fn, 9);

  cr_assert_eq (cgw_jump (w, &from, &to, 3), CGW_OK);
  cr_assert_eq (cgw_jump (w, &from, &to, 0), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\njump=3 9\n5\njump=0 9\n*\n"
                  "totals: 0\n");
}

/* Followed comes before executed: callgrind's order, not the grammar's.  */
Test (body, conditional_jump)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos from = written_line (fn, 5), to = written_line (fn, 9);
  struct profile_at a = { NULL, "a.c", "f", NULL, 0, 5 };
  struct profile_at b = { NULL, "a.c", "f", NULL, 0, 9 };
  const uint64_t *jump;

  cr_assert_eq (cgw_cond_jump (w, &from, &to, 2, 7), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f), "fl=(1) a.c\nfn=(1) f\n"
                                       "jcnd=2/7 9\n5\ntotals: 0\n");
  jump = profile_jump (f.profile, &a, &b, true);
  cr_assert_not_null (jump);
  cr_assert_eq (jump[JUMP_EXECUTED], 7);
  cr_assert_eq (jump[JUMP_FOLLOWED], 2);
  written_free (&f);
}

Test (body, jump_between_functions)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_pos from = written_line (a, 5);
  struct cgw_pos same_file = written_line (written_fn (w, "o", "a.c", "g"), 8);
  struct cgw_pos other = written_line (written_fn (w, "o", "b.c", "h"), 9);

  cr_assert_eq (cgw_jump (w, &from, &same_file, 1), CGW_OK);
  cr_assert_eq (cgw_jump (w, &from, &other, 1), CGW_OK);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                  "jfn=(2) g\njump=1 8\n5\n"
                  "jfi=(2) b.c\njfn=(3) h\njump=1 9\n*\ntotals: 0\n");
}

Test (body, jump_into_and_out_of_inlined_code)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_file h = cgw_add_file (w, "a.h");
  struct cgw_pos own = written_line (a, 5), in = written_inline (a, h, 9);

  cr_assert_eq (cgw_jump (w, &own, &in, 1), CGW_OK);
  cr_assert_eq (cgw_jump (w, &in, &own, 1), CGW_OK);
  cr_assert_eq (cgw_jump (w, &in, &in, 1), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\njfi=(2) a.h\njump=1 9\n5\n"
                  "fi=(2)\njfi=(1)\njump=1 *\n9\n"
                  "jump=1 *\n*\ntotals: 0\n");
}

/* A jfn= binds its function to the jfi= before it: that is the function's
   own file, wherever the code comes from.  */
Test (body, the_file_of_a_jumps_other_function_is_its_own)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "b.c", "g");
  struct cgw_file h = cgw_add_file (w, "b.h");
  struct cgw_pos own = written_line (a, 5), to = written_inline (b, h, 9);
  struct cgw_pos in = written_inline (a, h, 6);
  struct cgw_pos sibling = written_line (written_fn (w, NULL, "a.c", "k"), 1);

  cr_assert_eq (cgw_jump (w, &own, &to, 1), CGW_OK);
  cr_assert_eq (cgw_jump (w, &in, &sibling, 1), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n"
                  "jfi=(2) b.c\njfn=(2) g\njump=1 9\n5\n"
                  "fi=(3) b.h\njfi=(1)\njfn=(3) k\njump=1 1\n6\n"
                  "totals: 0\n");
}

/* Subpositions.  */

/* Cost lines of any kind are the base; targets are not.  */
Test (body, what_the_base_is)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos pos = written_line (fn, 1010);
  struct cgw_pos target = written_line (fn, 1500);

  written_cost (w, written_line (fn, 1000), 1);
  written_call (w, pos, target, 1);
  written_cost (w, written_line (fn, 1011), 1);
  pos.line = 1020;
  cr_assert_eq (cgw_jump (w, &pos, &target, 1), CGW_OK);
  written_cost (w, written_line (fn, 1021), 1);
  pos.line = 1030;
  cr_assert_eq (cgw_cond_jump (w, &pos, &target, 1, 1), CGW_OK);
  written_cost (w, written_line (fn, 1029), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1000 1\n"
                  "cfn=(1)\ncalls=1 1500\n+10 1\n+1 1\n"
                  "jump=1 1500\n+9\n+1 1\n"
                  "jcnd=1/1 1500\n+9\n-1 1\ntotals: 4\n");
}

Test (body, targets_are_relative_to_the_last_cost_line)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, written_line (fn, 1000), 1);
  written_call (w, written_line (fn, 1002), written_line (fn, 1003), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1000 1\n"
                  "cfn=(1)\ncalls=1 +3\n+2 1\ntotals: 1\n");
}

/* Qt Creator begins anew at each fn=.  */
Test (body, a_functions_first_positions_are_absolute)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");
  struct cgw_pos from = written_line (b, 1001), to = written_line (a, 1000);

  written_cost (w, written_line (a, 1000), 1);
  written_call (w, from, to, 1);
  from = written_line (a, 1001);
  to = written_line (a, 1002);
  cr_assert_eq (cgw_jump (w, &from, &to, 1), CGW_OK);
  written_cost (w, written_line (b, 1001), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1000 1\n"
                  "fn=(2) g\ncfn=(1)\ncalls=1 1000\n1001 1\n"
                  "fn=(1)\njump=1 1002\n1001\n"
                  "fn=(2)\n1001 1\ntotals: 2\n");
}

/* Relative where that is shorter, "*" for the same.  */
Test (body, relative_lines)
{
  static const struct
  {
    uint32_t line;
    const char *text;
  } lines[] = {
    { 9, "9" },          { 10, "10" },       { 10, "*" },
    { 99, "99" },        { 100, "+1" },      { 99, "99" },
    { 98, "98" },        { 100, "+2" },      { 109, "+9" },
    { 119, "119" },      { 1000, "1000" },   { 1099, "+99" },
    { 1000, "-99" },     { 1100, "1100" },   { 0, "0" },
    { 0, "*" },          { UINT32_MAX, "4294967295" },
    { UINT32_MAX - 1, "-1" },                { 0, "0" },
    { 2147483647, "2147483647" },            { 2147483648, "+1" },
  };
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  char text[400] = "fl=(1) a.c\nfn=(1) f\n";

  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    {
      written_cost (w, written_line (fn, lines[i].line), 1);
      strcat (strcat (text, lines[i].text), " 1\n");
    }
  strcat (text, "totals: 21\n");
  written_is (&f, text);
}

Test (body, relative_addresses)
{
  static const struct
  {
    uint64_t instr;
    const char *text;
  } addresses[] = {
    { 0, "0x0" },
    { 0, "*" },
    { 9, "+9" },
    { 0, "-9" },
    { 10, "0xa" },
    { 0x10, "+6" },
    { 0x400000, "0x400000" },
    { 0x400004, "+4" },
    { 0x400000, "-4" },
    { 0x40ffff, "+65535" },
    { 0xabcdef0123456789, "0xabcdef0123456789" },
    { 0xabcdef0123456789 + 0x7fffffff, "+2147483647" },
    { 0xabcdef0123456789, "-2147483647" },
    { 0xabcdef0123456789 + 0x80000000, "0xabcdef01a3456789" },
    { 0xabcdef0123456789, "0xabcdef0123456789" },
    { UINT64_MAX, "0xffffffffffffffff" },
    { 0, "0x0" },
  };
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  char text[500] = "fl=(1) a.c\nfn=(1) f\n";

  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
    {
      written_cost (w, written_instr (fn, addresses[i].instr), 1);
      strcat (strcat (text, addresses[i].text), " 1\n");
    }
  strcat (text, "totals: 17\n");
  written_is (&f, text);
}

/* Each subposition has its own base.  */
Test (body, addresses_and_lines)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR_LINE);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos a = { .fn = fn, .line = 100, .instr = 0x1000 };
  struct cgw_pos b = { .fn = fn, .line = 100, .instr = 0x1004 };
  struct cgw_pos c = { .fn = fn, .line = 105, .instr = 0x1004 };

  written_cost (w, a, 1);
  written_cost (w, b, 1);
  written_cost (w, c, 1);
  written_call (w, c, a, 1);
  cr_assert_eq (cgw_jump (w, &a, &b, 1), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n0x1000 100 1\n+4 * 1\n* +5 1\n"
                  "cfn=(1)\ncalls=1 -4 -5\n* * 1\njump=1 * -5\n-4 -5\n"
                  "totals: 3\n");
}

/* What is not in positions: is not used.  */
Test (body, addresses_are_ignored_in_a_part_of_lines)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  written_cost (w, (struct cgw_pos){ .fn = fn, .line = 7, .instr = 1 }, 1);
  written_cost (w, (struct cgw_pos){ .fn = fn, .line = 7, .instr = 2 }, 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n7 1\n* 1\ntotals: 2\n");
}

Test (body, absolute_if_wanted)
{
  struct written f;
  struct cgw_writer *w
      = written_begin (&f, CGW_ABSOLUTE, "Ir", CGW_INSTR_LINE);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos pos = { .fn = fn, .line = 100, .instr = 0x1000 };

  written_cost (w, pos, 1);
  written_cost (w, pos, 1);
  written_call (w, pos, pos, 1);
  cr_assert_eq (cgw_jump (w, &pos, &pos, 1), CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n0x1000 100 1\n0x1000 100 1\n"
                  "cfn=(1)\ncalls=1 0x1000 100\n0x1000 100 1\n"
                  "jump=1 0x1000 100\n0x1000 100\ntotals: 2\n");
}

/* Costs.  */

/* Self costs of a function f at line 5, one line for each call.  */
static void
put_costs (struct cgw_writer *w, const uint64_t (*costs)[3], size_t n_lines)
{
  struct cgw_pos pos = written_line (written_fn (w, NULL, "a.c", "f"), 5);

  for (size_t i = 0; i < n_lines; i++)
    for (size_t n = 0; n <= 3; n++)
      cr_assert_eq (cgw_cost (w, &pos, costs[i], n), CGW_OK);
}

Test (body, trailing_zeros_go_but_one_cost_stays)
{
  static const uint64_t costs[][3] = { { 0, 0, 0 }, { 1, 0, 2 }, { 0, 1, 0 } };
  struct written f;

  put_costs (written_begin (&f, 0, "A B C", CGW_LINE), costs, 3);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n"
                  "5 0\n* 0\n* 0\n* 0\n"
                  "* 0\n* 1\n* 1\n* 1 0 2\n"
                  "* 0\n* 0\n* 0 1\n* 0 1\n"
                  "totals: 3 2 2\n");
}

/* speedscope needs them.  */
Test (body, zeros_stay_if_wanted)
{
  static const uint64_t costs[][3] = { { 1, 0, 2 } };
  struct written f;
  struct cgw_writer *w
      = written_begin (&f, CGW_KEEP_ZEROS, "A B C", CGW_LINE);

  put_costs (w, costs, 1);
  written_call (w, written_line ((struct cgw_fn){ 0 }, 1),
                written_line ((struct cgw_fn){ 0 }, 1), 9);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n"
                  "5 0 0 0\n* 1 0 0\n* 1 0 0\n* 1 0 2\n"
                  "fl=(2) ???\nfn=(2) ???\ncfn=(2)\ncalls=1 1\n1 9 0 0\n"
                  "totals: 3 0 2\n");
}

Test (body, trailing_zeros_of_a_call)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A B C", CGW_LINE);
  struct cgw_pos pos = written_line (written_fn (w, NULL, "a.c", "f"), 5);

  cr_assert_eq (cgw_call (w, &pos, &pos, 1, (uint64_t[]){ 0, 4, 0 }, 3),
                CGW_OK);
  cr_assert_eq (cgw_call (w, &pos, &pos, 1, (uint64_t[]){ 0, 0, 0 }, 3),
                CGW_OK);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=1 5\n5 0 4\n"
                  "cfn=(1)\ncalls=1 *\n* 0\ntotals: 0 0 0\n");
}

Test (body, largest_costs)
{
  struct written f;

  written_cost (start (&f), (struct cgw_pos){ .line = UINT32_MAX },
                UINT64_MAX);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n4294967295 18446744073709551615\n"
                  "totals: 18446744073709551615\n");
}

/* Names in full.  */

Test (body, plain_names)
{
  struct written f;
  struct cgw_writer *w
      = written_begin (&f, CGW_PLAIN_NAMES, "Ir", CGW_LINE);
  struct cgw_fn a = written_fn (w, "o", "a.c", "(below main)");
  struct cgw_fn b = written_fn (w, "o", "b.c", "g");
  struct cgw_pos from = written_line (a, 1), to = written_line (b, 2);

  written_call (w, from, to, 1);
  written_cost (w, written_inline (a, cgw_add_file (w, "a.h"), 1), 1);
  written_cost (w, to, 1);
  cr_assert_eq (cgw_jump (w, &to, &from, 1), CGW_OK);
  written_is (&f, "ob=o\nfl=a.c\nfn=(below main)\n"
                  "cfi=b.c\ncfn=g\ncalls=1 2\n1 1\nfi=a.h\n* 1\n"
                  "fl=b.c\nfn=g\n2 1\njfi=a.c\njfn=(below main)\n"
                  "jump=1 1\n*\ntotals: 2\n");
}

/* Comments.  */

Test (body, comments_come_where_they_are_made)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  cr_assert_eq (cgw_comment (w, "first"), CGW_OK);
  written_cost (w, written_line (fn, 100), 1);
  cr_assert_eq (cgw_comment (w, " two\nlines "), CGW_OK);
  written_cost (w, written_line (fn, 101), 1);
  cr_assert_eq (cgw_comment (w, ""), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f),
                    "# first\nfl=(1) a.c\nfn=(1) f\n100 1\n"
                    "# two\\x0alines\n+1 1\n#\ntotals: 2\n");
  cr_assert_eq (f.profile->parts[0].n_comments, 3);
  written_free (&f);
}

/* The library's own report of what was lost begins so.  */
Test (body, a_comment_that_reads_like_a_report)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  cr_assert_eq (cgw_comment (w, " cgw: lost 7 records"), CGW_OK);
  cr_assert_eq (cgw_comment (w, "cgw: found"), CGW_OK);
  written_is (&f, "# \\x63gw: lost 7 records\n# cgw: found\ntotals: 0\n");
}

Test (body, long_comments)
{
  enum { N = 300000 };
  struct written f;
  struct cgw_options o = CGW_OPTIONS_INIT;
  char *text = malloc (N + 1);

  memset (text, '\377', N);
  text[N] = '\0';
  o.buffer_size = 1;
  written_part (written_open (&f, &o), "Ir", CGW_LINE);
  for (int i = 0; i < 3; i++)
    cr_assert_eq (cgw_comment (f.w, text), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_eq (f.profile->parts[0].n_comments, 3);
  cr_assert_eq (strlen (f.profile->parts[0].comments[2]), 4 * N);
  free (text);
  written_free (&f);
}

/* Pages.  */

#define PAGE 4096

/* A file of so many bytes up to now, from a comment.  */
static struct cgw_writer *
start_at (struct written *f, unsigned flags, size_t n)
{
  struct cgw_writer *w = written_begin (f, flags, "Ir", CGW_LINE);
  char text[2 * PAGE];

  cr_assert_eq (cgw_flush (w), CGW_OK);
  n -= f->n + strlen ("# \n");
  memset (text, 'x', n);
  text[n] = '\0';
  cr_assert_eq (cgw_comment (w, text), CGW_OK);
  cr_assert_eq (cgw_flush (w), CGW_OK);
  return w;
}

/* The record that the page tests write.  */
#define RECORD "fl=(1) ???\nfn=(1) ???\n1 1\n"

/* A record that n bytes of the page are left for must have this before it. */
static void
check_padding (unsigned flags, size_t left, const char *padding)
{
  struct written f;
  char text[200];

  written_cost (start_at (&f, flags, PAGE - left),
                written_line ((struct cgw_fn){ 0 }, 1), 1);
  written_end (&f, CGW_OK);
  snprintf (text, sizeof text, "%s" RECORD "totals: 1\n", padding);
  cr_assert_str_eq (f.bytes + PAGE - left, text);
  written_free (&f);
}

Test (body, a_record_that_ends_at_the_page)
{
  check_padding (0, strlen (RECORD), "");
}

Test (body, a_record_that_begins_at_the_page)
{
  check_padding (0, 0, "");
}

Test (body, a_record_that_would_straddle_the_page)
{
  check_padding (0, 1, "\n");
  check_padding (0, 5, "\n\n\n\n\n");
  check_padding (0, strlen (RECORD) - 1, "\n\n\n\n\n\n\n\n\n\n\n\n\n"
                                         "\n\n\n\n\n\n\n\n\n\n\n\n");
}

Test (body, a_record_that_may_straddle_the_page)
{
  check_padding (CGW_NO_PAD, 1, "");
  check_padding (CGW_NO_PAD, 5, "");
}

/* Such a one begins at a page, and that is all one can do.  */
Test (body, a_record_longer_than_a_page)
{
  struct written f;
  struct cgw_writer *w = start_at (&f, 0, PAGE - 4);
  char name[PAGE + 1];

  memset (name, 'n', PAGE);
  name[PAGE] = '\0';
  written_cost (w, written_line (written_fn (w, NULL, "a", name), 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_eq (strncmp (f.bytes + PAGE - 4, "\n\n\n\nfl=(1) a\nfn=(1) n", 21),
                0);
  written_free (&f);
}

/* At a page's start such a one has no padding.  */
Test (body, a_record_longer_than_a_page_at_a_page)
{
  struct written f;
  struct cgw_writer *w = start_at (&f, 0, PAGE);
  char name[PAGE + 1];

  memset (name, 'n', PAGE);
  name[PAGE] = '\0';
  written_cost (w, written_line (written_fn (w, NULL, "a", name), 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_eq (strncmp (f.bytes + PAGE, "fl=(1) a\nfn=(1) n", 17), 0);
  cr_assert_eq (f.profile->blank_lines, 0);
  written_free (&f);
}

Test (body, comments_and_totals_do_not_straddle)
{
  struct written f;
  struct cgw_writer *w = start_at (&f, 0, PAGE - 5);

  cr_assert_eq (cgw_comment (w, "comment"), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes + PAGE - 5, "\n\n\n\n\n# comment\ntotals: 0\n");
  written_free (&f);

  start_at (&f, 0, PAGE - 5);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes + PAGE - 5, "\n\n\n\n\ntotals: 0\n");
  written_free (&f);
}

Test (body, a_later_parts_header_does_not_straddle)
{
  struct written f;
  struct cgw_writer *w = start_at (&f, 0, PAGE - 20);

  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes + PAGE - 20,
                    "totals: 0\n\n\n\n\n\n\n\n\n\n\n"
                    "part: 2\npositions: line\nevents: Ir\ntotals: 0\n");
  written_free (&f);
}

/* Many records, each whole in its page (the strict reader looks), whatever
   the buffer's size, and the same bytes for each.  */
Test (body, pages_do_not_depend_on_the_buffer)
{
  static const size_t sizes[] = { 1, 100, 4095, 4096, 4097, 65536, 1000000 };
  struct written files[7];

  for (size_t i = 0; i < 7; i++)
    {
      struct cgw_options o = CGW_OPTIONS_INIT;
      struct cgw_writer *w;
      char name[40];

      o.buffer_size = sizes[i];
      w = written_open (&files[i], &o);
      cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
      for (uint32_t k = 0; k < 3000; k++)
        {
          snprintf (name, sizeof name, "function_%u", (unsigned) k / 3);
          written_cost (w, written_line (written_fn (w, "o", "f", name), k),
                        k);
        }
      written_end (&files[i], CGW_OK);
      cr_assert_gt (files[i].profile->blank_lines, 0);
      cr_assert_eq (files[i].n, files[0].n);
      cr_assert_eq (memcmp (files[i].bytes, files[0].bytes, files[0].n), 0);
    }
  for (size_t i = 0; i < 7; i++)
    written_free (&files[i]);
}

/* Pages are those of the file, not of what the writer has written.  */
Test (body, pages_are_counted_from_the_files_beginning)
{
  FILE *file = tmpfile ();
  char bytes[200] = "";
  struct cgw_writer *w;

  cr_assert_not_null (file);
  cr_assert_eq (lseek (fileno (file), PAGE - 60, SEEK_SET), PAGE - 60);
  cr_assert_eq (cgw_new (&w, fileno (file), NULL), CGW_OK);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cgw_free (w);
  cr_assert_geq (pread (fileno (file), bytes, sizeof bytes - 1, PAGE - 60), 0);
  /* The header is more than 60 bytes, and goes to the next page.  */
  cr_assert_eq (strspn (bytes, "\n"), 60);
  cr_assert_eq (strncmp (bytes + 60, "# callgrind format\n", 19), 0);
  fclose (file);
}

/* Parts.  */

/* KCachegrind forgets ids and bases at a part's end; the ids stay what they
   were, for callgrind_annotate does not forget.  */
Test (body, a_part_defines_its_names_again)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "b.c", "g");

  written_cost (w, written_line (a, 100), 1);
  written_cost (w, written_line (b, 100), 1);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_cost (w, written_line (b, 100), 1);
  written_call (w, written_line (b, 100), written_line (a, 100), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n100 1\n"
                  "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n100 1\ntotals: 2\n"
                  "part: 2\npositions: line\nevents: Ir\n"
                  "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n100 1\n"
                  "cob=(1) o\ncfi=(1) a.c\ncfn=(1) f\ncalls=1 *\n* 1\n"
                  "totals: 1\n");
}

Test (body, a_part_begins_absolute)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR_LINE);
  struct cgw_pos pos = { .line = 100, .instr = 0x1000 };

  written_cost (w, pos, 1);
  cr_assert_eq (written_part (w, "Ir", CGW_INSTR_LINE), CGW_OK);
  written_call (w, pos, pos, 1);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n0x1000 100 1\ntotals: 1\n"
                  "part: 2\npositions: instr line\nevents: Ir\n"
                  "fl=(1) ???\nfn=(1) ???\ncfn=(1)\ncalls=1 0x1000 100\n"
                  "0x1000 100 1\ntotals: 0\n");
}

/* A reader that keeps the object over parts must not book it there.  */
Test (body, a_part_names_the_unknown_object_after_a_known_one)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_cost (w, written_line (a, 1), 1);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_cost (w, written_line (b, 1), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n"
                  "part: 2\npositions: line\nevents: Ir\ntotals: 0\n"
                  "part: 3\npositions: line\nevents: Ir\n"
                  "ob=(2) ???\nfl=(1) a.c\nfn=(2) g\n1 1\ntotals: 1\n");
}

Test (body, plain_names_over_parts)
{
  struct written f;
  struct cgw_writer *w
      = written_begin (&f, CGW_PLAIN_NAMES, "Ir", CGW_LINE);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "(1)");

  for (int i = 0; i < 2; i++)
    {
      written_cost (w, written_line (fn, 1), 1);
      written_cost (w, (struct cgw_pos){ .line = 1 }, 1);
      written_cost (w, written_line (fn, 1), 1);
      if (i == 0)
        cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
    }
#define PART                                                                  \
  "fl=a.c\nfn=(1) (1)\n1 1\nfl=???\nfn=???\n1 1\n"                            \
  "fl=a.c\nfn=(1)\n1 1\ntotals: 3\n"
  written_is (&f, PART "part: 2\npositions: line\nevents: Ir\n" PART);
#undef PART
}

/* A handle lives as long as the writer; ids as long as the file.  */
Test (body, handles_live_over_files)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "o", "a.c", "g");
  size_t first;

  written_cost (w, written_line (a, 1), 1);
  written_cost (w, written_line (b, 1), 1);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  first = f.n;
  cr_assert_eq (cgw_reset (w, -1), CGW_OK);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_cost (w, written_line (b, 1), 1);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  memmove (f.bytes, f.bytes + first, f.n + 1 - first);
  f.n -= first;
  written_read (&f);
  cr_assert_str_eq (written_body (&f),
                    "ob=(1) o\nfl=(1) a.c\nfn=(1) g\n1 1\ntotals: 1\n");
  written_free (&f);
}
