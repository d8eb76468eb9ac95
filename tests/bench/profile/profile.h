/* profile.h - make bench-profile: what sums by position, whole stacks, traced
   calls and names cost, in time, instructions and memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BENCH_PROFILE_H
#define BENCH_PROFILE_H 1

#include <stdbool.h>
#include <stddef.h>

struct size
{
  size_t positions;
  size_t stacks;
  size_t distinct; /* of the stacks */
};

/* Compare what each contender writes with what it was given, or, with
   `differ`, with something else.  False when that is not the same.  */
bool check_positions (const struct size *size, bool differ);
bool check_stacks (const struct size *size, bool differ);
bool check_tracer (bool differ);

/* Time of all contenders, side by side.  */
void measure_positions (const struct size *size);
void measure_stacks (const struct size *size);
void measure_tracer (void);
void measure_names (void);
void measure_passed (void);

/* Memory of the library.  */
void measure_positions_memory (const struct size *size);
void measure_stacks_memory (const struct size *size);
void measure_tracer_memory (size_t levels);

/* Replays for valgrind, see count.sh.  */
void count_positions (void);
void count_stacks (void);
void count_tracer (void);
void count_names (void);
void count_passed (void);

#endif /* BENCH_PROFILE_H */
