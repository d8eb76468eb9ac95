/* test_reader_meaning.c - what a file means: decoding, sums, comparisons.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The least another writer's header has.  */
#define A "events: A\n"
#define AB "events: A B\n"
#define IN_F A "fl=a.c\nfn=f\n"
#define ADDRESSES "positions: instr line\n" A "fl=a.c\nfn=f\n"
#define ALMOST "18446744073709551614"

static struct profile *
must_read (const char *text)
{
  char error[256] = "";
  struct profile *p
    = profile_read (text, strlen (text), READER_LENIENT, error, sizeof error);
  cr_assert (p, "refused: %s\n%s", error, text);
  return p;
}

/* What files of other writers mean, as profile_dump says it: the cost, calls
   and jumps of OBJECT FILE FUNCTION SOURCE ADDRESS LINE, sorted.  */
static const struct
{
  const char *what;
  const char *text;
  const char *dump;
} meanings[] = {
  { "the document's example",
    "# callgrind format\nevents: Cycles Instructions Flops\n"
    "fl=file.f\nfn=main\n15 90 14 2\n16 20 12\n",
    "cost\t???\tfile.f\tmain\tfile.f\t0x0\t15\t90 14 2\n"
    "cost\t???\tfile.f\tmain\tfile.f\t0x0\t16\t20 12 0\n" },
  { "hexadecimal and relative numbers",
    ADDRESSES "0x80001234 0x5A 1\n+0x3 * 5\n+1 +1 0x6\n-4 -0x5b 7\n256 7 8\n",
    "cost\t???\ta.c\tf\ta.c\t0x100\t7\t8\n"
    "cost\t???\ta.c\tf\ta.c\t0x80001234\t0\t7\n"
    "cost\t???\ta.c\tf\ta.c\t0x80001234\t90\t1\n"
    "cost\t???\ta.c\tf\ta.c\t0x80001237\t90\t5\n"
    "cost\t???\ta.c\tf\ta.c\t0x80001238\t91\t6\n" },
  { "no target, nor fn=, but the source line of a jump moves the base",
    IN_F "10 1\ncfn=g\ncalls=1 100\n20 9\n+1 2\njump=3 500\n+9\n+1 4\n"
    "fn=h\n+1 8\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t10\t1\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t21\t2\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t31\t4\n"
    "cost\t???\ta.c\th\ta.c\t0x0\t32\t8\n"
    "call\t???\ta.c\tf\ta.c\t0x0\t20\t-> ???\ta.c\tg\t0x0\t100\t1 9\n"
    "jump\t???\ta.c\tf\ta.c\t0x0\t30\t-> ???\ta.c\tf\ta.c\t0x0\t500\talways"
    "\t3 0\n" },
  { "calls: cob= and cfi= are for one",
    A "ob=o\nfl=a.c\nfn=f\n16 20\ncfn=g\ncalls=1 50\n16 400\n"
    "cob=p\ncfi=b.c\ncfn=h\ncalls=3 +4\n* 400\n* 5\n"
    "cfn=g\ncalls=2 50\n16 800\n",
    "cost\to\ta.c\tf\ta.c\t0x0\t16\t25\n"
    "call\to\ta.c\tf\ta.c\t0x0\t16\t-> o\ta.c\tg\t0x0\t50\t3 1200\n"
    "call\to\ta.c\tf\ta.c\t0x0\t16\t-> p\tb.c\th\t0x0\t20\t3 400\n" },
  { "as callgrind has it, the callee is in the active file, not in fl='s",
    IN_F "16 20\nfi=i.h\n3 4\ncfn=g\ncalls=1 50\n3 7\nfe=a.c\n17 5\n"
    "fl=a.c\nfn=h\n1 1\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t16\t20\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t17\t5\n"
    "cost\t???\ta.c\tf\ti.h\t0x0\t3\t4\n"
    "cost\t???\ta.c\th\ta.c\t0x0\t1\t1\n"
    "call\t???\ta.c\tf\ti.h\t0x0\t3\t-> ???\ti.h\tg\t0x0\t50\t1 7\n" },
  { "fn= ends fi=, whether or not fe= or fl= does",
    IN_F "fi=b.h\n2 5\nfn=g\n3 7\n",
    "cost\t???\ta.c\tf\tb.h\t0x0\t2\t5\n"
    "cost\t???\ta.c\tg\ta.c\t0x0\t3\t7\n" },
  { "without any fl=, fi= stands for it",
    A "fi=a.c\nfn=f\n1 10\nfi=b.c\nfn=g\n3 7\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t1\t10\n"
    "cost\t???\tb.c\tg\tb.c\t0x0\t3\t7\n" },
  { "jumps: jfi= is for one",
    ADDRESSES "0x100 10 1\njump=4 0x140 20 \n0x104 11 \n"
    "jfi=i.h\njcnd=1/3 -8 -2 \n* * \njcnd=2/5 +2 * \n* * \n",
    "cost\t???\ta.c\tf\ta.c\t0x100\t10\t1\n"
    "jump\t???\ta.c\tf\ta.c\t0x104\t11\t-> ???\ta.c\tf\ta.c\t0x106\t11"
    "\tconditional\t5 2\n"
    "jump\t???\ta.c\tf\ta.c\t0x104\t11\t-> ???\ta.c\tf\ta.c\t0x140\t20"
    "\talways\t4 0\n"
    "jump\t???\ta.c\tf\ta.c\t0x104\t11\t-> ???\ta.c\tf\ti.h\t0xfc\t9"
    "\tconditional\t3 1\n" },
  { "jfn= is for one, too, and in the file of jfi=",
    IN_F "jfi=b.c\njfn=g\njump=1 2\n1\njump=1 3\n1\n",
    "jump\t???\ta.c\tf\ta.c\t0x0\t1\t-> ???\ta.c\tf\ta.c\t0x0\t3\talways"
    "\t1 0\n"
    "jump\t???\ta.c\tf\ta.c\t0x0\t1\t-> ???\tb.c\tg\tb.c\t0x0\t2\talways"
    "\t1 0\n" },
  { "ids in any order, undefined, and what only looks like one",
    A "ob=(7) o\nfl=(9)a.c\nfn=(50)   f\n16 20\n"
    "cob=(8) p\ncfl=(3) b.c\ncfn=(4) g\ncalls=1 50\n16 7\n"
    "ob=(8)\nfl=(3)\nfn=(4) \n1 2\nfn=(6)\n1 3\nfn=(2x)\n1 4\n",
    "cost\to\ta.c\tf\ta.c\t0x0\t16\t20\n"
    "cost\tp\tb.c\t(2x)\tb.c\t0x0\t1\t4\n"
    "cost\tp\tb.c\t???\tb.c\t0x0\t1\t3\n"
    "cost\tp\tb.c\tg\tb.c\t0x0\t1\t2\n"
    "call\to\ta.c\tf\ta.c\t0x0\t16\t-> p\tb.c\tg\t0x0\t50\t1 7\n" },
  { "an id that changes its name, as callgrind's may from part to part",
    IN_F "fn=(1) f\n1 2\nfn=(1) g\n1 3\njfn=(1)\njump=1 2\n1\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t1\t2\n"
    "cost\t???\ta.c\tg\ta.c\t0x0\t1\t3\n"
    "jump\t???\ta.c\tg\ta.c\t0x0\t1\t-> ???\ta.c\tg\ta.c\t0x0\t2\talways"
    "\t1 0\n" },
  { "other writers' habits",
    "creator: x\r\narch: arm\n" AB "fl=\nfn= f \n 6437\n16 20 1\n17\n"
    "cfn=g\ncalls=1 0 0\n \n16 5 3\ncfn=g\ncalls=1 0\n16 1\n# c\n\nfoo\n"
    "rec=1\n18 1",
    "cost\t???\t???\t f \t???\t0x0\t16\t20 1\n"
    "cost\t???\t???\t f \t???\t0x0\t17\t0 0\n"
    "cost\t???\t???\t f \t???\t0x0\t18\t1 0\n"
    "call\t???\t???\t f \t???\t0x0\t16\t-> ???\t???\tg\t0x0\t0\t2 6 3\n" },
  { "the next cost line is a call's, wherever it is; a target is not needed",
    "positions: instr line\n" A "fn=f\ncfn=g\ncalls=3\nfn=h\n0x10 1 7\n"
    "calls=2 0x20\n0x10 1 8\n",
    "call\t???\t???\th\t???\t0x10\t1\t-> ???\t???\tg\t0x0\t0\t3 7\n"
    "call\t???\t???\th\t???\t0x10\t1\t-> ???\t???\tg\t0x20\t0\t2 8\n" },
  { "no fn=", A "fl=a.c\n16 20\n",
    "cost\t???\ta.c\t???\ta.c\t0x0\t16\t20\n" },
  /* callgrind counts on from the wrong line behind a call that has not returned
     yet; KCachegrind takes what comes out below 0 for line 0.  */
  { "a line below 0", IN_F "1 1\n-2 3\n+5 7\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t0\t3\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t1\t1\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t5\t7\n" },
  { "sums", IN_F "16 " ALMOST "\n16 1\n17 " ALMOST "\n17 2\n"
    "cfn=g\ncalls=" ALMOST " 1\n1 5\ncalls=1 1\n1 5\n",
    "cost\t???\ta.c\tf\ta.c\t0x0\t16\t18446744073709551615\n"
    "cost\t???\ta.c\tf\ta.c\t0x0\t17\t0 overflow\n"
    "call\t???\ta.c\tf\ta.c\t0x0\t1\t-> ???\ta.c\tg\t0x0\t1"
    "\t18446744073709551615 10\n" },
};

