/* test_reader.c - each rule of strict files refuses what breaks it, and only
   that.

   What cgw-lint finds, too, is in reader.sh.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* What most files begin with: a header of five lines, and a block of three.  */
#define OPENING "# callgrind format\nversion: 1\ncreator: t\n"
#define LINES OPENING "positions: line\n"
#define HEAD LINES "events: A B\n"
#define FUNCTION "fl=(1) a.c\nfn=(1) main\n"
#define BLOCK FUNCTION "16 20 2\n"
#define MAIN HEAD BLOCK
#define TOTALS "totals: 20 2\n"
#define BODY BLOCK TOTALS
#define INSTR OPENING "positions: instr line\nevents: A B\n" FUNCTION
#define FAR INSTR "0x100000000000 1 2\n"
#define LIB MAIN "cob=(1) lib\ncfn=(2) f\ncalls=1 50\n16 7\n"
#define PART "part: 2\npositions: line\nevents: A B\n"
#define SECOND HEAD BODY PART
#define MOST "18446744073709551615"
#define OTHER_PLACE                                                           \
  " used with another object or file than at its definition"

/* A file, and "LINE: reason" or, if it is taken, NULL.  */
static const struct row
{
  unsigned flags;
  const char *text;
  size_t n;
  const char *why;
} rows[] = {
#define ROW(flags, text, why) { READER_##flags, text, sizeof (text) - 1, why }
#define NO(head, text, why) ROW (STRICT, head text, why)
#define YES(head, text) ROW (STRICT, head text, NULL)

  /* The opening.  */
  NO ("", "", "0: part 1 has no events: line"),
  ROW (UNFINISHED, "", NULL),
  NO ("", "# callgrind format\n# c\n", "2: second line is not version: 1"),
  NO ("# callgrind format\nversion: 1\n", "creator:t\n",
      "3: third line is not creator:"),
  YES ("# callgrind format\nversion: 1\ncreator:\n",
       "positions: line\nevents: A B\n" BODY),

  /* Keys.  */
  YES (OPENING, "pid: 7\ncmd: a b\npart: 1\nthread: 2\ndesc: a: b\n"
                "desc: c: d\n\npositions: line\nevent: A : Long A\n"
                "event: S = A + 10 B : Sum\nevents: A B\nsummary: 30 4\n" BODY),
  YES (OPENING, "cmd:\ndesc:\npositions: line\nevents: A B\n" BODY),
  NO (OPENING, "pid: 1\npid: 1\n", "5: pid:, part: or thread: twice"),
  NO (OPENING, "cmd: a\ncmd: a\n", "5: cmd: twice"),
  NO (LINES, "positions: line\n", "5: positions: twice"),
  NO (OPENING, "pid:\n", "4: header line without a value"),
  NO (OPENING, "pid:  1\n", "4: more than one blank between fields"),
  NO (OPENING, "part: 1 2\n", "4: text after the number"),
  NO (OPENING, "pid: x\n", "4: no number where one must be"),
  NO (LINES, "", "4: part 1 has no events: line"),
  NO (OPENING, "positions: instr  line\n",
      "4: positions: not line, instr or instr line"),
  NO (OPENING, "positions: bb\n",
      "4: positions: not line, instr or instr line"),
  NO (OPENING, "events: A\n", "4: events: before positions:"),

  /* Events.  */
  YES (LINES, "events: a-b a.b 1a _a a_b (a) \xc2\xb5s a=b\n"
              "totals: 0 0 0 0 0 0 0 0\n"),
  NO (LINES, "event: A\n", "5: event: without long name or formula"),
  NO (LINES, "event: a: x\n",
      "5: event: not of the form NAME = FORMULA : TEXT"),
  NO (LINES, "event: A :  x\n",
      "5: event: not of the form NAME = FORMULA : TEXT"),
  NO (LINES, "event: -a : x\n", "5: event: name is no identifier"),
  NO (LINES, "event: C : x\nevents: A B\n",
      "5: event: name that is not in events:"),
  NO (LINES, "event: A : x\nevent: A : y\nevents: A B\n",
      "6: two event: lines for one name"),
  NO (LINES, "event: A = B : x\nevents: A B\n",
      "5: event: formula for an event with costs"),
  NO (LINES, "event: S = T\nevent: T = A\nevents: A B\n",
      "5: event: formula names an unknown event"),
  NO (LINES, "event: S = A * B\nevents: A B\n",
      "5: event: formula not made of events, + and -"),
  NO (LINES, "event: S = A+\nevents: A B\n",
      "5: event: formula not made of events, + and -"),
  NO (LINES, "event: S = 0x10 A\nevents: A B\n",
      "5: hexadecimal number where it must be decimal"),
  NO (LINES, "event: S = 3\nevents: A B\n",
      "5: event: coefficient without an event"),
  YES (LINES, "event: S = A\nevent: T = 2 S - B : x\nevent: U = A+T : x\n"
              "events: A B\n" BODY),

  /* Sums.  */
  NO (MAIN, "summary: 20 2\n", "9: summary: not directly after events:"),
  NO (HEAD, "summary: 20 2\nsummary: 20 2\n",
      "7: summary: not directly after events:"),
  NO (HEAD, "summary: 20\n", "6: fewer numbers than events"),
  NO (HEAD, "summary: 20 2 1\n", "6: more numbers than events"),
  NO (MAIN, "cfn=(2) f\ncalls=1 50\n16 7\ntotals: 27 2\n",
      "12: totals: not the sum of the cost lines"),
  ROW (UNFINISHED, MAIN, NULL),
  ROW (UNFINISHED, HEAD, NULL),
  ROW (UNFINISHED, MAIN "part: 2\n", "9: part 1 has no totals:"),
  ROW (UNFINISHED, MAIN "fl=(2) b.c\n", "9: end of file directly after fl="),
  NO (HEAD BODY, "17 5\n", "10: cost line after totals:"),
  NO (HEAD BODY, "# c\n", "10: comment after totals:"),
  NO (HEAD BODY, TOTALS, "10: totals: not at the end of a part"),
  NO (LINES, "totals: 0 0\n", "5: totals: not at the end of a part"),
  YES (HEAD FUNCTION, "1 " MOST "\n2 1\n"),
  YES (HEAD FUNCTION, "1 " MOST "\ntotals: " MOST " 0\n"),

  /* Parts.  */
  YES (HEAD BODY, "\npid: 1\ncmd: x\n" PART BODY "positions: line\n"
                  "event: A : x\nevents: A B\n" BODY),
  NO (HEAD BODY, "part: 2\npositions: line\nevents: A\n",
      "12: events: differ from the first part's"),
  NO (HEAD BODY, "part: 2\npositions: line\nevent: S = A\nevents: A B\n",
      "13: events: differ from the first part's"),
  NO (SECOND, "fl=(1)\n", "13: file id (1) not defined in this part"),
  NO (SECOND, "fl=(1) b.c\n",
      "13: file id (1) has another name in this part"),
  NO (SECOND, "fl=(2) b.c\nfn=(1) main\n", "14: function id (1)" OTHER_PLACE),
  NO (SECOND, "fl=(3) b.c\n", "13: file ids not dense: the next is (2)"),
  YES (SECOND, "fl=(2) b.c\nfn=(2) f\n1 5\ntotals: 5 0\n"),
  NO (SECOND, "fl=(1) a.c\nfn=(1) main\n+1 5\n",
      "15: relative subposition at the start of a part"),
  NO (SECOND, "17 5\n", "13: cost line before the first fn= of the part"),
  NO (HEAD "ob=(1) lib\n" BODY PART, FUNCTION,
      "15: fn= without the ob= that the part before had"),
  YES (HEAD "ob=(1) lib\n" BODY PART, "ob=(1) lib\n" BODY),

  /* The order of lines.  */
  YES (HEAD, "\n# c\n" BLOCK "#\n\n" TOTALS),
  NO (HEAD, "fi=(1) a.c\n", "6: fi=/fe= before the first fn= of the part"),
  NO (HEAD, "fl=(1) a.c\nob=(1) lib\n", "7: ob= directly after fl="),
  NO (MAIN, "ob=(1) lib\n17 5\n", "10: cost line directly after ob="),
  NO (MAIN, "fi=(2) b.h\nfe=(1)\n", "10: fi=/fe= directly after fi=/fe="),
  NO (MAIN, "cfn=(2) f\ncob=(1) lib\n", "10: cob= directly after cfn="),
  NO (MAIN, "cfi=(2) b.c\ncob=(1) lib\n", "10: cob= directly after cfi="),
  YES (MAIN, "cob=(1) lib\ncfi=(2) b.c\ncfn=(2) f\ncalls=1 *\n16 7\n" TOTALS),
  NO (MAIN, "cfi=(2) b.c\ncalls=1 50\n", "10: calls= directly after cfi="),
  NO (MAIN, "cfl=(2) b.c\n", "9: line that some reader does not know"),
  NO (MAIN, "fn (1)\n", "9: line that some reader does not know"),
  NO (MAIN, "rec=(1)\n", "9: line that some reader does not know"),
  NO (MAIN, "jfn=f\njfi=b.c\n", "10: jfi= directly after jfn="),
  NO (MAIN, "jfi=b.c\ncfn=(2) f\n", "10: cfn= directly after jfi="),
  YES (MAIN, "jfi=b.c\njfn=f\njump=4 20\n17\njcnd=1/3 20\n*\n" TOTALS),
  NO (LIB, "jfn=(2)\n", "13: jfn= of a function in another object"),

  /* Numbers.  */
  ROW (ALLOW_ZERO_CALLS, MAIN "cfn=(2) f\ncalls=0 50\n16 7\n" TOTALS, NULL),
  NO (MAIN, "cfn=(2) f\ncalls=3 50 0\n", "10: text after the target position"),
  NO (MAIN, "jump=4\n", "9: no target position"),
  NO (MAIN, "jcnd=1/ 20\n", "9: no number where one must be"),
  NO (MAIN, "fn=(2) f\njump=1 116\n*\n",
      "11: first cost line after fn= is relative"),
  YES (MAIN, "fn=(2) f\ncfn=(1)\ncalls=1 *\n116 5\n+1 5\ntotals: 25 2\n"),
  NO (HEAD FUNCTION, "jump=1 *\n",
      "8: relative subposition at the start of a part"),
  ROW (ABSOLUTE, MAIN "* 5\n", "9: relative subposition in an absolute file"),
  ROW (ABSOLUTE, HEAD BODY, NULL),
  NO (MAIN, "+0 5\n", "9: difference of 0 not written as *"),
  YES (INSTR, "0x10 100 2\n+24 +1 1\n-2 -1 1\ntotals: 4 0\n"),
  NO (FAR, "-2147483648 * 1\n", "9: difference of 2^31 or more"),
  YES (FAR, "+2147483647 * 1\n-2147483647 * 1\ntotals: 4 0\n"),
  NO (MAIN, "-17 5\n", "9: relative subposition outside 0 to 2^64-1"),
  NO (INSTR, "16 1 2\n", "8: absolute address not in 0x form"),
  NO (MAIN, "+0x3 5\n", "9: hexadecimal number where it must be decimal"),
  YES (INSTR, "0x" "ffffffffffffffff 0 2\n0x0 1 1\ntotals: 3 0\n"),
  YES (OPENING "positions: instr\nevents: A\n" FUNCTION, "0x9f 2\ntotals: 2\n"),
  NO (INSTR, "0x10\n", "8: no blank after a number"),
  YES (MAIN, "17 0\n17 0 5\ntotals: 20 7\n"),
  ROW (KEEP_ZEROS, MAIN "17 5 0\ntotals: 25 2\n", NULL),
  NO (MAIN, "17 5x\n", "9: no blank after a number"),
  NO (MAIN, "17 18446744073709551616\n", "9: number larger than 2^64-1"),

  /* Names.  The three tables of ids are ob= and cob=; fl=, fi=, fe=, cfi= and
     jfi=; fn=, cfn= and jfn=.  */
  YES (HEAD "ob=(1) o\n" BLOCK,
       "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 50\n16 7\n"
       "jfi=(2)\njfn=(1)\njump=1 5\n16\nfi=(3) d.c\n16 1\nfe=(1)\n16 1\n"
       "ob=(2)\nfl=(2)\nfn=(2)\n1 1\ntotals: 23 2\n"),
  NO (HEAD, "fl=(0) a.c\n", "6: file ids not dense: the next is (1)"),
  NO (MAIN, "cob=(2) o\n", "9: object ids not dense: the next is (1)"),
  NO (MAIN, "jfn=(2) g\n", "9: function id defined by a jump"),
  YES (MAIN, "jfi=(2) (1)b.c\njump=1 5\n16\njfi=(2) (1)b.c\njump=1 5\n16\n"
             "fi=(2) (1)b.c\n16 0\n" TOTALS),
  NO (MAIN, "jfi=(2) (1)b.c\njump=1 5\n16\nfi=(2)\n",
      "12: file id (2) not defined in this part"),
  NO (MAIN, "fi=(2) a.c\n", "9: a second id for the same file"),
  NO (MAIN, "ob=(1) o\nfn=(1)\n", "10: function id (1)" OTHER_PLACE),
  NO (LIB, "cfn=(2)\n", "13: function id (2)" OTHER_PLACE),
  ROW (PLAIN, HEAD "fl=a.c\nfn=(1) (1)f\n16 20 2\ncfn=(1)\ncalls=1 16\n16 7\n"
                   "cfn=(2) (2x)\ncalls=1 16\n16 7\n" TOTALS, NULL),

  /* Bytes.  */
  NO (HEAD, "# a\0b\n", "6: NUL byte"),
  NO (HEAD, "# a\x7f\n", "6: control character"),
  NO (HEAD, "# a\xc2\x85\n", "6: control character"),
  NO (HEAD, "# a\xe2\x80\xa9\n", "6: line separator U+2028 or U+2029"),
  YES (HEAD, "# \xc2\xa0 \xe2\x80\xaa \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf\n"
             BODY),
  NO (MAIN, " \n", "9: blank at the start of the line"),
  ROW (UNFINISHED, MAIN "17 5", "9: no newline at the end of the file"),

  /* Where the readers do not agree, lenient files are refused, too.  */
#define LOOSE "events: A\nfl=a\nfn=f\n"
#define LENIENT(text, why) ROW (LENIENT, text, why)
  LENIENT (LOOSE "1 2 3\n", "4: more numbers than events"),
  LENIENT (LOOSE "1 -3\n", "4: no number where one must be"),
  LENIENT (LOOSE "1-2 3\n", "4: no blank after a number"),
  LENIENT ("positions: instr\n" LOOSE "1 1\n-2 3\n",
           "6: relative subposition outside 0 to 2^64-1"),
  LENIENT (LOOSE "jump=1 2\n1 3\n", "5: costs on the source line of a jump"),
  LENIENT (LOOSE "jump=1 2\nfn=g\n", "5: jump without its source line"),
  LENIENT (LOOSE "calls=1 2\n", "4: calls= before any cfn="),
  LENIENT (LOOSE "cfn=f\ncalls=1 2\ncalls=1 2\n",
           "6: calls= without its cost line"),
  LENIENT (LOOSE "1 0X1\n", "4: hexadecimal number where it must be decimal"),
  LENIENT (LOOSE "fn=a\0b\n", "4: NUL byte"),
  LENIENT ("fl=a\n", "1: fl= before events:"),
  LENIENT ("events: \n", "1: events: without events"),
  LENIENT ("positions: bb line\n",
           "1: positions: not line, instr or instr line"),
  LENIENT (LOOSE "part: 2\nevents: A B\n",
           "5: events: differ from the first part's"),
};

