/* tool_import.c - cgw-import, as a function, and what it reads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "tool_run.h"

#define main main_import
#include "import/import.c"
#include "read/kinds.h"

bool
is_of_samples (const struct tool_file *file, const char *kind)
{
  const struct import_kind *of;
  struct input in;

  if (kind != NULL)
    return import_kind_named (kind) != &import_callgrind;
  if (!input_open (&in, file->path))
    fuzz_fail ("the input cannot be read again");
  of = import_kind_of (&in);
  input_close (&in);
  return of != NULL && of != &import_callgrind;
}
