/* summary.h - what cgw-mpi prints at the end: the time of ranks, and the calls
   that took most of it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SUMMARY_H
#define SUMMARY_H 1

#include "rank.h"

#include <cgw.h>

/* Returns the text, which is to be freed; NULL: the number of ranks in the
   memory cannot be true.  profile: that of all ranks; out: the name of its
   file.  */
char *summary_make (const struct rank_memory *memory,
                    struct cgw_profile *profile,
                    const struct cgw_names *names, const char *out);

#endif /* SUMMARY_H */
