/* runs.h - the frame of the benchmarks: things that take turns, and what they
   take.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RUNS_H
#define RUNS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the program, and says that this failed.  */
_Noreturn void bench_fail (const char *what);

/* Memory that must be there.  */
void *bench_allocate (size_t n, size_t size);
void *bench_copy (const void *from, size_t n, size_t size);

/* Processor time of this thread, in nanoseconds.  */
double bench_time (void);

struct quartiles
{
  double first;
  double median;
  double third;
};

/* Runs n things so many times, side by side: they take turns, each round
   begins with another one, and one more round warms up.  A run of thing i
   gives `per` values, whose quartiles go to q[i * per] and those behind
   it.  */
void run_rounds (size_t n, size_t per, size_t runs,
                 void (*run) (void *context, size_t i, double *values),
                 void *context, struct quartiles *q);

#endif /* RUNS_H */
