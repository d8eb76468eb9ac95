/* mpi_control.c - interrupts the profile by MPI_Pcontrol; with the argument
   "sessions" begins MPI by two sessions, one after the other's beginning; with
   "both", by MPI_Init and a session, which ends last.  Prints the nanoseconds
   from MPI_Init to MPI_Finalize without those of the interruption.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long long
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void
communicate (MPI_Comm comm, int n)
{
  for (int i = 0; i < n; i++)
    MPI_Barrier (comm);
}

static void
use_sessions (void)
{
#if MPI_VERSION >= 4
  MPI_Session first, second;
  MPI_Group group;
  MPI_Comm comm;

  MPI_Session_init (MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  MPI_Session_init (MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  MPI_Group_from_session_pset (first, "mpi://WORLD", &group);
  MPI_Comm_create_from_group (group, "test", MPI_INFO_NULL,
                              MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free (&group);
  communicate (comm, 5);
  MPI_Session_finalize (&second);
  communicate (comm, 2);
  MPI_Comm_free (&comm);
  MPI_Session_finalize (&first);
#endif
}

static void
use_both (void)
{
#if MPI_VERSION >= 4
  MPI_Session session;

  MPI_Init (NULL, NULL);
  MPI_Session_init (MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  communicate (MPI_COMM_WORLD, 5);
  MPI_Finalize ();
  MPI_Session_finalize (&session);
#endif
}

int
main (int argc, char **argv)
{
  struct timespec pause = { 0, 300000000 };
  long long begin, off, on;
  int size;

  if (argc == 2 && strcmp (argv[1], "sessions") == 0)
    {
      use_sessions ();
      return 0;
    }
  if (argc == 2 && strcmp (argv[1], "both") == 0)
    {
      use_both ();
      return 0;
    }
  begin = now ();
  MPI_Init (&argc, &argv);
  communicate (MPI_COMM_WORLD, 5);
  MPI_Pcontrol (2);
  MPI_Pcontrol (1);
  MPI_Pcontrol (0);
  off = now ();
  for (int i = 0; i < 100; i++)
    MPI_Comm_size (MPI_COMM_WORLD, &size);
  nanosleep (&pause, NULL);
  MPI_Pcontrol (0);
  on = now ();
  MPI_Pcontrol (1);
  communicate (MPI_COMM_WORLD, 3);
  MPI_Finalize ();
  printf ("%lld\n", now () - begin - (on - off));
  return 0;
}
