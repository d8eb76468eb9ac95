/* test_header.c - the lines before a part's body: the file's first lines, and
   the part's header.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "# callgrind format\nversion: 1\ncreator: t\n"
#define IR "positions: line\nevents: Ir\n"

static const struct cgw_event ir = { "Ir", NULL, NULL };

/* A writer whose creator is t.  */
static struct cgw_writer *
start (struct written *f)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.creator = "t";
  return written_open (f, &o);
}

/* A part with these events must have this status.  */
static void
check_events (const struct cgw_event *events, size_t n, enum cgw_status status)
{
  struct written f;
  struct cgw_part part = written_part_of (events, n);

  cr_expect_eq (cgw_begin_part (start (&f), &part), status);
  if (status == CGW_OK)
    written_end (&f, CGW_OK);
  written_free (&f);
}

/* gprof2dot reads nothing when version: and creator: do not follow the first
   line directly: the line is there even if it says nothing.  */
Test (header, creators)
{
  static const struct
  {
    const char *creator, *line;
  } creators[] = {
    { NULL, "creator: libcgw-" CGW_VERSION_STRING "\n" },
    { "", "creator:\n" },
    { " ", "creator:\n" },
    { "x\ny", "creator: x\\x0ay\n" },
    { "version: 2", "creator: version: 2\n" },
  };
  char text[200];

  for (size_t i = 0; i < sizeof creators / sizeof creators[0]; i++)
    {
      struct written f;
      struct cgw_options o = CGW_OPTIONS_INIT;

      o.creator = creators[i].creator;
      written_part (written_open (&f, &o), "Ir", CGW_LINE);
      written_end (&f, CGW_OK);
      snprintf (text, sizeof text,
                "# callgrind format\nversion: 1\n%s" IR "totals: 0\n",
                creators[i].line);
      cr_expect_str_eq (f.bytes, text);
      written_free (&f);
    }
}

/* Parts without records, each in a file of its own, and the exact text of the
   file behind its first lines.  */

#define EVENTS(...)                                                           \
  .events = (const struct cgw_event[]){ __VA_ARGS__ },                        \
  .n_events = sizeof (const struct cgw_event[]){ __VA_ARGS__ }                \
              / sizeof (struct cgw_event)
#define ONE EVENTS ({ "Ir", NULL, NULL })
#define THREE EVENTS ({ "A", NULL, NULL }, { "B", NULL, NULL },               \
                      { "C", NULL, NULL })

