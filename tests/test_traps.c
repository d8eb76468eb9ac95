/* test_traps.c - the forms that are legal by the format's document, or not
   forbidden there, and that some reader misreads: each is provoked here, and
   must not be in the file.

   Traps that no calls can lead into:
   - A header key other than those the readers know, or events: without a
     blank: the caller gives values, never keys.
   - Tabs or CRLF between fields, leading blanks, hexadecimal counts, ids,
     lines and coefficients: there is one way to write each, in decimal.
   - A block of definitions ahead of the body: names are defined at first use.
   - cfn= without a calls=, cfi= or cob= after cfn=, calls= without its cost
     line, jfn= without a jump: they are one record, from one call.
   - positions: bb, of basic blocks: cgw.h has no such thing.
   Traps that a caller can walk into, and the library cannot help:
   - Several parts in one file: speedscope refuses it.  One file per part.
   - Trailing zeros left out: speedscope makes NaN of them; there is
     CGW_KEEP_ZEROS.  Any jump: speedscope refuses or misreads its lines.
   - A jump to another function: gprof2dot fails at jfn=.
   - event: lines: Qt Creator stops at them.  Leave out the long names.
   - Addresses: speedscope takes the line number for a cost.
   - Two functions of one name in files of one basename and one object:
     KCachegrind merges them.
   - Files beyond 4 GiB: KCachegrind reads the rest only.
   - A call without its inclusive cost: KCachegrind shows 0.
   - A file named C:\x.c: callgrind_annotate cuts it at the colon.  Absolute
     paths below its directory: it splits their calls off.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct cgw_writer *
start (struct written *f)
{
  return written_begin (f, 0, "Ir", CGW_LINE);
}

/* Where the first line that begins so is; -1 when there is none.  */
static long
line_at (const struct written *f, const char *text)
{
  for (const char *at = f->bytes; (at = strstr (at, text)) != NULL; at++)
    if (at == f->bytes || at[-1] == '\n')
      return at - f->bytes;
  return -1;
}

/* A part with everything in it.  */
static struct cgw_part
full_part (void)
{
  static const struct cgw_event events[]
      = { { "Ir", "Instructions", NULL }, { "S", "Sum", "2 Ir" } };
  static const char *const desc[] = { "Trigger: end" };
  static const uint64_t summary[] = { 5 };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 2;
  part.pid = part.part = part.thread = 1;
  part.cmd = "cmd";
  part.desc = desc;
  part.n_desc = 1;
  part.summary = summary;
  part.n_summary = 1;
  return part;
}

/* The header.  */

/* KCachegrind refuses a file that has positions:, pid:, part: or thread:
   behind events:.  */
Test (traps, no_part_line_behind_events)
{
  struct written f;
  struct cgw_part part = full_part ();
  long events;

  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  events = line_at (&f, "events:");
  for (int i = 0; i < 6; i++)
    {
      static const char *const keys[]
          = { "positions:", "pid:", "part:", "thread:", "cmd:", "desc:" };
      cr_expect_neq (line_at (&f, keys[i]), -1);
      cr_expect_lt (line_at (&f, keys[i]), events, "%s", keys[i]);
    }
  written_free (&f);
}

/* KCachegrind refuses a file with a summary: before events:.  */
Test (traps, summary_behind_events)
{
  struct written f;
  struct cgw_part part = full_part ();

  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_gt (line_at (&f, "summary:"), line_at (&f, "events:"));
  written_free (&f);
}

/* KCachegrind loses a long name that comes behind events:, and a name in an
   event: line that is not a word.  */
Test (traps, long_names_before_events)
{
  struct written f;
  struct cgw_part part = full_part ();

  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_neq (line_at (&f, "event: "), -1);
  cr_assert_lt (line_at (&f, "event: "), line_at (&f, "events:"));
  written_free (&f);
}

/* Qt Creator reads no costs behind an event: line.  */
Test (traps, no_event_line_that_says_nothing)
{
  struct written f;
  struct cgw_event events[] = { { "A", NULL, NULL }, { "B", "", NULL },
                                { "C", "  ", NULL } };
  struct cgw_part part = CGW_PART_INIT;

  part.events = events;
  part.n_events = 3;
  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_eq (line_at (&f, "event:"), -1);
  written_free (&f);
}

