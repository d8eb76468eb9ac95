/* print.h - prints a report.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PRINT_H
#define PRINT_H 1

#include "model.h"
#include "sources.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What was read.  */
struct read_from
{
  char *const *files;
  size_t n_files;
  const char *const *base; /* files */
  size_t n_base;
};

struct print_options
{
  FILE *to;
  bool is_coloured;
  struct read_from from;
  bool is_apart;           /* threads or parts: each has its title */
  const regex_t *function; /* NULL: all */
  uint32_t top;
  bool has_callers;
  bool has_callees;
  bool has_lines;
  struct sources *sources; /* NULL: none is to be shown */
};

void print_text (const struct print_options *p, const struct model *m);
void print_json (const struct print_options *p, const struct model *m);
void print_html (const struct print_options *p, const struct model *m);

#endif /* PRINT_H */