Test (reader, meanings)
{
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    {
      char *dump;
      size_t n;
      FILE *out = open_memstream (&dump, &n);
      struct profile *p = must_read (meanings[i].text);
      profile_dump (p, out);
      fclose (out);
      cr_expect_str_eq (dump, meanings[i].dump, "%s:\n%s", meanings[i].what,
                        dump);
      free (dump);
      profile_free (p);
    }
}

Test (reader, header)
{
  struct profile *p = must_read (
    "version: 1\npid: 5\ncmd: x y\npart: 1\ndesc: a: b\npositions: line\n"
    "event: A : Long A\nevent: S = A + 2 B : Sum\nevent: T=A+B\n"
    "events: A cpu(ms)\nevent: cpu(ms) : late\nsummary: 9 9\n"
    "fl=(1) a.c\nfn=(1) f\n16 20 1\ntotals: 20 1\n \n"
    "part: 2\n\ndesc: c: d\npositions: line\nevents: A cpu(ms)\n\n"
    "fl=(1)\nfn=(1)\n16 " ALMOST " " ALMOST "\n\ntotals: 5 0\n");
  const struct profile_part *one = &p->parts[0];
  const struct profile_part *two = &p->parts[1];
  cr_assert_eq (p->n_parts, 2);
  cr_expect_eq (p->lines, 28);
  cr_expect_eq (p->blank_lines, 4);
  cr_expect_eq (one->pid, 5);
  cr_expect_str_eq (one->cmd, "x y");
  cr_expect_str_eq (two->desc[0], "c: d");
  cr_expect_eq (two->part, 2);
  cr_expect_eq (two->pid, 0);
  cr_expect (one->has_summary && !two->has_summary);
  cr_expect_eq (one->summary[1], 9);
  cr_expect_eq (two->totals[0], 5);
  cr_assert_eq (one->n_events, 2);
  cr_expect_str_eq (one->events[0].long_name, "Long A");
  cr_expect_str_eq (one->events[1].name, "cpu(ms)");
  cr_expect_str_eq (one->events[1].long_name, "late");
  cr_assert_eq (one->n_derived, 2);
  cr_expect_str_eq (one->derived[0].formula, "A + 2 B");
  cr_expect_str_eq (one->derived[0].long_name, "Sum");
  cr_expect_str_eq (one->derived[1].formula, "A+B");
  cr_expect_null (one->derived[1].long_name);
  cr_expect (profile_total (p, 0).overflow);
  cr_expect_not (two->self[0].overflow);
  cr_expect_eq (profile_total (p, 1).value, UINT64_MAX);
  cr_expect_not (profile_total (p, 1).overflow);
  profile_free (p);
}

