/* fuzz_profile.c - the reader of callgrind profiles, by the tools that rewrite,
   add up and check them.

   What cgw-recode accepts must mean the same when it is rewritten, to the
   tools' own reader and to the tests', and the same bytes must come out when it
   is rewritten again.  cgw-merge must find the same sums, and cgw-lint no
   mistakes but the input's.  What is refused must have a message.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "profile_text.h"
#include "tool_run.h"

#include "support/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct tool_file input, output, again, form;

static void
make_files (void)
{
  tool_file_make (&input);
  tool_file_make (&output);
  tool_file_make (&again);
  tool_file_make (&form);
}

#define RUN(tool, file, ...)                                                  \
  tool_run (main_##tool, (const char *const[]){ #tool, __VA_ARGS__, NULL },   \
            file)

/* The first line in which two texts differ.  */
static void
fail_at_difference (const char *what, const char *a, const char *b)
{
  size_t line = 0;

  for (size_t i = 0; a[i] == b[i] && a[i] != '\0'; i++)
    if (a[i] == '\n')
      line = i + 1;
  fuzz_fail ("%s: \"%.*s\", not \"%.*s\"", what,
             (int) strcspn (b + line, "\n"), b + line,
             (int) strcspn (a + line, "\n"), a + line);
}

static void
check_same_text (const char *what, const struct profile_text *a,
                 const struct profile_text *b)
{
  if (strcmp (a->text, b->text) != 0)
    fail_at_difference (what, a->text, b->text);
}

/* Reads what a tool wrote.  */
static void
read_written (const char *what, struct profile_text *t,
              const struct tool_file *file)
{
  profile_text_read (t, file);
  if (!t->is_read)
    fuzz_fail ("%s is refused: %s", what, t->error);
}

static void
check_same_bytes (const char *what, const struct tool_file *a,
                  const struct tool_file *b)
{
  size_t n, m;
  char *first = tool_file_read (a, &n);
  char *second = tool_file_read (b, &m);

  if (n != m || memcmp (first, second, n) != 0)
    fail_at_difference (what, first, second);
  free (first);
  free (second);
}

/* Sums.  */

static uint64_t
event_self (const struct profile_sums *s, const char *name,
            uint64_t *inclusive)
{
  for (size_t i = 0; i < s->n_events; i++)
    if (strcmp (s->events[i].name, name) == 0)
      {
        *inclusive = s->events[i].inclusive;
        return s->events[i].self;
      }
  fuzz_fail ("event %s is lost", name);
}

static void
check_sum (const char *what, const char *of, uint64_t sum, uint64_t expected)
{
  if (sum != expected)
    fuzz_fail ("%s: the sum of %s is %" PRIu64 ", not %" PRIu64, what, of, sum,
               expected);
}

/* The tests' own reader.  */

static uint64_t
table_sum (const struct profile_table *t, size_t value)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < t->n; i++)
    sum += profile_table_values (t, i)[value];
  return sum;
}

/* Both readers must find the same sums.  They name events alike.  */
static void
check_strict_sums (const char *what, const struct profile *p,
                   const struct profile_sums *sums)
{
  check_sum (what, "calls", sums->calls, table_sum (&p->edges, EDGE_COUNT));
  check_sum (what, "jumps", sums->executed,
             table_sum (&p->jumps, JUMP_EXECUTED));
  check_sum (what, "jumps followed", sums->followed,
             table_sum (&p->jumps, JUMP_FOLLOWED));
  for (size_t i = 0; i < p->n_events; i++)
    {
      const char *name = p->parts[0].events[i].name;
      uint64_t inclusive;
      uint64_t self = event_self (sums, name, &inclusive);

      check_sum (what, name, self, profile_total (p, i).value);
      check_sum (what, "calls' costs", inclusive,
                 table_sum (&p->edges, EDGE_COST + i));
    }
}

/* It is strict.  */
static void
check_strictly (const char *what, const struct tool_file *file, unsigned flags,
                const struct profile_sums *sums)
{
  char reason[200];
  size_t n;
  char *bytes = tool_file_read (file, &n);
  struct profile *p = profile_read (
      bytes, n, flags | READER_ALLOW_ZERO_CALLS | READER_NO_PAD, reason,
      sizeof reason);

  if (p == NULL)
    fuzz_fail ("%s is refused by the strict reader: %s", what, reason);
  if (sums->n_events == p->n_events)
    check_strict_sums (what, p, sums);
  profile_free (p);
  free (bytes);
}

/* cgw-merge.  */

static void
check_sums (const char *what, const struct profile_sums *one,
            const struct profile_sums *sums, uint64_t times)
{
  check_sum (what, "calls", sums->calls, times * one->calls);
  check_sum (what, "jumps", sums->executed, times * one->executed);
  check_sum (what, "jumps followed", sums->followed, times * one->followed);
  for (size_t i = 0; i < one->n_events; i++)
    {
      const struct event_sums *event = &one->events[i];
      uint64_t inclusive;
      uint64_t self = event_self (sums, event->name, &inclusive);

      check_sum (what, event->name, self, times * event->self);
      check_sum (what, "calls' costs", inclusive, times * event->inclusive);
    }
}

/* Whether sums are below 2^64 when they are doubled.  */
static bool
can_double (const struct profile_sums *s)
{
  uint64_t all = s->calls | s->executed | s->followed;

  for (size_t i = 0; i < s->n_events; i++)
    all |= s->events[i].self | s->events[i].inclusive;
  return !s->has_overflow && all >> 63 == 0;
}

