/* rules.h - what can be wrong with a profile, for which readers, and what was
   found.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RULES_H
#define RULES_H 1

#include "../format/reader.h"

#include <stdbool.h>
#include <stdint.h>

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

/* Prints each rule: name, readers, kind, what, fix, with tabs between.  */
void print_rules (void);

/* The findings of a file.  */
struct report
{
  const char *file;
  unsigned readers;    /* whose rules count */
  bool limits;         /* limits of readers are findings, too */
  bool all;            /* print each finding, not only the first of a rule */
  bool quiet;          /* print none */
  uint64_t n[N_RULES]; /* findings, and limits that are none */
};

/* A line of the file breaks a rule.  Line 0 stands for the whole file.  */
void report_add (struct report *r, enum rule rule, uint64_t line);

/* Says what was not printed, and if the file was read to its end, which limits
   it meets that are no findings.  Returns whether there are any findings.  */
bool report_end (const struct report *r, bool at_end);

#endif /* RULES_H */
