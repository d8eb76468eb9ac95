/* fuzz_export.c - what cgw-export writes.

   What is read is written in a format of stacks and read again.  The sums must
   be those of the input: times the factor of a unit, which is the same for all
   costs of an event.  What is refused must have a message.

   The last byte of an input chooses the format, and whether threads are kept
   apart.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#include "support/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = { "pprof", "folded", "speedscope" };
enum { PPROF, FOLDED, SPEEDSCOPE, FORMATS };

static int
export (const struct tool_file *input, struct tool_file *output, int format,
        bool by_thread)
{
  const char *arguments[]
      = { "cgw-export", "--symfs", "/dev/null", "--estimate", "--to",
          formats[format], by_thread ? "--threads" : "--to",
          by_thread ? input->path : formats[format],
          by_thread ? NULL : input->path, NULL };

  return tool_run (main_export, arguments, output);
}

static uint64_t
total (const struct profile *p, size_t event)
{
  return profile_total (p, event).value;
}

static bool
is_zero (const struct profile *p, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (total (p, i) != 0)
      return false;
  return true;
}

/* Compares the sums of the first n events.  */
static void
compare (const struct profile *before, const struct profile *after, size_t n,
         int format)
{
  for (size_t i = 0; i < n; i++)
    {
      uint64_t a = total (before, i), b = total (after, i);
      bool is_same = format == FOLDED ? a == b
                     : a == 0         ? b == 0
                                      : b % a == 0 && b != 0;

      /* Doubles have no more digits.  */
      if (format == SPEEDSCOPE && b > UINT64_C (1) << 50)
        continue;
      if (!is_same)
        fuzz_fail ("event %zu: %" PRIu64 " became %" PRIu64 " in %s", i, a, b,
                   formats[format]);
    }
}

static void
check (const struct tool_file *input, const struct tool_file *output,
       int format)
{
  bool is_exact = strstr (tool_said (), "left out") == NULL
                  && strstr (tool_said (), "became that") == NULL;
  struct profile *before = imported (input, NULL), *after;
  size_t n;

  /* Of all threads, a sum may pass its end.  */
  if (before == NULL && strstr (tool_said (), "a sum of costs passed") != NULL)
    return;
  if (before == NULL)
    fuzz_fail ("cgw-import refuses what cgw-export takes: %s", tool_said ());
  n = format == PPROF ? before->n_events : 1;
  after = imported (output, formats[format]);
  if (after == NULL)
    {
      if (is_exact && !is_zero (before, n))
        fuzz_fail ("cgw-import refuses what was exported: %s", tool_said ());
    }
  else if (format == PPROF && after->n_events != before->n_events)
    fuzz_fail ("there are %zu events, not %zu", after->n_events,
               before->n_events);
  /* speedscope's reader adds events of one unit up.  */
  else if (is_exact && !profile_had_below_0 (before)
           && !profile_had_below_0 (after)
           && (format != SPEEDSCOPE || before->n_events == 1))
    compare (before, after, n, format);
  if (after != NULL)
    profile_free (after);
  profile_free (before);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static struct tool_file input, output;
  int format = n != 0 ? bytes[n - 1] % FORMATS : 0;
  bool by_thread = n != 0 && bytes[n - 1] / FORMATS % 2 != 0;

  tool_file_make (&input);
  tool_file_make (&output);
  tool_file_fill (&input, bytes, n);
  if (export (&input, &output, format, by_thread) == 0)
    check (&input, &output, format);
  else if (*tool_said () == '\0')
    fuzz_fail ("it is refused without a message");
  return 0;
}
