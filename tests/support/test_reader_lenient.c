/* test_reader_lenient.c - what a file means: decoding, sums, comparisons.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The least another writer's header has.  */
#define EVENTS "events: A\n"
#define EVENTS2 "events: A B\n"

/* Cost of line n of f in a.c.  */
static uint64_t
at_line (const struct profile *p, uint64_t line)
{
  return profile_cost (p, NULL, "a.c", "f", "a.c", 0, line, 0);
}

/* Decoding.  */

Test (reader_lenient, spec_example)
{
  struct profile *p = READ_LENIENT (
    "# callgrind format\nevents: Cycles Instructions Flops\n"
    "fl=file.f\nfn=main\n15 90 14 2\n16 20 12\n");
  cr_expect_eq (p->n_events, 3);
  cr_expect_eq (profile_event (p, "Flops"), 2);
  cr_expect_eq (profile_event (p, "None"), PROFILE_NO_ROW);
  cr_expect_eq (profile_cost (p, NULL, "file.f", "main", "file.f", 0, 15, 2),
                2);
  cr_expect_eq (profile_cost (p, NULL, "file.f", "main", "file.f", 0, 16, 2),
                0);
  cr_expect_eq (profile_total (p, 0).value, 110);
  cr_expect_eq (p->cost_lines, 2);
  profile_free (p);
}

Test (reader_lenient, hex_and_relative)
{
  struct profile *p = READ_LENIENT (
    "positions: instr line\n" EVENTS "fl=a.c\nfn=f\n"
    "0x80001234 0x5A 1\n+0x3 * 5\n+1 +1 0x6\n-4 -0x5b 7\n256 7 8\n");
#define AT(instr, line) \
  profile_cost (p, "???", "a.c", "f", "a.c", instr, line, 0)
  cr_expect_eq (AT (0x80001234, 90), 1);
  cr_expect_eq (AT (0x80001237, 90), 5);
  cr_expect_eq (AT (0x80001238, 91), 6);
  cr_expect_eq (AT (0x80001234, 0), 7);
  cr_expect_eq (AT (0x100, 7), 8);
  profile_free (p);
}

Test (reader_lenient, base_after_call_and_jump_lines)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fl=a.c\nfn=f\n10 1\ncfn=g\ncalls=1 100\n20 9\n+1 2\n"
    "jump=3 500\n+9\n+1 4\nfn=h\n+1 8\n");
  cr_expect_eq (at_line (p, 10), 1);
  cr_expect_eq (at_line (p, 21), 2, "a target moved the base");
  cr_expect_eq (at_line (p, 31), 4, "the jump's source did not");
  cr_expect_eq (profile_cost (p, NULL, "a.c", "h", "a.c", 0, 32, 0), 8,
                "fn= moved the base");
  profile_free (p);
}

Test (reader_lenient, calls)
{
  struct profile *p = READ_LENIENT (
    EVENTS "ob=o\nfl=a.c\nfn=f\n16 20\ncfn=g\ncalls=1 50\n16 400\n"
    "cob=p\ncfi=b.c\ncfn=h\ncalls=3 +4\n* 400\n* 5\n"
    "cfn=g\ncalls=2 50\n17 800\n");
  struct profile_at f = { "o", "a.c", "f", NULL, 0, 16 };
  struct profile_at g = { "o", "a.c", "g", NULL, 0, 50 };
  struct profile_at h = { "p", "b.c", "h", NULL, 0, 20 };
  cr_expect_eq (profile_calls (p, &f, &g), 3);
  cr_expect_eq (profile_inclusive (p, &f, &g, 0), 1200);
  const uint64_t *edge = profile_edge (p, &f, &h);
  cr_assert (edge);
  cr_expect_eq (edge[EDGE_COUNT], 3);
  cr_expect_eq (edge[EDGE_COST], 400);
  h.line = 21;
  cr_expect_null (profile_edge (p, &f, &h));
  cr_expect_eq (profile_self (p, "o", "a.c", "f", 0), 25);
  cr_expect_eq (p->calls, 3);
  profile_free (p);
}

