/* reduce.c - adds up the profiles of all ranks, at MPI_Finalize.

   The watchers symbolize addresses and write files.  This code adds up their
   packed profiles by MPI.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reduce.h"

#include "../run/ranks.h"
#include "agent.h"
#include "packed.h"

#include <cgw_mpi.h>
#include <unistd.h>

/* The slowest rank spent most time outside MPI.  The total time does not tell:
   ranks that wait in MPI take as long.  Of equal ranks, the lowest counts.  */
static void
find_slowest (struct rank_memory *memory, MPI_Comm comm)
{
  struct
  {
    double ns; /* exact: below 2^53 */
    int rank;
  } own = { 0, 0 }, slowest, fastest;

  PMPI_Comm_rank (comm, &own.rank);
  if (memory != NULL)
    own.ns = (double) memory->outside;
  PMPI_Allreduce (&own, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  PMPI_Allreduce (&own, &fastest, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
  if (memory == NULL)
    return;
  memory->slow = slowest.rank == own.rank;
  memory->fast = fastest.rank == own.rank;
}

static struct rank_row
own_row (const struct rank_memory *memory)
{
  struct rank_row row = { .outside = memory->outside };

  for (uint32_t i = 0; i < atomic_load (&memory->n_stacks); i++)
    {
      const struct rank_stack *s = &memory->stacks[i];

      row.time += s->ns;
      row.mpi += s->kind == RANK_CALL ? s->ns : 0;
    }
  return row;
}

/* Tells rank 0 the times of all, if there is room there.  */
static void
gather_rows (struct rank_memory *memory, int size, MPI_Comm comm)
{
  struct rank_row own = { .time = 0 };
  int room = memory != NULL && size <= RANK_ROWS;

  PMPI_Bcast (&room, 1, MPI_INT, 0, comm);
  if (!room)
    return;
  if (memory != NULL)
    own = own_row (memory);
  PMPI_Gather (&own, sizeof own, MPI_BYTE, memory != NULL ? memory->rows : NULL,
               sizeof own, MPI_BYTE, 0, comm);
  if (memory != NULL)
    memory->has_rows = true;
}

/* This rank's profile, which the watcher makes; without one, an empty profile.
   NULL: it failed.  */
static struct cgw_profile *
take (struct rank_memory *memory, struct cgw_names *names)
{
  struct cgw_profile *profile = NULL;
  enum cgw_status status
      = memory != NULL
            ? cgw_profile_new (&profile, names, ranks_n_costs (memory->bytes),
                               CGW_INSTR_LINE)
            : CGW_EINVAL;

  if (status == CGW_OK)
    status = agent_ask (memory, RANK_PACK);
  if (status == CGW_OK)
    status = packed_add (memory, memory->watcher, profile);
  if (status == CGW_OK)
    return profile;
  cgw_profile_free (profile);
  return NULL;
}

/* Has the watcher write the sum.  */
static enum cgw_status
give (struct rank_memory *memory, struct cgw_profile *profile)
{
  int fd = -1;
  enum cgw_status status = packed_put (memory, profile, &fd);

  if (status == CGW_OK)
    status = agent_ask (memory, RANK_WRITE);
  if (fd >= 0)
    close (fd);
  return status;
}

/* Adds up the profiles of all ranks, and has the watcher of rank 0 write the
   sum.  Returns the same on all ranks.  */
static enum cgw_status
add_up (struct rank_memory *memory, MPI_Comm comm)
{
  struct cgw_names *names;
  struct cgw_profile *profile;
  int rank, status;

  PMPI_Comm_rank (comm, &rank);
  cgw_names_new (&names, NULL);
  profile = take (memory, names);
  status = cgw_mpi_reduce (profile, 0, comm);
  if (status == CGW_OK && rank == 0)
    status = give (memory, profile);
  cgw_profile_free (profile);
  cgw_names_free (names);
  PMPI_Bcast (&status, 1, MPI_INT, 0, comm);
  return (enum cgw_status) status;
}

void
reduce (struct rank_memory *memory, MPI_Comm comm)
{
  enum cgw_status status;
  int size;

  PMPI_Comm_size (comm, &size);
  find_slowest (memory, comm);
  gather_rows (memory, size, comm);
  status = add_up (memory, comm);
  if (memory != NULL)
    agent_ask (memory, status == CGW_OK ? RANK_END : RANK_FAIL);
}
