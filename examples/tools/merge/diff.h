/* diff.h - the difference of two profiles, as a profile and as a short text.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_DIFF_H
#define MERGE_DIFF_H 1

#include "inputs.h"

#include <stdbool.h>

struct diff_options
{
  struct inputs *inputs; /* the earlier profile and the later one */
  const char *out;       /* NULL: the text alone */
  bool by_line;          /* compare the lines of functions, too */
};

/* False: it failed; a message was printed.  */
bool diff (const struct diff_options *options);

#endif /* MERGE_DIFF_H */
