/* mpi_arch.c - calls MPI functions at three places, for tests/arch.sh: 20 times
   by two callers, 10 times in a loop, and once.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include <mpi.h>

/* The addition keeps the call from being the function's last.  */
static __attribute__ ((noinline)) int
share (int n)
{
  MPI_Allreduce (MPI_IN_PLACE, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return n + 1;
}

static __attribute__ ((noinline)) void
work (void)
{
  for (int i = 0; i < 10; i++)
    {
      share (share (i));
      MPI_Barrier (MPI_COMM_WORLD);
    }
}

int
main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  work ();
  MPI_Barrier (MPI_COMM_WORLD);
  return MPI_Finalize ();
}
