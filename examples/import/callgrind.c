/* callgrind.c - knows callgrind and cachegrind profiles, which need no import.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "import.h"

#include "tool.h"

#include <string.h>

static bool
read_callgrind (struct import *im, struct input *in)
{
  (void) im;
  return tool_complain (in->name, 0,
                        "it is a callgrind profile already; cgw-recode and "
                        "cgw-merge read these");
}

/* Whether a line begins with one of the header's keys, and which ends the
   search.  */
static bool
is_header (const unsigned char *line, size_t n, bool *is_last)
{
  static const char *const keys[]
      = { "events:", "version:", "creator:", "pid:", "cmd:", "part:", "desc:",
          "thread:", "positions:", "event:", "summary:", "ob=", "fl=", "fn=" };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (n >= strlen (keys[i]) && memcmp (line, keys[i], strlen (keys[i])) == 0)
      {
        *is_last = i == 0;
        return true;
      }
  return false;
}

/* Comments, empty lines and lines of the header, among which are the names of
   the events.  */
static bool
is_callgrind (const unsigned char *bytes, size_t n)
{
  static const char comment[] = "# callgrind format";
  const unsigned char *end = bytes + n;
  bool is_last = false;

  if (n >= sizeof comment - 1
      && memcmp (bytes, comment, sizeof comment - 1) == 0)
    return true;
  while (bytes < end)
    {
      const unsigned char *newline
          = memchr (bytes, '\n', (size_t) (end - bytes));
      size_t length = (size_t) ((newline != NULL ? newline : end) - bytes);

      if (length > 0 && *bytes != '#' && *bytes != '\r'
          && !is_header (bytes, length, &is_last))
        return false;
      if (is_last || newline == NULL)
        return is_last;
      bytes = newline + 1;
    }
  return false;
}

const struct import_kind import_callgrind
    = { "callgrind", "callgrind profile", is_callgrind, read_callgrind };
