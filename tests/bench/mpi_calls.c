/* mpi_calls.c - what a call of an MPI function costs: alone, under a model of
   mpiP, and under cgw-mpi; all in one process, which cgw-mpi runs.

   The model does what mpiP does of default: it takes the time before and after
   the call, looks up the return address and the function in a hash table, and
   adds.  It is faster than mpiP, which also finds the return address by
   unwinding, and keeps more numbers.

   The function is MPI_Comm_rank, which does next to nothing.  Prints lines
   "figure NAME NANOSECONDS": the medians of many rounds, in which the contenders
   take turns.

     mpi_calls LIBRARY    the soname of the MPI library

   SPDX-License-Identifier: MIT  */

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

static __attribute__ ((noinline)) uint64_t
measure (function *f, int depth)
{
  uint64_t time;
  int rank = 0;

  if (depth > 1)
    {
      time = measure (f, depth - 1);
      sink++; /* no tail call */
      return time;
    }
  time = now ();
  for (int i = 0; i < CALLS; i++)
    {
      f (MPI_COMM_WORLD, &rank);
      sink = rank;
    }
  return now () - time;
}

static int
compare (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

static void
run (int depth)
{
  static const char *const names[] = { "none", "mpip_model", "cgw_mpi" };
  function *contenders[] = { plain, model, MPI_Comm_rank };
  static uint64_t times[3][ROUNDS];

  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < 3; i++)
      times[i][round] = measure (contenders[i], depth);
  for (int i = 0; i < 3; i++)
    {
      qsort (times[i], ROUNDS, sizeof *times[i], compare);
      printf ("figure mpi_call_%s_%d %.1f\n", names[i], depth,
              (double) times[i][ROUNDS / 2] / CALLS);
    }
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
  run (1);
  run (10);
  run (40);
  MPI_Finalize ();
  return EXIT_SUCCESS;
}
