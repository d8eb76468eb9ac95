/* test_lines.c - the lines of a part's body: a table of cases, each some
   records and the exact text they must give; then pages.

   Each case says why its text is so, where the format's document would allow
   another: mostly because a reader misreads that.  What no call can produce
   needs no case: tabs, CRLF or leading blanks, a key that readers do not know,
   names defined ahead of the body, cfn= without calls=, jfn= without a jump.
   And these a caller can still walk into:
   - speedscope refuses several parts in one file and misreads jumps and
     addresses; it makes NaN of zeros left out (CGW_KEEP_ZEROS is for it).
   - gprof2dot fails at jfn=, a jump to another function.
   - Qt Creator stops at event: lines: leave out long names and formulas.
   - KCachegrind merges two functions of one name in files of one basename and
     one object, reads the rest only of a file beyond 4 GiB, and shows 0 for a
     call without its inclusive cost.
   - callgrind_annotate cuts a file named C:\x.c at the colon, and splits off
     the calls of absolute paths below its directory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

/* The table's records.  */

/* A position, by names; NULL is unknown.  */
struct at
{
  const char *object, *file, *fn;
  const char *source; /* the file that inlined code is from */
  uint32_t line;
  uint64_t instr;
  bool zero; /* the handle {0}: no names are added */
};

#define AT(o, fl, f, l) { .object = o, .file = fl, .fn = f, .line = l }
#define IN(o, fl, f, src, l)                                                  \
  { .object = o, .file = fl, .fn = f, .source = src, .line = l }
#define ZERO(l, i) { .line = l, .instr = i, .zero = true }
/* f and g of a.c, in no object; f with code from a.h; f at an address.  */
#define F(l) AT (NULL, "a.c", "f", l)
#define G(l) AT (NULL, "a.c", "g", l)
#define F_IN(l) IN (NULL, "a.c", "f", "a.h", l)
#define F_INSTR(i, l) { .file = "a.c", .fn = "f", .line = l, .instr = i }

enum kind
{
  END,
  NAME, /* adds the names of `from`, and writes nothing */
  COST,
  CALL,
  JUMP,
  COND_JUMP,
  COMMENT,
  PART
};

struct record
{
  enum kind kind;
  enum cgw_status status; /* what the call must return */
  struct at from, to;
  uint64_t count; /* of a call; executed, of a jump */
  uint64_t followed;
  uint64_t cost[3];
  size_t n;
  const char *text;
};

#define NAME(at) { .kind = NAME, .from = at }
#define COST(at, c) { .kind = COST, .from = at, .n = 1, .cost = { c } }
#define COSTS(at, k, ...)                                                     \
  { .kind = COST, .from = at, .n = k, .cost = { __VA_ARGS__ } }
#define CALL(at, target, c)                                                   \
  { .kind = CALL, .from = at, .to = target, .count = 1, .n = 1, .cost = { c } }
#define CALLS(at, target, calls, k, ...)                                      \
  { .kind = CALL, .from = at, .to = target, .count = calls, .n = k,           \
    .cost = { __VA_ARGS__ } }
#define JUMP(at, target, times)                                               \
  { .kind = JUMP, .from = at, .to = target, .count = times }
#define COND_JUMP(at, target, taken, times)                                   \
  { .kind = COND_JUMP, .from = at, .to = target, .followed = taken,           \
    .count = times }
#define COMMENT(t) { .kind = COMMENT, .text = t }
#define NEXT_PART { .kind = PART }
/* A record that the library must refuse, and what it hands over.  */
#define REFUSED(s, k, ...) { .kind = k, .status = s, __VA_ARGS__ }

struct lines_case
{
  const char *name;
  const char *why;    /* or NULL */
  unsigned flags;     /* of the writer */
  const char *events; /* NULL: "Ir" */
  unsigned positions; /* 0: lines */
  struct record records[12];
  const char *body;
};

#define PART_2 "part: 2\npositions: line\nevents: Ir\n"
#define PART_3 "part: 3\npositions: line\nevents: Ir\n"