/* gprof2dot reads nothing when version: and creator: do not follow the first
   line directly.  */
Test (traps, first_three_lines)
{
  static const char *const creators[]
      = { NULL, "", " ", "x\ny", "version: 2" };

  for (size_t i = 0; i < sizeof creators / sizeof creators[0]; i++)
    {
      struct written f;
      struct cgw_options o = CGW_OPTIONS_INIT;
      struct cgw_part part = full_part ();
      o.creator = creators[i];
      written_open (&f, &o);
      cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
      written_end (&f, CGW_OK);
      cr_assert_eq (strncmp (f.bytes,
                             "# callgrind format\nversion: 1\ncreator:", 38),
                    0);
      written_free (&f);
    }
}

/* Nothing but the header can come first: no comment, no record.  */
Test (traps, nothing_before_the_header)
{
  struct written f;
  struct cgw_pos pos = { .line = 1 };

  written_open (&f, NULL);
  cr_expect_eq (cgw_comment (f.w, "first"), CGW_EORDER);
  cr_expect_eq (cgw_cost (f.w, &pos, NULL, 0), CGW_EORDER);
  cr_expect_eq (cgw_call (f.w, &pos, &pos, 1, NULL, 0), CGW_EORDER);
  cr_expect_eq (cgw_jump (f.w, &pos, &pos, 1), CGW_EORDER);
  cr_expect_eq (written_part (f.w, "Ir", CGW_LINE), CGW_OK);
  written_end (&f, CGW_EORDER);
  cr_assert_eq (line_at (&f, "# callgrind format"), 0);
  cr_assert_str_eq (written_body (&f), "totals: 0\n");
  written_free (&f);
}

/* Qt Creator takes a line number for a cost without positions:.  */
Test (traps, positions_always)
{
  struct written f;

  written_begin (&f, 0, "Ir", 0);
  written_end (&f, CGW_OK);
  cr_assert_neq (line_at (&f, "positions: line\n"), -1);
  written_free (&f);
}

/* speedscope makes an event of a trailing blank.  */
Test (traps, no_blank_at_a_lines_end)
{
  static const char *const desc[] = { "", " ", "a ", "  " };
  struct written f;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = full_part ();
  struct cgw_pos pos = { .line = 1 };

  part.desc = desc;
  part.n_desc = 4;
  part.cmd = " ";
  o.creator = " ";
  written_open (&f, &o);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_assert_eq (cgw_comment (f.w, ""), CGW_OK);
  cr_assert_eq (cgw_comment (f.w, "a "), CGW_OK);
  cr_assert_eq (cgw_cost (f.w, &pos, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_jump (f.w, &pos, &pos, 1), CGW_OK);
  written_cost (f.w, written_line (written_fn (f.w, " o ", " ", "m "), 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_null (strstr (f.bytes, " \n"));
  written_free (&f);
}

/* KCachegrind refuses more than 200 events.  */
Test (traps, at_most_200_events)
{
  struct written f;
  char names[201][8];
  struct cgw_event events[201] = { { NULL, NULL, NULL } };
  struct cgw_part part = CGW_PART_INIT;

  for (unsigned i = 0; i < 201; i++)
    {
      snprintf (names[i], sizeof names[i], "E%u", i);
      events[i].name = names[i];
    }
  part.events = events;
  part.n_events = 201;
  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_EINVAL);
  part.n_events = 200;
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_EINVAL);
  cr_assert_eq (f.profile->n_events, 200);
  written_free (&f);
}

/* KCachegrind sums two events of one name, others show two.  */
Test (traps, no_event_twice)
{
  struct written f;

  written_open (&f, NULL);
  cr_assert_eq (written_part (f.w, "A B A", CGW_LINE), CGW_EINVAL);
  written_free (&f);
}

/* callgrind_annotate takes the sum of inclusive costs for the program's when
   there are neither summary: nor totals:.  */
Test (traps, totals_in_each_part)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, (struct cgw_pos){ .line = 1 }, 5);
  written_call (w, (struct cgw_pos){ .line = 1 },
                (struct cgw_pos){ .line = 1 }, 700);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_eq (f.profile->n_parts, 2);
  cr_assert (f.profile->parts[0].has_totals);
  cr_assert_eq (f.profile->parts[0].totals[0], 5);
  cr_assert (f.profile->parts[1].has_totals);
  written_free (&f);
}

