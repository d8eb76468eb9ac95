/* merge.h - add the sums of one profile to another.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_MERGE_H
#define CGWI_MERGE_H 1

#include "profile.h"

/* Merge two profiles of one shape, inside both.  After an error nothing was
   added.  */
enum cgw_status cgwi_merge (struct cgw_profile *into,
                            struct cgw_profile *from);

#endif
