/* check.h - check the structs that callers pass.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CHECK_H
#define CGWI_CHECK_H 1

#include "../text/refusal.h"

/* Copy and check a caller's part.  Return how many of its events are not
   derived, 1 to CGW_EVENTS_MAX; 0, and a reason: it is invalid.  */
size_t cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                       struct cgwi_why *why);

/* Copy and check a caller's options, or the defaults for NULL.  False, and a
   reason: they are invalid, and the copy has the defaults.  */
bool cgwi_take_options (struct cgw_options *ours,
                        const struct cgw_options *theirs,
                        struct cgwi_why *why);

#endif