static const struct
{
  const char *name;
  const char *why; /* or NULL */
  struct cgw_part part;
  const char *text;
} parts[] = {
  { .name = "smallest file",
    .why = "Qt Creator takes a line number for a cost without positions:",
    .part = { ONE },
    .text = IR "totals: 0\n" },
  { .name = "order of all lines",
    .why = "KCachegrind refuses a file with positions:, pid:, part: or "
           "thread: behind events:, or summary: before it, and loses a long "
           "name that comes behind",
    .part = { EVENTS ({ "Ir", "Instructions", NULL }, { "Dr", NULL, NULL },
                      { "Sum", "All", "Ir + 2 Dr" }),
              .positions = CGW_INSTR_LINE, .pid = 11, .number = 22,
              .thread = 33, .cmd = "ls -l",
              .desc = (const char *const[]){ "Trigger: end",
                                             "Timerange: 0 - 1" },
              .n_desc = 2, .summary = (const uint64_t[]){ 7, 8 },
              .n_summary = 2 },
    .text = "pid: 11\npart: 22\nthread: 33\ncmd: ls -l\n"
            "desc: Trigger: end\ndesc: Timerange: 0 - 1\n"
            "positions: instr line\nevent: Ir : Instructions\n"
            "event: Sum = Ir + 2 Dr : All\nevents: Ir Dr\nsummary: 7 8\n"
            "totals: 0 0\n" },
  { .name = "largest numbers",
    .part = { ONE, .pid = UINT64_MAX, .number = UINT64_MAX,
              .thread = UINT64_MAX },
    .text = "pid: 18446744073709551615\npart: 18446744073709551615\n"
            "thread: 18446744073709551615\n" IR "totals: 0\n" },
  { .name = "lines",
    .part = { ONE, .positions = CGW_LINE },
    .text = IR "totals: 0\n" },
  { .name = "addresses",
    .part = { ONE, .positions = CGW_INSTR },
    .text = "positions: instr\nevents: Ir\ntotals: 0\n" },
  { .name = "a command's newline and backslash",
    .why = "callgrind escapes them so",
    .part = { ONE, .cmd = " a\\b\nc\td " },
    .text = "cmd: a\\\\b\\nc\\x09d\n" IR "totals: 0\n" },
  { .name = "empty values",
    .why = "speedscope makes an event of a blank at a line's end",
    .part = { ONE, .cmd = "", .desc = (const char *const[]){ "", "  " },
              .n_desc = 2 },
    .text = "cmd:\ndesc:\ndesc:\n" IR "totals: 0\n" },
  { .name = "event lines only where they are needed",
    .why = "Qt Creator reads no costs behind one, so a long name must say "
           "something",
    .part = { EVENTS ({ "A", NULL, NULL }, { "B", "", NULL },
                      { "C", "Sea", NULL }, { "D", "  ", NULL }) },
    .text = "positions: line\nevent: C : Sea\nevents: A B C D\n"
            "totals: 0 0 0 0\n" },
  { .name = "a long name is one clean line",
    .part = { EVENTS ({ "A", " x : y\nz ", NULL }) },
    .text = "positions: line\nevent: A : x : y\\x0az\nevents: A\n"
            "totals: 0\n" },
  { .name = "formulas of events listed before",
    .why = "also of derived ones, and before the events that are not in it",
    .part = { EVENTS ({ "A", NULL, NULL }, { "S", NULL, "2 A" },
                      { "T", "Tee", "S + A" }, { "B", NULL, NULL }) },
    .text = "positions: line\nevent: S = 2 A\nevent: T = S + A : Tee\n"
            "events: A B\ntotals: 0 0\n" },
  { .name = "summary with fewer numbers",
    .part = { THREE, .summary = (const uint64_t[]){ UINT64_MAX, 5 },
              .n_summary = 2 },
    .text = "positions: line\nevents: A B C\n"
            "summary: 18446744073709551615 5 0\ntotals: 0 0 0\n" },
  { .name = "summary of no number",
    .part = { THREE, .summary = (const uint64_t[]){ 1 } },
    .text = "positions: line\nevents: A B C\ntotals: 0 0 0\n" },
};

/* The file of one part must be FIRST and this text.  */
static void
check_part (const struct cgw_part *from, const char *text, const char *context)
{
  struct cgw_part part = *from;
  struct written f;

  part.size = sizeof part;
  cr_assert_eq (cgw_begin_part (start (&f), &part), CGW_OK, "%s", context);
  written_end (&f, CGW_OK);
  cr_expect_eq (strncmp (f.bytes, FIRST, strlen (FIRST)), 0, "%s", context);
  cr_expect_str_eq (f.bytes + strlen (FIRST), text, "%s:\n%s", context,
                    f.bytes);
  written_free (&f);
}

Test (header, parts)
{
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    {
      char context[300];

      snprintf (context, sizeof context, "%s (%s)", parts[i].name,
                parts[i].why != NULL ? parts[i].why : "as the format says");
      check_part (&parts[i].part, parts[i].text, context);
    }
}

/* Events.  */

