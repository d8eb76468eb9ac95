/* sums.h - add calls, stacks and whole profiles to a profile.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUMS_H
#define CGWI_SUMS_H 1

#include "profile.h"

/* Calls.  */

/* Add calls to an edge that can take them.  */
static inline void
cgwi_add_calls (struct cgw_profile *p, uint32_t index, uint64_t count,
                const uint64_t *cost, size_t n)
{
  struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);

  edge->count += count;
  cgwi_add_costs (cgwi_table_costs (&p->edges, index), cost, n);
}

/* Whether the sums of edges have bounds, so that stacks need not be expanded.
   When the last tracer is gone, bounds are made from the sums.  */
bool cgwi_has_bounds (struct cgw_profile *p);

/* Note `count` calls with these inclusive costs, and expand the stacks if an
   edge might then pass 2^64-1.  CGW_ENOMEM.  */
enum cgw_status cgwi_raise_bounds (struct cgw_profile *p, uint64_t count,
                                   const uint64_t *cost, size_t n);

/* From now on check the sums of each edge instead of their bounds, and expand
   stacks at once.  CGW_ENOMEM: nothing has changed, though some stacks may be
   expanded.  */
enum cgw_status cgwi_check_exactly (struct cgw_profile *p);

/* Sum up the calls of all edges and stacks, an upper bound for those of any
   edge, in *count and n_events costs.  False: a sum passes 2^64-1.  */
bool cgwi_sum_calls (const struct cgw_profile *p, uint64_t *count,
                     uint64_t *costs);

/* Stacks.  */

/* Make frames of a kept stack of `from`, in p->frames.  False: no memory.  */
bool cgwi_take_frames (struct cgw_profile *p, const struct cgw_profile *from,
                       const struct cgwi_stack *stack, struct cgwi_frames *f);

static inline void
cgwi_add_to_stack (struct cgwi_stack *stack, uint64_t count,
                   const uint64_t *cost, size_t n)
{
  stack->count += count;
  cgwi_add_costs (stack->costs, cost, n);
}

/* Add a stack to the tables of self costs and edges, but not to the totals.
   Its names were checked.  CGW_ENOMEM, CGW_EOVERFLOW: nothing has changed.  */
enum cgw_status cgwi_expand (struct cgw_profile *p,
                             const struct cgwi_frames *f, uint64_t count,
                             const uint64_t *cost, size_t n);

/* Do so with all stacks that are kept, and remove them.  CGW_ENOMEM: some
   stay.  */
enum cgw_status cgwi_expand_all (struct cgw_profile *p);

/* Merge two profiles of one shape, inside both.  After an error nothing was
   added.  */
enum cgw_status cgwi_merge (struct cgw_profile *into,
                            struct cgw_profile *from);

#endif