/* Reads a text, which is refused for exactly this reason or, NULL, taken.  */
static void
check (unsigned flags, const char *text, size_t n, const char *why)
{
  char error[256] = "";
  struct profile *p = profile_read (text, n, flags, error, sizeof error);
  cr_expect (!p == !!why && (p || !strcmp (error, why)),
             "\"%s\", not \"%s\":\n%.400s", p ? "taken" : error,
             why ? why : "taken", text);
  profile_free (p);
}

Test (reader, rules)
{
  for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++)
    check (r->flags, r->text, r->n, r->why);
}

Test (reader, file_of_4_gib)
{
  if (SIZE_MAX > UINT32_MAX)
    check (READER_STRICT, "", (size_t) UINT32_MAX + 1,
           "0: file of 4 GiB or more");
}

Test (reader, not_utf8)
{
  static const char *const bad[] = {
    "\x80", "\xff", "\xc3", "\xc3(", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
    "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82",
    "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
    "\xf8\x88\x80\x80\x80", "\xf0\x9f\x98"
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
      char text[256];
      snprintf (text, sizeof text, HEAD "# %s\n", bad[i]);
      check (READER_STRICT, text, strlen (text), "6: not valid UTF-8");
    }
}

Test (reader, long_name)
{
  static char text[70000];
  for (int n = 65536; n <= 65537; n++)
    {
      snprintf (text, sizeof text,
                HEAD "fl=(1) %0*d\nfn=(1) main\n16 20 2\n" TOTALS, n, 0);
      check (READER_STRICT, text, strlen (text),
             n == 65536 ? NULL : "6: name longer than 65536 bytes");
    }
}

/* Behind a header and blank lines, a record begins so many bytes before the end
   of a page.  One of a page or more cannot but straddle.  */
Test (reader, record_over_a_page)
{
  static char text[16384];
  static const int lengths[] = { 1, 4000, 5000 };
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t before = 1; before < 60; before++)
      {
        size_t begin = 4096 - before;
        memset (text, '\n', begin);
        memcpy (text, HEAD, strlen (HEAD));
        size_t n = (size_t) snprintf (text + begin, sizeof text - begin,
                                      "fl=(1) a.c\nfn=(1) %0*d\n16 2\n",
                                      lengths[i], 0);
        bool straddles = n > before && n < 4096;
        char why[80];
        strcpy (text + begin + n, "totals: 2 0\n");
        snprintf (why, sizeof why,
                  "%zu: record straddles a multiple of 4096 bytes",
                  begin - strlen (HEAD) + 5 + 3);
        check (READER_STRICT, text, begin + n + strlen ("totals: 2 0\n"),
               straddles ? why : NULL);
        check (READER_NO_PAD, text, begin + n + strlen ("totals: 2 0\n"),
               NULL);
      }
}