/* More functions and sums than the tables begin with; and look-ups.  */
Test (reader, many_names)
{
  struct profile_at f = { NULL, "0.c", "f0", NULL, 0, 0 };
  struct profile_at g = { NULL, "0.c", "g", NULL, 0, 7 };
  char error[256], path[32], file[16], fn[16];
  FILE *text = tmpfile ();
  cr_assert (text);
  fprintf (text, A);
  for (int i = 0; i < 5000; i++)
    fprintf (text, "fl=%d.c\nfn=f%d\n%d %d\ncfn=g\ncalls=2 7\n* 3\n+1 1\n"
                   "cfn=g\ncalls=1 7\n* 4\n",
             i % 7, i, i, i + 2);
  fflush (text);
  snprintf (path, sizeof path, "/proc/self/fd/%d", fileno (text));
  struct profile *p
    = profile_read_file (path, READER_LENIENT, error, sizeof error);
  fclose (text);
  cr_assert (p, "%s", error);
  cr_expect_eq (p->fns.n, 5007);
  cr_expect_eq (profile_total (p, 0).value, 5000 * 4999 / 2 + 3 * 5000);
  for (unsigned i = 0; i < 5000; i++)
    {
      snprintf (file, sizeof file, "%u.c", i % 7);
      snprintf (fn, sizeof fn, "f%u", i);
      cr_assert_eq (profile_cost (p, NULL, file, fn, file, 0, i, 0), i + 2);
    }
  cr_expect_eq (profile_cost (p, NULL, "0.c", "g", "0.c", 0, 7, 0), 0);
  cr_expect_eq (profile_self (p, NULL, "0.c", "f0", 0), 3);
  cr_expect_eq (profile_edges (p, &f, &g, EDGE_COUNT), 3);
  cr_assert (profile_edge (p, &f, &g));
  cr_expect_eq (profile_edge (p, &f, &g)[EDGE_COST], 3);
  g.line++;
  cr_expect_null (profile_edge (p, &f, &g));
  profile_free (p);
}

