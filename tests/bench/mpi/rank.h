/* rank.h - what each rank has to be reduced, in both benchmarks of the
   reduction.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef RANK_H
#define RANK_H 1

#include <cgw.h>
#include <stdbool.h>

enum
{
  RANK_EVENTS = 3,
  RANK_LINES = 3, /* with self costs, of a function */
  RANK_CALLS = 2  /* of others, of a function */
};

/* Adds n functions of a rank to a profile of RANK_EVENTS events.  All ranks
   have the same names, or each has names of its own.  Ends the program when
   that fails.  */
void rank_fill (struct cgw_names *names, struct cgw_profile *p,
                unsigned long rank, unsigned n, bool same_names);

/* The sum of event 0 that a rank adds.  */
uint64_t rank_total (unsigned long rank, unsigned n);

#endif /* RANK_H */
