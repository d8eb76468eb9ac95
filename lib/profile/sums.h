/* sums.h - add calls, stacks and whole profiles to a profile.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUMS_H
#define CGWI_SUMS_H 1

#include "profile.h"

/* Self costs.  */

/* Add self costs to an entry and to the totals, which can take them.
   CGW_EOVERFLOW: the entry cannot, for a sum of a signed event may be larger
   than the total; and nothing has changed.  */
enum cgw_status cgwi_add_self (struct cgw_profile *p, uint32_t index,
                               const uint64_t *cost, size_t n);

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

/* Note `count` calls with these inclusive costs, or self costs, and expand the
   stacks if a sum might then overflow.  CGW_ENOMEM.  */
enum cgw_status cgwi_raise_bounds (struct cgw_profile *p, uint64_t count,
                                   const uint64_t *cost, size_t n,
                                   bool is_self);

/* From now on check the sums of each edge instead of their bounds, and expand
   stacks at once.  CGW_ENOMEM: nothing has changed, though some stacks may be
   expanded.  */
enum cgw_status cgwi_check_exactly (struct cgw_profile *p);

/* Sum up what all entries and stacks add to the bounds, in *count and n_events
   weights.  False: it is too much.  */
bool cgwi_sum_weights (const struct cgw_profile *p, uint64_t *count,
                       uint64_t *weights);

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
