/* mpi_constructor.c - a library that calls MPI_Init before main.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stddef.h>

static __attribute__ ((constructor)) void
begin (void)
{
  int is_done;

  MPI_Initialized (&is_done);
  if (!is_done)
    MPI_Init (NULL, NULL);
}
