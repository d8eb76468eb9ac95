/* test_strings.c - strings of any bytes in each field: the file stays valid
   UTF-8, with one line per string, and says the documented form of it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a string is in the file.  */
enum field
{
  OBJECT,
  FILE_,
  FN,
  LONG_NAME,
  CMD,
  DESC,
  CREATOR,
  COMMENT,
  N_FIELDS
};

/* What stands before it in its line.  */
static const char *const prefixes[N_FIELDS]
    = { "ob=(1) ", "fl=(1) ", "fn=(1) ", "event: Ir : ",
        "cmd: ",   "desc: ",  "creator: ", "# " };

static bool
is_name (enum field field)
{
  return field <= FN;
}

/* A function with the string in one field, if that is a name.  */
static struct cgw_fn
fn_with (const struct written *f, enum field field, const char *text)
{
  return written_fn (f->names, field == OBJECT ? text : "o",
                     field == FILE_ ? text : "l", field == FN ? text : "m");
}

/* Writes a file with the string in one field, and in nothing else.  */
static void
write_file (struct written *f, enum field field, const char *text)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_event event = { "Ir", field == LONG_NAME ? text : NULL, NULL };
  struct cgw_part part = CGW_PART_INIT;

  o.creator = field == CREATOR ? text : "t";
  part.events = &event;
  part.n_events = 1;
  part.cmd = field == CMD ? text : "c";
  part.desc = field == DESC ? &text : NULL;
  part.n_desc = field == DESC;
  written_open (f, &o);
  cr_assert_eq (cgw_begin_part (f->w, &part), CGW_OK);
  if (field == COMMENT)
    cr_assert_eq (cgw_comment (f->w, text), CGW_OK);
  written_cost (f->w, written_line (fn_with (f, field, text), 1), 1);
  written_end (f, CGW_OK);
}

/* What the reader found in the field, or NULL.  */
static const char *
read_back (const struct written *f, enum field field)
{
  const struct profile *p = f->profile;
  const uint64_t *fn = profile_table_key (&p->fns, 0);

  switch (field)
    {
    case OBJECT:
      return p->names.text[fn[FN_OBJECT]];
    case FILE_:
      return p->names.text[fn[FN_FILE]];
    case FN:
      return p->names.text[fn[FN_NAME]];
    case LONG_NAME:
      return p->parts[0].events[0].long_name;
    case CMD:
      return p->parts[0].cmd;
    case DESC:
      return p->parts[0].n_desc == 1 ? p->parts[0].desc[0] : NULL;
    case COMMENT:
      return p->parts[0].n_comments == 1 ? p->parts[0].comments[0] : NULL;
    default: /* the reader does not keep the creator */
      return NULL;
    }
}

/* How often the line is in the file.  */
static int
count_lines (const struct written *f, const char *line)
{
  int n = 0;

  for (const char *at = f->bytes; (at = strstr (at, line)) != NULL; at++)
    n += at == f->bytes || at[-1] == '\n';
  return n;
}

/* The field's line when its string is empty: nothing, or the bare key.  */
static const char *
empty_line (enum field field)
{
  static const char *const lines[N_FIELDS]
      = { "", "", "", "events: Ir\n", "cmd:\n", "desc:\n", "creator:\n",
          "#\n" };
  return lines[field];
}

/* The lines of a file with a plain string in the field.  */
static uint64_t
plain_lines (enum field field)
{
  static uint64_t lines[N_FIELDS];
  struct written f;

  if (lines[field] == 0)
    {
      write_file (&f, field, "x");
      lines[field] = f.profile->lines;
      written_free (&f);
    }
  return lines[field];
}

/* The string must become `expected` in the field.  */
static void
check (enum field field, const char *text, const char *expected)
{
  struct written f;
  char line[200];
  const char *got;
  uint64_t lines = plain_lines (field);

  write_file (&f, field, text);
  if (expected[0] == '\0')
    snprintf (line, sizeof line, "%s", empty_line (field));
  else
    snprintf (line, sizeof line, "%s%s\n", prefixes[field], expected);
  cr_assert_eq (count_lines (&f, line), 1, "no line %s in\n%s", line, f.bytes);
  got = read_back (&f, field);
  if (field != CREATOR && (field != LONG_NAME || expected[0] != '\0'))
    cr_assert_str_eq (got, expected);
  /* An event: line without a long name goes, all others stay.  */
  if (field == LONG_NAME && expected[0] == '\0')
    lines--;
  cr_assert_eq (f.profile->lines, lines, "more lines:\n%s", f.bytes);
  written_free (&f);
}

