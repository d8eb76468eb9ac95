/* profile.h - make bench-profile: what sums per position and whole stacks
   cost, in time, instructions and memory.

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

/* Time of all contenders, side by side.  */
void measure_positions (const struct size *size);
void measure_stacks (const struct size *size);

/* Memory of the library.  */
void measure_memory (const struct size *size);

/* Replays for valgrind, see count.sh.  */
void count_instructions (void);

#endif /* BENCH_PROFILE_H */
