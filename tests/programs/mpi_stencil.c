/* mpi_stencil.c - neighbours exchange the borders of a grid.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 64, STEPS = 20 };

static int rank, size;

/* Calls of the same function from two places.  */
static void
exchange (double *cells)
{
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

  MPI_Sendrecv (&cells[1], 1, MPI_DOUBLE, left, 1, &cells[CELLS + 1], 1,
                MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv (&cells[CELLS], 1, MPI_DOUBLE, right, 2, &cells[0], 1,
                MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double
relax (const double *from, double *to)
{
  double change = 0;

  for (int i = 1; i <= CELLS; i++)
    {
      to[i] = (from[i - 1] + from[i + 1]) / 2;
      change += to[i] - from[i];
    }
  return change;
}

int
main (int argc, char **argv)
{
  double cells[2][CELLS + 2] = { { 1 } };
  double sum;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  for (int i = 0; i < STEPS; i++)
    {
      double change;

      exchange (cells[i % 2]);
      change = relax (cells[i % 2], cells[1 - i % 2]);
      if (i % 10 == 9)
        MPI_Allreduce (&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
