/* sums.h - add calls to a profile.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_SUMS_H
#define CGWI_SUMS_H 1

#include "profile.h"

/* Note `count` calls with these inclusive costs, and expand the stacks if an
   edge might then pass 2^64-1.  CGW_ENOMEM.  */
enum cgw_status cgwi_profile_bound (struct cgw_profile *p, uint64_t count,
                                    const uint64_t *cost, size_t n);

/* Add calls to an edge, whose target is `to`.  CGW_EOVERFLOW, CGW_ENOMEM:
   nothing is added.  */
enum cgw_status cgwi_profile_add_call (struct cgw_profile *p,
                                       const struct cgwi_spot *key,
                                       const struct cgwi_spot *to,
                                       uint64_t count, const uint64_t *cost,
                                       size_t n);

/* From now on check the sums of each edge instead of their bounds, and expand
   stacks at once.  Return why a stack was not expanded.  */
enum cgw_status cgwi_profile_exactly (struct cgw_profile *p);

#endif
