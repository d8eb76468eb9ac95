/* test_cgin.c - the tools' reader of callgrind files, and cgw-recode, which
   writes what it has read: the cases of cgin.def, and files that are made.

   Each is read in several ways that must come to the same: names in full and as
   ids, and lines in their usual form, which has a path of its own in the reader,
   and in another.  What is written must be right for the strict reader.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "format/cgin.h"

#include "fuzz/tool_run.h"
#include "support/reader.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is tried, for messages.  */
static char what[400];

static void __attribute__ ((format (printf, 1, 2)))
trying (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  vsnprintf (what, sizeof what, format, args);
  va_end (args);
}

static bool
same (const char *way, const char *got, const char *expected)
{
  bool ok = strcmp (got, expected) == 0;

  cr_expect (ok, "%s, %s:\n%s\nnot\n%s", what, way, got, expected);
  return ok;
}

/* cgw-recode.  */

/* One run: its input, what it printed, and what it said, without the beginning
   of each line up to the input's name.  */
struct run
{
  struct tool_file in, out;
  int status;
  char *text;
  size_t n;
  char said[1000];
};

static void
take_said (struct run *r)
{
  char *to = r->said;

  for (const char *line = tool_said (); *line != '\0';)
    {
      const char *end = strchr (line, '\n');
      const char *name = strstr (line, r->in.path);

      cr_assert (end != NULL && name != NULL && name < end, "%s: %s", what,
                 line);
      line = name + strlen (r->in.path) + 1;
      line += *line == ' ';
      cr_assert_lt ((size_t) (to - r->said + end - line), sizeof r->said - 1);
      to += sprintf (to, "%s%.*s", to == r->said ? "" : "\n",
                     (int) (end - line), line);
      line = end + 1;
    }
  *to = '\0';
}

static void
fill (struct run *r, const char *text, size_t n)
{
  tool_file_make (&r->in);
  tool_file_make (&r->out);
  tool_file_fill (&r->in, text, n);
}

/* Recodes the input, with options that may be NULL.  */
static void
recode (struct run *r, const char *option, const char *second)
{
  const char *arguments[6] = { "cgw-recode" };
  int n = 1;

  if (option != NULL)
    arguments[n++] = option;
  if (second != NULL)
    arguments[n++] = second;
  arguments[n] = r->in.path;
  free (r->text);
  r->said[0] = '\0';
  r->status = tool_run (main_recode, arguments, &r->out);
  r->text = tool_file_read (&r->out, &r->n);
  take_said (r);
}

/* What another run printed, recoded.  */
static void
recode_again (struct run *r, const struct run *first, const char *option)
{
  fill (r, first->text, first->n);
  recode (r, option, NULL);
}

/* Removes the lines that are in every profile, or may be.  */
static char *
essence (char *text)
{
  static const char *const usual[]
      = { "# callgrind format\n", "version: 1\n",
          "creator: libcgw-" CGW_VERSION_STRING "\n", "positions: line\n",
          "totals: " };
  char *to = text;

  for (const char *line = text, *next; *line != '\0'; line = next)
    {
      bool is_usual = false;

      next = strchr (line, '\n') + 1;
      for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        is_usual |= strncmp (line, usual[i], strlen (usual[i])) == 0;
      if (is_usual)
        continue;
      memmove (to, line, (size_t) (next - line));
      to += next - line;
    }
  *to = '\0';
  return text;
}

static bool
is_right (const struct run *r, unsigned flags)
{
  char error[200];
  struct profile *p
      = profile_read (r->text, r->n,
                      flags | READER_ALLOW_ZERO_CALLS | READER_NO_PAD, error,
                      sizeof error);

  cr_expect (p != NULL, "%s: the strict reader refuses %s", what, error);
  profile_free (p);
  return p != NULL;
}

/* A message, without what it quotes of a line.  */
static char *
unquoted (char *said)
{
  char *quote = strchr (said, '"');

  if (quote != NULL)
    *quote = '\0';
  return said;
}

/* Runs for the ways to read one file.  Criterion forks: each test has its
   own.  */
