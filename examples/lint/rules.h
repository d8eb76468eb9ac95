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

/* A set of readers.  */
enum
{
  KC = 1 << 0,  /* KCachegrind */
  CA = 1 << 1,  /* callgrind_annotate */
  CGA = 1 << 2, /* cg_annotate */
  CGM = 1 << 3, /* cg_merge */
  CGD = 1 << 4, /* cg_diff */
  G2D = 1 << 5, /* gprof2dot */
  QTC = 1 << 6, /* Qt Creator */
  SS = 1 << 7,  /* speedscope */
  IAI = 1 << 8, /* iai-callgrind */
  CPR = 1 << 9, /* callgrind-parser */
  WG = 1 << 10, /* webgrind */
  N_READERS = 11,

  READ_CALLGRIND = KC | CA | G2D | QTC | SS | IAI | CPR | WG,
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

struct reader
{
  const char *name;   /* as it is printed */
  const char *option; /* as it is given to --reader */
};

/* In the order of the bits above.  */
extern const struct reader readers[N_READERS];

/* Prints the names of a set of readers, commas between them.  */
void print_readers (unsigned set);

/* One line for each rule: name, readers, kind, what, fix; tabs between.  */
void print_rules (void);

#endif /* RULES_H */
