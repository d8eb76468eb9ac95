/* runs.c - the frame of the benchmarks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void
bench_fail (const char *what)
{
  fprintf (stderr, "bench: %s failed\n", what);
  exit (1);
}

void *
bench_allocate (size_t n, size_t size)
{
  void *p = calloc (n > 0 ? n : 1, size);

  if (!p)
    bench_fail ("an allocation");
  return p;
}

void *
bench_copy (const void *from, size_t n, size_t size)
{
  void *p = bench_allocate (n, size);

  return n > 0 ? memcpy (p, from, n * size) : p;
}

double
bench_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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

/* Sorts the values.  */
static struct quartiles
quartiles_of (double *values, size_t n)
{
  qsort (values, n, sizeof *values, compare);
  return (struct quartiles){ at (values, n, 0.25), at (values, n, 0.5),
                             at (values, n, 0.75) };
}

void
run_rounds (size_t n, size_t per, size_t runs,
            void (*run) (void *context, size_t i, double *values),
            void *context, struct quartiles *q)
{
  double *values = bench_allocate (n * per * runs, sizeof *values);
  double *one = bench_allocate (per, sizeof *one);

  for (size_t round = 0; round <= runs; round++)
    for (size_t k = 0; k < n; k++)
      {
        size_t i = (k + round) % n;

        run (context, i, one);
        for (size_t v = 0; round > 0 && v < per; v++)
          values[(i * per + v) * runs + round - 1] = one[v];
      }
  for (size_t i = 0; i < n * per; i++)
    q[i] = quartiles_of (&values[i * runs], runs);
  free (one);
  free (values);
}
