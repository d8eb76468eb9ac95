/* fuzz_import.c - the readers of cgw-import.

   The kind of an input is found by its first bytes, as the tool finds it, or is
   that of the first byte if that is a small number, which no kind begins with.
   What is imported must be a profile for the tests' strict reader, in which
   each stack begins at a root; what is refused must have a message.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#include "support/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In the place of each number.  */
static const char *const kinds[]
    = { NULL,     "callgrind",   "cpuprofile", "folded",    "gperftools",
#ifdef HAVE_LIBDW
        "perf",
#else
        "pprof",
#endif
        "perf-script", "pprof", "speedscope" };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Runs cgw-import in one of four ways.  Programs and libraries that an input
   names are not there.  */
static int
import (struct tool_file *input, struct tool_file *output, const char *kind,
        size_t how)
{
  const char *arguments[11] = { "cgw-import", "--symfs", "/dev/null" };
  size_t n = 3;

  if (kind != NULL)
    {
      arguments[n++] = "--from";
      arguments[n++] = kind;
    }
  if (how % 2 != 0)
    {
      arguments[n++] = "--inline";
      arguments[n++] = "lines";
    }
  if (how / 2 % 2 != 0)
    arguments[n++] = "--threads";
  arguments[n] = input->path;
  return tool_run (main_import, arguments, output);
}

/* Which functions are called.  */
static bool *
find_called (const struct profile *p)
{
  bool *called = calloc (p->fns.n + 1, sizeof *called);

  if (called == NULL)
    fuzz_fail ("no memory");
  for (size_t i = 0; i < p->edges.n; i++)
    called[profile_table_key (&p->edges, i)[EDGE_TO]] = true;
  return called;
}

/* Whether a function that may be a root, without a file and an object, is
   called: it is a frame of a stack, too.  */
static bool
is_root_called (const struct profile *p, const bool *called)
{
  for (size_t i = 0; i < p->fns.n; i++)
    {
      const uint64_t *key = profile_table_key (&p->fns, i);

      if (called[i] && key[FN_OBJECT] == 0 && key[FN_FILE] == 0)
        return true;
    }
  return false;
}

/* What functions that are not called cost, with what they call.  */
static uint64_t
sum_roots (const struct profile *p, const bool *called, size_t event)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < p->costs.n; i++)
    if (!called[profile_table_key (&p->costs, i)[COST_FN]])
      sum += profile_table_values (&p->costs, i)[event];
  for (size_t i = 0; i < p->edges.n; i++)
    if (!called[profile_table_key (&p->edges, i)[EDGE_FN]])
      sum += profile_table_values (&p->edges, i)[EDGE_COST + event];
  return sum;
}

static void
check_roots (const struct profile *p)
{
  bool *called = find_called (p);

  if (!is_root_called (p, called))
    for (size_t i = 0; i < p->n_events; i++)
      {
        uint64_t sum = sum_roots (p, called, i);
        uint64_t total = profile_total (p, i).value;

        if (sum != total)
          fuzz_fail ("event %zu: the roots cost %" PRIu64
                     ", and all functions %" PRIu64,
                     i, sum, total);
      }
  free (called);
}

static void
check_profile (const struct tool_file *file, bool from_samples)
{
  char reason[200];
  size_t n;
  char *bytes = tool_file_read (file, &n);
  struct profile *p
      = profile_read (bytes, n, READER_NO_PAD, reason, sizeof reason);

  if (p == NULL)
    fuzz_fail ("the strict reader refuses what was imported: %s", reason);
  /* Sums below 0 became 0.  */
  if (from_samples && !profile_had_below_0 (p))
    check_roots (p);
  profile_free (p);
  free (bytes);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static struct tool_file input, output;
  size_t kind = n != 0 && bytes[0] < KINDS ? bytes[0] : 0;
  size_t skipped = kind != 0;

  tool_file_make (&input);
  tool_file_make (&output);
  tool_file_fill (&input, bytes + skipped, n - skipped);
  if (import (&input, &output, kinds[kind], n) == 0)
    check_profile (&output, is_of_samples (&input, kinds[kind]));
  else if (*tool_said () == '\0')
    fuzz_fail ("it is refused without a message");
  return 0;
}