/* Two files, and why they do not mean the same.  */
static const struct
{
  const char *one;
  const char *two;
  const char *why;
} pairs[] = {
#define AT "???\ta.c\tf\ta.c\t0x0\t"
  { IN_F "16 20\n17 5\n",
    "events: X\nfl=(1) a.c\nfn=(1) f\n17 2\n* 3\n-1 20\n", "" },
  { IN_F "16 20\n17 0\n", IN_F "16 20\n", "" },
  { IN_F "16 20\n", A "ob=???\nfl=a.c\nfn=f\n16 20\n", "" },
  { A "fn= f\x1b\\y\n1 2\n", A "fn=\\x20" "f\\x1B\\y\n1 2\n", "" },
  { A "fn=f\\x00\n1 2\n", A "fn=f\\x00\n1 2\n", "" },
  { A "fn=f\\x4\n1 2\n", A "fn=f\x04\n1 2\n",
    "cost of ???\t???\tf\\x4\t???\t0x0\t1: 2 against nothing" },
  { IN_F "16 20\n", IN_F "16 21\n", "cost of " AT "16: 20 against 21" },
  { IN_F "16 20\n", IN_F "17 20\n", "cost of " AT "16: 20 against nothing" },
  { IN_F "16 20\n", IN_F "16 20\n17 5\n",
    "cost of " AT "17: 5 against nothing (second file first)" },
  { IN_F "16 20\n", AB "fl=a.c\nfn=f\n16 20\n", "1 events against 2" },
  { IN_F "16 20\n", A "fl=b.c\nfn=f\n16 20\n",
    "cost of " AT "16: 20 against nothing" },
  { IN_F "16 20\n", A "ob=o\nfl=a.c\nfn=f\n16 20\n",
    "cost of " AT "16: 20 against nothing" },
  { IN_F "16 20\n", IN_F "fi=i.h\n16 20\n",
    "cost of " AT "16: 20 against nothing" },
  { IN_F "16 " ALMOST "\n16 2\n", IN_F "16 0\n",
    "cost of " AT "16: 0 overflow against 0" },
  { IN_F "16 " ALMOST "\n16 2\n", IN_F "cfn=g\ncalls=1 2\n3 4\n",
    "cost of " AT "16: 0 overflow against nothing" },
  { IN_F "cfn=g\ncalls=1 2\n3 4\n", IN_F "cfn=g\ncalls=2 2\n3 4\n",
    "call of " AT "3\t-> ???\ta.c\tg\t0x0\t2: 1 4 against 2 4" },
  { IN_F "cfn=g\ncalls=1 2\n3 4\n", IN_F "cfi=b\ncfn=g\ncalls=1 2\n3 4\n",
    "call of " AT "3\t-> ???\ta.c\tg\t0x0\t2: 1 4 against nothing" },
  { IN_F "jcnd=1/2 3\n4\n", IN_F "jcnd=2/2 3\n4\n",
    "jump of " AT "4\t-> " AT "3\tconditional: 2 1 against 2 2" },
  { IN_F "jump=2 3\n4\n", IN_F "jfi=b\njump=2 3\n4\n",
    "jump of " AT "4\t-> " AT "3\talways: 2 0 against nothing" },
};

Test (reader, pairs)
{
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
      char why[512];
      struct profile *one = must_read (pairs[i].one);
      struct profile *two = must_read (pairs[i].two);
      cr_expect_eq (profile_same (one, two, why, sizeof why), !*pairs[i].why);
      cr_expect_str_eq (why, pairs[i].why);
      profile_free (one);
      profile_free (two);
    }
}

Test (reader, no_file)
{
  char error[256];
  cr_expect_null (profile_read_file ("/no/file", 0, error, sizeof error));
  cr_expect_str_eq (error, "0: No such file or directory");
  cr_expect_null (profile_read_file ("/", 0, error, sizeof error));
  cr_expect_str_eq (error, "0: Is a directory");
}
