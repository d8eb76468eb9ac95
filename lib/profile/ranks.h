/* ranks.h - order a writer's names by their texts.

   Indices follow the order in which names were added; a sorted file must not
   depend on that.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_RANKS_H
#define CGWI_RANKS_H 1

#include "../gate/gate.h"

/* The rank of each name, by its index.  */
struct cgwi_ranks
{
  uint32_t *objects;
  uint32_t *files;
  uint32_t *fns; /* by object, then file, then text */
};

/* Rank the present names.  Enter the gate, and leave it from time to time, so
   that deferred records do not wait for long.  CGW_ENOMEM, CGW_EFORK,
   CGW_EBUSY, CGW_EFINISHED.  */
enum cgw_status cgwi_rank_names (struct cgw_writer *w,
                                 struct cgwi_ranks *ranks);

void cgwi_free_ranks (struct cgw_writer *w, struct cgwi_ranks *ranks);

#endif
