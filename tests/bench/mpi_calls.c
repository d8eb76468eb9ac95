/* mpi_calls.c - what a call of an MPI function costs: alone, under a model of
   mpiP, and under cgw-mpi; all in one process, which cgw-mpi runs.

   The model does what mpiP does of default: it takes the time before and after
   the call, looks up the return address and the function in a hash table, and
   adds.  It is faster than mpiP, which also finds the return address by
   unwinding, and keeps more numbers.

   The function is MPI_Comm_rank, which does next to nothing.  Prints lines
   "figure NAME NANOSECONDS".

     mpi_calls LIBRARY    the soname of the MPI library

   SPDX-License-Identifier: MIT  */

#include "runs.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int function (MPI_Comm comm, int *rank);

static function *plain; /* the MPI library's own */

static uint64_t
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* The model.  */

enum { SLOTS = 1024, RANK = 7 };

static struct
{
  void *site;
  int function;
  uint64_t count, ns, least, most;
} sites[SLOTS];

static __attribute__ ((noinline)) int
model (MPI_Comm comm, int *rank)
{
  void *site = __builtin_return_address (0);
  uint64_t start = now ();
  int result = plain (comm, rank);
  uint64_t ns = now () - start;
  size_t i = ((uintptr_t) site ^ RANK) * UINT64_C (0x9e3779b97f4a7c15) >> 54;

  while (sites[i].site != NULL
         && (sites[i].site != site || sites[i].function != RANK))
    i = (i + 1) % SLOTS;
  sites[i].site = site;
  sites[i].function = RANK;
  sites[i].count++;
  sites[i].ns += ns;
  if (sites[i].count == 1 || ns < sites[i].least)
    sites[i].least = ns;
  if (ns > sites[i].most)
    sites[i].most = ns;
  return result;
}

/* The loop, below so many frames.  */

enum { CALLS = 2000, ROUNDS = 501 };
static volatile int sink;

static __attribute__ ((noinline)) double
measure (function *f, int depth)
{
  double time;
  int rank = 0;

  if (depth > 1)
    {
      time = measure (f, depth - 1);
      sink++; /* no tail call */
      return time;
    }
  time = bench_time ();
  for (int i = 0; i < CALLS; i++)
    {
      f (MPI_COMM_WORLD, &rank);
      sink = rank;
    }
  return (bench_time () - time) / CALLS;
}

static void
run (void *depth, size_t i, double *values)
{
  function *contenders[] = { plain, model, MPI_Comm_rank };

  values[0] = measure (contenders[i], *(int *) depth);
}

static void
run_all (int depth)
{
  static const char *const names[] = { "none", "mpip_model", "cgw_mpi" };
  struct quartiles q[3];

  run_rounds (3, 1, ROUNDS, run, &depth, q);
  for (int i = 0; i < 3; i++)
    printf ("figure mpi_call_%s_%d %.6g\n", names[i], depth, q[i].median);
}

int
main (int argc, char **argv)
{
  void *library = argc == 2 ? dlopen (argv[1], RTLD_NOW) : NULL;
  void *symbol = library != NULL ? dlsym (library, "PMPI_Comm_rank") : NULL;

  if (symbol == NULL)
    {
      fprintf (stderr, "usage: mpi_calls LIBRARY\n");
      return 2;
    }
  memcpy (&plain, &symbol, sizeof symbol);
  MPI_Init (&argc, &argv);
  run_all (1);
  run_all (10);
  run_all (40);
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
