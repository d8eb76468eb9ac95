/* jump_counts.h - how often jumps within functions were taken.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef JUMP_COUNTS_H
#define JUMP_COUNTS_H 1

#include "../base/table.h"

#include <cgw.h>

#include <stdint.h>

struct jumps
{
  struct table taken;   /* struct jump */
  uint64_t *executed;   /* instructions, by the number of the site */
  uint32_t n_executed;
};

void jumps_begin (struct jumps *j);
void jumps_free (struct jumps *j);

/* A jump from one site to another was taken.  */
void jumps_take (struct jumps *j, uint32_t from, uint32_t to);

/* The instruction of a site was executed so often.  */
void jumps_execute (struct jumps *j, uint32_t site, uint64_t count);

/* Moves all counts to others.  */
void jumps_move (struct jumps *j, struct jumps *to);
void jumps_forget (struct jumps *j);

/* Writes all to the open part.  */
void jumps_write (const struct jumps *j, struct cgw_writer *w);

#endif /* JUMP_COUNTS_H */
