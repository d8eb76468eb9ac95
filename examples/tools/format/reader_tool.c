/* reader_tool.c - the option --for of the tools.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_tool.h"

#include "../base/tool.h"

#include <stdio.h>
#include <stdlib.h>

const struct reader *
reader_option (const char *text)
{
  const struct reader *r = reader_named (text);

  if (r == NULL)
    tool_usage_error ("--for needs kcachegrind, callgrind_annotate, "
                      "cg_annotate, gprof2dot, qtcreator or speedscope, not ",
                      text);
  return r;
}

void
reader_say (const struct reader *r, unsigned limits, const char *file)
{
  char text[160];

  limits &= r->lacks;
  for (unsigned bit = 1; bit < 1U << N_READER_LIMITS; bit <<= 1)
    if (limits & bit)
      {
        reader_sentence (r, (enum reader_limit) bit, text, sizeof text);
        tool_say (file, 0, text);
      }
}
