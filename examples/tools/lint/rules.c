/* rules.c - the table of the rules.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rules.h"

#include <stdio.h>

enum { MISTAKE, LIMIT };

const struct rule_text rules[N_RULES] = {
#define RULE(id, name, readers, kind, what, fix)                              \
  [RULE_##id] = { name, readers, (kind) == LIMIT, what, fix },
#include "rules.def"
#undef RULE
};

void
print_readers (unsigned set)
{
  const char *comma = "";

  for (unsigned i = 0; i < N_READERS; i++)
    if (set & 1U << i)
      {
        printf ("%s%s", comma, readers[i].name);
        comma = ", ";
      }
}

void
print_rules (void)
{
  for (unsigned i = 0; i < N_RULES; i++)
    {
      printf ("%s\t", rules[i].name);
      print_readers (rules[i].readers);
      printf ("\t%s\t%s\t%s\n", rules[i].is_limit ? "limit" : "mistake",
              rules[i].what, rules[i].fix);
    }
}
