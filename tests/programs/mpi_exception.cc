/* mpi_exception.cc - an MPI program whose error handler throws exceptions out of
   MPI_Send, three times; then it calls MPI_Comm_rank seven times.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>

static void
fail (MPI_Comm *, int *error, ...)
{
  throw *error;
}

int
main (int argc, char **argv)
{
  MPI_Errhandler handler;
  int rank, caught = 0;

  MPI_Init (&argc, &argv);
  MPI_Comm_create_errhandler (fail, &handler);
  MPI_Comm_set_errhandler (MPI_COMM_WORLD, handler);
  for (int i = 0; i < 3; i++)
    try
      {
        MPI_Send (&i, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
      }
    catch (int)
      {
        caught++;
      }
  for (int i = 0; i < 7; i++)
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Finalize ();
  return caught != 3;
}
