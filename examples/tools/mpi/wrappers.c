/* wrappers.c - the functions that replace those of MPI.

   Compiled once for each MPI, with its mpi.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../agent/agent_parts.h"
#include "agent.h"
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
static MPI_Comm comm = MPI_COMM_NULL; /* of all ranks, for cgw-mpi only; until
                                         the end, none if there are sessions
                                         alone */

static void
begin (const void *site)
{
  int rank = 0, size = 1;

  if (comm != MPI_COMM_NULL) /* one function of MPI has called another */
    return;
  PMPI_Comm_rank (MPI_COMM_WORLD, &rank);
  PMPI_Comm_size (MPI_COMM_WORLD, &size);
  PMPI_Comm_dup (MPI_COMM_WORLD, &comm);
  if (memory == NULL) /* there was no session before */
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
#ifdef HAVE_SAMPLE
  samples_stop ();
#endif
  reduce (memory, comm);
  PMPI_Comm_free (&comm);
  memory = NULL;
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

/* 0 interrupts the profile, and 1 goes on.  2 asks for a flush: nothing is kept
   back here.  Others mean nothing.  */
AGENT_STAND_IN int
MPI_Pcontrol (const int level, ...)
{
  if (level == 0)
    calls_end (__builtin_return_address (0));
  else if (level == 1)
    calls_continue (__builtin_return_address (0));
  return MPI_SUCCESS;
}

AGENT_STAND_IN int PMPI_Init (int *argc, char ***argv) ALIAS ("MPI_Init");
AGENT_STAND_IN int PMPI_Init_thread (int *argc, char ***argv, int required,
                                     int *provided) ALIAS ("MPI_Init_thread");
AGENT_STAND_IN int PMPI_Finalize (void) ALIAS ("MPI_Finalize");
AGENT_STAND_IN int PMPI_Abort (MPI_Comm aborted, int code) ALIAS ("MPI_Abort");
AGENT_STAND_IN int PMPI_Pcontrol (const int level, ...) ALIAS ("MPI_Pcontrol");

#if MPI_VERSION >= 4
/* A program may have sessions instead of MPI_Init: then the profile lasts from
   the beginning of the first session to the end of the last.  Only there may
   all ranks be expected to take part in adding up.  */

static _Atomic int n_sessions;

static MPI_Group
world_of (MPI_Session session)
{
  MPI_Group world = MPI_GROUP_NULL;

  PMPI_Group_from_session_pset (session, "mpi://WORLD", &world);
  return world;
}

static void
begin_session (MPI_Session session, const void *site)
{
  MPI_Group world = world_of (session);
  int rank = 0, size = 1;

  PMPI_Group_rank (world, &rank);
  PMPI_Group_size (world, &size);
  PMPI_Group_free (&world);
  memory = agent_begin ((uint32_t) rank, (uint32_t) size,
                        (uintptr_t) NEXT (MPI_Comm_rank), site);
}

static void
end_session (MPI_Session session, const void *site)
{
  MPI_Group world;

  calls_end (site); /* what follows is no call of the program's */
  world = world_of (session);
  PMPI_Comm_create_from_group (world, "cgw-mpi", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
  PMPI_Group_free (&world);
  end (site);
}

AGENT_STAND_IN int
MPI_Session_init (MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
  int result = NEXT (MPI_Session_init) (info, handler, session);

  if (result == MPI_SUCCESS && n_sessions++ == 0 && comm == MPI_COMM_NULL)
    begin_session (*session, __builtin_return_address (0));
  return result;
}

AGENT_STAND_IN int
MPI_Session_finalize (MPI_Session *session)
{
  if (--n_sessions == 0 && comm == MPI_COMM_NULL && memory != NULL)
    end_session (*session, __builtin_return_address (0));
  return NEXT (MPI_Session_finalize) (session);
}

AGENT_STAND_IN int PMPI_Session_init (MPI_Info info, MPI_Errhandler handler,
                                      MPI_Session *session)
    ALIAS ("MPI_Session_init");
AGENT_STAND_IN int PMPI_Session_finalize (MPI_Session *session)
    ALIAS ("MPI_Session_finalize");
#endif