/* Names and order.  */

/* KCachegrind crashes at a cfn= before any fn=: a call that comes first has
   its caller's fn= before it.  */
Test (traps, no_cfn_before_first_fn)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_call (w, (struct cgw_pos){ .line = 1 },
                written_line (written_fn (w, "o", "a.c", "callee"), 2), 7);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n"
                  "cob=(1) o\ncfi=(2) a.c\ncfn=(2) callee\n"
                  "calls=1 2\n1 7\ntotals: 0\n");
}

/* callgrind_annotate dies at a fi= before any fn=.  */
Test (traps, no_fi_before_first_fn)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_cost (w, written_inline ((struct cgw_fn){ 0 }, h, 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_lt (line_at (&f, "fn="), line_at (&f, "fi="));
  written_free (&f);
}

/* The same in each part: KCachegrind forgets the function there.  */
Test (traps, no_cfn_or_fi_before_a_parts_first_fn)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, "o", "a.c", "f");
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_cost (w, written_inline (fn, h, 1), 1);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_call (w, written_inline (fn, h, 1), written_line (fn, 1), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n1 1\n"
                  "totals: 1\n"
                  "part: 2\npositions: line\nevents: Ir\n"
                  "ob=(1) o\nfl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n"
                  "cfi=(1)\ncfn=(1)\ncalls=1 1\n1 1\ntotals: 0\n");
}

/* KCachegrind merges the static functions of one name if the id goes by the
   name: it binds an id to the file and object at its definition.  */
Test (traps, one_id_for_each_function_of_a_name)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, written_line (written_fn (w, "o", "a.c", "init"), 1), 1);
  written_cost (w, written_line (written_fn (w, "o", "b.c", "init"), 1), 2);
  written_cost (w, written_line (written_fn (w, "p", "b.c", "init"), 1), 4);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f),
                    "ob=(1) o\nfl=(1) a.c\nfn=(1) init\n1 1\n"
                    "fl=(2) b.c\nfn=(2) init\n1 2\n"
                    "ob=(2) p\nfn=(3) init\n1 4\ntotals: 7\n");
  cr_expect_eq (profile_self (f.profile, "o", "a.c", "init", 0), 1);
  cr_expect_eq (profile_self (f.profile, "o", "b.c", "init", 0), 2);
  cr_expect_eq (profile_self (f.profile, "p", "b.c", "init", 0), 4);
  written_free (&f);
}

/* KCachegrind binds a callee for good to the file and object it is first
   called with: the first cfn= has its cfi= and cob=, and so have all others,
   because callgrind_annotate goes by them.  */
Test (traps, cfi_and_cob_though_the_id_is_known)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "b.c", "g");

  written_call (w, written_line (a, 1), written_line (b, 1), 7);
  written_cost (w, written_line (b, 1), 7);
  written_call (w, written_line (a, 1), written_line (b, 1), 7);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (written_body (&f),
                    "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n"
                    "cob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 1\n1 7\n"
                    "ob=(2)\nfl=(2)\nfn=(2)\n1 7\n"
                    "ob=(1)\nfl=(1)\nfn=(1)\n"
                    "cob=(2)\ncfi=(2)\ncfn=(2)\ncalls=1 1\n1 7\n"
                    "totals: 7\n");
  cr_assert_eq (f.profile->fns.n, 2);
  written_free (&f);
}

/* Readers disagree on the callee's file while a fi= is active.  */
Test (traps, cfi_while_fi_is_active)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_call (w, written_inline (a, h, 1), written_line (a, 1), 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n"
                  "cfi=(1)\ncfn=(1)\ncalls=1 1\n1 7\ntotals: 0\n");
}

