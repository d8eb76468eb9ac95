/* identifier.h - the names that readers take in event: lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef IDENTIFIER_H
#define IDENTIFIER_H 1

#include <stdbool.h>
#include <stddef.h>

static inline bool
is_in_identifier (char c, bool is_first)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
         || (c >= '0' && c <= '9' && !is_first);
}

/* Whether a name of n characters is one.  */
static inline bool
is_identifier (const char *name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!is_in_identifier (name[i], i == 0))
      return false;
  return n > 0;
}

#endif /* IDENTIFIER_H */
