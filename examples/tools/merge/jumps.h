/* jumps.h - the sums of jumps, which a cgw_profile does not have, and the names
   by which they are sorted.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_JUMPS_H
#define MERGE_JUMPS_H 1

#include "../base/table.h"
#include "../format/cgin.h"

#include <cgw.h>

struct jumps
{
  struct table names; /* of files, objects and functions, by handle */
  struct table sums;
};

void jumps_init (struct jumps *j);

/* Learn the text of a handle.  */
void jumps_name (struct jumps *j, const struct cgin_name *name);

/* Add executions to a jump.  `followed` is NULL if it is unconditional.
   Subpositions that are not among `positions` are left out.
   CGW_EINVAL: it leads to another object, for which the format has no line.
   CGW_EOVERFLOW: a sum would pass 2^64-1.  CGW_ENOMEM.  */
enum cgw_status jumps_add (struct jumps *j, unsigned positions,
                           const struct cgw_pos *from,
                           const struct cgw_pos *to, const uint64_t *followed,
                           uint64_t executed);

/* Write all sums into the part that is open, sorted by name and position.  */
void jumps_write (struct jumps *j, struct cgw_writer *w);

void jumps_free (struct jumps *j);

#endif /* MERGE_JUMPS_H */
