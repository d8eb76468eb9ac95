/* test_cachegrind.c - files with CGW_CACHEGRIND: each rule of their readers,
   byte for byte; and what is accepted and not written.

   tests/format/cachegrind.sh has the readers themselves.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "desc: Creator: libcgw-" CGW_VERSION_STRING "\ncmd: \nevents: "

static struct cgw_writer *
start (struct written *f, unsigned flags)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.flags = CGW_CACHEGRIND | flags;
  return written_open (f, &o);
}

static struct cgw_writer *
begin (struct written *f, const char *events, unsigned positions)
{
  struct cgw_writer *w = start (f, 0);

  cr_assert_eq (written_part (w, events, positions), CGW_OK);
  return w;
}

/* Ends the file, with that status, and compares all of it.  */
static void
ends_as (struct written *f, enum cgw_status status, const char *bytes)
{
  enum cgw_status got = cgw_finish (f->w);

  cr_expect_eq (got, status, "%s", cgw_strerror (got));
  cr_expect_str_eq (f->bytes, bytes);
  written_free (f);
}

/* The header.  */

Test (cachegrind, an_empty_part)
{
  struct written f;

  begin (&f, "Ir Dr", CGW_LINE);
  ends_as (&f, CGW_OK, HEAD "Ir Dr\nsummary: 0 0\n");
}

/* desc: before cmd:, with a blank also where there is no text, and nothing
   between cmd: and events:.  */
Test (cachegrind, header)
{
  static const struct cgw_event events[]
      = { { "Ir", "Instructions", NULL },
          { "Dr", NULL, NULL },
          { "_Sum", "All", "Ir + 10 Dr" } };
  static const char *const desc[] = { "I1 cache: 32 kB", "", " a\nb " };
  static const uint64_t summary[] = { 7, 8 };
  struct cgw_part part = written_part_of (events, 3);
  struct written f;

  part.positions = CGW_INSTR_LINE;
  part.pid = part.number = part.thread = 5;
  part.cmd = " a\\b\nc\t ";
  part.desc = desc;
  part.n_desc = 3;
  part.summary = summary;
  part.n_summary = 2;
  cr_assert_eq (cgw_begin_part (start (&f, 0), &part), CGW_OK);
  ends_as (&f, CGW_OK,
           "desc: I1 cache: 32 kB\ndesc: \ndesc: a\\x0ab\n"
           "cmd: a\\\\b\\nc\\x09\nevents: Ir Dr\nsummary: 0 0\n");
}

Test (cachegrind, creator)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  static const char *const creators[] = { "me 1.0", "" };
  static const char *const lines[] = { "desc: Creator: me 1.0\n",
                                       "desc: Creator: \n" };
  struct cgw_part part = written_part_of (&ir, 1);

  for (int i = 0; i < 2; i++)
    {
      struct cgw_options o = CGW_OPTIONS_INIT;
      struct written f;
      char bytes[200];
      o.flags = CGW_CACHEGRIND;
      o.creator = creators[i];
      cr_assert_eq (cgw_begin_part (written_open (&f, &o), &part), CGW_OK);
      snprintf (bytes, sizeof bytes, "%scmd: \nevents: Ir\nsummary: 0\n",
                lines[i]);
      ends_as (&f, CGW_OK, bytes);
    }
}

/* n copies of a text.  */
static char *
copies (const char *text, size_t n)
{
  size_t length = strlen (text);
  char *result = malloc (n * length + 1);

  cr_assert_not_null (result);
  for (size_t i = 0; i < n; i++)
    memcpy (result + i * length, text, length);
  result[n * length] = '\0';
  return result;
}

/* The text that cmd: has for n copies of a text behind a prefix.  */
static char *
command_of (const char *prefix, const char *text, size_t n)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = written_part_of (&ir, 1);
  char *all = copies (text, n);
  char *cmd = malloc (strlen (prefix) + strlen (all) + 1);
  char *begin, *end;
  struct written f;

  cr_assert_not_null (cmd);
  strcpy (stpcpy (cmd, prefix), all);
  part.cmd = cmd;
  cr_assert_eq (cgw_begin_part (start (&f, 0), &part), CGW_OK);
  cr_assert_eq (cgw_finish (f.w), CGW_OK);
  begin = strstr (f.bytes, "\ncmd: ") + 6;
  end = strstr (begin, "\nevents: Ir\n");
  cr_assert_not_null (end);
  begin = strndup (begin, (size_t) (end - begin));
  written_free (&f);
  free (cmd);
  free (all);
  return begin;
}

