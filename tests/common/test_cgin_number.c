/* test_cgin_number.c - numbers and positions.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_cgin.h"

#include <criterion/criterion.h>

Test (cgin_number, decimal_and_hexadecimal)
{
  body_reads_as ("0x1F 0xaBc 18446744073709551615\n",
                 "cost f.c|f 31: 2748 18446744073709551615\n");
  body_reads_as ("007 0 0xffffffffffffffff\n",
                 "cost f.c|f 7: 0 18446744073709551615\n");
}

Test (cgin_number, what_is_none)
{
  body_reads_as ("1 18446744073709551616\n",
                 "6: number larger than 64 bits: \"18446744073709551616\"\n");
  body_reads_as ("1 0x10000000000000000\n",
                 "6: number larger than 64 bits: \"0x10000000000000000\"\n");
  body_reads_as ("1 0x\n", "6: bad number: \"0x\"\n");
  body_reads_as ("1 2x\n", "6: bad number at: \"x\"\n");
  body_reads_as ("1 x\n", "6: expected a number: \"x\"\n");
  body_reads_as ("1x 2\n", "6: bad number at: \"x 2\"\n");
  body_reads_as ("1 2 3 4\n", "6: more costs than events: \"4\"\n");
  body_reads_as ("1 .5\n", "6: bad number at: \"5\"\n");
  body_reads_as ("cfn=g\ncalls=-1 2\n", "7: negative number: \"-1 2\"\n");
  body_reads_as ("part: 1 2\n", "6: more than one number: \"2\"\n");
}

/* Relative ones count from the last line of any kind, also in calls= and
   jump=.  */
Test (cgin_number, relative_lines)
{
  body_reads_as ("10 1\n+5 2\n-3 3\n* 4\n",
                 "cost f.c|f 10: 1\ncost f.c|f 15: 2\ncost f.c|f 12: 3\n"
                 "cost f.c|f 12: 4\n");
  body_reads_as ("10 1\ncfn=g\ncalls=1 +2\n+1 9\n* 2\n",
                 "cost f.c|f 10: 1\ncall f.c|f 11 -> f.c|g 12 x1: 9\n"
                 "cost f.c|f 11: 2\n");
  body_reads_as ("10 1\njump=1 -2\n+1\n+1 2\n",
                 "cost f.c|f 10: 1\njump f.c|f 11 -> f.c|f 8 in f.c 1\n"
                 "cost f.c|f 12: 2\n");
}

Test (cgin_number, lines_out_of_range)
{
  body_reads_as ("4294967294 1\n+1 2\n", "cost f.c|f 4294967294: 1\n"
                                           "cost f.c|f 4294967295: 2\n");
  /* A blank before it is not usual.  */
  body_reads_as ("4294967294 1\n +1 2\n", "cost f.c|f 4294967294: 1\n"
                                            "cost f.c|f 4294967295: 2\n");
  body_reads_as ("4294967296 1\n",
                 "6: line number out of range: \"4294967296 1\"\n");
  body_reads_as ("4294967295 1\n+1 2\n",
                 "cost f.c|f 4294967295: 1\n"
                 "7: line number out of range: \"+1 2\"\n");
  body_reads_as ("5 1\n-6 2\n+7 3\n",
                 "cost f.c|f 5: 1\n"
                 "7: warning: line number below 0: taken for 0, unknown\n"
                 "cost f.c|f 0: 2\ncost f.c|f 7: 3\n");
  /* The target of a call is unknown then, without a word.  */
  body_reads_as ("cfn=g\ncalls=1 -9\n5 2\ncalls=1 4294967296\n6 2\n",
                 "call f.c|f 5 -> f.c|g 0 x1: 2\n"
                 "call f.c|f 6 -> f.c|g 0 x1: 2\n");
  body_reads_as ("cfn=g\ncalls=1\n5 2\n", "call f.c|f 5 -> f.c|g 0 x1: 2\n");
}

#define INSTR "positions: instr line\nevents: A\nfn=f\n"

Test (cgin_number, addresses)
{
  reads_as (INSTR "0x100 5 1\n+0x10 +1 2\n-16 * 3\n* 7 4\n",
            "part A instr line\ncost f 0x100/5: 1\ncost f 0x110/6: 2\n"
            "cost f 0x100/6: 3\ncost f 0x100/7: 4\n");
  reads_as (INSTR "0xffffffffffffffff 5 1\n+1 * 1\n",
            "part A instr line\ncost f 0xffffffffffffffff/5: 1\n"
            "5: address out of range: \"+1 * 1\"\n");
  reads_as (INSTR "1 5 1\n-2 5 1\n",
            "part A instr line\ncost f 0x1/5: 1\n"
            "5: address out of range: \"-2 5 1\"\n");
  reads_as (INSTR "0x100 5 1\ncfn=g\ncalls=1 0x200 20\n0x110 6 2\n",
            "part A instr line\ncost f 0x100/5: 1\n"
            "call f 0x110/6 -> g 0x200/20 x1: 2\n");
  reads_as ("positions: instr\nevents: A\nfn=f\n0x100 1\n",
            "part A instr\ncost f 0x100/0: 1\n");
}

/* The address of a basic block is left out, and xdebug's second number.  */
Test (cgin_number, more_positions)
{
  reads_as ("positions: instr bb line\nevents: A\nfn=f\n0x100 0x90 5 1\n",
            "1: warning: positions: bb is left out\npart A instr line\n"
            "cost f 0x100/5: 1\n");
  body_reads_as ("cfn=g\ncalls=1 0 0\n5 2\n",
                 "call f.c|f 5 -> f.c|g 0 x1: 2\n");
}
