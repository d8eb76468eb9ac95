/* packed.h - packed profiles, which the agent and the watcher hand each other in
   files of memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PACKED_H
#define PACKED_H 1

#include "rank.h"

#include <cgw.h>

/* Packs a profile for the other process.  *fd is the last one's file, or -1,
   and becomes this one's.  */
enum cgw_status packed_put (struct rank_memory *memory,
                            struct cgw_profile *profile, int *fd);

/* Adds what a process packed.  */
enum cgw_status packed_add (const struct rank_memory *memory, int process,
                            struct cgw_profile *profile);

#endif /* PACKED_H */