/* speedscope and Qt Creator lose a call without its own cfn=.  */
Test (traps, cfn_for_each_call)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");

  for (uint32_t i = 1; i <= 3; i++)
    written_call (w, written_line (a, i), written_line (a, 9), 7);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n"
                  "cfn=(1)\ncalls=1 9\n1 7\n"
                  "cfn=(1)\ncalls=1 9\n2 7\n"
                  "cfn=(1)\ncalls=1 9\n3 7\ntotals: 0\n");
}

/* KCachegrind books a function's lines to the wrong file when its fn= comes
   after fi= without fl=.  */
Test (traps, fl_between_fi_and_fn)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");
  struct cgw_fn c = written_fn (w, NULL, "a.h", "h");
  struct cgw_file h = cgw_add_file (w, "a.h");

  written_cost (w, written_inline (a, h, 1), 1);
  written_cost (w, written_line (b, 1), 1);
  written_cost (w, written_inline (b, h, 1), 1);
  written_cost (w, written_line (c, 1), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\nfi=(2) a.h\n1 1\n"
                  "fl=(1)\nfn=(2) g\n1 1\nfi=(2)\n* 1\n"
                  "fl=(2)\nfn=(3) h\n1 1\ntotals: 4\n");
}

/* KCachegrind books to (unknown) when an ob= comes between fn= and its costs,
   and does not rebind fn= to a fl= behind it.  */
Test (traps, ob_and_fl_before_fn)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "a.c", "g");

  written_cost (w, written_line (a, 1), 1);
  written_call (w, written_line (a, 1), written_line (b, 1), 1);
  written_cost (w, written_line (a, 1), 1);
  written_cost (w, written_line (b, 1), 1);
  written_is (&f, "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\n"
                  "cob=(2) p\ncfn=(2) g\ncalls=1 *\n* 1\n* 1\n"
                  "ob=(2)\nfn=(2)\n1 1\ntotals: 3\n");
}

/* callgrind_annotate renames the last function when a fl= ends the file: no
   name is written without a record, even when the record is refused.  */
Test (traps, no_fl_at_the_end)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos other = written_line (written_fn (w, "p", "b.c", "g"), 1);

  written_cost (w, written_line (a, 1), 1);
  cr_assert_eq (cgw_cost (w, &other, (uint64_t[]){ 1, 2 }, 2), CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  cr_assert_str_eq (written_body (&f),
                    "fl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n");
  written_free (&f);
}

/* KCachegrind sizes a vector by the largest id: ids are dense, whatever the
   order in which names were added and used.  */
Test (traps, dense_ids)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fns[1000];
  char name[20];

  for (unsigned i = 0; i < 1000; i++)
    {
      snprintf (name, sizeof name, "f%u", i);
      fns[i] = written_fn (w, name, name, name);
    }
  for (unsigned i = 1000; i > 0; i -= 100)
    written_cost (w, written_line (fns[i - 1], 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_neq (line_at (&f, "fn=(1) f999\n"), -1);
  cr_assert_neq (line_at (&f, "fn=(10) f99\n"), -1);
  cr_assert_eq (line_at (&f, "fn=(11)"), -1);
  written_free (&f);
}

/* speedscope refuses a second definition of an id.  */
Test (traps, each_id_is_defined_once)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, "o", "a.c", "f");
  struct cgw_fn b = written_fn (w, "p", "b.c", "g");
  const char *at;

  for (uint32_t i = 1; i <= 3; i++)
    {
      written_call (w, written_line (a, i), written_line (b, i), 1);
      written_cost (w, written_line (b, i), 1);
    }
  written_end (&f, CGW_OK);
  at = strstr (f.bytes, "(2) g");
  cr_assert_not_null (at);
  cr_assert_null (strstr (at + 1, "(2) "));
  written_free (&f);
}

/* KCachegrind forgets ids at a part's end, callgrind_annotate does not: each
   part defines them again, with the same meaning.  */
Test (traps, ids_again_in_each_part)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_cost (w, written_line (a, 1), 1);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_cost (w, written_line (b, 1), 1);
  written_cost (w, written_line (a, 1), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n"
                  "part: 2\npositions: line\nevents: Ir\n"
                  "fl=(1) a.c\nfn=(2) g\n1 1\nfn=(1) f\n1 1\ntotals: 2\n");
}

