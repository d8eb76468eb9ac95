/* fuzz_profile.c - the reader of callgrind profiles, by the tools that rewrite,
   add up and check them.

   What cgw-recode accepts must mean the same when it is rewritten, and the same
   bytes must come out when it is rewritten again.  cgw-merge must find the same
   sums as the tests' own reader, and cgw-lint no mistakes but the input's.
   What is refused must have a message.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#include "support/reader.h"

#include "base/memory.h"
#include "format/cgin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What the tools' reader finds in a file: a line for each part, event and
   record, in their order, with handles of the names that both texts share.  */

struct text
{
  FILE *out;
  char *bytes;
  size_t n;
  unsigned positions;
  uint32_t unknown; /* the function that is, which may have no handle, too */
  uint32_t unknown_file; /* the same of files */
};

/* The library escapes some bytes.  */
static void
put_text (const struct text *t, const char *text)
{
  for (; text != NULL && *text != '\0'; text++)
    if ((unsigned char) *text < ' ' || (unsigned char) *text >= 0x7f)
      fprintf (t->out, "\\x%02x", (unsigned char) *text);
    else
      fputc (*text, t->out);
  fputc ('\n', t->out);
}

static enum cgw_status
put_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct text *t = context;

  (void) creator;
  t->positions = part->positions != 0 ? part->positions : CGW_LINE;
  /* The library numbers parts that have no number.  */
  fprintf (t->out, "part %" PRIu64 " %" PRIu64 " %u\n", part->pid,
           part->thread, t->positions);
  /* Formulas are written in another form: "A" for "1 A".  */
  for (const struct cgw_event *e = part->events;
       e < part->events + part->n_events; e++)
    {
      fprintf (t->out, "%s %s ", e->formula != NULL ? "derived" : "event",
               e->name);
      put_text (t, e->long_name);
    }
  return CGW_OK;
}

static uint32_t
function (const struct text *t, const struct cgw_pos *pos)
{
  return pos->fn.handle != t->unknown ? pos->fn.handle : 0;
}

/* Positions that the file does not have are no part of it.  */
static void
put_position (const struct text *t, const struct cgw_pos *pos, bool has_file)
{
  fprintf (t->out, " %u %u @%" PRIx64 ":%" PRIu32, function (t, pos),
           has_file ? pos->file.handle : 0,
           t->positions & CGW_INSTR ? pos->instr : 0,
           t->positions & CGW_LINE ? pos->line : 0);
}

static void
put_costs (const struct text *t, const uint64_t *cost, size_t n)
{
  while (n > 0 && cost[n - 1] == 0)
    n--;
  for (size_t i = 0; i < n; i++)
    fprintf (t->out, " %" PRIu64, cost[i]);
  fputc ('\n', t->out);
}

static enum cgw_status
put_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  const struct text *t = context;

  fputs ("cost", t->out);
  put_position (t, pos, true);
  put_costs (t, cost, n);
  return CGW_OK;
}

static enum cgw_status
put_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  const struct text *t = context;

  fprintf (t->out, "call %" PRIu64, count);
  put_position (t, from, true);
  put_position (t, to, false);
  put_costs (t, cost, n);
  return CGW_OK;
}

/* In another function, or one that is unknown, the target's file has no place:
   see cgw_jump.  An unknown file is that of a function without one.  */
static enum cgw_status
put_cond_jump (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  const struct text *t = context;

  fprintf (t->out, "jump %" PRIu64 "/%" PRIu64, followed, executed);
  put_position (t, from, true);
  put_position (t, to,
                from->fn.handle == to->fn.handle && function (t, to) != 0
                    && to->file.handle != t->unknown_file);
  fputc ('\n', t->out);
  return CGW_OK;
}

static enum cgw_status
put_jump (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t executed)
{
  return put_cond_jump (context, from, to, UINT64_MAX, executed);
}

static char *
read_text (const char *what, struct cgw_names *names,
           const struct tool_file *file)
{
  struct text t
      = { .unknown = cgw_add_fn (names, "???", (struct cgw_file){ 0 },
                                 (struct cgw_object){ 0 }).handle,
          .unknown_file = cgw_add_file (names, "???").handle };
  const struct cgin_sink sink = { .context = &t,
                                  .names = names,
                                  .begin_part = put_part,
                                  .cost = put_cost,
                                  .call = put_call,
                                  .jump = put_jump,
                                  .cond_jump = put_cond_jump };
  struct cgin_error error;

  t.out = open_memstream (&t.bytes, &t.n);
  if (t.out == NULL || lseek (file->fd, 0, SEEK_SET) != 0)
    fuzz_fail ("a file in memory cannot be read");
  if (!cgin_read (file->fd, &sink, &error))
    fuzz_fail ("%s is refused: %" PRIu64 ": %s", what, error.line,
               error.text);
  fclose (t.out);
  return t.bytes;
}

static void
check_same_records (void)
{
  struct cgw_names *names = new_names ();
  char *before = read_text ("the input, which was accepted,", names, &input);
  char *after = read_text ("the output", names, &output);

  if (strcmp (before, after) != 0)
    fail_at_difference ("the output", before, after);
  free (before);
  free (after);
  cgw_names_free (names);
}

/* Sums, as the tests' own reader finds them.  */

enum { CALLS, JUMPS, FOLLOWED, SELF };

struct sums
{
  uint64_t of[SELF + 2 * CGW_EVENTS_MAX]; /* self and inclusive costs */
  size_t n;
  size_t n_parts;
  bool has_overflow; /* one of them passed 2^64-1 */
};

