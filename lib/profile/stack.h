/* stack.h - keep whole stacks.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_STACK_H
#define CGWI_STACK_H 1

#include "profile.h"

/* Add a stack to those that are kept.  The caller knows that no sum overflows.
   CGW_EHANDLE, CGW_ENOMEM: nothing is added.  */
enum cgw_status cgwi_keep_stack (struct cgw_profile *p, struct cgwi_frames *f,
                                 uint64_t count, const uint64_t *cost,
                                 size_t n);

#endif
