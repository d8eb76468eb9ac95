/* reduce.h - adds up the profiles of all ranks, at MPI_Finalize.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef REDUCE_H
#define REDUCE_H 1

#include "rank.h"

#include <mpi.h>

/* Collective.  The watcher of rank 0 writes the profile.  memory is NULL on a
   rank without a profile.  */
void reduce (struct rank_memory *memory, MPI_Comm comm);

#endif /* REDUCE_H */