/* callgrind's way: file of the callee from the active file, not from fl=.  */
Test (reader_lenient, inlined_code)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fl=a.c\nfn=f\n16 20\nfi=i.h\n3 4\ncfn=g\ncalls=1 50\n3 7\n"
    "fe=a.c\n17 5\nfl=a.c\nfn=h\n1 1\n");
  struct profile_at f = { NULL, "a.c", "f", "i.h", 0, 3 };
  struct profile_at g = { NULL, "i.h", "g", NULL, 0, 50 };
  cr_expect_eq (profile_cost (p, NULL, "a.c", "f", "i.h", 0, 3, 0), 4);
  cr_expect_eq (at_line (p, 17), 5);
  cr_expect (profile_edge (p, &f, &g));
  cr_expect_eq (profile_self (p, NULL, "a.c", "h", 0), 1);
  profile_free (p);
}

/* fn= ends it, whether or not fe= or fl= does; and without any fl=, fi=
   stands for it.  */
Test (reader_lenient, open_inlined_code)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fl=a.c\nfn=f\n1 10\nfi=b.h\n2 5\nfn=g\n3 7\ncfn=f\ncalls=1 1\n"
    "3 15\n");
  struct profile_at g = { NULL, "a.c", "g", NULL, 0, 3 };
  struct profile_at f = { NULL, "a.c", "f", NULL, 0, 1 };
  cr_expect_eq (profile_cost (p, NULL, "a.c", "g", "a.c", 0, 3, 0), 7);
  cr_expect (profile_edge (p, &g, &f));
  profile_free (p);

  p = READ_LENIENT (EVENTS "fi=a.c\nfn=f\n1 10\nfi=b.c\nfn=g\n3 7\n");
  cr_expect_eq (profile_cost (p, NULL, "b.c", "g", "b.c", 0, 3, 0), 7);
  profile_free (p);
}

Test (reader_lenient, jumps)
{
  struct profile *p = READ_LENIENT (
    "positions: instr line\n" EVENTS "fl=a.c\nfn=f\n0x100 10 1\n"
    "jump=4 0x140 20 \n0x104 11 \njfi=i.h\njcnd=1/3 -8 -2 \n* * \n"
    "jcnd=2/5 +2 * \n* * \n");
  struct profile_at from = { NULL, "a.c", "f", NULL, 0x104, 11 };
  struct profile_at to = { NULL, "a.c", "f", NULL, 0x140, 20 };
  struct profile_at inlined = { NULL, "a.c", "f", "i.h", 0xfc, 9 };
  const uint64_t *jump = profile_jump (p, &from, &to, false);
  cr_assert (jump);
  cr_expect_eq (jump[JUMP_EXECUTED], 4);
  cr_expect_null (profile_jump (p, &from, &to, true));
  jump = profile_jump (p, &from, &inlined, true);
  cr_assert (jump);
  cr_expect_eq (jump[JUMP_EXECUTED], 3);
  cr_expect_eq (jump[JUMP_FOLLOWED], 1);
  cr_expect_eq (p->jump_lines, 3);
  cr_expect_eq (p->cost_lines, 1);
  profile_free (p);
}

Test (reader_lenient, ids)
{
  struct profile *p = READ_LENIENT (
    EVENTS "ob=(7) o\nfl=(9)a.c\nfn=(50)   f\n16 20\n"
    "cob=(8) p\ncfl=(3) b.c\ncfn=(4) g\ncalls=1 50\n16 7\n"
    "ob=(8)\nfl=(3)\nfn=(4) \n1 2\nfn=(6)\n1 3\nfn=(2x)\n1 4\n");
  struct profile_at f = { "o", "a.c", "f", NULL, 0, 0 };
  struct profile_at g = { "p", "b.c", "g", NULL, 0, 0 };
  cr_expect_eq (profile_calls (p, &f, &g), 1);
  cr_expect_eq (profile_self (p, "p", "b.c", "g", 0), 2);
  cr_expect_eq (profile_self (p, "p", "b.c", "???", 0), 3);
  cr_expect_eq (profile_self (p, "p", "b.c", "(2x)", 0), 4);
  profile_free (p);
}