static void
command_is (const char *prefix, const char *text, size_t n, size_t length,
            const char *end)
{
  char *command = command_of (prefix, text, n);

  cr_expect_eq (strlen (command), length, "%zu \"%s\": %zu bytes", n, text,
                strlen (command));
  cr_expect (length >= strlen (end)
                 && strcmp (command + length - strlen (end), end) == 0,
             "%zu \"%s\" end in \"%s\"", n, text, command + length - 8);
  free (command);
}

/* 1000 bytes stay whole; what is longer is cut, but neither a character nor an
   escape is.  */
Test (cachegrind, long_commands)
{
  command_is ("", "x", 1000, 1000, "xxx");
  command_is ("", "x", 1001, 1000, "x...");
  command_is ("", "x", 100000, 1000, "x...");
  command_is ("", "\303\244", 500, 1000, "\303\244");
  command_is ("", "\303\244", 501, 996 + 3, "\303\244...");
  command_is ("x", "\303\244", 500, 1000, "\303\244...");
  command_is ("", "\001", 250, 1000, "\\x01");
  command_is ("", "\001", 251, 996 + 3, "\\x01...");
  command_is ("x", "\001", 250, 997 + 3, "\\x01...");
  command_is ("xx", "\001", 250, 994 + 3, "\\x01...");
  command_is ("", "\n", 500, 1000, "\\n\\n");
  command_is ("", "\\", 501, 996 + 3, "\\\\...");
  command_is ("x", "\n", 500, 997 + 3, "\\n...");
  command_is ("", "\360\237\230\200", 251, 996 + 3, "\360\237\230\200...");
}

/* The line that names the creator has 1000 bytes at most.  */
Test (cachegrind, long_creator)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  char *creator = copies ("x", 2000);
  struct written f;

  o.flags = CGW_CACHEGRIND;
  o.creator = creator;
  cr_assert_eq (written_part (written_open (&f, &o), "Ir", CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_finish (f.w), CGW_OK);
  cr_expect_eq (strncmp (f.bytes, "desc: Creator: xxx", 18), 0);
  cr_expect_eq (strncmp (f.bytes + 1000 - 8, "xxxx...\ncmd: \n", 14), 0);
  written_free (&f);
  free (creator);
}

/* Where events: begins.  */
static size_t
events_at (const char *bytes)
{
  const char *line = strstr (bytes, "\nevents:");

  cr_assert_not_null (line);
  return (size_t) (line + 1 - bytes);
}

/* KCachegrind looks for events: in the first 2047 bytes.  */
Test (cachegrind, events_come_early)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  enum { DESCS = 500 };
  const char *desc[DESCS];
  char *cmd = copies ("x", 5000);

  for (size_t length = 0; length < 1200; length += 7)
    {
      struct cgw_part part = written_part_of (&ir, 1);
      char *text = copies ("d", length);
      struct written f;
      part.cmd = cmd;
      part.desc = desc;
      part.n_desc = DESCS;
      for (int i = 0; i < DESCS; i++)
        desc[i] = text;
      cr_assert_eq (cgw_begin_part (start (&f, 0), &part), CGW_OK);
      cr_assert_eq (cgw_finish (f.w), CGW_OK);
      cr_expect_leq (events_at (f.bytes) + strlen ("events:"), 2047);
      cr_expect_geq (events_at (f.bytes), 1980, "much was left out");
      written_free (&f);
      free (text);
    }
  free (cmd);
}

/* The lines of desc have 1000 bytes in all.  */
Test (cachegrind, many_descs)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = written_part_of (&ir, 1);
  char *x = copies ("x", 980), *expected = malloc (3000);
  const char *desc[] = { x, "12345678901234", "not here" };
  struct written f;

  cr_assert_not_null (expected);
  part.desc = desc;
  part.n_desc = 3;
  cr_assert_eq (cgw_begin_part (start (&f, 0), &part), CGW_OK);
  /* 987 bytes leave 13: 7 for the key and the newline, 6 for the text.  */
  sprintf (expected,
           "desc: %s\ndesc: 123...\ncmd: \nevents: Ir\nsummary: 0\n", x);
  ends_as (&f, CGW_OK, expected);
  /* One of 10 bytes, and none of 9.  */
  for (int more = 0; more < 2; more++)
    {
      free (x);
      desc[0] = x = copies ("x", (size_t) (983 + more));
      cr_assert_eq (cgw_begin_part (start (&f, 0), &part), CGW_OK);
      sprintf (expected, "desc: %s\n%scmd: \nevents: Ir\nsummary: 0\n", x,
               more ? "" : "desc: ...\n");
      ends_as (&f, CGW_OK, expected);
    }
  free (x);
  free (expected);
}

