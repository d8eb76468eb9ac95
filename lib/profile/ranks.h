/* ranks.h - the order of a writer's names by their texts.

   Indices follow the order in which names were added, which must not show in
   a sorted file.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_RANKS_H
#define CGWI_RANKS_H 1

#include "../gate/gate.h"

/* By index of a name: its rank.  */
struct cgwi_ranks
{
  uint32_t *objects;
  uint32_t *files;
  uint32_t *fns; /* by object, then file, then text */
};

/* Ranks the names that there are now.  It enters the guard, and leaves it
   from time to time, so that what is parked does not wait for long.
   CGW_ENOMEM, CGW_EFORK, CGW_EBUSY.  */
enum cgw_status cgwi_rank_names (struct cgw_writer *w,
                                 struct cgwi_ranks *ranks);

void cgwi_free_ranks (struct cgw_writer *w, struct cgwi_ranks *ranks);

#endif