/* callgrind_annotate takes the first part's events and positions for all.  */
Test (traps, the_same_events_in_each_part)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  cr_assert_eq (written_part (w, "Dr", CGW_LINE), CGW_EINVAL);
  cr_assert_eq (written_part (w, "Ir", CGW_INSTR), CGW_EINVAL);
  written_end (&f, CGW_EINVAL);
  written_free (&f);
}

/* KCachegrind counts from 0 at a part's start, callgrind_annotate from the
   part before.  */
Test (traps, a_part_begins_absolute)
{
  struct written f;
  struct cgw_writer *w = start (&f);

  written_cost (w, (struct cgw_pos){ .line = 1000 }, 1);
  cr_assert_eq (written_part (w, "Ir", CGW_LINE), CGW_OK);
  written_cost (w, (struct cgw_pos){ .line = 1000 }, 1);
  written_end (&f, CGW_OK);
  cr_assert_eq (profile_cost (f.profile, NULL, NULL, NULL, NULL, 0, 1000, 0),
                2);
  cr_assert_null (strchr (written_body (&f), '*'));
  written_free (&f);
}

/* KCachegrind takes a cmd: before a later part's part: for the part
   before.  */
Test (traps, a_later_part_begins_with_its_number)
{
  struct written f;
  struct cgw_part part = full_part ();
  const char *second;

  part.pid = part.part = part.thread = 0;
  written_open (&f, NULL);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  written_end (&f, CGW_OK);
  second = strstr (f.bytes, "totals:");
  second = strchr (second, '\n') + 1;
  cr_assert_eq (strncmp (second, "part: 2\ncmd: cmd\n", 17), 0);
  written_free (&f);
}

/* KCachegrind hangs at a NUL; readers end a line, or a field, at control
   characters and line separators; gprof2dot crashes at invalid UTF-8.  */
Test (traps, no_byte_that_breaks_a_reader)
{
  static const char *const names[]
      = { "a\nb", "a\rb", "a\r", "a\tb", "\033[31m", "\177", "\302\205",
          "\342\200\250", "\377", "\303", "\355\240\200", "\300\200" };
  struct written f;
  struct cgw_writer *w = start (&f);

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    written_cost (
        w, written_line (written_fn (w, names[i], names[i], names[i]), 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_eq (f.profile->fns.n, sizeof names / sizeof names[0]);
  cr_assert_eq (strlen (f.bytes), f.n);
  for (size_t i = 0; i < f.n; i++)
    cr_assert ((f.bytes[i] >= ' ' && f.bytes[i] < 0x7f) || f.bytes[i] == '\n');
  written_free (&f);
}

/* gprof2dot crashes at an empty name, callgrind_annotate shows "file:".  */
Test (traps, no_empty_name)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, CGW_PLAIN_NAMES, "Ir", CGW_LINE);

  written_cost (w, written_line (written_fn (w, "", "", ""), 1), 1);
  written_call (w, written_line (written_fn (w, "o", "", "m"), 1),
                written_line (written_fn (w, "", "a", ""), 1), 1);
  written_is (&f, "fl=???\nfn=???\n1 1\n"
                  "ob=o\nfn=m\ncob=???\ncfi=a\ncfn=???\n"
                  "calls=1 1\n1 1\ntotals: 1\n");
}

/* All readers take "(1)x", written in full, for an id, and drop blanks before
   a name.  */
Test (traps, no_plain_name_that_reads_as_an_id)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, CGW_PLAIN_NAMES, "Ir", CGW_LINE);

  written_cost (w, written_line (written_fn (w, NULL, "(1)x", " (1)"), 1), 1);
  written_is (&f, "fl=(1) (1)x\nfn=\\x20(1)\n1 1\ntotals: 1\n");
}

/* Numbers.  */

