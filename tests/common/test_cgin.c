/* test_cgin.c - the reader of callgrind files: records, and where they belong;
   comments; the end of the file.  tests/examples/recode_bad_input.sh has the
   lines that are refused.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_cgin.h"

#include "cgin.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sink.  */

enum { NAMES = 200 };
static struct
{
  struct cgin_name name;
  char text[80];
} known[NAMES];
static size_t n_known;
static FILE *dump;

static void
take_name (void *context, const struct cgin_name *name)
{
  (void) context;
  cr_assert_lt (n_known, NAMES);
  known[n_known].name = *name;
  snprintf (known[n_known++].text, sizeof known->text, "%s", name->text);
}

static const char *
text_of (enum cgin_kind kind, uint32_t handle)
{
  for (size_t i = 0; i < n_known; i++)
    if (known[i].name.kind == kind && known[i].name.handle == handle)
      return known[i].text;
  cr_assert_eq (handle, 0);
  return "";
}

static void
print_fn (struct cgw_fn fn)
{
  for (size_t i = 0; i < n_known; i++)
    {
      const struct cgin_name *name = &known[i].name;

      if (name->kind != CGIN_FN || name->handle != fn.handle)
        continue;
      if (name->object.handle != 0)
        fprintf (dump, "%s|", text_of (CGIN_OBJECT, name->object.handle));
      if (name->file.handle != 0)
        fprintf (dump, "%s|", text_of (CGIN_FILE, name->file.handle));
      fputs (known[i].text, dump);
      return;
    }
  fputs (fn.handle == 0 ? "none" : "unknown", dump);
}

static void
print_pos (const char *word, const struct cgw_pos *pos)
{
  fprintf (dump, "%s ", word);
  print_fn (pos->fn);
  putc (' ', dump);
  if (pos->instr != 0)
    fprintf (dump, "0x%" PRIx64 "/", pos->instr);
  fprintf (dump, "%" PRIu32, pos->line);
  if (pos->file.handle != 0)
    fprintf (dump, " in %s", text_of (CGIN_FILE, pos->file.handle));
}

static enum cgw_status
print_numbers (const uint64_t *numbers, size_t n)
{
  putc (':', dump);
  for (size_t i = 0; i < n; i++)
    fprintf (dump, " %" PRIu64, numbers[i]);
  putc ('\n', dump);
  return CGW_OK;
}

static enum cgw_status
take_part (void *context, const struct cgw_part *part, const char *creator)
{
  const char *const positions[] = { "", " line", " instr", " instr line" };

  (void) context;
  fputs ("part", dump);
  for (size_t i = 0; i < part->n_events; i++)
    fprintf (dump, "%c%s", i == 0 ? ' ' : ',', part->events[i].name);
  fputs (positions[(part->positions & CGW_LINE ? 1 : 0)
                   + (part->positions & CGW_INSTR ? 2 : 0)],
         dump);
  if (part->pid != 0)
    fprintf (dump, " pid=%" PRIu64, part->pid);
  if (part->part != 0)
    fprintf (dump, " part=%" PRIu64, part->part);
  if (part->thread != 0)
    fprintf (dump, " thread=%" PRIu64, part->thread);
  if (creator != NULL)
    fprintf (dump, " by=%s", creator);
  if (part->cmd != NULL)
    fprintf (dump, " cmd=%s", part->cmd);
  for (size_t i = 0; i < part->n_desc; i++)
    fprintf (dump, " desc=%s", part->desc[i]);
  for (size_t i = 0; i < part->n_summary; i++)
    fprintf (dump, "%s%" PRIu64, i == 0 ? " sum=" : ",", part->summary[i]);
  putc ('\n', dump);
  for (size_t i = 0; i < part->n_events; i++)
    {
      const struct cgw_event *e = &part->events[i];

      if (e->long_name == NULL && e->formula == NULL)
        continue;
      fprintf (dump, "event %s", e->name);
      if (e->long_name != NULL)
        fprintf (dump, " : %s", e->long_name);
      fprintf (dump, e->formula != NULL ? " = %s\n" : "\n", e->formula);
    }
  return CGW_OK;
}

static enum cgw_status
take_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  (void) context;
  print_pos ("cost", pos);
  return print_numbers (cost, n);
}

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  (void) context;
  print_pos ("call", from);
  print_pos (" ->", to);
  fprintf (dump, " x%" PRIu64, count);
  return print_numbers (cost, n);
}