/* What one byte becomes inside a string.  */
static void
put_byte (char *p, enum field field, unsigned char c)
{
  if (field == CMD && c == '\n')
    strcpy (p, "\\n");
  else if (field == CMD && c == '\\')
    strcpy (p, "\\\\");
  else if (c < 0x20 || c >= 0x7f)
    sprintf (p, "\\x%02x", c);
  else
    sprintf (p, "%c", c);
}

/* The byte with these strings around it.  A blank at an end is escaped in a
   name, and left out of anything else.  */
static void
check_byte (enum field field, const char *before, unsigned char c,
            const char *after)
{
  char text[16], byte[8], expected[32];

  snprintf (text, sizeof text, "%s%c%s", before, c, after);
  put_byte (byte, field, c);
  if (c == ' ' && (before[0] == '\0' || after[0] == '\0'))
    strcpy (byte, is_name (field) ? "\\x20" : "");
  snprintf (expected, sizeof expected, "%s%s%s", before, byte, after);
  check (field, text, expected);
}

/* Readers end a line, or a field, at control characters and line separators;
   gprof2dot crashes at invalid UTF-8.  (tests/text has all sequences of more
   than one byte.)  */
Test (strings, each_byte_in_each_field)
{
  for (enum field field = 0; field < N_FIELDS; field++)
    {
      check (field, "\303\251\303", "\303\251\\xc3");
      for (unsigned c = 1; c < 256; c++)
        {
          check_byte (field, "", (unsigned char) c, "");
          check_byte (field, "", (unsigned char) c, "az");
          check_byte (field, "a", (unsigned char) c, "z");
          check_byte (field, "az", (unsigned char) c, "");
        }
    }
}

/* KCachegrind hangs at a NUL: what is behind it is not part of the string.
   (In a name of a given length it is escaped: see tests/names.)  */
Test (strings, nul_ends_each)
{
  for (enum field field = 0; field < N_FIELDS; field++)
    {
      check (field, "ab\0cd", "ab");
      if (field != OBJECT) /* no line for the unknown one */
        check (field, "\0cd", is_name (field) ? "???" : "");
    }
}

/* What looks like something else, and is a name all the same.  */
Test (strings, names_that_look_like_something_else)
{
  static const char *const names[]
      = { "(1)",    "(1) foo", "(1", "(", "()", "(below main)", "(x)", "#a",
          "fn=(1)", "+1",      "*",  "0x1", "1 1", "???", "a=b:c", "\\x0a",
          "[lost]", "events: Ir", "-", "a\\" };

  for (enum field field = OBJECT; field <= FN; field++)
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
      check (field, names[i], names[i]);
}

/* Written in full, one that begins with "(" and a digit would read as an
   id.  */
Test (strings, plain_names_that_look_like_ids)
{
  static const struct
  {
    const char *name, *first, *second;
  } names[] = {
    { "(1)", "(1) (1)", "(1)" },   { "(2) foo", "(2) (2) foo", "(2)" },
    { "(3", "(3) (3", "(3)" },     { "(", "(", "(" },
    { "()", "()", "()" },          { "(a1)", "(a1)", "(a1)" },
    { "(-1)", "(-1)", "(-1)" },    { " (1)", "\\x20(1)", "\\x20(1)" },
    { "\t(1)", "\\x09(1)", "\\x09(1)" },
    { "(99999999999)", "(4) (99999999999)", "(4)" },
  };
  struct written f;
  struct cgw_writer *w
      = written_begin (&f, CGW_PLAIN_NAMES, "Ir", CGW_LINE);
  char text[2000] = "", line[200];

  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
      {
        struct cgw_fn fn
            = written_fn (f.names, NULL, names[i].name, names[i].name);
        written_cost (w, written_line (fn, 1), 1);
        snprintf (line, sizeof line, "fl=%s\nfn=%s\n1 1\n",
                  round == 0 ? names[i].first : names[i].second,
                  round == 0 ? names[i].first : names[i].second);
        strcat (text, line);
      }
  strcat (text, "totals: 20\n");
  written_is (&f, text);
}

/* Event names and formulas are refused, not escaped: a name has no blanks and
   no control characters, and is UTF-8.  */
