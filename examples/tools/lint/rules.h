/* rules.h - what can be wrong with a profile, for which readers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RULES_H
#define RULES_H 1

#include "../format/reader.h"

#include <stdbool.h>

enum rule
{
#define RULE(id, name, readers, kind, what, fix) RULE_##id,
#include "rules.def"
#undef RULE
  N_RULES
};

/* A set of readers.  */
enum
{
#define READER(id, ...) id = 1 << READER_##id,
#include "../format/readers.def"
#undef READER

  READ_CALLGRIND = KC | CA | G2D | QTC | SS,
  READ_CACHEGRIND = KC | CA | CGA | CGM | CGD
};

struct rule_text
{
  const char *name;
  unsigned readers;
  bool is_limit;
  const char *what; /* the readers do */
  const char *fix;
};

extern const struct rule_text rules[N_RULES];

/* Prints the names of a set of readers, commas between them.  */
void print_readers (unsigned set);

/* One line for each rule: name, readers, kind, what, fix; tabs between.  */
void print_rules (void);

#endif /* RULES_H */