/* The body.  */

Test (cachegrind, body)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir Dr", CGW_INSTR_LINE);
  struct cgw_fn one = written_fn (f.names, "o", "a.c", "f");
  struct cgw_fn two = written_fn (f.names, "p", "a.c", "g");
  struct cgw_fn three = written_fn (f.names, "o", "b.c", "f");
  struct cgw_pos at = { .fn = one, .line = 10, .instr = 0x400 };

  written_cost (w, at, 1);
  at.line = 11;
  at.instr = 0x404;
  cr_assert_eq (cgw_cost (w, &at, (uint64_t[]){ 0, 2 }, 2), CGW_OK);
  written_cost (w, at, 4);
  cr_assert_eq (cgw_cost (w, &at, NULL, 0), CGW_OK);
  written_cost (w, written_line (two, 0), 8);
  written_cost (w, written_line (three, UINT32_MAX), UINT64_C (1) << 40);
  written_cost (w, written_line (one, 10), 1);
  ends_as (&f, CGW_OK,
           HEAD "Ir Dr\n"
           "fl=a.c\nfn=f\n10 1 0\n11 0 2\n11 4 0\n11 0 0\n"
           "fn=g\n0 8 0\n"
           "fl=b.c\nfn=f\n4294967295 1099511627776 0\n"
           "fl=a.c\nfn=f\n10 1 0\n"
           "summary: 1099511627790 2\n");
}

/* fl= of the other file, and fn= again behind each: no fi= and fe=.  */
Test (cachegrind, inlined_code)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_fn one = written_fn (f.names, "o", "a.c", "f");
  struct cgw_fn two = written_fn (f.names, "o", "a.c", "g");
  struct cgw_file h = cgw_add_file (f.names, "a.h");

  written_cost (w, written_line (one, 1), 1);
  written_cost (w, written_inline (one, h, 2), 2);
  written_cost (w, written_inline (one, h, 3), 4);
  written_cost (w, written_inline (two, h, 2), 8);
  written_cost (w, written_line (two, 9), 16);
  written_cost (w, written_line (one, 1), 32);
  ends_as (&f, CGW_OK,
           HEAD "Ir\nfl=a.c\nfn=f\n1 1\nfl=a.h\nfn=f\n2 2\n3 4\n"
                "fn=g\n2 8\nfl=a.c\nfn=g\n9 16\nfn=f\n1 32\nsummary: 63\n");
}

/* Always the text, which may read as an id; unknown names and bytes that break
   readers as elsewhere.  */
Test (cachegrind, names)
{
  static const char *const names[][3] = { { NULL, NULL, NULL },
                                          { "o", "(2)", "(1)x" },
                                          { "o", "a b", "f (int)" },
                                          { "o", "a b", " \377\n" },
                                          { "o", "", "(1)x" } };
  struct written f;

  begin (&f, "Ir", CGW_LINE);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    {
      struct cgw_fn fn
          = written_fn (f.names, names[i][0], names[i][1], names[i][2]);
      written_cost (f.w, written_line (fn, 1), 1);
    }
  ends_as (&f, CGW_OK,
           HEAD "Ir\nfl=???\nfn=???\n1 1\nfl=(2)\nfn=(1)x\n1 1\n"
                "fl=a b\nfn=f (int)\n1 1\nfn=\\x20\\xff\\x0a\n1 1\n"
                "fl=???\nfn=(1)x\n1 1\nsummary: 5\n");
}

/* Addresses are left out, and a part that has nothing else has no lines: not
   those that happen to be in the positions.  */
Test (cachegrind, addresses_alone)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_INSTR);
  struct cgw_pos at = { .line = 7, .instr = 0x400 };

  written_cost (w, at, 1);
  at.instr++;
  written_cost (w, at, 2);
  ends_as (&f, CGW_OK, HEAD "Ir\nfl=???\nfn=???\n0 1\n0 2\nsummary: 3\n");
}