Test (reader_lenient, parts)
{
  struct profile *p = READ_LENIENT (
    "version: 1\npid: 5\ncmd: x y\npart: 1\ndesc: a: b\npositions: line\n"
    "events: A B \nsummary: 9 9\nfl=(1) a.c\nfn=(1) f\n16 20 1\n"
    "totals: 20 1\n\npart: 2\n\ndesc: c: d\npositions: line\nevents: A B\n\n"
    "fl=(1)\nfn=(1)\n16 5\n\ntotals: 5 0\n");
  cr_assert_eq (p->n_parts, 2);
  cr_expect_eq (p->parts[0].pid, 5);
  cr_expect_str_eq (p->parts[0].cmd, "x y");
  cr_expect_str_eq (p->parts[1].desc[0], "c: d");
  cr_expect_eq (p->parts[1].part, 2);
  cr_expect_eq (p->parts[1].pid, 0);
  cr_expect (p->parts[0].has_summary && !p->parts[1].has_summary);
  cr_expect_eq (p->parts[1].totals[0], 5);
  cr_expect_eq (p->parts[1].self[0].value, 5);
  cr_expect_eq (at_line (p, 16), 25);
  profile_free (p);
}

Test (reader_lenient, events)
{
  struct profile *p = READ_LENIENT (
    "event: A : Long A\nevent: S = A + 2 B : Sum\nevent: T=A+B\n"
    "events: A cpu(ms)\nevent: cpu(ms) : late\n");
  const struct profile_part *part = &p->parts[0];
  cr_assert_eq (part->n_events, 2);
  cr_expect_str_eq (part->events[0].long_name, "Long A");
  cr_expect_str_eq (part->events[1].name, "cpu(ms)");
  cr_expect_str_eq (part->events[1].long_name, "late");
  cr_assert_eq (part->n_derived, 2);
  cr_expect_str_eq (part->derived[0].formula, "A + 2 B");
  cr_expect_str_eq (part->derived[0].long_name, "Sum");
  cr_expect_str_eq (part->derived[1].formula, "A+B");
  cr_expect_null (part->derived[1].long_name);
  profile_free (p);
}

Test (reader_lenient, other_writers_habits)
{
  struct profile *p = READ_LENIENT (
    "creator: x\r\narch: arm\n" EVENTS2 "fl=\nfn= f \n 6437\n16 20 1\n17\n"
    "cfn=g\ncalls=1 0 0\n \n16 5 3\n# c\n\nfoo\n18 1");
  struct profile_at f = { NULL, NULL, " f ", NULL, 0, 16 };
  struct profile_at g = { NULL, NULL, "g", NULL, 0, 0 };
  cr_expect_eq (profile_self (p, NULL, NULL, " f ", 0), 21);
  cr_expect (profile_edge (p, &f, &g));
  cr_expect_eq (p->ignored_lines, 3);
  cr_expect_eq (p->blank_lines, 2);
  cr_expect_eq (p->cost_lines, 3);
  profile_free (p);
}

/* An id that changes its name, as callgrind's may from part to part.  */
Test (reader_lenient, id_with_another_name)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fl=a.c\nfn=(1) f\n1 2\nfn=(1) g\n1 3\njfn=(1)\njump=1 2\n1\n");
  struct profile_at from = { NULL, "a.c", "g", NULL, 0, 1 };
  struct profile_at to = { NULL, "a.c", "g", NULL, 0, 2 };
  cr_expect_eq (at_line (p, 1), 2);
  cr_expect_eq (profile_self (p, NULL, "a.c", "g", 0), 3);
  cr_expect (profile_jump (p, &from, &to, false));
  profile_free (p);
}

/* KCachegrind and callgrind_annotate take the next cost line for the call's,
   wherever it is, and do not need a target.  */
Test (reader_lenient, loose_calls)
{
  struct profile *p = READ_LENIENT (
    "positions: instr line\n" EVENTS "rec=1\nfn=f\ncfn=g\ncalls=3\nfn=h\n"
    "0x10 1 7\ncalls=2 0x20\n0x10 1 8\n");
  struct profile_at h = { NULL, NULL, "h", NULL, 0x10, 1 };
  struct profile_at g = { NULL, NULL, "g", NULL, 0, 0 };
  const uint64_t *edge = profile_edge (p, &h, &g);
  cr_assert (edge);
  cr_expect_eq (edge[EDGE_COUNT], 3);
  g.instr = 0x20;
  edge = profile_edge (p, &h, &g);
  cr_assert (edge);
  cr_expect_eq (edge[EDGE_COST], 8);
  cr_expect_eq (p->cost_lines, 0);
  cr_expect_eq (p->ignored_lines, 1);
  profile_free (p);
}