/* Merges the output with itself.  Parts may differ in their events.  */
static void
check_merge (const struct profile_text *one)
{
  struct profile_text merged;
  bool must = one->sums.n_parts == 1 && can_double (&one->sums);

  if (RUN (merge, &again, "-o", "-", output.path) == 0)
    {
      read_written ("a file merged alone", &merged, &again);
      check_strictly ("a file merged alone", &again, 0, &merged.sums);
      check_sums ("a file merged alone", &one->sums, &merged.sums, 1);
      profile_text_free (&merged);
    }
  else if (must || *tool_said () == '\0')
    fuzz_fail ("cgw-merge refuses a file: %s", tool_said ());
  if (RUN (merge, &again, "-o", "-", output.path, output.path) == 0)
    {
      read_written ("a file merged twice", &merged, &again);
      check_sums ("a file merged twice", &one->sums, &merged.sums, 2);
      profile_text_free (&merged);
    }
  else if (must || *tool_said () == '\0')
    fuzz_fail ("cgw-merge refuses two files: %s", tool_said ());
}

/* Options of cgw-recode, one of them for each input.  */

/* What is written in full, or with zeros, must be the same profile.  */
static void
check_form (const char *option, unsigned flags,
            const struct profile_sums *sums)
{
  if (RUN (recode, &form, option, input.path) != 0)
    fuzz_fail ("%s: it is refused: %s", option, tool_said ());
  check_strictly (option, &form, flags, sums);
  if (RUN (recode, &again, form.path) != 0)
    fuzz_fail ("%s: the output is refused: %s", option, tool_said ());
  check_same_bytes (option, &output, &again);
}

static void
check_self (const char *what, const struct profile_sums *a,
            const struct profile_sums *b)
{
  uint64_t inclusive;

  for (size_t i = 0; i < a->n_events; i++)
    check_sum (what, a->events[i].name,
               event_self (b, a->events[i].name, &inclusive),
               a->events[i].self);
}

/* What is repaired, or for a reader, has the same self costs.  The parts of a
   file may not become one.  cachegrind's format, in which "(1)" is a name and
   no id, is not read again.  */
static void
check_reader (const char *option, const struct profile_text *one)
{
  struct profile_text read;

  if (RUN (recode, &form, option, input.path) == 0)
    {
      if (strcmp (option, "--for=cg_annotate") == 0)
        return;
      read_written (option, &read, &form);
      check_self (option, &one->sums, &read.sums);
      profile_text_free (&read);
    }
  else if (*tool_said () == '\0')
    fuzz_fail ("%s: it is refused without a message", option);
}

static void
check_option (const struct profile_text *one, size_t n)
{
  static const char *const options[]
      = { "--repair", "--for=kcachegrind", "--for=callgrind_annotate",
          "--for=cg_annotate", "--for=gprof2dot", "--for=qtcreator",
          "--for=speedscope" };
  enum { OPTIONS = sizeof options / sizeof *options };

  n %= OPTIONS + 2;
  if (n < OPTIONS)
    check_reader (options[n], one);
  else if (n == OPTIONS)
    check_form ("--plain", READER_PLAIN | READER_ABSOLUTE, &one->sums);
  else
    check_form ("--keep-zeros", READER_KEEP_ZEROS, &one->sums);
}

/* cgw-lint.  */

/* What the input itself is to blame for.  */
static bool
is_of_input (const char *rule, size_t n)
{
  static const char *const rules[]
      = { "calls-zero", "calls-without-inclusive", "positions-change",
          "events-change", "summary-too-small", "event-known-formula",
          "object-named-late" };

  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strlen (rules[i]) == n && memcmp (rules[i], rule, n) == 0)
      return true;
  return false;
}

/* Its lines are "FILE:LINE: RULE: ...".  */
static void
check_lint (void)
{
  size_t n;
  char *found;

  if (RUN (lint, &again, output.path) > 1)
    fuzz_fail ("cgw-lint cannot read the output: %s", tool_said ());
  found = tool_file_read (&again, &n);
  for (const char *p = found; (p = strstr (p, ": ")) != NULL;)
    {
      const char *rule = p + 2;

      if (!is_of_input (rule, strcspn (rule, ":")))
        fuzz_fail ("cgw-lint finds %s", rule);
      p += strcspn (p, "\n");
    }
  free (found);
}

/* cgw-recode.  */

static void
check_recoded (size_t size)
{
  struct profile_text before, after;

  profile_text_read (&before, &input);
  if (!before.is_read)
    fuzz_fail ("it is accepted, but: %s", before.error);
  read_written ("the output", &after, &output);
  check_same_text ("the output", &before, &after);
  check_strictly ("the output", &output, 0, &after.sums);
  if (RUN (recode, &again, output.path) != 0)
    fuzz_fail ("the output is refused: %s", tool_said ());
  check_same_bytes ("a second time", &output, &again);
  check_lint ();
  check_merge (&after);
  check_option (&after, size);
  profile_text_free (&before);
  profile_text_free (&after);
}

/* "cgw-recode: FILE:LINE: reason".  A sum that is too large has no line, for it
   is known at the end.  */
static void
check_refusal (size_t n)
{
  const char *said = tool_said ();
  const char *line = strstr (said, input.path);

  if (line == NULL)
    fuzz_fail ("it is refused without a message");
  line += strlen (input.path);
  if (n != 0 && (line[0] != ':' || line[1] < '0' || line[1] > '9')
      && strstr (line, "passed 2^64-1") == NULL)
    fuzz_fail ("it is refused without a line: %s", said);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  make_files ();
  tool_file_fill (&input, bytes, n);
  RUN (lint, &output, input.path);
  if (RUN (recode, &output, input.path) == 0)
    check_recoded (n);
  else
    check_refusal (n);
  return 0;
}