static struct run plain, direct, again, odd;

/* The file with a tab behind what a line begins with.  */
static void
fill_odd (const char *text, size_t n)
{
  char *lines = malloc (2 * n + 1), *to = lines;
  char stop = '\0';

  for (size_t i = 0; i < n; i++)
    {
      if (i == 0 || text[i - 1] == '\n')
        stop = strncmp (text + i, "cfn=", 4) == 0 ? '\n'
               : strncmp (text + i, "calls=", 6) == 0
                       || isdigit ((unsigned char) text[i])
                       || (text[i] >= '*' && text[i] <= '-')
                   ? ' '
                   : '\0';
      if (text[i] == stop && stop != '\0')
        {
          *to++ = '\t';
          stop = '\0';
        }
      *to++ = text[i];
    }
  fill (&odd, lines, (size_t) (to - lines));
  free (lines);
}

/* Whether the two forms of a file come to the same.  */
static bool
check_forms (const char *text, size_t n)
{
  fill (&direct, text, n);
  recode (&direct, NULL, NULL);
  fill_odd (text, n);
  recode (&odd, NULL, NULL);
  cr_expect_eq (odd.status, direct.status, "%s, with tabs: %s", what,
                odd.said);
  return same ("said with tabs", unquoted (odd.said), unquoted (direct.said))
         && (direct.status != 0
             || same ("with tabs", odd.text, direct.text));
}

/* All ways to read a file that is good.  */
static void
check_ways (const char *text, size_t n)
{
  fill (&plain, text, n);
  recode (&plain, "--plain", NULL);
  if (!check_forms (text, n) || !is_right (&direct, 0)
      || !is_right (&plain, READER_PLAIN | READER_ABSOLUTE))
    return;
  recode_again (&again, &plain, NULL);
  same ("plain and back", again.text, direct.text);
  recode_again (&again, &direct, NULL);
  same ("a second time", again.text, direct.text);
}

/* The cases.  */

enum kind { PLAIN, REPAIR, OPTION };

struct entry
{
  int line;
  enum kind kind;
  const char *option;
  const char *in;
  size_t n;
  const char *out; /* NULL: the file is refused */
  const char *said;
};

#define HEAD "events: A B\nfl=f.c\nfn=f\n"
#define ENTRY(kind, option, in, out, said)                                    \
  { __LINE__, kind, option, in, sizeof (in) - 1, out, said },
#define GOOD_FILE(in, out) ENTRY (PLAIN, NULL, in, out, "")
#define SAME_FILE(in) ENTRY (PLAIN, NULL, in, in, "")
#define WARNED_FILE(in, out, said) ENTRY (PLAIN, NULL, in, out, said)
#define BAD_FILE(in, said) ENTRY (PLAIN, NULL, in, NULL, said)
#define GOOD(in, out) GOOD_FILE (HEAD in, HEAD out)
#define SAME(in) SAME_FILE (HEAD in)
#define WARNED(in, out, said) WARNED_FILE (HEAD in, HEAD out, said)
#define BAD(in, said) BAD_FILE (HEAD in, said)
#define REPAIRED(in, out, said)                                               \
  ENTRY (REPAIR, "--repair", "events: A\n" in, "events: A\n" out, said)
#define RIGHT(in) REPAIRED (in, in, "nothing to repair")
#define FORM(option, in, out, said) ENTRY (OPTION, option, in, out, said)
#define FORM_BAD(option, in, said) ENTRY (OPTION, option, in, NULL, said)
static const struct entry entries[] = {
#include "cgin.def"
};

static void
check_repaired (struct run *r)
{
  recode (r, "--repair", "--plain");
  is_right (r, READER_PLAIN | READER_ABSOLUTE);
  recode_again (&again, r, "--repair");
  same ("repaired again", again.said, "nothing to repair");
}