Test (header, formulas_are_normalized)
{
  static const struct
  {
    const char *formula, *written;
  } formulas[] = {
    { "A", "A" },
    { "A+B", "A + B" },
    { "  A\t+ B  ", "A + B" },
    { "1A + 2*B", "A + 2 B" },
    { "01 A + 002 B", "A + 2 B" },
    { "10 * A", "10 A" },
    { "0 A", "0 A" },
    { "2147483647 A", "2147483647 A" },
    { "A + A", "A + A" },
    { "A - B", "A - B" },
    { "A-2B", "A - 2 B" },
    { "3*A\t-  B + 1 A", "3 A - B + A" },
    { "A+A+A+A+A+A+A+A+A+A+A+A+A+A", "A + A + A + A + A + A + A + A + A + A"
                                     " + A + A + A + A" },
  };
  char text[300];

  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
    {
      struct cgw_event events[] = { { "A", NULL, NULL },
                                    { "B", NULL, NULL },
                                    { "S", NULL, formulas[i].formula } };
      struct cgw_part part = written_part_of (events, 3);
      snprintf (text, sizeof text,
                "positions: line\nevent: S = %s\nevents: A B\ntotals: 0 0\n",
                formulas[i].written);
      check_part (&part, text, formulas[i].formula);
    }
}

Test (header, formulas_that_are_refused)
{
  static const char *const formulas[]
      = { "",      " ",       "+",      "A +",     "+ A",   "A B",
          "- A",   "A - - B", "A -", "A + - B", "A - C", "A + C",   "S",      "A + 0x1 B", "2",   "2 * * A",
          "-1 A",  "A+B\n",   "A:B",    "2147483648 A", "1.5 A",
          "A ++ B", "99999999999999999999999 A", "A = B", "AA", "A2",
          "A + 99999999999 B", "A + 2147483648 B" };

  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
    {
      struct cgw_event events[] = { { "A", NULL, NULL },
                                    { "B", NULL, NULL },
                                    { "S", NULL, formulas[i] },
                                    { "C", NULL, NULL } };
      check_events (events, 4, CGW_EINVAL);
    }
}

/* All readers split the events: line at blanks, and take any other text.  */
Test (header, event_names)
{
  static const char *const right[]
      = { "a",     "Z",    "Ir",    "a0",    "L1m",  "zZ9",  "wall_ns", "_a",
          "Time_(10ns)",   "cpu(ms)", "cycles:u", "L1-dm", "1", "(1)a", "#a",
          "a=b",   "a+b",  "a[b]",  "a\"b",  "100%", "a/b",  "\302\265s",
          "\303\251" };
  static const char *const wrong[]
      = { "",      " ",    "a b",   " a",    "a ",   "a\n",  "a\t",  "\1",
          "\177",  "a\377", "a\303", "a\302\205b", "\302\240", "a\302\240b",
          "a\341\232\200", "\342\200\200a", "a\342\200\212b",
          "\342\200\250", "a\342\200\257", "a\342\201\237b",
          "\343\200\200" };

  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
    check_events (&(struct cgw_event){ right[i], NULL, NULL }, 1, CGW_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    check_events (&(struct cgw_event){ wrong[i], NULL, NULL }, 1, CGW_EINVAL);
  check_events (&(struct cgw_event){ NULL, NULL, NULL }, 1, CGW_EINVAL);
}

/* Of any other name, KCachegrind's event: lines define the beginning.  */
Test (header, event_names_of_event_lines)
{
  static const char *const right[] = { "a", "Ir", "_", "wall_ns", "_9", "Z0_" };
  static const char *const wrong[] = { "cpu.ns", "x-y", "9a", "Time_(10ns)",
                                       "a:b", "\302\265s", "a=" };

  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
    {
      check_events (&(struct cgw_event){ right[i], "Long", NULL }, 1, CGW_OK);
      check_events ((struct cgw_event[]){ { right[i], NULL, NULL },
                                          { "S", NULL, right[i] } },
                    2, CGW_OK);
      check_events ((struct cgw_event[]){ { "A", NULL, NULL },
                                          { right[i], NULL, "A" } },
                    2, CGW_OK);
    }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
      check_events (&(struct cgw_event){ wrong[i], "Long", NULL }, 1,
                    CGW_EINVAL);
      check_events (&(struct cgw_event){ wrong[i], "  ", NULL }, 1, CGW_OK);
      check_events ((struct cgw_event[]){ { wrong[i], NULL, NULL },
                                          { "S", NULL, wrong[i] } },
                    2, CGW_EINVAL);
      check_events ((struct cgw_event[]){ { "A", NULL, NULL },
                                          { wrong[i], NULL, "A" } },
                    2, CGW_EINVAL);
    }
}

