/* bench.h - the benchmark's configurations, and what is done with each.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BENCH_H
#define BENCH_H 1

#include "contender.h"

enum
{
  MOST_EVENTS = 13
};

struct configuration
{
  unsigned positions;
  size_t n_events;
  const char *name; /* as figures end */
  const char *title;
};

/* Each of these is given a workload and the truth to compare with: the same
   workload, or another.  False when anything written is wrong.  */
typedef bool bench_action (const struct configuration *c,
                           const struct workload *w,
                           const struct workload *truth);

/* Lets each contender write into memory and into a file, and prints the bytes
   per line.  */
bench_action check_contenders;

/* Measures all contenders, into memory and into a file.  */
bench_action measure_contenders;

/* Measures ways to use the library, each with its sums compared first.  */
bench_action measure_ways;

/* Replays for valgrind, which counts instructions in counted_records.  Prints
   a line "replay LINES CONTENDER CONFIGURATION" for each call of it.  */
bench_action count_contenders;
void count_steps_of_lines (void);

#endif /* BENCH_H */