/* No page is filled up with blank lines.  */
Test (cachegrind, pages)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);

  for (uint32_t i = 0; i < 5000; i++)
    written_cost (w, written_line ((struct cgw_fn){ 0 }, i), i);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  cr_assert_gt (f.n, 4 * 4096);
  cr_expect_null (strstr (f.bytes, "\n\n"));
  written_free (&f);
}

/* The flags that are implied, and the others, change no byte.  */
Test (cachegrind, other_flags)
{
  static const unsigned flags[]
      = { CGW_PLAIN_NAMES, CGW_ABSOLUTE, CGW_KEEP_ZEROS, CGW_NO_PAD,
          CGW_ZERO_CALLS, CGW_THREADS };

  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
    {
      struct written f;
      struct cgw_writer *w = start (&f, flags[i]);
      cr_assert_eq (written_part (w, "Ir Dr", CGW_LINE), CGW_OK);
      written_cost (w, written_line ((struct cgw_fn){ 0 }, 5), 1);
      written_cost (w, written_line ((struct cgw_fn){ 0 }, 6), 2);
      ends_as (&f, CGW_OK,
               HEAD "Ir Dr\nfl=???\nfn=???\n5 1 0\n6 2 0\nsummary: 3 0\n");
    }
}

/* What is accepted and not written.  */

static void
counts_are (struct cgw_writer *w, uint64_t recorded, uint64_t lost,
            uint64_t refused)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cr_assert_eq (cgw_get_stats (w, &s), CGW_OK);
  cr_expect_eq (s.recorded, recorded, "%llu recorded",
                (unsigned long long) s.recorded);
  cr_expect_eq (s.lost, lost, "%llu lost", (unsigned long long) s.lost);
  cr_expect_eq (s.refused, refused);
}

static void
silent_records (struct cgw_writer *w, struct cgw_pos from, struct cgw_pos to)
{
  written_call (w, from, to, 100);
  cr_assert_eq (cgw_jump (w, &from, &to, 5), CGW_OK);
  cr_assert_eq (cgw_cond_jump (w, &from, &to, 5, 6), CGW_OK);
  cr_assert_eq (cgw_comment (w, "a comment"), CGW_OK);
}

/* Before any record, between two, and behind the last; they are counted while
   the file is open, when it is flushed, and when it is finished.  */
Test (cachegrind, calls_jumps_and_comments)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_pos a = written_line (written_fn (f.names, "o", "a.c", "a"), 1);
  struct cgw_pos b = written_line (written_fn (f.names, "o", "b.c", "b"), 2);

  silent_records (w, a, b);
  counts_are (w, 3, 0, 0);
  written_cost (w, a, 1);
  silent_records (w, a, b);
  counts_are (w, 7, 0, 0);
  cr_assert_eq (cgw_flush (w), CGW_OK);
  counts_are (w, 7, 0, 0);
  silent_records (w, b, a);
  written_cost (w, a, 2);
  silent_records (w, b, a);
  cr_assert_eq (cgw_finish (w), CGW_OK);
  counts_are (w, 14, 0, 0);
  cr_expect_str_eq (f.bytes,
                    HEAD "Ir\nfl=a.c\nfn=a\n1 1\n1 2\nsummary: 3\n");
  written_free (&f);
}

/* A million of them take no room: not that of checkpoints, either.  */
Test (cachegrind, many_calls)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_pos at = written_line ((struct cgw_fn){ 0 }, 1);
  enum { MANY = 1000000 };

  for (int i = 0; i < MANY; i++)
    written_call (w, at, at, 1);
  counts_are (w, MANY, 0, 0);
  ends_as (&f, CGW_OK, HEAD "Ir\nsummary: 0\n");
}

/* They are checked as always.  */
Test (cachegrind, wrong_calls_and_jumps)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_pos a = written_line (written_fn (f.names, "o", "a.c", "a"), 1);
  struct cgw_pos b = written_line (written_fn (f.names, "p", "b.c", "b"), 2);
  struct cgw_pos strange = { .fn = { 0x40000000 } };
  uint64_t costs[2] = { 1, 2 };

  cr_expect_eq (cgw_call (w, &a, &strange, 1, costs, 1), CGW_EHANDLE);
  cr_expect_eq (cgw_call (w, &a, &b, 1, costs, 2), CGW_ECOSTS);
  cr_expect_eq (cgw_call (w, &a, &b, 0, costs, 1), CGW_EINVAL);
  cr_expect_eq (cgw_jump (w, &a, &b, 1), CGW_EINVAL);
  cr_expect_eq (cgw_cond_jump (w, &a, NULL, 1, 1), CGW_EINVAL);
  cr_expect_eq (cgw_comment (w, NULL), CGW_EINVAL);
  counts_are (w, 0, 0, 5);
  ends_as (&f, CGW_EHANDLE, HEAD "Ir\nsummary: 0\n");
}

