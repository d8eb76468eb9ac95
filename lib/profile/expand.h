/* expand.h - turn whole stacks into self costs and calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_EXPAND_H
#define CGWI_EXPAND_H 1

#include "homes.h"

/* Return the key of a stack's frame; 0 is the leaf.  Its handles were checked
   when it was added.  */
struct cgwi_spot cgwi_frame_key (const struct cgw_profile *p,
                                 const struct cgwi_stack *stack, size_t i);

/* Add a stack to the tables of self costs and edges, and set its count and
   costs to 0.  CGW_EOVERFLOW, or what cgwi_learn_homes returns: nothing has
   changed.  */
enum cgw_status cgwi_expand (struct cgw_profile *p, struct cgwi_stack *stack);

/* Do so with all stacks, and remove them.  After an error some stay.  */
enum cgw_status cgwi_expand_all (struct cgw_profile *p);

#endif
