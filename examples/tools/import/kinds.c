/* kinds.c - the kinds of inputs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "kinds.h"

#include "../base/tool.h"

#include <string.h>

/* In the order in which they are tried: what any text might be is last.  */
static const struct import_kind *const kinds[] = {
  &import_callgrind,
  &import_gperftools,
#ifdef HAVE_LIBDW
  &import_perf_data,
#endif
  &import_pprof,
  &import_cpuprofile,
  &import_speedscope,
  &import_perf_script,
  &import_folded,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct import_kind *
import_kind_named (const char *name)
{
  for (size_t i = 0; i < KINDS; i++)
    if (strcmp (kinds[i]->name, name) == 0)
      return kinds[i];
  return NULL;
}

const struct import_kind *
import_kind_of (struct input *in)
{
  size_t n = input_need (in, IMPORT_PEEK);

  for (size_t i = 0; i < KINDS; i++)
    if (kinds[i]->is_kind (input_bytes (in), n))
      return kinds[i];
  if (input_check (in))
    tool_complain (in->name, 0,
                   n == 0 ? "it is empty"
                          : "it is of no known kind; --from would name it");
  return NULL;
}
