/* reduce.c - measures cgw_mpi_reduce over the ranks of this run.

   reduce FUNCTIONS same|different: rank 0 prints "figure NAME VALUE" lines, the
   medians of the milliseconds from a barrier until the last rank is through,
   and bytes.  The status is 1 if the sums are wrong.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "rank.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header's messages are counted.  */
static double sent, sent_to_0;
static int
counted_send (const void *bytes, int n, MPI_Datatype type, int to, int tag,
              MPI_Comm comm)
{
  sent += n;
  sent_to_0 += to == 0 ? n : 0;
  return PMPI_Send (bytes, n, type, to, tag, comm);
}
#define PMPI_Send counted_send
#include <cgw_mpi.h>
#undef PMPI_Send

enum { RUNS = 3 };

static int rank, size;

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Returns the seconds.  */
static double
run (unsigned n, bool same_names)
{
  uint64_t total, expected = 0;
  struct cgw_names *names;
  struct cgw_profile *p = NULL;
  double start, seconds, longest;

  if (cgw_names_new (&names, NULL) != CGW_OK
      || cgw_profile_new (&p, names, RANK_EVENTS, CGW_INSTR_LINE) != CGW_OK)
    MPI_Abort (MPI_COMM_WORLD, 1);
  rank_fill (names, p, (unsigned long) rank, n, same_names);
  sent = sent_to_0 = 0;
  MPI_Barrier (MPI_COMM_WORLD);
  start = MPI_Wtime ();
  if (cgw_mpi_reduce (p, 0, MPI_COMM_WORLD) != CGW_OK)
    MPI_Abort (MPI_COMM_WORLD, 1);
  seconds = MPI_Wtime () - start;
  MPI_Reduce (&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  cgw_profile_total (p, &total, 1);
  for (int i = 0; i < size; i++)
    expected += rank_total ((unsigned long) i, n);
  if (rank == 0 && total != expected)
    {
      fprintf (stderr, "bench-mpi: wrong: the sum of all ranks\n");
      MPI_Abort (MPI_COMM_WORLD, 1);
    }
  cgw_profile_free (p);
  cgw_names_free (names);
  return longest;
}

int
main (int argc, char **argv)
{
  unsigned n = argc == 3 ? (unsigned) atoi (argv[1]) : 0;
  double seconds[RUNS], own[2], all[2];

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  if (n == 0)
    MPI_Abort (MPI_COMM_WORLD, 2);
  for (int i = 0; i < RUNS; i++)
    seconds[i] = run (n, strcmp (argv[2], "same") == 0);
  own[0] = sent;
  own[1] = sent_to_0;
  MPI_Reduce (own, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    {
      qsort (seconds, RUNS, sizeof *seconds, compare);
      printf ("figure mpi_%s_%d_ms %.2f\n", argv[2], size,
              seconds[RUNS / 2] * 1e3);
      printf ("figure mpi_%s_%d_kbytes %.1f\n", argv[2], size, all[0] / 1e3);
      printf ("figure mpi_%s_%d_kbytes_to_root %.1f\n", argv[2], size,
              all[1] / 1e3);
    }
  MPI_Finalize ();
  return 0;
}
