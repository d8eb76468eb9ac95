/* positions.h - tables that add up costs by position.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef POSITIONS_H
#define POSITIONS_H 1

#include "../contender.h"

/* Two tables that programs use for this: each position is a key of 24 bytes,
   with the sums behind it.  Which of them are there, configure found out.  */
extern const struct contender sum_uthash;
extern const struct contender sum_unordered_map;

/* A table's sums, as they are handed over to be written.  */
struct sums
{
  struct workload w;
  size_t room;
};

/* Makes room for n positions of the workload's functions.  */
void sums_open (struct sums *s, const struct workload *from, size_t n);
void sums_take (struct sums *s, const struct cgw_pos *pos,
                const uint64_t *cost);

/* Writes them through contender_libcgw, and frees them.  */
void sums_write (struct sums *s, struct sink *sink);

#endif /* POSITIONS_H */