static enum cgw_status
take_jump (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t executed)
{
  (void) context;
  print_pos ("jump", from);
  print_pos (" ->", to);
  fprintf (dump, " %" PRIu64 "\n", executed);
  return CGW_OK;
}

static enum cgw_status
take_cond_jump (void *context, const struct cgw_pos *from,
                const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  (void) context;
  print_pos ("jcnd", from);
  print_pos (" ->", to);
  fprintf (dump, " %" PRIu64 "/%" PRIu64 "\n", followed, executed);
  return CGW_OK;
}

static enum cgw_status
take_comment (void *context, const char *text)
{
  (void) context;
  fprintf (dump, "# %s\n", text);
  return CGW_OK;
}

static void
take_warning (void *context, uint64_t line, const char *text)
{
  (void) context;
  fprintf (dump, "%" PRIu64 ": warning: %s\n", line, text);
}

const char *
reads (const char *text)
{
  static char *result;
  struct cgin_sink sink = { .name = take_name,
                            .begin_part = take_part,
                            .cost = take_cost,
                            .call = take_call,
                            .jump = take_jump,
                            .cond_jump = take_cond_jump,
                            .comment = take_comment,
                            .warn = take_warning };
  FILE *file = tmpfile ();
  struct cgin_error error;
  size_t size;

  free (result);
  result = NULL;
  n_known = 0;
  dump = open_memstream (&result, &size);
  cr_assert (file != NULL && dump != NULL);
  cr_assert_eq (cgw_names_new (&sink.names, NULL), CGW_OK);
  fputs (text, file);
  fflush (file);
  rewind (file);
  if (!cgin_read (fileno (file), &sink, &error))
    fprintf (dump, "%" PRIu64 ": %s\n", error.line, error.text);
  fclose (file);
  fclose (dump);
  cgw_names_free (sink.names);
  return result;
}

void
reads_as (const char *text, const char *expected)
{
  cr_assert_str_eq (reads (text), expected, "%s\n", text);
}

void
body_reads_as (const char *text, const char *expected)
{
  static const char begin[] = "part A,B line\ncost f.c|f 1: 1 1\n";
  char all[10000];
  const char *result;

  snprintf (all, sizeof all, BODY "%s", text);
  result = reads (all);
  cr_assert_eq (strncmp (result, begin, sizeof begin - 1), 0);
  cr_assert_str_eq (result + sizeof begin - 1, expected, "%s\n", text);
}

/* Records.  */

Test (cgin, costs)
{
  body_reads_as ("2 3 4\n3 5\n4\n", "cost f.c|f 2: 3 4\n"
                                    "cost f.c|f 3: 5\n"
                                    "cost f.c|f 4:\n");
  body_reads_as ("2 . 4\n", "cost f.c|f 2: 0 4\n");
}

Test (cgin, costs_before_any_function)
{
  reads_as ("events: A\n1 2\n", "part A line\ncost none 1: 2\n");
  reads_as ("events: A\nfl=f.c\n1 2\n", "part A line\ncost f.c|??? 1: 2\n");
}

/* A call is at the line of its costs.  Without cob= and cfi= the callee is where
   the caller is; they hold for one call, cfn= for those behind it, too.  */
Test (cgin, calls)
{
  body_reads_as ("cfn=g\ncalls=3 20\n5 6 7\n",
                 "call f.c|f 5 -> f.c|g 20 x3: 6 7\n");
  body_reads_as ("cfi=g.c\ncob=o\ncfn=g\ncalls=3 20\n5 6\ncfn=h\ncalls=1 2\n"
                 "6 7\n",
                 "call f.c|f 5 -> o|g.c|g 20 x3: 6\n"
                 "call f.c|f 6 -> f.c|h 2 x1: 7\n");
  body_reads_as ("cfn=g\ncalls=3 20\n5 6\ncalls=1 30\n6 7\n",
                 "call f.c|f 5 -> f.c|g 20 x3: 6\n"
                 "call f.c|f 6 -> f.c|g 30 x1: 7\n");
  /* Some writers have the file behind the function.  */
  body_reads_as ("cfn=g\ncfi=g.c\ncalls=3 20\n5 6\n",
                 "call f.c|f 5 -> g.c|g 20 x3: 6\n");
  /* In inlined code the callee's file is that of the code.  */
  body_reads_as ("fi=i.h\ncfn=g\ncalls=3 20\n5 6\n",
                 "call f.c|f 5 in i.h -> i.h|g 20 x3: 6\n");
}

