/* report.h - prints findings, and counts them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef REPORT_H
#define REPORT_H 1

#include "rules.h"

#include <stdbool.h>
#include <stdint.h>

struct report
{
  const char *file;
  unsigned readers;    /* whose rules count */
  bool limits;         /* count limits of readers, too */
  bool all;            /* print each finding, not only the first of a rule */
  uint64_t n[N_RULES]; /* findings in this file */
};

/* A line of the file breaks a rule.  Line 0 stands for the whole file.  */
void report (struct report *r, enum rule rule, uint64_t line);

/* Ends a file: says what was not printed.  Returns whether there were any
   findings, and forgets them.  */
bool report_end (struct report *r);

#endif /* REPORT_H */