Test (reader_lenient, no_fn)
{
  struct profile *p = READ_LENIENT (EVENTS "fl=a.c\n16 20\n");
  cr_expect_eq (profile_self (p, NULL, "a.c", NULL, 0), 20);
  profile_free (p);
}

/* Where the readers do not agree, lenient files are refused, too.  */
Test (reader_lenient, refused)
{
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\n1 2 3\n",
                "4: more numbers than events");
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\n1 -3\n",
                "4: no number where one must be");
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\n1-2 3\n",
                "4: no blank after a number");
  REFUSED_WITH (READER_LENIENT,
                "positions: instr\n" EVENTS "fl=a\nfn=f\n1 1\n-2 3\n",
                "6: relative subposition outside 0 to 2^64-1");
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\njump=1 2\n1 3\n",
                "5: costs on the source line of a jump");
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\njump=1 2\nfn=g\n",
                "5: jump without its source line");
  REFUSED_WITH (READER_LENIENT, EVENTS "fl=a\nfn=f\ncalls=1 2\n",
                "4: calls= before any cfn=");
  REFUSED_WITH (READER_LENIENT, EVENTS "cfn=f\ncalls=1 2\ncalls=1 2\n",
                "4: calls= without its cost line");
  REFUSED_WITH (READER_LENIENT, "fl=a\n", "1: fl= before events:");
  REFUSED_WITH (READER_LENIENT, "events: \n", "1: events: without events");
  REFUSED_WITH (READER_LENIENT, EVENTS "fn=a\0b\n", "2: NUL byte");
  REFUSED_WITH (READER_LENIENT, "positions: bb line\n",
                "1: positions: that the readers do not know");
  REFUSED_WITH (READER_LENIENT, EVENTS "part: 2\nevents: A B\n",
                "3: events: differ from the first part's");
  REFUSED_WITH (READER_LENIENT, EVENTS "fn=f\n1 18446744073709551616\n",
                "3: number larger than 2^64-1");
}

/* Sums.  */

Test (reader, sums_of_one_position)
{
  struct profile *p = READ_STRICT (
    HEAD MAIN "* 5\n17 0 3\n* 0 4\nfi=(2) b.h\n16 1\ntotals: 26 9\n");
#define SUM(source, line, event) \
  profile_cost (p, NULL, "a.c", "main", source, 0, line, event)
  cr_expect_eq (SUM ("a.c", 16, 0), 25);
  cr_expect_eq (SUM ("a.c", 16, 1), 2);
  cr_expect_eq (SUM ("a.c", 17, 1), 7);
  cr_expect_eq (SUM ("b.h", 16, 0), 1);
  cr_expect_eq (SUM ("b.h", 17, 0), 0);
  cr_expect_eq (SUM ("a.c", 16, 2), 0);
  cr_expect_eq (p->costs.n, 3);
  profile_free (p);
}

Test (reader, sums_to_2_64)
{
#define ALMOST "18446744073709551614"
  struct profile *p = READ_STRICT (
    HEAD "fl=(1) a.c\nfn=(1) f\n1 " ALMOST "\n* 1\n"
    "totals: 18446744073709551615 0\n");
  cr_expect_eq (at_line (p, 1), UINT64_MAX);
  cr_expect_not (p->costs.overflow[0]);
  cr_expect_not (profile_total (p, 0).overflow);
  profile_free (p);

  p = READ_STRICT (HEAD "fl=(1) a.c\nfn=(1) f\n1 " ALMOST "\n* 2 1\n");
  cr_expect_eq (at_line (p, 1), 0);
  cr_expect (p->costs.overflow[0]);
  cr_expect (profile_total (p, 0).overflow);
  cr_expect_not (profile_total (p, 1).overflow);
  profile_free (p);
}

Test (reader, total_of_parts_past_2_64)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fn=f\n1 " ALMOST "\npart: 2\n" EVENTS "fn=f\n2 2\n");
  cr_expect_not (p->parts[0].self[0].overflow);
  cr_expect_not (p->parts[1].self[0].overflow);
  cr_expect (profile_total (p, 0).overflow);
  profile_free (p);
}

