/* stack.h - keep whole stacks, and turn them into self costs and calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STACK_H
#define CGWI_STACK_H 1

#include "profile.h"

/* Look up or add a stack; a new one has count and costs 0.  Its names were
   checked.  NULL: no memory.  */
struct cgwi_stack *cgwi_find_or_add_stack (struct cgw_profile *p,
                                           struct cgwi_frames *f);

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

/* Add a stack to the tables of self costs and edges, but not to the totals.  Its
   names were checked.  CGW_ENOMEM, CGW_EOVERFLOW: nothing has changed.  */
enum cgw_status cgwi_expand (struct cgw_profile *p,
                             const struct cgwi_frames *f, uint64_t count,
                             const uint64_t *cost, size_t n);

/* Do so with all stacks that are kept, and remove them.  CGW_ENOMEM: some
   stay.  */
enum cgw_status cgwi_expand_all (struct cgw_profile *p);

#endif
