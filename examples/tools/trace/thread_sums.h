/* thread_sums.h - the sums of a thread's calls.  Functions are addresses.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_SUMS_H
#define TRACE_THREAD_SUMS_H 1

#include "arena.h"

#include <cgw.h>
#include <stdbool.h>
#include <stdint.h>

enum { EVENTS = 2 }; /* time in ns, and calls */

/* What was summed up.  count 0: the costs of fn itself; else calls of fn, and
   their inclusive costs.  In trees, these are calls of one context by another,
   whose numbers take the place of the costs; and the costs are those of one
   context of fn, whose number takes the place of `from`.  */
struct sum
{
  uintptr_t fn;
  uintptr_t caller;
  uintptr_t from;      /* the address that the calls return to */
  uint64_t count;
  uint64_t costs[EVENTS];
};

enum { SUM_CALLEE, SUM_CALLER }; /* the numbers in `costs` */

/* Names of functions are addresses; those of contexts have this behind it, and
   their numbers, both in hexadecimal.  The caller of some is TREE_CUT.  */
#define SUMS_CONTEXT '\''
#define SUMS_CUT UINT32_C (0x80000000)

struct sums
{
  struct sum *all;
  size_t n;
  bool are_missing; /* there was no memory for some */
};

/* Adds those of a profile, in memory that is kept for good.  The arena is for
   what is needed meanwhile.  */
void sums_add (struct sums *s, struct cgw_profile *p,
               const struct cgw_names *names, struct arena *arena);

/* Copies sums, with those of a profile unless it is NULL, into the arena.
   False: no memory for some.  */
bool sums_copy (const struct sums *s, struct cgw_profile *p,
                const struct cgw_names *names, struct sums *copy,
                struct arena *arena);

#endif /* TRACE_THREAD_SUMS_H */