static void
check (const struct entry *e)
{
  struct run *r = &plain;

  trying ("cgin.def:%d", e->line);
  fill (r, e->in, e->n);
  recode (r, e->kind == OPTION ? NULL : "--plain", e->option);
  cr_expect_eq (r->status, e->out == NULL, "%s: status %d", what, r->status);
  if (!same ("said", r->said, e->said)
      || (e->out != NULL && !same ("written", essence (r->text), e->out)))
    return;
  if (e->kind == PLAIN && e->out == NULL)
    check_forms (e->in, e->n);
  else if (e->kind == PLAIN)
    check_ways (e->in, e->n);
  else if (e->kind == REPAIR)
    check_repaired (r);
}

Test (cgin, cases)
{
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    check (&entries[i]);
}

/* Forms of a line.  */

static const char *const forms[] = {
  "", "+", "-", "*", "**", "+-1", "1", "+1 2", "-1 2", "* 2", "+8 2", "-8 2",
  "1 2 ", "1 2  ", "1 2 3", "1 2 3 4", "1  2", " 1 2", "1 2\r", "1 2x", "1 x",
  "1 -2", "1 +2", "1 *", "1 .", "1,2", "17-18 2", "1 999999999999999999",
  "1 1000000000000000000", "1 18446744073709551615", "1 18446744073709551616",
  "1 99999999999999999999", "4294967295 1", "4294967296 1", "+4294967288 1",
  "+4294967289 1", "+18446744073709551615 1", "000000000000000000001 1",
  "0x10 1", "0x 1", "0xg 1", "0X10 1", "0xA 1", "+0x3 1", "-0x3 1",
  "0x1fffffffffffffff 1 1", "0xffffffffffffffff 1 1",
  "0x10000000000000000 1 1", "+0x7000000000000000 1 1",
  "+8000000000000000000 1 1", "+999999999999999999 1 1", "-1 +1 1", "* * 1",
  "+1 0x10 1", "0x10", "+1 +1", "1 2\n\n+1 2", "cfn=(1) g\ncalls=1 2\n1 2",
  "cfn=(1) g\ncalls=1 0x10 2\n1 2 3",
  "cfn=(1) g\n1 2\ncfn=(1)\ncalls=1 +4\n* 2", "cfn=(2)\ncalls=1 1\n1 1",
  "cfn=(1) g\ncalls=1 *\n\n1 2\n1 2", "cfn=(1) g\ncalls=1 -9\n1 2",
  "cfn=(1) g\ncalls=1\n1 2", "cfn=(1) g\ncalls=\n1 2", "calls=1 2\n1 2",
  "cfn=(1) g\n1 2\n1 2", "cfn=(1) g\ncfn=(1)\n\n1 2",
  "cfn=(1) g\ncalls=1 2 \n1 2", "cfn=(1) g\ncalls=1 2 3\n1 2",
  "cfn=(1) g\ncalls=1 2\ncalls=1 2\n1 2",
  "cfn=(1) g\ncalls=1 2\ncfn=(1)\n1 2", "cfn=(1) g\ncalls=1 4294967296\n1 2",
  "cfn=(1) g\ncalls=0x2 3\n1 2", "jump=1 2\n1", "jump=1 2\n1 2",
  "jump=1 2\n+1 +1", "jump=1 2\ncfn=(1) g\n1 2", "jump=1 2\n\n* * 2"
};

/* With each kind of positions: the header, and a line before and behind.  */
static const char *const around[][3] = {
  { "events: A", "7 3", "* 1" },
  { "events: A B", "7 3", "* 1" },
  { "positions: instr\nevents: A", "0x7fffffffffffffff 3", "* 1" },
  { "positions: instr line\nevents: A", "0x7fffffffffffffff 7 3", "* * 1" }
};

Test (cgin, forms_of_lines)
{
  enum { FORMS = sizeof forms / sizeof *forms };
  size_t n_read = 0, n_all = 0;
  char text[400];

  for (size_t i = 0; i < sizeof around / sizeof *around; i++)
    for (size_t k = 0; k < FORMS; k++, n_all++)
      {
        int n = snprintf (text, sizeof text, "%s\nfl=f\nfn=f\n%s\n%s\n%s\n",
                          around[i][0], around[i][1], forms[k], around[i][2]);

        trying ("%s, %s", around[i][0], forms[k]);
        check_forms (text, (size_t) n);
        n_read += direct.status == 0;
      }
  cr_expect (n_read > 50 && n_all - n_read > 50, "%zu of %zu", n_read, n_all);
}