/* callgrind_annotate adds the cost of calls=0 to the caller's own.  */
Test (traps, no_calls_of_count_zero)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_pos pos = { .line = 1 };

  cr_assert_eq (cgw_call (w, &pos, &pos, 0, (uint64_t[]){ 7 }, 1),
                CGW_EINVAL);
  written_end (&f, CGW_EINVAL);
  cr_assert_str_eq (written_body (&f), "totals: 0\n");
  written_free (&f);
}

/* KCachegrind takes the difference of two addresses into an int.  */
Test (traps, no_difference_of_two_to_the_31)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR);
  const uint64_t base = 0x7f0000000000;

  written_cost (w, written_instr ((struct cgw_fn){ 0 }, base), 1);
  written_cost (w, written_instr ((struct cgw_fn){ 0 }, base + 0x80000000), 1);
  written_cost (w, written_instr ((struct cgw_fn){ 0 }, base), 1);
  written_cost (w, written_instr ((struct cgw_fn){ 0 }, base + 0x7fffffff), 1);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n0x7f0000000000 1\n"
                  "0x7f0080000000 1\n0x7f0000000000 1\n+2147483647 1\n"
                  "totals: 4\n");
}

/* callgrind_annotate loses "+0x3", and lines in hex.  */
Test (traps, hex_is_for_absolute_addresses_alone)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR_LINE);
  struct cgw_pos pos = { .line = 0xabcdef, .instr = 0xabcdef };

  written_cost (w, pos, 0xabcdef);
  pos.instr += 0xabc;
  written_call (w, pos, pos, 0xabcdef);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n0xabcdef 11259375 11259375\n"
                  "cfn=(1)\ncalls=1 +2748 *\n+2748 * 11259375\n"
                  "totals: 11259375\n");
}

/* Qt Creator begins its base anew at each fn=.  */
Test (traps, a_function_begins_absolute)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn a = written_fn (w, NULL, "a.c", "f");
  struct cgw_fn b = written_fn (w, NULL, "a.c", "g");

  written_cost (w, written_line (a, 1000), 1);
  written_cost (w, written_line (b, 1000), 1);
  written_cost (w, written_line (a, 1000), 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\n1000 1\nfn=(2) g\n1000 1\n"
                  "fn=(1)\n1000 1\ntotals: 3\n");
}

/* callgrind_annotate refuses a line with more costs than events.  */
Test (traps, no_more_costs_than_events)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_pos pos = { .line = 1 };

  cr_assert_eq (cgw_cost (w, &pos, (uint64_t[]){ 1, 0 }, 2), CGW_ECOSTS);
  cr_assert_eq (cgw_call (w, &pos, &pos, 1, (uint64_t[]){ 1, 0 }, 2),
                CGW_ECOSTS);
  written_end (&f, CGW_ECOSTS);
  cr_assert_str_eq (written_body (&f), "totals: 0\n");
  written_free (&f);
}

/* speedscope and Qt Creator misread a line without any cost.  */
Test (traps, at_least_one_cost)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A B", CGW_LINE);
  struct cgw_pos pos = { .line = 1 };

  cr_assert_eq (cgw_cost (w, &pos, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_cost (w, &pos, (uint64_t[]){ 0, 0 }, 2), CGW_OK);
  cr_assert_eq (cgw_call (w, &pos, &pos, 1, NULL, 0), CGW_OK);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n1 0\n* 0\n"
                  "cfn=(1)\ncalls=1 *\n* 0\ntotals: 0 0\n");
}

/* speedscope's NaN.  */
Test (traps, trailing_zeros_if_wanted)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, CGW_KEEP_ZEROS, "A B", CGW_LINE);
  struct cgw_pos pos = { .line = 1 };

  cr_assert_eq (cgw_cost (w, &pos, NULL, 0), CGW_OK);
  cr_assert_eq (cgw_call (w, &pos, &pos, 1, (uint64_t[]){ 1 }, 1), CGW_OK);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n1 0 0\n"
                  "cfn=(1)\ncalls=1 *\n* 1 0\ntotals: 0 0\n");
}

/* Records.  */

/* gprof2dot and speedscope take a call's cost for self cost when a blank or a
   comment comes between calls= and its cost line: neither the padding nor a
   comment does.  */
