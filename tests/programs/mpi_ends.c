/* mpi_ends.c - ranks that end as the arguments say: RANK HOW.  Before, all call
   MPI_Comm_rank, five times MPI_Comm_size, and MPI_Barrier, from which none
   returns until all have called it; or nothing, if HOW is "silent".

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
end (const char *how)
{
  if (strcmp (how, "kill") == 0)
    kill (getpid (), SIGKILL);
  else if (strcmp (how, "abort") == 0)
    abort ();
  else if (strcmp (how, "exit") == 0)
    exit (3);
  else if (strcmp (how, "MPI_Abort") == 0)
    MPI_Abort (MPI_COMM_WORLD, 4);
}

int
main (int argc, char **argv)
{
  int rank, size = 0;

  MPI_Init (&argc, &argv);
  if (argc == 3 && strcmp (argv[2], "silent") != 0)
    {
      MPI_Comm_rank (MPI_COMM_WORLD, &rank);
      for (int i = 0; i < 5; i++)
        MPI_Comm_size (MPI_COMM_WORLD, &size);
      MPI_Barrier (MPI_COMM_WORLD);
      if (rank == atoi (argv[1]))
        end (argv[2]);
      MPI_Barrier (MPI_COMM_WORLD);
    }
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