/* Names in all combinations: what records mean must not depend on whether names
   have ids.  */

static uint64_t state;
static FILE *made;
static bool has_ids;

static unsigned
pick (unsigned n)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (state >> 33) % n;
}

enum table { FILES, OBJECTS, FNS };
enum { IDS = 4 };
static const char *named[3][IDS];

/* An id is defined where it is used first, and at times again.  */
static void
put_name (const char *key, enum table table)
{
  static const char *const texts[] = { "a.c", "b.c", "c.c", "d.c" };
  unsigned id = pick (IDS);
  const char **name = &named[table][id];
  bool is_new = *name == NULL || pick (8) == 0;

  if (is_new)
    *name = texts[pick (4)];
  fprintf (made, "%s=", key);
  if (has_ids)
    fprintf (made, "(%u) ", id + 1);
  fprintf (made, "%s\n", is_new || !has_ids ? *name : "");
}

static void
maybe_name (const char *key, enum table table)
{
  if (pick (2))
    put_name (key, table);
}

static void
put_record (unsigned kind, const char *fl)
{
  switch (kind)
    {
    case 0:
      put_name ("ob", OBJECTS);
      /* Fall through.  */
    case 1:
      put_name (fl, FILES);
      /* Fall through.  */
    case 2:
      put_name ("fn", FNS);
      break;
    case 3:
      put_name (pick (2) ? "fi" : "fe", FILES);
      break;
    case 4:
    case 5:
      maybe_name ("cob", OBJECTS);
      maybe_name (pick (2) ? "cfi" : "cfl", FILES);
      put_name ("cfn", FNS);
      fprintf (made, "calls=1 %u\n", pick (9));
      break;
    default:
      maybe_name ("jfi", FILES);
      maybe_name ("jfn", FNS);
      fprintf (made, "jump=1 %u\n%u\n", pick (9), pick (9));
    }
  fprintf (made, "%u %u\n", pick (9), 1 + pick (9));
}

/* Some have no fl=, and some no ob=.  */
Test (cgin, random_profiles)
{
  for (unsigned seed = 2; seed < 26; seed++)
    {
      const char *fl = seed % 6 < 2 ? "fi" : "fl";
      char *text;
      size_t n;

      state = seed / 2;
      has_ids = seed % 2;
      trying ("seed %u, %s ids", seed / 2, has_ids ? "with" : "without");
      memset (named, 0, sizeof named);
      made = open_memstream (&text, &n);
      fputs ("events: A\n", made);
      put_record (1, fl);
      for (int i = 0; i < 300; i++)
        put_record (seed % 8 < 2 ? 1 + pick (7) : pick (8), fl);
      fclose (made);
      check_ways (text, n);
      cr_expect (plain.status == 0 && plain.n > 2000, "%s: %s", what,
                 plain.said);
      free (text);
    }
}

/* Files that are cut, or too large.  */

static const char whole[]
    = "# callgrind format\nversion: 1\ncreator: somebody\n"
      "cmd: ./a b\\n \\\\ \\x1b\npart: 1\ndesc: Trigger: end\n"
      "positions: instr line\nevent: Ir : Instruction Fetches\n"
      "events: Ir Dr\nsummary: 30 4\n\n"
      "ob=(1) a.out\nfl=(1) f.c\nfn=(1) main\n0x10 5 1 2\n+1 +1 3\n"
      "cob=(2) b.so\ncfi=(2) g.c\ncfn=(2) g\ncalls=2 0x100 7\n* * 20 2\n"
      "jump=3 0x20 8\n+2 *\njcnd=1/2 +4 +1\n* *\n# a comment\n"
      "fi=(3) h.h\n0x30 4 7\nfe=(1)\n+3 +4 19 2\ntotals: 30 4\n";

