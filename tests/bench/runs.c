/* runs.c - what the benchmark's programs share.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "runs.h"

#include <stdio.h>
#include <stdlib.h>

size_t
runs_wanted (size_t normal)
{
  const char *text = getenv ("CGW_BENCH_RUNS");
  char *end;

  if (!text || !*text)
    return normal;
  long n = strtol (text, &end, 10);
  if (*end || n < 1 || n > 100000)
    {
      fprintf (stderr, "CGW_BENCH_RUNS is no number from 1 to 100000: %s\n",
               text);
      exit (2);
    }
  return (size_t)n;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The value at a share of sorted values, between two of them if need be.  */
static double
at (const double *values, size_t n, double share)
{
  double place = share * (double)(n - 1);
  size_t i = (size_t)place;
  double rest = place - (double)i;

  return i + 1 < n ? values[i] + rest * (values[i + 1] - values[i])
                   : values[n - 1];
}

struct quartiles
quartiles (double *values, size_t n)
{
  qsort (values, n, sizeof *values, compare);
  return (struct quartiles){ at (values, n, 0.25), at (values, n, 0.5),
                             at (values, n, 0.75) };
}

void
print_figure (const char *prefix, const char *name, const char *suffix,
              double value)
{
  printf ("figure %s%s%s %.6g\n", prefix, name, suffix, value);
}
