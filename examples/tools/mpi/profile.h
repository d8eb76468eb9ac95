/* profile.h - turns the contents of the shared memory into a profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROFILE_H
#define PROFILE_H 1

#include "rank.h"

#include "../symbols/maps.h"
#include "../symbols/resolve.h"

#include <cgw.h>

/* Begins as {0}, with profile_begin.  */
struct profile
{
  const struct rank_memory *memory;
  struct maps maps;
  struct resolver resolver;
  struct cgw_object library; /* the MPI library, if it is known */
};

void profile_begin (struct profile *p, const struct rank_memory *memory,
                    struct cgw_names *names);

/* Adds all stacks to a profile of the names object, with the events of a
   rank's own file or of the profile of all ranks.  */
void profile_fill (struct profile *p, struct cgw_profile *to, bool is_own);

#endif /* PROFILE_H */
