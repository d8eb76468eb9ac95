/* fuzz_report.c - what cgw-report prints.

   The totals must be those of cgw-import.  Of the first event, the self costs
   of all functions must add up to the total, and be no more than the inclusive
   ones, which are no more than the total.  Compared with itself, no input
   differs.  No name is an escape sequence or markup.  What is refused must have
   a message.

   The last byte but one of an input chooses the output that is looked at: a
   callgrind profile ends with a newline.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#include "cgw.h"
#include "support/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, TEXT, HTML, SAME, WAYS };

static bool
report (const struct tool_file *input, struct tool_file *output, int way)
{
  static const char *const options[WAYS][3]
      = { { "--json", "--lines" },
          { "--callers", "--callees", "--lines" },
          { "--html" },
          { "--against" } };
  const char *arguments[] = { "cgw-report", "--symfs", "/dev/null",
                              "--no-source", input->path, NULL, NULL, NULL,
                              NULL };

  memcpy (&arguments[5], options[way], sizeof options[way]);
  if (way == SAME)
    arguments[6] = input->path;
  return tool_run (main_report, arguments, output) == 0;
}

/* The numbers in the list that follows a key, at most n.  Returns how many.  */
static size_t
read_list (const char *text, const char *key, uint64_t *numbers, size_t n)
{
  const char *at = strstr (text, key);
  size_t i = 0;
  char *end;

  if (at == NULL)
    fuzz_fail ("there is no %s", key);
  for (at += strlen (key); *at != ']' && i < n; at = end + strspn (end, ", "))
    numbers[i++] = strtoull (at, &end, 10); /* of "-1": 2^64-1 */
  return i;
}

static void
check_totals (const struct profile *p, const char *json)
{
  uint64_t totals[CGW_EVENTS_MAX];
  size_t n = read_list (json, "\"totals\": [", totals, CGW_EVENTS_MAX);

  /* Derived events follow.  */
  if (n < p->n_events)
    fuzz_fail ("there are %zu events, not %zu", n, p->n_events);
  for (size_t i = 0; i < p->n_events; i++)
    if (totals[i] != profile_total (p, i).value)
      fuzz_fail ("event %zu: the total is %" PRIu64 ", not %" PRIu64, i,
                 totals[i], profile_total (p, i).value);
}

/* Each function is a line.  */
static void
check_functions (const char *json, bool is_signed)
{
  const char *line = strstr (json, "\"functions\": [");
  const char *end = strstr (json, "\"edges\": [");
  uint64_t total = 0, self = 0, inclusive = 0, sum = 0;

  read_list (json, "\"totals\": [", &total, 1);
  while ((line = strstr (line, "{\"id\": ")) != NULL && line < end)
    {
      read_list (line, "\"self\": [", &self, 1);
      read_list (line, "\"inclusive\": [", &inclusive, 1);
      if (!is_signed && (self > inclusive || inclusive > total))
        fuzz_fail ("of %" PRIu64 ": %" PRIu64 " self, %" PRIu64 " inclusive",
                   total, self, inclusive);
      sum += self;
      line++;
    }
  if (sum != total)
    fuzz_fail ("the total is %" PRIu64 ", the sum %" PRIu64, total, sum);
}

static void
check_json (const struct tool_file *input, const char *json)
{
  struct profile *p = imported (input, NULL);

  if (p == NULL)
    fuzz_fail ("cgw-import refuses what cgw-report takes: %s", tool_said ());
  if (!profile_had_below_0 (p))
    check_totals (p, json);
  check_functions (json, profile_had_below_0 (p)
                             || strstr (json, ": [-") != NULL
                             || strstr (json, ", -") != NULL);
  profile_free (p);
}

static size_t
count (const char *text, const char *what)
{
  size_t n = 0;

  for (; (text = strstr (text, what)) != NULL; text++)
    n++;
  return n;
}

static void
check (const struct tool_file *input, const struct tool_file *output, int way)
{
  size_t n;
  char *text = tool_file_read (output, &n);

  if (strlen (text) != n || strchr (text, '\033') != NULL)
    fuzz_fail ("there are control characters");
  if (way == JSON)
    check_json (input, text);
  else if (way == HTML && count (text, "</script>") != 2)
    fuzz_fail ("there is markup");
  else if (way == SAME && strstr (text, "No function differs.\n") == NULL)
    fuzz_fail ("it differs from itself");
  free (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static struct tool_file input, output;
  int way = n > 1 ? bytes[n - 2] % WAYS : 0;

  tool_file_make (&input);
  tool_file_make (&output);
  tool_file_fill (&input, bytes, n);
  if (report (&input, &output, way))
    check (&input, &output, way);
  else if (*tool_said () == '\0')
    fuzz_fail ("it is refused without a message");
  return 0;
}
