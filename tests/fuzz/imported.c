/* imported.c - what cgw-import makes of an input.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#include "support/reader.h"

#include <stdlib.h>

struct profile *
imported (const struct tool_file *input, const char *kind)
{
  static struct tool_file output;
  const char *arguments[]
      = { "cgw-import", "--symfs", "/dev/null", input->path,
          kind != NULL ? "--from" : NULL, kind, NULL };
  char reason[200];
  struct profile *p;
  char *bytes;
  size_t n;

  tool_file_make (&output);
  if (tool_run (main_import, arguments, &output) != 0)
    return NULL;
  bytes = tool_file_read (&output, &n);
  p = profile_read (bytes, n, READER_NO_PAD, reason, sizeof reason);
  if (p == NULL)
    fuzz_fail ("the strict reader refuses what was imported: %s", reason);
  free (bytes);
  return p;
}