Test (strings, events_have_no_odd_bytes)
{
  for (unsigned c = 1; c < 256; c++)
    {
      char names[4][4] = { { (char) c }, { (char) c, 'a' },
                           { 'a', (char) c, 'a' }, { 'a', (char) c } };
      for (int i = 0; i < 4; i++)
        {
          struct written f;
          enum cgw_status expected
              = c > ' ' && c < 0x7f ? CGW_OK : CGW_EINVAL;
          struct cgw_event event = { names[i], NULL, NULL };
          struct cgw_part part = CGW_PART_INIT;
          part.events = &event;
          part.n_events = 1;
          written_open (&f, NULL);
          cr_assert_eq (cgw_begin_part (f.w, &part), expected, "byte %u", c);
          if (expected == CGW_OK)
            written_end (&f, CGW_OK);
          written_free (&f);
        }
    }
}

/* In a formula "Aa" of the events A and Aa, with the byte in the middle.  */
Test (strings, formulas_have_no_odd_bytes)
{
  for (unsigned c = 1; c < 256; c++)
    {
      char formula[] = { 'A', (char) c, 'a', '\0' };
      bool right = c == '+' || c == '-' || c == 'a';
      struct cgw_event events[] = { { "A", NULL, NULL },
                                    { "a", NULL, NULL },
                                    { "Aaa", NULL, NULL },
                                    { "S", NULL, formula } };
      struct cgw_part part = CGW_PART_INIT;
      struct written f;
      part.events = events;
      part.n_events = 4;
      written_open (&f, NULL);
      cr_assert_eq (cgw_begin_part (f.w, &part), right ? CGW_OK : CGW_EINVAL,
                    "byte %u", c);
      if (right)
        written_end (&f, CGW_OK);
      written_free (&f);
    }
}

/* The longest records: all names as long as can be, with a small buffer.  */
Test (strings, records_of_the_longest_names)
{
  struct written f;
  struct cgw_options o = CGW_OPTIONS_INIT;
  char *text = malloc (CGW_NAME_MAX + 1);
  struct cgw_fn fns[2];
  struct cgw_file file;
  struct cgw_pos from, to;

  o.buffer_size = 1;
  written_open (&f, &o);
  cr_assert_eq (written_part (f.w, "Ir", CGW_INSTR_LINE), CGW_OK);
  memset (text, 'x', CGW_NAME_MAX);
  text[CGW_NAME_MAX] = '\0';
  for (int i = 0; i < 2; i++)
    {
      text[0] = "ab"[i];
      fns[i] = written_fn (f.names, text, text, text);
    }
  text[0] = 'c';
  file = cgw_add_file (f.names, text);
  from = (struct cgw_pos){ fns[0], file, UINT32_MAX, UINT64_MAX };
  to = (struct cgw_pos){ fns[1], { 0 }, UINT32_MAX, UINT64_MAX };
  cr_assert_eq (cgw_call (f.w, &from, &to, UINT64_MAX,
                          (uint64_t[]){ UINT64_MAX }, 1),
                CGW_OK);
  written_end (&f, CGW_OK);
  cr_assert_eq (f.profile->calls, 1);
  cr_assert_gt (f.n, 7 * CGW_NAME_MAX);
  free (text);
  written_free (&f);
}

/* Strings are copied: the caller's may go at once.  */
Test (strings, are_copied)
{
  struct written f;
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;
  struct cgw_event event;
  char text[8] = "t", name[8] = "Ir";
  struct cgw_fn fn;

  o.creator = text;
  written_open (&f, &o);
  event = (struct cgw_event){ name, text, NULL };
  part.events = &event;
  part.n_events = 1;
  strcpy (text, "xx");
  cr_assert_eq (cgw_begin_part (f.w, &part), CGW_OK);
  strcpy (text, "yy");
  strcpy (name, "Zr");
  fn = written_fn (f.names, text, text, text);
  strcpy (text, "zz");
  written_cost (f.w, written_line (fn, 1), 1);
  written_end (&f, CGW_OK);
  cr_assert_str_eq (f.bytes, "# callgrind format\nversion: 1\ncreator: t\n"
                             "positions: line\nevent: Ir : xx\nevents: Ir\n"
                             "ob=(1) yy\nfl=(1) yy\nfn=(1) yy\n1 1\n"
                             "totals: 1\n");
  written_free (&f);
}
