/* mpi_imbalanced.c - the last rank has more to do than the others, for which
   they wait.

     mpi_imbalanced MILLISECONDS    of processor time a step, of the others

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static void __attribute__ ((noinline))
compute (int milliseconds)
{
  clock_t end = clock () + (clock_t) milliseconds * CLOCKS_PER_SEC / 1000;

  while (clock () < end)
    for (int i = 0; i < 10000; i++)
      sink += (uint64_t) i * i;
}

/* All get what to do, and do it.  */
static double __attribute__ ((noinline))
solve (int milliseconds)
{
  double done = 1, sum;

  MPI_Bcast (&done, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  compute (milliseconds);
  MPI_Allreduce (&done, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* The same for all.  */
static void __attribute__ ((noinline))
report (int milliseconds)
{
  MPI_Barrier (MPI_COMM_WORLD);
  compute (milliseconds);
  MPI_Barrier (MPI_COMM_WORLD);
}

int
main (int argc, char **argv)
{
  int milliseconds = argc > 1 ? atoi (argv[1]) : 10;
  int rank, size;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; i++)
    {
      solve (rank == size - 1 ? 3 * milliseconds : milliseconds);
      report (milliseconds);
    }
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
