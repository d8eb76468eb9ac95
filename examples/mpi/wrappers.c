/* wrappers.c - the functions that replace those of MPI.

   Compiled once for each MPI, with its mpi.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent.h"
#include "agent_parts.h"
#include "calls.h"
#include "reduce.h"

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#define ALIAS(name) __attribute__ ((alias (name)))
/* Found by the first call: constructors of libraries call MPI before any
   constructor here.  */
#define NEXT(name) \
  (next_##name == NULL ? find_next () : (void) 0, next_##name)
#define FIND_NEXT(name) agent_find ("P" #name, &next_##name)

static void find_next (void);

#include WRAPPERS

/* What the program has loaded for one of its libraries alone, such as a module
   of Python, is not found; make it known to all.  */
static int
share_library (struct dl_phdr_info *info, size_t size, void *unused)
{
  const char *slash = strrchr (info->dlpi_name, '/');

  (void) size;
  (void) unused;
  if (slash != NULL && strncmp (slash, "/libmpi", 7) == 0)
    dlopen (info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  return 0;
}

static void
find_next (void)
{
  agent_find ("PMPI_Init", &next_MPI_Init);
  if (next_MPI_Init == NULL)
    dl_iterate_phdr (share_library, NULL);
  find_all ();
}

static struct rank_memory *memory;
static MPI_Comm comm = MPI_COMM_NULL; /* of all ranks, for cgw-mpi only */

static void
begin (const void *site)
{
  int rank = 0, size = 1;

  if (comm != MPI_COMM_NULL) /* an MPI that initializes itself by another call */
    return;
  PMPI_Comm_rank (MPI_COMM_WORLD, &rank);
  PMPI_Comm_size (MPI_COMM_WORLD, &size);
  PMPI_Comm_dup (MPI_COMM_WORLD, &comm);
  memory = agent_begin ((uint32_t) rank, (uint32_t) size,
                        (uintptr_t) NEXT (MPI_Comm_rank), site);
}

/* A program that called PMPI_Init has no communicator here.  */
static void
end (const void *site)
{
  if (comm == MPI_COMM_NULL)
    return;
  if (memory != NULL)
    calls_end (site);
  agent_stop ();
  reduce (memory, comm);
  PMPI_Comm_free (&comm);
}

AGENT_STAND_IN int
MPI_Init (int *argc, char ***argv)
{
  int result = NEXT (MPI_Init) (argc, argv);

  if (result == MPI_SUCCESS)
    begin (__builtin_return_address (0));
  return result;
}

AGENT_STAND_IN int
MPI_Init_thread (int *argc, char ***argv, int required, int *provided)
{
  int result = NEXT (MPI_Init_thread) (argc, argv, required, provided);

  if (result == MPI_SUCCESS)
    begin (__builtin_return_address (0));
  return result;
}

AGENT_STAND_IN int
MPI_Finalize (void)
{
  end (__builtin_return_address (0));
  return NEXT (MPI_Finalize) ();
}

AGENT_STAND_IN int
MPI_Abort (MPI_Comm aborted, int code)
{
  agent_abort ();
  return NEXT (MPI_Abort) (aborted, code);
}

AGENT_STAND_IN int PMPI_Init (int *argc, char ***argv) ALIAS ("MPI_Init");
AGENT_STAND_IN int PMPI_Init_thread (int *argc, char ***argv, int required,
                                     int *provided) ALIAS ("MPI_Init_thread");
AGENT_STAND_IN int PMPI_Finalize (void) ALIAS ("MPI_Finalize");
AGENT_STAND_IN int PMPI_Abort (MPI_Comm aborted, int code) ALIAS ("MPI_Abort");
