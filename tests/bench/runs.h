/* runs.h - what the benchmark's programs share: numbers of runs, medians,
   and lines for scripts.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RUNS_H
#define RUNS_H 1

#include <stddef.h>

/* The environment's CGW_BENCH_RUNS, or normal if that is not set.  Ends the
   program when it is no number from 1 to 100000.  */
size_t runs_wanted (size_t normal);

struct quartiles
{
  double first;
  double median;
  double third;
};

/* Sorts the values.  */
struct quartiles quartiles (double *values, size_t n);

/* Prints "figure NAME VALUE"; the name is made of three parts.  */
void print_figure (const char *prefix, const char *name, const char *suffix,
                   double value);

#endif /* RUNS_H */
