/* truth.h - what a workload means, to compare with what was written.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRUTH_H
#define TRUTH_H 1

#include "../support/profile.h"
#include "workload.h"

/* The sums and edges of a workload; to be freed by profile_free.  */
struct profile *truth_make (const struct workload *w);

#endif /* TRUTH_H */
