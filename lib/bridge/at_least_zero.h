/* at_least_zero.h - sums of signed events as a file can have them.

   Readers take costs as unsigned.  A sum below 0 is written as 0, and comments
   of the part say of which events, how many and how much.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_AT_LEAST_ZERO_H
#define CGWI_AT_LEAST_ZERO_H 1

#include "../profile/profile.h"

/* What writing changes, in memory that the profile borrows.  */
struct cgwi_zeroed
{
  uint64_t *totals; /* of the self costs that are written; NULL: one of them
                       passes 2^64-1 */
  char **comments;  /* by event; NULL: none of its sums is below 0 */
};

/* Find out what writing the sums, which are expanded, into a part changes.
   False: no memory.  */
bool cgwi_find_zeroed (struct cgw_profile *p, const struct cgw_part *part,
                       struct cgwi_zeroed *z);

/* Return costs with 0 for those below 0, in `copy` if need be, which has room
   for all events.  */
static inline const uint64_t *
cgwi_at_least_zero (const struct cgw_profile *p, const uint64_t *costs,
                    uint64_t *copy)
{
  if (!cgwi_has_signed (p))
    return costs;
  for (size_t i = 0; i < p->n_events; i++)
    copy[i] = p->is_signed[i] && costs[i] >> 63 != 0 ? 0 : costs[i];
  return copy;
}

#endif