/* KCachegrind sums two events of one name, others show two.  */
Test (header, event_names_are_unique)
{
  static const struct cgw_event twice[]
      = { { "A", NULL, NULL }, { "B", NULL, NULL }, { "A", NULL, NULL } };
  static const struct cgw_event derived_twice[]
      = { { "A", NULL, NULL }, { "A", NULL, "A" } };
  static const struct cgw_event different[]
      = { { "A", NULL, NULL }, { "a", NULL, NULL }, { "AA", NULL, NULL } };

  check_events (twice, 3, CGW_EINVAL);
  check_events (derived_twice, 2, CGW_EINVAL);
  check_events (different, 3, CGW_OK);
}

Test (header, only_derived_events)
{
  check_events (&(struct cgw_event){ "A", NULL, "A" }, 1, CGW_EINVAL);
}

/* Parts.  */

/* KCachegrind begins a part at pid:, part: or thread:, and takes a cmd: or
   desc: before it for the part before; so part: comes if nothing else does. */
Test (header, later_parts_begin_with_a_number)
{
  struct written f;
  struct cgw_part part = written_part_of (&ir, 1);

  part.cmd = "c";
  start (&f);
  for (int i = 0; i < 3; i++)
    cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes, FIRST "cmd: c\n" IR "totals: 0\n"
                                   "part: 2\ncmd: c\n" IR "totals: 0\n"
                                   "part: 3\ncmd: c\n" IR "totals: 0\n");
  written_free (&f);
}

Test (header, later_parts_keep_the_callers_numbers)
{
  struct written f;
  struct cgw_part part = written_part_of (&ir, 1);

  start (&f);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  part.number = 7;
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  part.number = 0;
  part.thread = 5;
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  part.thread = 0;
  part.pid = 4;
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes, FIRST IR "totals: 0\n"
                                      "part: 7\n" IR "totals: 0\n"
                                      "thread: 5\n" IR "totals: 0\n"
                                      "pid: 4\n" IR "totals: 0\n");
  written_free (&f);
}

/* Formulas must be the first part's, but for how they are spelled; long names
   are for people, and may come and go.  */
Test (header, later_parts_with_derived_events)
{
  static const struct { const char *formula; enum cgw_status status; } second[]
      = { { "A+B", CGW_OK },
          { "A + 2 B", CGW_EINVAL },
          { "B + A", CGW_EINVAL },
          { NULL, CGW_EINVAL } };

  for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
    {
      const struct cgw_event first[]
          = { { "A", "Long", NULL }, { "B", NULL, NULL },
              { "S", NULL, "A + B" } };
      const struct cgw_event later[]
          = { { "A", NULL, NULL }, { "B", "Later", NULL },
              { "S", "Sum", second[i].formula } };
      struct cgw_part part = written_part_of (first, 3);
      struct written f;
      struct cgw_writer *w = written_open (&f, NULL);

      cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
      part.events = later;
      part.n_events = second[i].formula != NULL ? 3 : 2;
      cr_expect_eq (cgw_begin_part (w, &part), second[i].status, "%s",
                    second[i].formula);
      written_end (&f, second[i].status);
      written_free (&f);
    }
}

/* A later part's header is whole though it is longer than the buffer.  */
Test (header, later_parts_with_a_small_buffer)
{
  enum { N = 30000 };
  struct written f;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = written_part_of (&ir, 1);
  char *text = malloc (N + 1);
  const char *desc[20];

  memset (text, 'd', N);
  text[N] = '\0';
  for (int i = 0; i < 20; i++)
    desc[i] = text;
  part.desc = desc;
  part.n_desc = 20;
  o.buffer_size = 1;
  written_open (&f, &o);
  for (int i = 0; i < 3; i++)
    cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_eq (f.profile->n_parts, 3);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (f.profile->parts[i].n_desc, 20);
      cr_assert_str_eq (f.profile->parts[i].desc[19], text);
    }
  free (text);
  written_free (&f);
}