/* A profile comes out, or one reason.  */
Test (cgin, cut_at_every_byte)
{
  int n_profiles = 0;

  for (size_t n = 0; n < sizeof whole; n++)
    {
      trying ("%zu bytes", n);
      fill (&direct, whole, n);
      recode (&direct, NULL, NULL);
      if (direct.status == 0)
        {
          n_profiles++;
          is_right (&direct, 0);
          cr_expect (whole[n - 1] == '\n'
                         ? direct.said[0] == '\0'
                         : strstr (direct.said, ": warning: the last line has "
                                                "no newline, but all its "
                                                "numbers")
                               != NULL,
                     "%s: %s", what, direct.said);
        }
      else
        cr_expect (direct.status == 1 && direct.said[0] != '\0', "%s: %d",
                   what, direct.status);
      cr_expect_null (strchr (direct.said, '\n'), "%s: %s", what, direct.said);
    }
  cr_expect_gt (n_profiles, 5);
}

/* Adds a text so often to `to`, and returns its end.  */
static char *
repeat (char *to, const char *text, size_t n)
{
  size_t length = strlen (text);

  for (; n > 0; n--, to += length)
    memcpy (to, text, length);
  return to;
}

static void
refused (const char *text, const char *end, const char *said)
{
  trying ("%zu bytes", (size_t) (end - text));
  fill (&direct, text, (size_t) (end - text));
  recode (&direct, NULL, NULL);
  cr_expect_eq (direct.status, 1);
  same ("said", direct.said, said);
}

/* A line of 5 MB, and a header of 16: it may be one of comments.  */
Test (cgin, too_large)
{
  enum { LINE = 3 << 20 };
  char *text = malloc (6 * LINE), *end;

  end = repeat (text, "x", 5000000);
  *end++ = '\n';
  refused (text, end, "1: line too long");
  end = text;
  for (int i = 0; i < 6; i++)
    {
      char *begin = end;

      end = repeat (end, "x", LINE - 1);
      memcpy (begin, i % 2 == 0 ? "desc: " : "# xxxx", 6);
      *end++ = '\n';
    }
  refused (text, end, "6: the header is too large");
  refused (text, end - 1,
           "6: the last line has no newline: the file is cut");
  free (text);
}

Test (cgin, events)
{
  char text[2000] = "events:", *end = text + strlen (text);

  for (int i = 1; i <= CGW_EVENTS_MAX; i++)
    end += sprintf (end, " E%d", i);
  trying ("the most events");
  memcpy (end, "\n", 2);
  check_ways (text, strlen (text));
  cr_expect (strstr (plain.text, " E200\n") != NULL);
  memcpy (end, " F\n", 4);
  refused (text, end + 3, "1: too many event types");
}

/* A sink may want less, and end the reading.  */

static enum cgw_status
refuse (void *context, const struct cgw_pos *pos, const uint64_t *cost,
        size_t n)
{
  (void) pos;
  ++*(int *) context;
  return n == 1 && *cost == 5 ? CGW_EORDER : CGW_OK;
}

Test (cgin, a_small_sink)
{
  int n_costs = 0;
  struct cgin_sink sink = { .context = &n_costs };
  struct cgin_error error;
  struct tool_file file = { .path = "" };
  static const char text[]
      = "events: A\n# x\nfn=f\njump=1 2\n3\n4 5\ntotals: 7\n";

  tool_file_make (&file);
  tool_file_fill (&file, text, sizeof text - 1);
  cr_assert_eq (cgw_names_new (&sink.names, NULL), CGW_OK);
  cr_assert (cgin_read (file.fd, &sink, &error));
  sink.cost = refuse;
  lseek (file.fd, 0, SEEK_SET);
  cr_assert_not (cgin_read (file.fd, &sink, &error));
  cr_assert_eq (n_costs, 1);
  cr_assert_eq (error.line, 6);
  cr_assert_str_eq (error.text, cgw_strerror (CGW_EORDER));
  cgw_names_free (sink.names);
}