Test (reader, counts_to_2_64)
{
  struct profile *p = READ_LENIENT (
    EVENTS "fn=f\ncfn=g\ncalls=" ALMOST " 1\n1 5\ncalls=1 1\n1 5\n");
  struct profile_at f = { NULL, NULL, "f", NULL, 0, 1 };
  struct profile_at g = { NULL, NULL, "g", NULL, 0, 1 };
  const uint64_t *edge = profile_edge (p, &f, &g);
  cr_assert (edge);
  cr_expect_eq (edge[EDGE_COUNT], UINT64_MAX);
  cr_expect_eq (edge[EDGE_COST], 10);
  cr_expect_not (p->edges.overflow[0]);
  profile_free (p);
}

Test (reader, many_names)
{
  /* More functions and sums than the tables begin with.  */
  static char text[400000];
  size_t at = (size_t) snprintf (text, sizeof text, EVENTS);
  for (int i = 0; i < 5000; i++)
    at += (size_t) snprintf (text + at, sizeof text - at,
                             "fl=%d.c\nfn=f%d\n%d %d\n", i % 7, i, i, i);
  struct profile *p = must_read (READER_LENIENT, text, at);
  cr_expect_eq (p->fns.n, 5000);
  cr_expect_eq (profile_total (p, 0).value, 5000 * 4999 / 2);
  for (unsigned i = 0; i < 5000; i++)
    {
      char file[16], fn[16];
      snprintf (file, sizeof file, "%u.c", i % 7);
      snprintf (fn, sizeof fn, "f%u", i);
      cr_assert_eq (profile_cost (p, NULL, file, fn, file, 0, i, 0), i);
    }
  profile_free (p);
}

/* Comparisons.  */

/* Compares two lenient files; why is "" when they mean the same.  */
static void
compare (const char *a, const char *b, const char *why)
{
  char text[512];
  struct profile *one = must_read (READER_LENIENT, a, strlen (a));
  struct profile *two = must_read (READER_LENIENT, b, strlen (b));
  bool same = profile_same (one, two, text, sizeof text);
  cr_expect_eq (same, !*why, "%s", text);
  cr_expect_str_eq (text, why);
  profile_free (one);
  profile_free (two);
}

#define F EVENTS "fl=a.c\nfn=f\n"

Test (profile_same, same)
{
  compare (F "16 20\n17 5\n", "events: X\nfl=(1) a.c\nfn=(1) f\n17 2\n* 3\n"
           "-1 20\n", "");
  compare (F "16 20\n17 0\n", F "16 20\n", "");
  compare (F "16 20\n", "events: A\nob=???\nfl=a.c\nfn=f\n16 20\n", "");
}

Test (profile_same, escaped_names)
{
  compare (EVENTS "fn= f\x1b\\y\n1 2\n", EVENTS "fn=\\x20" "f\\x1B\\y\n1 2\n",
           "");
  compare (EVENTS "fn=f\\x4\n1 2\n", EVENTS "fn=f\x04\n1 2\n",
           "cost of ???\t???\tf\\x4\t???\t0x0\t1: 2 against nothing");
}

Test (profile_same, costs_differ)
{
  compare (F "16 20\n", F "16 21\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 20 against 21");
  compare (F "16 20\n", F "17 20\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 20 against nothing");
  compare (F "16 20\n", F "16 20\n17 5\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t17: 5 against nothing"
           " (second file first)");
  compare (F "16 20\n", EVENTS2 "fl=a.c\nfn=f\n16 20\n",
           "1 events against 2");
}

Test (profile_same, places_differ)
{
  compare (F "16 20\n", EVENTS "fl=b.c\nfn=f\n16 20\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 20 against nothing");
  compare (F "16 20\n", EVENTS "ob=o\nfl=a.c\nfn=f\n16 20\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 20 against nothing");
  compare (F "16 20\n", F "fi=i.h\n16 20\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 20 against nothing");
}

Test (profile_same, overflow_differs)
{
  compare (F "16 18446744073709551615\n16 1\n", F "16 0\n",
           "cost of ???\ta.c\tf\ta.c\t0x0\t16: 0 overflow against 0");
}

