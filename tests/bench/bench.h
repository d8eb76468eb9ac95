/* bench.h - the benchmark's configurations, and what is done with each.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BENCH_H
#define BENCH_H 1

#include "contender.h"

enum
{
  MOST_EVENTS = 13,
  N_CONFIGURATIONS = 6
};

struct configuration
{
  unsigned positions;
  size_t n_events;
  const char *name; /* as figures end */
  const char *title;
};

extern const struct configuration configurations[N_CONFIGURATIONS];

/* A contender with its sink, ready to run.  */
struct entrant
{
  const struct contender *contender;
  void *context;
  struct script script;
};

void entrant_open (struct entrant *e, const struct contender *c,
                   const struct workload *w, struct sink *sink);
void entrant_close (struct entrant *e);

/* Lets each contender write the workload into both sinks, and compares what
   was written with `truth`, the same workload or another.  Prints the bytes
   per line; false when anything is wrong.  */
bool check_contenders (const struct configuration *c, const struct workload *w,
                       const struct workload *truth);

/* Measures all contenders, into memory and into a file.  */
void measure (const struct configuration *c, const struct workload *w);

/* Measures ways to use the library, each with its sums compared first; false
   when any is wrong.  */
bool ways (const struct configuration *c, const struct workload *w,
           const struct workload *truth);

/* Replays for valgrind, which counts instructions in bench_replay.  Prints a
   line "replay LINES CONTENDER CONFIGURATION" for each call of it.  */
void count_configuration (const struct configuration *c,
                          const struct workload *w);
void count_steps (void);

#endif /* BENCH_H */
