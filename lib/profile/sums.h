/* sums.h - add self costs, calls, stacks and whole profiles to a profile.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUMS_H
#define CGWI_SUMS_H 1

#include "profile.h"

/* Look up or add a position, and add self costs, from the first-th to the n-th,
   to it and to the totals.  CGW_ENOMEM.  */
enum cgw_status cgwi_add_self (struct cgw_profile *p,
                               const struct cgwi_spot *key,
                               const uint64_t *cost, size_t first, size_t n);

/* Look up or add an edge, and add to it the count and target of another one,
   and n inclusive costs.  CGW_ENOMEM.  */
enum cgw_status cgwi_add_calls (struct cgw_profile *p,
                                const struct cgwi_spot *key,
                                const struct cgwi_edge *more,
                                const uint64_t *cost, size_t n);

/* Make frames of a kept stack of `from`, in p->frames.  False: no memory.  */
bool cgwi_take_frames (struct cgw_profile *p, const struct cgw_profile *from,
                       const struct cgwi_stack *stack, struct cgwi_frames *f);

/* Turn all stacks that are kept into self costs and calls, and remove them.
   CGW_ENOMEM: some stay.  */
enum cgw_status cgwi_expand_stacks (struct cgw_profile *p);

/* Merge two profiles of one shape, inside both.  After an error nothing was
   added.  */
enum cgw_status cgwi_merge (struct cgw_profile *into,
                            struct cgw_profile *from);

#endif
