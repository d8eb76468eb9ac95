/* ways.h - ways to use the library that are contenders of their own.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WAYS_H
#define WAYS_H 1

#include "contender.h"

/* Adds the names of each record again.  */
extern const struct contender way_names;

/* Hands the records to a cgw_profile, and writes that.  */
extern const struct contender way_profile;

/* way_profile's context with a writer of these options, but for where it
   writes.  */
void *way_profile_with (const struct workload *w, struct sink *sink,
                        struct script *script,
                        const struct cgw_options *wanted);

/* The profile inside.  */
struct cgw_profile *way_profile_sums (void *context);

/* Pushes each record's costs and address into a cgw_recorder, which normal
   code drains in between.  Nothing is written; the drained samples are
   compared with the workload instead.  */
extern const struct contender way_push;

/* How much of way_push's last run went into draining, by bench_time.  */
double way_push_drained (void *context);

#endif /* WAYS_H */
