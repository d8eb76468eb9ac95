/* positions.h - many positions in random order, and tables that add up costs
   by position.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef POSITIONS_H
#define POSITIONS_H 1

#include "../contender.h"

/* n positions in random order, each once, and then all again in another
   order; one event.  */
void positions_make (struct workload *w, size_t n);

typedef enum cgw_status add_cost (struct cgw_profile *p,
                                  const struct cgw_pos *pos,
                                  const uint64_t *cost, size_t n);

/* Hands over the first n positions, so many times over.  0, or another number
   when one failed.  Instructions are counted inside it.  */
int profile_replay_costs (add_cost *add, struct cgw_profile *p,
                          const struct script *s, size_t n, size_t times);

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

/* Writes them through contender_libcgw.  */
bool sums_write (struct sums *s, struct sink *sink);

#endif /* POSITIONS_H */
