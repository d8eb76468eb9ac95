/* rules.h - what can be wrong with a profile, for which readers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RULES_H
#define RULES_H 1

#include <stdbool.h>

enum rule
{
#define RULE(id, name, readers, kind, what, fix) RULE_##id,
#include "rules.def"
#undef RULE
  N_RULES
};

enum
{
#define READER(id, name, option) READER_##id,
#include "readers.def"
#undef READER
  N_READERS
};

/* A set of readers.  */
enum
{
#define READER(id, name, option) id = 1 << READER_##id,
#include "readers.def"
#undef READER

  READ_CALLGRIND = KC | CA | G2D | QTC | SS | IAI | CPR | WG,
  READ_CACHEGRIND = KC | CA | CGA | CGM | CGD
};

struct rule_text
{
  const char *name;
  unsigned readers;
  unsigned from_source; /* those of them of which only the source says so */
  bool is_limit;
  const char *what; /* the readers do */
  const char *fix;
};

extern const struct rule_text rules[N_RULES];

struct reader
{
  const char *name;   /* as it is printed */
  const char *option; /* as it is given to --reader */
};

extern const struct reader readers[N_READERS];

/* Prints the names of a set of readers, commas between them.  */
void print_readers (unsigned set);

/* One line for each rule: name, readers, kind, what, fix, and the readers of
   which only the source says so; tabs between.  */
void print_rules (void);

#endif /* RULES_H */
