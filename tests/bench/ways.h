/* ways.h - ways to use the library that are contenders of their own.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef WAYS_H
#define WAYS_H 1

#include "contender.h"

/* Adds the names of each record again.  */
extern const struct contender way_names;

/* Hands the records to a cgw_profile, and writes that.  */
extern const struct contender way_profile;

/* The profile inside way_profile's context, and its names.  */
struct cgw_profile *way_profile_sums (void *context);
struct cgw_names *way_profile_names (void *context);

/* Pushes each record's costs and address into a cgw_recorder, which normal
   code drains in between.  Nothing is written; the drained samples are
   compared with the workload instead.  */
extern const struct contender way_push;

#endif /* WAYS_H */
