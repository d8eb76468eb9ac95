/* rules.c - the table of the rules.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rules.h"

#include <stdio.h>

enum { MISTAKE, LIMIT };

/* Above the bits of the readers that were seen to do what a rule says, those
   of the readers of which only the source was read.  */
#define SOURCE(set) ((unsigned) (set) << N_READERS)
#define ALL ((1U << N_READERS) - 1)

const struct rule_text rules[N_RULES] = {
#define RULE(id, name, readers, kind, what, fix)                              \
  [RULE_##id] = { name, ((readers) | (readers) >> N_READERS) & ALL,           \
                  (readers) >> N_READERS, (kind) == LIMIT, what, fix },
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
      printf ("\t%s\t%s\t%s\t", rules[i].is_limit ? "limit" : "mistake",
              rules[i].what, rules[i].fix);
      print_readers (rules[i].from_source);
      putchar ('\n');
    }
}