/* Callgrind writes a jump's own line behind it; in the document's form it is
   where the costs were last.  */
Test (cgin, jumps)
{
  body_reads_as ("jump=3 20\n5\n", "jump f.c|f 5 -> f.c|f 20 in f.c 3\n");
  body_reads_as ("jump=3 20\n5 6\n", "jump f.c|f 1 -> f.c|f 20 in f.c 3\n"
                                     "cost f.c|f 5: 6\n");
  body_reads_as ("jcnd=2/3 20\n5\n", "jcnd f.c|f 5 -> f.c|f 20 in f.c 2/3\n");
  body_reads_as ("jcnd=3 2 20\n5\n", "jcnd f.c|f 5 -> f.c|f 20 in f.c 2/3\n");
  body_reads_as ("jump=3 20\n", "jump f.c|f 1 -> f.c|f 20 in f.c 3\n");
  body_reads_as ("jfi=i.h\njfn=g\njump=3 20\n5\n",
                 "jump f.c|f 5 -> i.h|g 20 in i.h 3\n");
}

Test (cgin, comments)
{
  body_reads_as ("# a\tcomment \n#\n  #x\n# callgrind format\n",
                 "# a\tcomment\n# \n# x\n");
  reads_as ("# one\nevents: A\n# two\n1 2\n",
            "part A line\n# one\n# two\ncost none 1: 2\n");
}

/* What callgrind writes and all readers skip.  */
Test (cgin, lines_that_say_nothing)
{
  body_reads_as ("frfn=(7) g\nrec=2\n\n \t\nfn=(7)\n1 2\n",
                 "cost f.c|g 1: 2\n");
  body_reads_as ("rec=x\n", "6: expected a number: \"x\"\n");
}

/* pprof leaves an unknown line empty.  */
Test (cgin, a_line_without_a_position)
{
  reads_as ("events: A\nfl=f.c\nfn=f\n 7\n5 1\n 8\n",
            "part A line\ncost f.c|f 0: 7\ncost f.c|f 5: 1\n"
            "cost f.c|f 0: 8\n");
}

Test (cgin, ends)
{
  reads_as ("", "0: the file is empty\n");
  reads_as ("events: A\n", "part A line\n");
  reads_as ("version: 1\n", "1: there is no events: line before this line\n");
  reads_as ("events: A\n1 2", "2: warning: the last line has no newline, but "
                              "all its numbers\npart A line\ncost none 1: "
                              "2\n");
  reads_as ("events: A\nfn=f", "2: the last line has no newline: the file is "
                               "cut\n");
  /* Yappi never writes it.  */
  reads_as ("creator: yappi\nevents: A\nfn=f",
            "part A line by=yappi\n");
}

/* An error quotes the line without what a terminal would obey.  */
Test (cgin, quotes)
{
  body_reads_as ("\033[31m\xff\n", "6: unknown line: \"?[31m?\"\n");
  body_reads_as ("a line of more than forty characters is cut off\n",
                 "6: unknown line: \"a line of more than forty characters is "
                 "...\"\n");
}

static enum cgw_status
refuse (void *context, const struct cgw_pos *pos, const uint64_t *cost,
        size_t n)
{
  (void) context;
  (void) pos;
  (void) cost;
  (void) n;
  return CGW_EORDER;
}

/* A sink may want less, and end the reading.  */
Test (cgin, a_small_sink)
{
  struct cgin_sink sink = { .begin_part = take_part,
                            .cost = take_cost,
                            .call = take_call };
  struct cgin_error error;
  FILE *file = tmpfile ();
  char *text;
  size_t size;

  cr_assert_not_null (file);
  dump = open_memstream (&text, &size);
  cr_assert_eq (cgw_names_new (&sink.names, NULL), CGW_OK);
  fputs ("events: A\n# x\nfn=f\njump=1 2\n3\n4 5\ntotals: 7\n", file);
  fflush (file);
  rewind (file);
  cr_assert (cgin_read (fileno (file), &sink, &error));
  rewind (file);
  sink.cost = refuse;
  cr_assert_not (cgin_read (fileno (file), &sink, &error));
  cr_assert_eq (error.line, 6);
  cr_assert_str_eq (error.text, cgw_strerror (CGW_EORDER));
  fclose (file);
  fclose (dump);
  free (text);
  cgw_names_free (sink.names);
}