Test (traps, nothing_between_calls_and_its_cost_line)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");

  for (uint32_t i = 0; i < 2000; i++)
    {
      written_call (w, written_line (fn, i), written_line (fn, 1), i);
      if (i % 3 == 0)
        cr_assert_eq (cgw_comment (w, "comment"), CGW_OK);
    }
  written_end (&f, CGW_OK);
  cr_assert_gt (f.profile->blank_lines, 0);
  for (const char *at = f.bytes; (at = strstr (at, "\ncalls=")) != NULL;)
    {
      at = strchr (at + 1, '\n');
      cr_assert_not_null (strchr ("+*0123456789", at[1]), "%.20s", at);
    }
  written_free (&f);
}

/* KCachegrind takes the next cost line for a jump's source: each jump has its
   own.  It reads jcnd=FOLLOWED/EXECUTED, not the grammar's form.  */
Test (traps, jumps_as_callgrind_writes_them)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos from = written_line (fn, 5), to = written_line (fn, 9);

  cr_assert_eq (cgw_jump (w, &from, &to, 3), CGW_OK);
  written_cost (w, from, 1);
  cr_assert_eq (cgw_cond_jump (w, &from, &to, 1, 4), CGW_OK);
  written_cost (w, from, 1);
  written_is (&f, "fl=(1) a.c\nfn=(1) f\njump=3 9\n5\n* 1\n"
                  "jcnd=1/4 9\n*\n* 1\ntotals: 2\n");
}

/* KCachegrind binds a jump's other function to the source's object: what the
   format cannot say is refused.  */
Test (traps, no_jump_into_another_object)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_pos from = written_line (written_fn (w, "o", "a.c", "f"), 1);
  struct cgw_pos to = written_line (written_fn (w, "p", "a.c", "g"), 1);
  struct cgw_pos unknown = { .line = 1 };

  cr_assert_eq (cgw_jump (w, &from, &to, 1), CGW_EINVAL);
  cr_assert_eq (cgw_cond_jump (w, &from, &to, 1, 1), CGW_EINVAL);
  cr_assert_eq (cgw_jump (w, &from, &unknown, 1), CGW_EINVAL);
  written_end (&f, CGW_EINVAL);
  cr_assert_str_eq (written_body (&f), "totals: 0\n");
  written_free (&f);
}

/* gprof2dot fails at any jfn=: there is none where the jump stays in its
   function.  */
Test (traps, no_jfn_inside_a_function)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  struct cgw_fn fn = written_fn (w, NULL, "a.c", "f");
  struct cgw_pos from = written_line (fn, 1);
  struct cgw_pos to = written_inline (fn, cgw_add_file (w, "a.h"), 2);

  cr_assert_eq (cgw_jump (w, &from, &to, 1), CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_null (strstr (f.bytes, "jfn="));
  written_free (&f);
}

/* KCachegrind loses a jump to the address 0 only; everybody reads the rest of
   the file.  */
Test (traps, positions_of_zero)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "Ir", CGW_INSTR_LINE);
  struct cgw_pos zero = { .line = 0, .instr = 0 };

  written_cost (w, zero, 1);
  written_call (w, zero, zero, 1);
  written_is (&f, "fl=(1) ???\nfn=(1) ???\n0x0 0 1\n"
                  "cfn=(1)\ncalls=1 * *\n* * 1\ntotals: 1\n");
}

/* A process killed inside write(2) leaves a file that ends at a page: no
   record is torn there.  */
Test (traps, no_record_across_a_page)
{
  struct written f;
  struct cgw_writer *w = start (&f);
  char name[40];

  for (uint32_t i = 0; i < 3000; i++)
    {
      snprintf (name, sizeof name, "function_number_%u", (unsigned) i);
      written_cost (w, written_line (written_fn (w, "o", "f", name), i), i);
    }
  written_end (&f, CGW_OK);
  for (size_t page = 4096; page < f.n; page += 4096)
    {
      char *cut = f.bytes + page;
      cr_assert_eq (cut[-1], '\n');
      cr_assert (strncmp (cut, "fn=", 3) == 0 || cut[0] == '\n'
                 || strncmp (cut, "totals:", 7) == 0);
    }
  written_free (&f);
}