static const struct lines_case cases[] = {
  /* ob=, fl=, fn=.  */
  { .name = "object, file, function in this order",
    .why = "KCachegrind books to (unknown) when ob= comes after fn=, and "
           "binds fn= to the fl= before it",
    .records = { COST (AT ("lib.so", "a.c", "main", 16), 5) },
    .body = "ob=(1) lib.so\nfl=(1) a.c\nfn=(1) main\n16 5\ntotals: 5\n" },
  { .name = "no object line for the unknown object",
    .records = { COST (AT (NULL, "a.c", "main", 16), 5) },
    .body = "fl=(1) a.c\nfn=(1) main\n16 5\ntotals: 5\n" },
  { .name = "NULL, \"\" and {0} are the same unknown",
    .why = "gprof2dot crashes at an empty name, callgrind_annotate shows "
           "\"file:\"",
    .records = { COST (AT ("", "", "", 1), 1),
                 COST (AT (NULL, NULL, NULL, 1), 1), COST (ZERO (1, 0), 1) },
    .body = "fl=(1) ???\nfn=(1) ???\n1 1\n* 1\n* 1\ntotals: 3\n" },
  { .name = "the same function is not named again",
    .records = { COST (AT ("o", "a.c", "f", 100), 5),
                 COST (AT ("o", "a.c", "f", 101), 6) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n100 5\n+1 6\ntotals: 11\n" },
  { .name = "another function of the file",
    .records = { COST (AT ("o", "a.c", "f", 1), 1),
                 COST (AT ("o", "a.c", "g", 2), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\nfn=(2) g\n2 1\n"
            "totals: 2\n" },
  { .name = "a function of another file",
    .records = { COST (AT ("o", "a.c", "f", 1), 1),
                 COST (AT ("o", "b.c", "g", 2), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
            "fl=(2) b.c\nfn=(2) g\n2 1\ntotals: 2\n" },
  { .name = "a function of another object",
    .why = "KCachegrind forgets the function at ob=, but not the file",
    .records = { COST (AT ("o", "a.c", "f", 1), 1),
                 CALL (AT ("o", "a.c", "f", 1), AT ("p", "a.c", "g", 1), 7),
                 COST (AT ("p", "a.c", "g", 2), 1),
                 COST (AT (NULL, "a.c", "h", 3), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
            "cob=(2) p\ncfn=(2) g\ncalls=1 *\n* 7\nob=(2)\nfn=(2)\n2 1\n"
            "ob=(3) ???\nfn=(3) h\n3 1\ntotals: 3\n" },
  { .name = "an unknown object that was added by its name",
    .why = "Qt Creator takes it for another one than none",
    .records = { COST (AT ("???", "a.c", "f", 1), 1),
                 COST (AT ("o", "a.c", "g", 2), 1),
                 CALL (AT ("o", "a.c", "g", 2), AT (NULL, "a.c", "f", 1), 7) },
    .body = "ob=(1) ???\nfl=(1) a.c\nfn=(1) f\n1 1\n"
            "ob=(2) o\nfn=(2) g\n2 1\n"
            "cob=(1)\ncfn=(1)\ncalls=1 1\n* 7\ntotals: 2\n" },
  { .name = "back to a function",
    .why = "speedscope refuses a second definition of an id",
    .records = { COST (AT ("o", "a.c", "f", 1), 1),
                 COST (AT ("p", "b.c", "g", 2), 1),
                 COST (AT ("o", "a.c", "f", 3), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
            "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n2 1\n"
            "ob=(1)\nfl=(1)\nfn=(1)\n3 1\ntotals: 3\n" },
  { .name = "ids are given at first use",
    .why = "KCachegrind sizes a vector by the largest id: they must be dense",
    .records = { NAME (AT ("unused.so", "unused.c", "unused", 1)),
                 NAME (AT ("o", "a.c", "f", 1)),
                 COST (AT ("p", "b.c", "g", 1), 1),
                 COST (AT ("o", "a.c", "f", 1), 1) },
    .body = "ob=(1) p\nfl=(1) b.c\nfn=(1) g\n1 1\n"
            "ob=(2) o\nfl=(2) a.c\nfn=(2) f\n1 1\ntotals: 2\n" },
  { .name = "each function of a name has its own id",
    .why = "KCachegrind binds an id to its first file and object, and would "
           "merge them",
    .records = { COST (AT ("o", "a.c", "init", 1), 1),
                 COST (AT ("o", "b.c", "init", 1), 2),
                 COST (AT ("p", "b.c", "init", 1), 4) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) init\n1 1\n"
            "fl=(2) b.c\nfn=(2) init\n1 2\nob=(2) p\nfn=(3) init\n1 4\n"
            "totals: 7\n" },
  { .name = "a refused record leaves no names",
    .why = "callgrind_annotate renames the last function when a fl= ends "
           "the file",
    .records =
      { COST (F (1), 1),
        REFUSED (CGW_ECOSTS, COST, .from = AT ("p", "b.c", "g", 1), .n = 2),
        REFUSED (CGW_ECOSTS, CALL, .from = F (1),
                 .to = AT ("p", "b.c", "g", 1), .count = 1, .n = 2) },
    .body = "fl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n" },

  /* fi=, fe=.  */
  { .name = "inlined code and back",
    .records = { COST (F (1), 1), COST (F_IN (2), 1), COST (F_IN (3), 1),
                 COST (F (4), 1), COST (F (5), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 1\n3 1\n"
            "fe=(1)\n4 1\n5 1\ntotals: 5\n" },
  { .name = "inlined code from two files",
    .records = { COST (F (1), 1), COST (F_IN (2), 1),
                 COST (IN (NULL, "a.c", "f", "b.h", 3), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 1\nfi=(3) b.h\n3 1\n"
            "totals: 3\n" },
  { .name = "inlined code first",
    .why = "callgrind_annotate dies at a fi= before any fn=",
    .records = { COST (F_IN (2), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\ntotals: 1\n" },
  { .name = "inlined code first, in the unknown function",
    .records = { COST (IN (NULL, NULL, NULL, "a.h", 1), 1) },
    .body = "fl=(1) ???\nfn=(1) ???\nfi=(2) a.h\n1 1\ntotals: 1\n" },
  { .name = "the function's own file is not inlined",
    .records = { COST (IN (NULL, "a.c", "f", "a.c", 2), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n2 1\ntotals: 1\n" },
  { .name = "inlined code from an unknown file",
    .records = { COST (IN (NULL, "a.c", "f", "", 2), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\nfi=(2) ???\n2 1\ntotals: 1\n" },
  { .name = "the file comes again after inlined code",
    .why = "readers disagree on the file of a fn= after fi=; KCachegrind "
           "books to the wrong one",
    .records = { COST (F_IN (2), 1), COST (G (2), 1), COST (F (2), 1),
                 COST (F_IN (2), 1), COST (AT (NULL, "a.h", "h", 2), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\n"
            "fl=(1)\nfn=(2) g\n2 1\nfn=(1)\n2 1\nfi=(2)\n* 1\n"
            "fl=(2)\nfn=(3) h\n2 1\ntotals: 5\n" },
  { .name = "the file comes again after fe=",
    .records = { COST (F_IN (2), 1), COST (F (2), 1), COST (G (2), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n2 1\nfe=(1)\n* 1\n"
            "fl=(1)\nfn=(2) g\n2 1\ntotals: 3\n" },

  /* Calls.  */
  { .name = "call inside a file",
    .records =
      { CALLS (AT ("o", "a.c", "f", 16), AT ("o", "a.c", "g", 30), 3, 1,
               700) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cfn=(2) g\ncalls=3 30\n16 700\ntotals: 0\n" },
  { .name = "call into another file",
    .records = { CALL (AT ("o", "a.c", "f", 1), AT ("o", "b.c", "g", 2), 7) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n" },
  { .name = "call into another object",
    .records = { CALL (AT ("o", "a.c", "f", 1), AT ("p", "a.c", "g", 2), 7),
                 CALL (AT ("o", "a.c", "f", 1), AT ("p", "b.c", "h", 2), 7) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cob=(2) p\ncfn=(2) g\ncalls=1 2\n1 7\n"
            "cob=(2)\ncfi=(2) b.c\ncfn=(3) h\ncalls=1 2\n* 7\ntotals: 0\n" },
  { .name = "call into the unknown object",
    .records = { CALL (AT ("o", "a.c", "f", 1), G (2), 7) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cob=(2) ???\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n" },
  { .name = "call first, by the unknown function",
    .why = "KCachegrind crashes at a cfn= before any fn=; Qt Creator loses "
           "the call if the caller has no ob= and the callee has a cob=",
    .records = { CALL (ZERO (1, 0), AT ("p", "b.c", "g", 2), 7) },
    .body = "ob=(1) ???\nfl=(1) ???\nfn=(1) ???\n"
            "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\n"
            "totals: 0\n" },
  { .name = "each call names its callee",
    .why = "readers forget cob= and cfi= after a call; speedscope and Qt "
           "Creator cfn=, too",
    .records = { CALL (AT ("o", "a.c", "f", 1), AT ("p", "b.c", "g", 2), 7),
                 CALL (AT ("o", "a.c", "f", 1), AT ("p", "b.c", "g", 2), 7) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\n"
            "cob=(2)\ncfi=(2)\ncfn=(2)\ncalls=1 2\n* 7\ntotals: 0\n" },
  { .name = "cob= and cfi= of a known callee",
    .why = "KCachegrind binds a callee to the first ones, "
           "callgrind_annotate goes by the last",
    .records = { CALL (AT ("o", "a.c", "f", 1), AT ("p", "b.c", "g", 1), 7),
                 COST (AT ("p", "b.c", "g", 1), 7),
                 CALL (AT ("o", "a.c", "f", 1), AT ("p", "b.c", "g", 1), 7) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
            "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 1\n1 7\n"
            "ob=(2)\nfl=(2)\nfn=(2)\n1 7\nob=(1)\nfl=(1)\nfn=(1)\n"
            "cob=(2)\ncfi=(2)\ncfn=(2)\ncalls=1 1\n1 7\ntotals: 7\n" },
  { .name = "call from inlined code",
    .why = "without cfi= readers disagree on the callee's file while a fi= "
           "is active",
    .records = { CALL (F_IN (1), G (2), 7),
                 CALL (F_IN (1), AT (NULL, "a.h", "h", 2), 7),
                 CALL (F (1), G (2), 7) },
    .body = "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n"
            "cfi=(1)\ncfn=(2) g\ncalls=1 2\n1 7\n"
            "cfi=(2)\ncfn=(3) h\ncalls=1 2\n* 7\n"
            "fe=(1)\ncfn=(2)\ncalls=1 2\n* 7\ntotals: 0\n" },
  { .name = "the callee's inlined file is not used",
    .records = { CALL (F (1), IN (NULL, "b.c", "g", "b.h", 2), 7) },
    .body = "fl=(1) a.c\nfn=(1) f\n"
            "cfi=(2) b.c\ncfn=(2) g\ncalls=1 2\n1 7\ntotals: 0\n" },
  { .name = "recursion",
    .records = { CALL (F (5), F (1), 7) },
    .body = "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=1 1\n5 7\ntotals: 0\n" },
  { .name = "call of the unknown function",
    .records = { CALL (F (5), ZERO (0, 0), 7) },
    .body = "fl=(1) a.c\nfn=(1) f\n"
            "cfi=(2) ???\ncfn=(2) ???\ncalls=1 0\n5 7\ntotals: 0\n" },
  { .name = "most calls, without costs",
    .why = "speedscope and Qt Creator misread a line without any cost",
    .records = { CALLS (F (5), F (5), UINT64_MAX, 0, 0) },
    .body = "fl=(1) a.c\nfn=(1) f\ncfn=(1)\n"
            "calls=18446744073709551615 5\n5 0\ntotals: 0\n" },
  { .name = "calls of count 0",
    .why = "callgrind_annotate takes their cost for self cost",
    .records = { REFUSED (CGW_EINVAL, CALL, .from = F (1), .to = F (1)) },
    .body = "totals: 0\n" },
  { .name = "calls of count 0 if wanted",
    .flags = CGW_ZERO_CALLS,
    .records = { CALLS (F (5), F (5), 0, 1, 7) },
    .body = "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=0 5\n5 7\ntotals: 0\n" },

  /* Jumps.  */
  { .name = "jump inside a function",
    .why = "gprof2dot fails at any jfn=; KCachegrind takes the next cost "
           "line for the source",
    .records = { JUMP (F (5), F (9), 3), COST (F (5), 1),
                 JUMP (F (5), F (9), 0) },
    .body = "fl=(1) a.c\nfn=(1) f\njump=3 9\n5\n5 1\njump=0 9\n*\n"
            "totals: 1\n" },
  { .name = "conditional jump",
    .why = "KCachegrind and callgrind have FOLLOWED/EXECUTED, the "
           "document's grammar another form",
    .records = { COND_JUMP (F (5), F (9), 2, 7), COST (F (5), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njcnd=2/7 9\n5\n5 1\ntotals: 1\n" },
  { .name = "jump between functions",
    .records = { JUMP (AT ("o", "a.c", "f", 5), AT ("o", "a.c", "g", 8), 1),
                 JUMP (AT ("o", "a.c", "f", 5), AT ("o", "b.c", "h", 9), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\njfn=g\njump=1 8\n5\n"
            "jfi=b.c\njfn=h\njump=1 9\n5\ntotals: 0\n" },
  { .name = "jump into and out of inlined code",
    .records = { JUMP (F (5), F_IN (9), 1), JUMP (F_IN (9), F (5), 1),
                 JUMP (F_IN (9), F_IN (9), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njfi=a.h\njump=1 9\n5\n"
            "fi=(2) a.h\njfi=(1)\njump=1 5\n9\njump=1 9\n9\n"
            "totals: 0\n" },
  { .name = "the file of a jump's other function is its own",
    .why = "a jfn= binds its function to the jfi= before it, wherever the "
           "code comes from",
    .records =
      { JUMP (F (5), IN (NULL, "b.c", "g", "b.h", 9), 1),
        JUMP (IN (NULL, "a.c", "f", "b.h", 6), AT (NULL, "a.c", "k", 1), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njfi=b.c\njfn=g\njump=1 9\n5\n"
            "fi=(2) b.h\njfi=(1)\njfn=k\njump=1 1\n6\ntotals: 0\n" },
  { .name = "a jump defines no id",
    .why = "speedscope and Qt Creator skip jfi= and jfn=, and would not know "
           "the id later",
    .records = { JUMP (F (1005), AT (NULL, "b.c", "g", 9), 1),
                 JUMP (F (1005), AT (NULL, "b.c", "g", 9), 1),
                 COST (AT (NULL, "b.c", "g", 9), 1),
                 JUMP (F (1005), AT (NULL, "b.c", "g", 9), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njfi=b.c\njfn=g\njump=1 9\n1005\n"
            "jfi=b.c\njfn=g\njump=1 9\n*\nfl=(2) b.c\nfn=(2) g\n9 1\n"
            "fl=(1)\nfn=(1)\njfi=(2)\njfn=(2)\njump=1 9\n1005\n"
            "totals: 1\n" },
  { .name = "a jump to a name that reads as an id",
    .why = "only an id keeps it apart from one; readers that know jfi= take "
           "the same definition twice",
    .records = { JUMP (F (1005), IN (NULL, "a.c", "f", "(1)", 9), 1),
                 JUMP (F (1005), AT (NULL, "a.c", "(2)g", 9), 1),
                 COST (IN (NULL, "a.c", "f", "(1)", 1006), 1),
                 COST (AT (NULL, "a.c", "(2)g", 9), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njfi=(2) (1)\njump=1 9\n1005\n"
            "jfn=(2) (2)g\njump=1 9\n*\nfi=(2) (1)\n1006 1\n"
            "fl=(1)\nfn=(2) (2)g\n9 1\ntotals: 2\n" },
  { .name = "a jump's short source position is no base",
    .why = "Qt Creator drops lines of less than three bytes",
    .records = { JUMP (F (42), F (9), 1), COST (F (43), 1), COST (F (43), 1),
                 JUMP (F (143), F (9), 1), COST (F (143), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\njump=1 9\n42\n43 1\n* 1\n"
            "jump=1 9\n143\n* 1\ntotals: 3\n" },
  { .name = "jump into another object",
    .why = "KCachegrind binds the target to the source's object, and the "
           "format has no line for another",
    .records =
      { REFUSED (CGW_EINVAL, JUMP, .from = AT ("o", "a.c", "f", 1),
                 .to = AT ("p", "a.c", "g", 1)),
        REFUSED (CGW_EINVAL, COND_JUMP, .from = AT ("o", "a.c", "f", 1),
                 .to = AT ("p", "a.c", "g", 1)),
        REFUSED (CGW_EINVAL, JUMP, .from = AT ("o", "a.c", "f", 1),
                 .to = ZERO (1, 0)) },
    .body = "totals: 0\n" },

  /* Subpositions.  */
  { .name = "what the base is",
    .why = "cost lines of any kind are; targets are not",
    .records = { COST (F (1000), 1), CALL (F (1010), F (1500), 1),
                 COST (F (1011), 1), JUMP (F (1021), F (1500), 1),
                 COST (F (1022), 1), COND_JUMP (F (1032), F (1500), 1, 1),
                 COST (F (1031), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n1000 1\n"
            "cfn=(1)\ncalls=1 1500\n+10 1\n+1 1\njump=1 1500\n+10\n+1 1\n"
            "jcnd=1/1 1500\n+10\n-1 1\ntotals: 4\n" },
  { .name = "targets are relative to the last cost line",
    .records = { COST (F (1000), 1), CALL (F (1002), F (1003), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n1000 1\ncfn=(1)\ncalls=1 +3\n+2 1\n"
            "totals: 1\n" },
  { .name = "a function's first positions are absolute",
    .why = "Qt Creator begins its base anew at each fn=",
    .records = { COST (F (1000), 1), CALL (G (1001), F (1000), 1),
                 JUMP (F (1001), F (1002), 1), COST (G (1001), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n1000 1\n"
            "fn=(2) g\ncfn=(1)\ncalls=1 1000\n1001 1\n"
            "fn=(1)\njump=1 1002\n1001\nfn=(2)\n1001 1\ntotals: 2\n" },
  { .name = "addresses and lines, each with its own base",
    .why = "callgrind_annotate loses \"+0x3\", and lines in hex",
    .positions = CGW_INSTR_LINE,
    .records = { COST (F_INSTR (0x1000, 100), 1),
                 COST (F_INSTR (0x1004, 100), 1),
                 COST (F_INSTR (0x1004, 105), 1),
                 CALL (F_INSTR (0x1004, 105), F_INSTR (0x1000, 100), 1),
                 JUMP (F_INSTR (0x1000, 100), F_INSTR (0x1004, 100), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n0x1000 100 1\n+4 * 1\n* +5 1\n"
            "cfn=(1)\ncalls=1 -4 -5\n* * 1\njump=1 * -5\n-4 -5\n"
            "totals: 3\n" },
  { .name = "positions of zero",
    .why = "KCachegrind loses a jump to the address 0 only; everybody reads "
           "the rest",
    .positions = CGW_INSTR_LINE,
    .records = { COST (F_INSTR (0, 0), 1),
                 CALL (F_INSTR (0, 0), F_INSTR (0, 0), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n0x0 0 1\ncfn=(1)\ncalls=1 * *\n* * 1\n"
            "totals: 1\n" },
  { .name = "addresses are not used in a part of lines",
    .records = { COST (F_INSTR (1, 7), 1), COST (F_INSTR (2, 7), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n7 1\n* 1\ntotals: 2\n" },
  { .name = "absolute if wanted",
    .flags = CGW_ABSOLUTE, .positions = CGW_INSTR_LINE,
    .records = { COST (F_INSTR (0x1000, 100), 1),
                 COST (F_INSTR (0x1000, 100), 1),
                 CALL (F_INSTR (0x1000, 100), F_INSTR (0x1000, 100), 1),
                 JUMP (F_INSTR (0x1000, 100), F_INSTR (0x1000, 100), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n0x1000 100 1\n0x1000 100 1\n"
            "cfn=(1)\ncalls=1 0x1000 100\n0x1000 100 1\n"
            "jump=1 0x1000 100\n0x1000 100\ntotals: 2\n" },

  /* Costs.  */
  { .name = "trailing zeros go, but one cost stays",
    .why = "speedscope and Qt Creator misread a line without any cost",
    .events = "A B C",
    .records = { COSTS (F (5), 0, 0), COSTS (F (5), 3, 0, 0, 0),
                 COSTS (F (5), 0, 1), COSTS (F (5), 1, 1, 0, 2),
                 COSTS (F (5), 2, 1, 0, 2), COSTS (F (5), 3, 1, 0, 2),
                 COSTS (F (5), 0, 0, 1), COSTS (F (5), 1, 0, 1),
                 COSTS (F (5), 2, 0, 1), COSTS (F (5), 3, 0, 1, 0) },
    .body = "fl=(1) a.c\nfn=(1) f\n5 0\n* 0\n* 0\n* 1\n* 1\n* 1 0 2\n"
            "* 0\n* 0\n* 0 1\n* 0 1\ntotals: 3 2 2\n" },
  { .name = "zeros stay if wanted",
    .why = "speedscope makes NaN of what is missing",
    .flags = CGW_KEEP_ZEROS, .events = "A B C",
    .records = { COSTS (F (5), 0, 1, 0, 2), COSTS (F (5), 1, 1, 0, 2),
                 COSTS (F (5), 2, 1, 0, 2), COSTS (F (5), 3, 1, 0, 2),
                 CALL (ZERO (1, 0), ZERO (1, 0), 9) },
    .body = "fl=(1) a.c\nfn=(1) f\n5 0 0 0\n* 1 0 0\n* 1 0 0\n* 1 0 2\n"
            "fl=(2) ???\nfn=(2) ???\ncfn=(2)\ncalls=1 1\n1 9 0 0\n"
            "totals: 3 0 2\n" },
  { .name = "trailing zeros of a call",
    .events = "A B C",
    .records = { CALLS (F (5), F (5), 1, 3, 0, 4, 0),
                 CALLS (F (5), F (5), 1, 3, 0, 0, 0) },
    .body = "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=1 5\n5 0 4\n"
            "cfn=(1)\ncalls=1 *\n* 0\ntotals: 0 0 0\n" },
  { .name = "largest numbers",
    .records = { COST (ZERO (UINT32_MAX, 0), UINT64_MAX) },
    .body = "fl=(1) ???\nfn=(1) ???\n4294967295 18446744073709551615\n"
            "totals: 18446744073709551615\n" },

  /* Names in full.  */
  { .name = "plain names",
    .flags = CGW_PLAIN_NAMES,
    .records =
      { CALL (AT ("o", "a.c", "(below main)", 1), AT ("o", "b.c", "g", 2), 1),
        COST (IN ("o", "a.c", "(below main)", "a.h", 1), 1),
        COST (AT ("o", "b.c", "g", 2), 1),
        JUMP (AT ("o", "b.c", "g", 2), AT ("o", "a.c", "(below main)", 1),
              1) },
    .body = "ob=o\nfl=a.c\nfn=(below main)\ncfi=b.c\ncfn=g\ncalls=1 2\n1 1\n"
            "fi=a.h\n* 1\n"
            "fl=b.c\nfn=g\n2 1\njfi=a.c\njfn=(below main)\njump=1 1\n*\n"
            "totals: 2\n" },
  { .name = "plain names that are unknown",
    .why = "gprof2dot crashes at an empty name",
    .flags = CGW_PLAIN_NAMES,
    .records = { COST (AT ("", "", "", 1), 1),
                 CALL (AT ("o", "", "m", 1), AT ("", "a", "", 1), 1) },
    .body = "fl=???\nfn=???\n1 1\n"
            "ob=o\nfn=m\ncob=???\ncfi=a\ncfn=???\ncalls=1 1\n1 1\n"
            "totals: 1\n" },
  { .name = "a plain name that reads as an id",
    .why = "all readers take \"(1)x\" for one, and drop blanks before a name",
    .flags = CGW_PLAIN_NAMES,
    .records = { COST (AT (NULL, "(1)x", " (1)", 1), 1) },
    .body = "fl=(1) (1)x\nfn=\\x20(1)\n1 1\ntotals: 1\n" },

  /* Comments.  */
  { .name = "comments come where they are made",
    .why = "speedscope makes an event of a blank at a line's end",
    .records = { COMMENT ("first"), COST (F (100), 1),
                 COMMENT (" two\nlines "), COST (F (101), 1), COMMENT ("") },
    .body = "# first\nfl=(1) a.c\nfn=(1) f\n100 1\n"
            "# two\\x0alines\n+1 1\n#\ntotals: 2\n" },
  { .name = "a comment that reads like a report",
    .why = "the library's own report of what was lost begins so",
    .records = { COMMENT (" cgw: lost 7 records"), COMMENT ("cgw: found") },
    .body = "# \\x63gw: lost 7 records\n# cgw: found\ntotals: 0\n" },

  /* Parts.  */
  { .name = "inclusive costs are summed by nobody",
    .records = { CALL (F (1), F (1), UINT64_MAX),
                 CALL (F (1), F (1), UINT64_MAX) },
    .body = "fl=(1) a.c\nfn=(1) f\n"
            "cfn=(1)\ncalls=1 1\n1 18446744073709551615\n"
            "cfn=(1)\ncalls=1 *\n* 18446744073709551615\ntotals: 0\n" },
  { .name = "a part defines its names again",
    .why = "KCachegrind forgets ids and bases at the end of a part, "
           "callgrind_annotate does not",
    .records = { COST (AT ("o", "a.c", "f", 100), 1),
                 COST (AT ("p", "b.c", "g", 100), 1), NEXT_PART,
                 COST (AT ("p", "b.c", "g", 100), 1),
                 CALL (AT ("p", "b.c", "g", 100), AT ("o", "a.c", "f", 100),
                       1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n100 1\n"
            "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n100 1\ntotals: 2\n" PART_2
            "ob=(2) p\nfl=(2) b.c\nfn=(2) g\n100 1\n"
            "cob=(1) o\ncfi=(1) a.c\ncfn=(1) f\ncalls=1 *\n* 1\n"
            "totals: 1\n" },
  { .name = "a part begins absolute",
    .why = "KCachegrind counts from 0 there, callgrind_annotate from the "
           "part before",
    .positions = CGW_INSTR_LINE,
    .records = { COST (F_INSTR (0x1000, 100), 1), NEXT_PART,
                 CALL (F_INSTR (0x1000, 100), F_INSTR (0x1000, 100), 1) },
    .body = "fl=(1) a.c\nfn=(1) f\n0x1000 100 1\ntotals: 1\n"
            "part: 2\npositions: instr line\nevents: Ir\n"
            "fl=(1) a.c\nfn=(1) f\ncfn=(1)\ncalls=1 0x1000 100\n0x1000 100 1\n"
            "totals: 0\n" },
  { .name = "a part begins with its function",
    .why = "KCachegrind forgets it and would crash at cfn=",
    .records =
      { COST (IN ("o", "a.c", "f", "a.h", 1), 1), NEXT_PART,
        CALL (IN ("o", "a.c", "f", "a.h", 1), AT ("o", "a.c", "f", 1), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n1 1\ntotals: 1\n"
            PART_2
            "ob=(1) o\nfl=(1) a.c\nfn=(1) f\nfi=(2) a.h\ncfi=(1)\ncfn=(1)\n"
            "calls=1 1\n1 1\ntotals: 0\n" },
  { .name = "a part names the unknown object after a known one",
    .why = "a reader that keeps the object over parts must not book it there",
    .records = { COST (AT ("o", "a.c", "f", 1), 1), NEXT_PART, NEXT_PART,
                 COST (G (1), 1) },
    .body = "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n" PART_2
            "totals: 0\n" PART_3 "ob=(2) ???\nfl=(1) a.c\nfn=(2) g\n1 1\n"
            "totals: 1\n" },
  { .name = "plain names over parts",
    .flags = CGW_PLAIN_NAMES,
    .records = { COST (AT (NULL, "a.c", "(1)", 1), 1), COST (ZERO (1, 0), 1),
                 COST (AT (NULL, "a.c", "(1)", 1), 1), NEXT_PART,
                 COST (AT (NULL, "a.c", "(1)", 1), 1), COST (ZERO (1, 0), 1),
                 COST (AT (NULL, "a.c", "(1)", 1), 1) },
    .body = "fl=a.c\nfn=(1) (1)\n1 1\nfl=???\nfn=???\n1 1\n"
            "fl=a.c\nfn=(1)\n1 1\ntotals: 3\n" PART_2
            "fl=a.c\nfn=(1) (1)\n1 1\nfl=???\nfn=???\n1 1\n"
            "fl=a.c\nfn=(1)\n1 1\ntotals: 3\n" },
};

#define N_CASES (sizeof cases / sizeof cases[0])

static struct cgw_pos
position (struct cgw_names *names, const struct at *at)
{
  struct cgw_pos pos = { .line = at->line, .instr = at->instr };

  if (!at->zero)
    pos.fn = written_fn (names, at->object, at->file, at->fn);
  if (at->source != NULL)
    pos.file = cgw_add_file (names, at->source);
  return pos;
}

static enum cgw_status
hand_over (const struct lines_case *c, struct written *f,
           const struct record *r)
{
  struct cgw_writer *w = f->w;
  struct cgw_pos from, to;

  if (r->kind == COMMENT)
    return cgw_comment (w, r->text);
  if (r->kind == PART)
    return written_part (w, c->events != NULL ? c->events : "Ir",
                         c->positions);
  from = position (f->names, &r->from);
  to = r->kind != NAME && r->kind != COST ? position (f->names, &r->to)
                                           : from;
  switch (r->kind)
    {
    case COST:
      return cgw_cost (w, &from, r->n > 0 ? r->cost : NULL, r->n);
    case CALL:
      return cgw_call (w, &from, &to, r->count, r->n > 0 ? r->cost : NULL,
                       r->n);
    case JUMP:
      return cgw_jump (w, &from, &to, r->count);
    case COND_JUMP:
      return cgw_cond_jump (w, &from, &to, r->followed, r->count);
    default:
      return CGW_OK;
    }
}

/* A process for each case: its parameter is its number in the table.  */
ParameterizedTestParameters (lines, records)
{
  static size_t numbers[N_CASES];

  for (size_t i = 0; i < N_CASES; i++)
    numbers[i] = i;
  return cr_make_param_array (size_t, numbers, N_CASES);
}

ParameterizedTest (const size_t *number, lines, records)
{
  const struct lines_case *c = &cases[*number];
  enum cgw_status first = CGW_OK;
  struct written f;

  written_begin (&f, c->flags, c->events != NULL ? c->events : "Ir",
                 c->positions);
  f.name = c->name;
  for (const struct record *r = c->records; r->kind != END; r++)
    {
      cr_expect_eq (hand_over (c, &f, r), r->status, "%s: record %td",
                    c->name, r - c->records);
      first = first == CGW_OK ? r->status : first;
    }
  written_end (&f, first);
  cr_expect_str_eq (written_body (&f), c->body, "%s (%s):\n%s\nnot\n%s",
                    c->name, c->why != NULL ? c->why : "as the format says",
                    written_body (&f), c->body);
  written_free (&f);
}

/* One cost that is not 0, at each place, before zeros of each number.  */
Test (lines, a_cost_among_zeros)
{
  char body[4096] = "fl=(1) ???\nfn=(1) ???\n1", *end = strchr (body, '\0');
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A B C D E F G H", CGW_LINE);
  struct cgw_pos pos = written_line ((struct cgw_fn){ 0 }, 1);

  for (size_t i = 0; i < 8; i++)
    for (size_t n = i + 1; n <= 8; n++)
      {
        uint64_t costs[8] = { 0 };

        costs[i] = 1;
        cr_assert_eq (cgw_cost (w, &pos, costs, n), CGW_OK);
        end += sprintf (end, "%.*s 1\n*", (int) (2 * i), " 0 0 0 0 0 0 0");
      }
  strcpy (end - 1, "totals: 8 7 6 5 4 3 2 1\n");
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f), body);
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

/* The padding before a record that so many bytes of the page are left for.  */
static const struct
{
  const char *name;
  unsigned flags;
  size_t left;
  size_t padding;
} paddings[] = {
  { "a record that ends at the page", 0, sizeof RECORD - 1, 0 },
  { "a record that begins at the page", 0, 0, 0 },
  { "a record that would straddle by all but a byte", 0, 1, 1 },
  { "a record that would straddle", 0, 5, 5 },
  { "a record that would straddle by a byte", 0, sizeof RECORD - 2,
    sizeof RECORD - 2 },
  { "a record that may straddle by all but a byte", CGW_NO_PAD, 1, 0 },
  { "a record that may straddle", CGW_NO_PAD, 5, 0 },
};

Test (lines, padding)
{
  for (size_t i = 0; i < sizeof paddings / sizeof paddings[0]; i++)
    {
      size_t left = paddings[i].left, n = paddings[i].padding;
      struct written f;
      const char *at;

      written_cost (start_at (&f, paddings[i].flags, PAGE - left),
                    written_line ((struct cgw_fn){ 0 }, 1), 1);
      f.name = paddings[i].name;
      written_end (&f, CGW_OK);
      at = f.bytes + PAGE - left;
      cr_expect_eq (strspn (at, "\n"), n, "%s", f.name);
      cr_expect_str_eq (at + n, RECORD "totals: 1\n", "%s", f.name);
      written_free (&f);
    }
}

/* A record longer than a page begins at one, and that is all one can do; what
   is there already needs no padding.  */
Test (lines, a_record_longer_than_a_page)
{
  char name[PAGE + 1];

  memset (name, 'n', PAGE);
  name[PAGE] = '\0';
  for (size_t left = 0; left <= 4; left += 4)
    {
      struct written f;
      struct cgw_writer *w = start_at (&f, 0, PAGE - left);

      written_cost (
          w, written_line (written_fn (f.names, NULL, "a", name), 1), 1);
      written_end (&f, CGW_OK);
      cr_assert_eq (f.profile->blank_lines, left);
      cr_assert_eq (strncmp (f.bytes + PAGE, "fl=(1) a\nfn=(1) n", 17), 0);
      written_free (&f);
    }
}

Test (lines, comments_and_totals_do_not_straddle)
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

Test (lines, a_later_parts_header_does_not_straddle)
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