/* Adds up values of all rows, from the first one, to every step-th sum.  */
static void
add_table (struct sums *s, const struct profile_table *t, size_t first,
           size_t n, size_t to, size_t step)
{
  for (size_t row = 0; row < t->n; row++)
    {
      s->has_overflow |= t->overflow[row];
      for (size_t i = 0; i < n; i++)
        s->has_overflow |= __builtin_add_overflow (
            s->of[to + i * step], profile_table_values (t, row)[first + i],
            &s->of[to + i * step]);
    }
}

static struct sums
read_sums (const char *what, const struct tool_file *file, unsigned flags)
{
  struct sums s = { .n = 0 };
  char reason[200];
  size_t n;
  char *bytes = tool_file_read (file, &n);
  struct profile *p = profile_read (
      bytes, n, flags | READER_ALLOW_ZERO_CALLS | READER_NO_PAD, reason,
      sizeof reason);

  if (p == NULL)
    fuzz_fail ("%s is refused by the tests' reader: %s", what, reason);
  if (p->n_events > CGW_EVENTS_MAX)
    fuzz_fail ("%s has %zu events", what, p->n_events);
  s.n = SELF + 2 * p->n_events;
  s.n_parts = p->n_parts;
  add_table (&s, &p->edges, EDGE_COUNT, 1, CALLS, 1);
  add_table (&s, &p->jumps, JUMP_EXECUTED, 2, JUMPS, 1);
  add_table (&s, &p->costs, 0, p->n_events, SELF, 2);
  add_table (&s, &p->edges, EDGE_COST, p->n_events, SELF + 1, 2);
  profile_free (p);
  free (bytes);
  return s;
}

/* Both have the same sums, of the two kinds, or `times` as much.  */
static void
check_sums (const char *what, const struct sums *one, const struct sums *s,
            uint64_t times)
{
  if (one->n != s->n)
    fuzz_fail ("%s: %zu sums, not %zu", what, s->n, one->n);
  for (size_t i = 0; i < s->n; i++)
    if (s->of[i] != times * one->of[i])
      fuzz_fail ("%s: sum %zu is %" PRIu64 ", not %" PRIu64, what, i, s->of[i],
                 times * one->of[i]);
}

/* cgw-merge.  */

/* Whether sums are below 2^64 when they are doubled.  */
static bool
can_double (const struct sums *s)
{
  uint64_t all = 0;

  for (size_t i = 0; i < s->n; i++)
    all |= s->of[i];
  return !s->has_overflow && all >> 63 == 0;
}

/* Merges the output with itself.  Parts may differ in their events.  */
static void
check_merge (const struct sums *one)
{
  bool must = one->n_parts == 1 && can_double (one);

  for (unsigned times = 1; times <= 2; times++)
    if (RUN (merge, &again, "-o", "-", output.path,
             times == 2 ? output.path : NULL)
        == 0)
      {
        struct sums merged = read_sums ("a merged file", &again, 0);

        check_sums ("a merged file", one, &merged, times);
      }
    else if (must || *tool_said () == '\0')
      fuzz_fail ("cgw-merge refuses %u files: %s", times, tool_said ());
}

/* Options of cgw-recode, one of them for each input.  */

/* What is written in full, or with zeros, must be the same profile.  */
static void
check_form (const char *option, unsigned flags, const struct sums *one)
{
  struct sums s;

  if (RUN (recode, &form, option, input.path) != 0)
    fuzz_fail ("%s: it is refused: %s", option, tool_said ());
  s = read_sums (option, &form, flags);
  check_sums (option, one, &s, 1);
  if (RUN (recode, &again, form.path) != 0)
    fuzz_fail ("%s: the output is refused: %s", option, tool_said ());
  check_same_bytes (option, &output, &again);
}

/* What is repaired, or for a reader, has the same self costs, or less where it
   says that costs behind cfn= are those of calls.  The parts of a file may not
   become one.  cachegrind's format, in which "(1)" is a name and no id, is not
   read again.  */
static void
check_reader (const char *option, const struct sums *one)
{
  if (RUN (recode, &form, option, input.path) == 0)
    {
      bool is_less = strstr (tool_said (), " behind cfn= lack") != NULL;
      struct sums s;

      if (strcmp (option, "--for=cg_annotate") == 0)
        return;
      s = read_sums (option, &form, READER_LENIENT);
      for (size_t i = SELF; i < one->n; i += 2)
        if (s.n != one->n
            || (is_less ? s.of[i] > one->of[i] && !one->has_overflow
                        : s.of[i] != one->of[i]))
          fuzz_fail ("%s: sum %zu is %" PRIu64 ", not %" PRIu64, option, i,
                     s.of[i], one->of[i]);
    }
  else if (*tool_said () == '\0')
    fuzz_fail ("%s: it is refused without a message", option);
}

static void
check_option (const struct sums *one, size_t n)
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
    check_form ("--plain", READER_PLAIN | READER_ABSOLUTE, one);
  else
    check_form ("--keep-zeros", READER_KEEP_ZEROS, one);
}

/* cgw-lint.  */

/* What the input itself is to blame for.  */
static bool
is_of_input (const char *rule, size_t n)
{
  static const char *const rules[]
      = { "calls-zero", "calls-without-inclusive", "positions-change",
          "events-change", "summary-too-small", "event-known-formula",
          "object-named-late",
          /* and what no reader shows of a profile without mistakes */
          "limits", "no mistakes; limits" };

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
  struct sums one = read_sums ("the output", &output, 0);

  check_same_records ();
  if (RUN (recode, &again, output.path) != 0)
    fuzz_fail ("the output is refused: %s", tool_said ());
  check_same_bytes ("a second time", &output, &again);
  check_lint ();
  check_merge (&one);
  check_option (&one, size);
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
