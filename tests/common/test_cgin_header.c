/* test_cgin_header.c - header lines, parts and sums.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_cgin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test (cgin_header, all_lines)
{
  reads_as ("# callgrind format\nversion: 1\ncreator: x 1.0 \npid: 12\n"
            "cmd:  ./a b\npart: 3\nthread: 4\ndesc: I: one\ndesc: two\n"
            "positions: line\nevents: A B\nsummary: 7 8\n",
            "part A,B line pid=12 part=3 thread=4 by=x 1.0 cmd=./a b "
            "desc=I: one desc=two sum=7,8\n");
  reads_as ("creator:\ncmd: \ndesc:\nevents: A\n", "part A line\n");
  reads_as ("cmd: one\ncmd: two\nevents: A\n", "part A line cmd=two\n");
}

Test (cgin_header, version)
{
  reads_as ("version: 2\nevents: A\n", "1: unknown version of the format\n");
  reads_as ("version: x\n", "1: expected a number: \"x\"\n");
}

/* What the library writes for bytes that a line cannot have.  */
Test (cgin_header, escapes_of_commands)
{
  reads_as ("cmd: a\\nb\\\\n \\x41 \\x7f\nevents: A\n",
            "part A line cmd=a\nb\\n \\x41 \x7f\n");
  reads_as ("cmd: \\x20a\\x20\nevents: A\n", "part A line cmd= a \n");
}

Test (cgin_header, positions)
{
  static const char swapped[]
      = "1: warning: positions: the address is read first, then the line\n"
        "part A instr line\n";

  reads_as ("positions: instr\nevents: A\n", "part A instr\n");
  reads_as ("positions: instr line\nevents: A\n", "part A instr line\n");
  reads_as ("positions: line instr\nevents: A\n", swapped);
  reads_as ("positions: line line\nevents: A\n",
            "1: unknown positions: \"line line\"\n");
  reads_as ("positions: column\nevents: A\n",
            "1: unknown positions: \"column\"\n");
  reads_as ("positions:\nevents: A\n", "1: unknown positions: \"\"\n");
  reads_as ("positions: line bb\nevents: A\n",
            "1: unknown positions: \"line bb\"\n");
}

/* A header behind a body begins a part; positions and events stay.  */
Test (cgin_header, parts)
{
  reads_as ("pid: 1\ncreator: x\npositions: instr\nevents: A\nfn=f\n1 2\n"
            "\npart: 2\n\nfn=g\n2 3\npid: 2\nevents: A\nfn=h\n3 4\n",
            "part A instr pid=1 by=x\ncost f 0x1/0: 2\n"
            "part A instr part=2\ncost g 0x2/0: 3\n"
            "part A instr pid=2\ncost h 0x3/0: 4\n");
}

Test (cgin_header, no_events)
{
  reads_as ("fn=f\n1 2\n", "1: there is no events: line before this line\n");
  reads_as ("events:\n", "1: events: names no events\n");
}

/* 16 MB of header lines are no header.  */
Test (cgin_header, the_largest)
{
  enum { LINE = 3 << 20, LINES = 6 };
  char *text = malloc (LINES * LINE), *end = text;

  cr_assert_not_null (text);
  for (int i = 0; i < LINES; i++)
    {
      memset (end, 'x', LINE);
      memcpy (end, i % 2 == 0 ? "desc: " : "# xxxx", 6);
      end += LINE;
      end[-1] = '\n';
    }
  end[-1] = '\0';
  cr_assert_str_eq (reads (text), "6: the last line has no newline: the file "
                                  "is cut\n");
  end[-2] = '\n';
  cr_assert_str_eq (reads (text), "6: the header is too large\n");
  free (text);
}

/* Sums.  */

static const char late[] = "summary: after the costs becomes a comment";

/* At the end, where cachegrind has it, a summary is found in time.  */
Test (cgin_header, summary_at_the_end)
{
  reads_as ("events: A B\nfn=f\n1 2 3\nsummary: 4 5\n",
            "part A,B line sum=4,5\ncost f 1: 2 3\n");
  reads_as ("events: A\nfn=f\n1 2\nsummary: 4\n\n \n",
            "part A line sum=4\ncost f 1: 2\n");
  reads_as ("events: A\nfn=f\n1 2\npart: 2\nfn=f\n1 2\nsummary: 2\n",
            "part A line sum=2\ncost f 1: 2\n"
            "4: the file ends in summary:, but has several parts\n");
  /* The header's own counts.  */
  reads_as ("events: A\nsummary: 9\nfn=f\n1 2\nsummary: 2\n",
            "part A line sum=9\ncost f 1: 2\n");
}

Test (cgin_header, summary_before_the_end)
{
  char expected[200];

  reads_as ("events: A\nfn=f\n1 2\nsummary: 2\n3 0\n",
            "part A line\ncost f 1: 2\ncost f 3: 0\n");
  snprintf (expected, sizeof expected,
            "part A line\ncost f 1: 2\n4: warning: %s\n# summary: 5\n"
            "cost f 3: 0\n",
            late);
  reads_as ("events: A\nfn=f\n1 2\nsummary: 5\n3 0\n", expected);
}

Test (cgin_header, totals)
{
  static const char differ[] = "part A,B line\ncost f 1: 2 3\n"
                               "4: warning: totals: are not the sums of the "
                               "cost lines\n";

  reads_as ("events: A B\nfn=f\n1 2 3\ntotals: 2 3\n",
            "part A,B line\ncost f 1: 2 3\n");
  reads_as ("events: A B\nfn=f\n1 2 3\ntotals: 2\n", differ);
  reads_as ("events: A B\nfn=f\n1 2 3\ntotals: 2 4\n", differ);
  reads_as ("events: A B\nfn=f\n1 2 3\ntotals: 2 3 4\n",
            "part A,B line\ncost f 1: 2 3\n"
            "4: more costs than events: \"4\"\n");
  /* What a call costs is in its callee.  */
  reads_as ("events: A\nfn=f\n1 2\ncfn=g\ncalls=1 2\n3 4\ntotals: 2\n",
            "part A line\ncost f 1: 2\ncall f 3 -> g 2 x1: 4\n");
  reads_as ("events: A\ntotals: (null)\n", "part A line\n");
}