/* Ends.  */

/* Readers refuse what comes after summary:.  The open part goes on.  */
Test (cachegrind, one_part)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_pos at = written_line ((struct cgw_fn){ 0 }, 1);

  written_cost (w, at, 1);
  cr_expect_eq (written_part (w, "Ir", CGW_LINE), CGW_EINVAL);
  ends_as (&f, CGW_EINVAL,
           HEAD "Ir\nfl=???\nfn=???\n1 1\nsummary: 1\n");
}

/* What was lost is under "[lost]", so that the summary is what was submitted;
   there is no comment that says so.  */
Test (cachegrind, lost_records)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct written f;
  struct cgw_writer *w;
  struct cgw_pos at = written_line ((struct cgw_fn){ 0 }, 1);

  o.flags = CGW_CACHEGRIND;
  o.buffer_size = 1;
  w = written_open (&f, &o);
  cr_assert_eq (written_part (w, "Ir Dr", CGW_LINE), CGW_OK);
  written_cost (w, at, 1);
  f.fail = ENOSPC;
  cr_assert_eq (cgw_cost (w, &at, (uint64_t[]){ 2, 5 }, 2), CGW_EIO);
  silent_records (w, at, at);
  counts_are (w, 4, 1, 0);
  f.fail = 0;
  ends_as (&f, CGW_EIO,
           HEAD "Ir Dr\nfl=???\nfn=???\n1 1 0\nfn=[lost]\n0 2 5\n"
                "summary: 3 5\n");
}

/* Without a summary the readers refuse the file, rather than show sums that
   are wrong.  */
Test (cachegrind, overflow)
{
  struct written f;
  struct cgw_writer *w = begin (&f, "Ir", CGW_LINE);
  struct cgw_pos at = written_line ((struct cgw_fn){ 0 }, 1);

  written_cost (w, at, UINT64_MAX);
  written_cost (w, at, 1);
  ends_as (&f, CGW_EOVERFLOW,
           HEAD "Ir\nfl=???\nfn=???\n1 18446744073709551615\n1 1\n");
}

/* A profile: sorted, a block for each function, calls left out.  */
Test (cachegrind, profile)
{
  static const struct cgw_event ir = { "Ir", NULL, NULL };
  struct cgw_part part = written_part_of (&ir, 1);
  struct cgw_profile *p;
  struct written f;
  struct cgw_writer *w = start (&f, 0);
  struct cgw_fn leaf = written_fn (f.names, "o", "b.c", "leaf");
  struct cgw_pos stack[2] = { written_line (leaf, 5),
                              written_line (written_fn (f.names, "o", "a.c",
                                                        "main"),
                                            1) };
  struct cgw_pos inlined
      = written_inline (leaf, cgw_add_file (f.names, "h.h"), 3);

  cr_assert_eq (cgw_profile_new (&p, f.names, 1, CGW_LINE), CGW_OK);
  for (uint64_t i = 1; i <= 4; i++)
    {
      cr_assert_eq (cgw_profile_stack (p, stack, 2, 1, &i, 1), CGW_OK);
      cr_assert_eq (cgw_profile_cost (p, &inlined, &i, 1), CGW_OK);
      cr_assert_eq (cgw_profile_cost (p, &stack[1], &i, 1), CGW_OK);
    }
  cr_assert_eq (cgw_profile_write (p, w, &part), CGW_OK);
  counts_are (w, 4, 0, 0);
  cr_expect_eq (cgw_profile_write (p, w, &part), CGW_EINVAL);
  cgw_profile_free (p);
  ends_as (&f, CGW_EINVAL,
           HEAD "Ir\nfl=a.c\nfn=main\n1 10\nfl=b.c\nfn=leaf\n5 10\n"
                "fl=h.h\nfn=leaf\n3 10\nsummary: 30\n");
}
