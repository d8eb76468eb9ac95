/* mpi_imbalanced.c - the last rank has more to do than the others, for which
   they wait.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

/* So much processor time.  */
static void __attribute__ ((noinline))
compute (int milliseconds)
{
  clock_t end = clock () + (clock_t) milliseconds * CLOCKS_PER_SEC / 1000;

  while (clock () < end)
    for (int i = 0; i < 10000; i++)
      sink += (uint64_t) i * i;
}

static double __attribute__ ((noinline))
wait_for_all (double mine)
{
  double sum;

  MPI_Allreduce (&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int
main (int argc, char **argv)
{
  int milliseconds = argc > 1 ? atoi (argv[1]) : 10;
  int rank, size;
  double sum = 0;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; i++)
    {
      compute (rank == size - 1 ? 4 * milliseconds : milliseconds);
      sum += wait_for_all (rank);
    }
  MPI_Finalize ();
  return sum < 0;
}