Test (profile_same, calls_differ)
{
  compare (F "cfn=g\ncalls=1 2\n3 4\n", F "cfn=g\ncalls=2 2\n3 4\n",
           "call of ???\ta.c\tf\ta.c\t0x0\t3\t-> ???\ta.c\tg\t0x0\t2:"
           " 1 4 against 2 4");
  compare (F "cfn=g\ncalls=1 2\n3 4\n", F "cfi=b\ncfn=g\ncalls=1 2\n3 4\n",
           "call of ???\ta.c\tf\ta.c\t0x0\t3\t-> ???\ta.c\tg\t0x0\t2:"
           " 1 4 against nothing");
}

Test (profile_same, jumps_differ)
{
  compare (F "jcnd=1/2 3\n4\n", F "jcnd=2/2 3\n4\n",
           "jump of ???\ta.c\tf\ta.c\t0x0\t4\t-> ???\ta.c\tf\ta.c\t0x0\t3"
           "\tconditional: 2 1 against 2 2");
  compare (F "jump=2 3\n4\n", F "jfi=b\njump=2 3\n4\n",
           "jump of ???\ta.c\tf\ta.c\t0x0\t4\t-> ???\ta.c\tf\ta.c\t0x0\t3"
           "\talways: 2 0 against nothing");
}

/* What profile_dump says, in out.  */
static void
dump (const struct profile *p, char *out, size_t size)
{
  FILE *file = tmpfile ();
  cr_assert (file);
  profile_dump (p, file);
  rewind (file);
  size_t n = fread (out, 1, size - 1, file);
  out[n] = 0;
  fclose (file);
}

Test (profile_dump, sorted)
{
  char out[512];
  struct profile *p = READ_LENIENT (
    EVENTS2 "fn=g\n2 7\nfn=f\n1 3 4\ncfn=g\ncalls=1 2\n1 7\njump=5 6\n1\n");
  dump (p, out, sizeof out);
  cr_expect_str_eq (
    out, "cost\t???\t???\tf\t???\t0x0\t1\t3 4\n"
         "cost\t???\t???\tg\t???\t0x0\t2\t7 0\n"
         "call\t???\t???\tf\t???\t0x0\t1\t-> ???\t???\tg\t0x0\t2\t1 7 0\n"
         "jump\t???\t???\tf\t???\t0x0\t1\t-> ???\t???\tf\t???\t0x0\t6\talways"
         "\t5 0\n");
  profile_free (p);
}

Test (profile_dump, long_name)
{
  char name[3001], text[4096], out[8192], expected[8192];
  memset (name, 'x', 3000);
  name[3000] = 0;
  int n = snprintf (text, sizeof text, EVENTS "fl=a.c\nfn=%s\n16 20\n", name);
  struct profile *p = must_read (READER_LENIENT, text, (size_t) n);
  dump (p, out, sizeof out);
  snprintf (expected, sizeof expected,
            "cost\t???\ta.c\t%s\ta.c\t0x0\t16\t20\n", name);
  cr_expect_str_eq (out, expected);
  profile_free (p);
}

/* Files on disk.  */

Test (reader, file_on_disk)
{
  char error[256];
  char path[] = "/tmp/test_reader.XXXXXX";
  int fd = mkstemp (path);
  cr_assert_geq (fd, 0);
  FILE *file = fdopen (fd, "w");
  fputs (F "16 20\n", file);
  fclose (file);
  struct profile *p
    = profile_read_file (path, READER_LENIENT, error, sizeof error);
  unlink (path);
  cr_assert (p, "%s", error);
  cr_expect_eq (at_line (p, 16), 20);
  cr_expect_eq (p->bytes, strlen (F "16 20\n"));
  profile_free (p);

  cr_expect_null (profile_read_file (path, 0, error, sizeof error));
  cr_expect_str_eq (error, "0: No such file or directory");
  cr_expect_null (profile_read_file ("/", 0, error, sizeof error));
  cr_expect_str_eq (error, "0: Is a directory");
}

/* callgrind counts on from the wrong line behind a call that has not returned
   yet; KCachegrind takes what comes out below 0 for line 0.  */
Test (reader_lenient, line_below_zero)
{
  struct profile *p = READ_LENIENT (EVENTS "fl=a\nfn=f\n1 1\n-2 3\n+5 7\n");
  cr_expect_eq (profile_cost (p, "???", "a", "f", "a", 0, 0, 0), 3);
  cr_expect_eq (profile_cost (p, "???", "a", "f", "a", 0, 5, 0), 7);
  profile_free (p);
}
