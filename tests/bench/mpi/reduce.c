/* reduce.c - measures cgw_mpi_reduce over the ranks of this run.

   reduce FUNCTIONS same|different: rank 0 prints "figure NAME VALUE" lines,
   the medians of the milliseconds from a barrier until the last rank is
   through, and bytes.  The status is 1 if the sums are wrong.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../runs.h"
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
static unsigned n_functions;
static bool same_names;

/* Milliseconds.  */
static void
run (void *context, size_t i, double *values)
{
  uint64_t total, expected = 0;
  struct cgw_names *names;
  struct cgw_profile *p = NULL;
  double start, ms;

  (void) context, (void) i;
  if (cgw_names_new (&names, NULL) != CGW_OK
      || cgw_profile_new (&p, names, RANK_EVENTS, CGW_INSTR_LINE) != CGW_OK)
    MPI_Abort (MPI_COMM_WORLD, 1);
  rank_fill (names, p, (unsigned long) rank, n_functions,
             same_names);
  sent = sent_to_0 = 0;
  MPI_Barrier (MPI_COMM_WORLD);
  start = MPI_Wtime ();
  if (cgw_mpi_reduce (p, 0, MPI_COMM_WORLD) != CGW_OK)
    MPI_Abort (MPI_COMM_WORLD, 1);
  ms = (MPI_Wtime () - start) * 1e3;
  MPI_Reduce (&ms, values, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  cgw_profile_total (p, &total, 1);
  for (int k = 0; k < size; k++)
    expected += rank_total ((unsigned long) k, n_functions);
  if (rank == 0 && total != expected)
    {
      fprintf (stderr, "bench-mpi: wrong: the sum of all ranks\n");
      MPI_Abort (MPI_COMM_WORLD, 1);
    }
  cgw_profile_free (p);
  cgw_names_free (names);
}

static void
print (const char *names, const char *what, double value)
{
  char suffix[40];

  snprintf (suffix, sizeof suffix, "_%d_%s", size, what);
  print_figure ("mpi_", names, suffix, value);
}

int
main (int argc, char **argv)
{
  struct quartiles ms;
  double own[2], all[2];

  n_functions = argc == 3 ? (unsigned) atoi (argv[1]) : 0;
  same_names = argc == 3 && strcmp (argv[2], "same") == 0;
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  if (n_functions == 0)
    MPI_Abort (MPI_COMM_WORLD, 2);
  run_rounds (1, 1, RUNS, run, NULL, &ms);
  own[0] = sent;
  own[1] = sent_to_0;
  MPI_Reduce (own, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    {
      print (argv[2], "ms", ms.median);
      print (argv[2], "kbytes", all[0] / 1e3);
      print (argv[2], "kbytes_to_root", all[1] / 1e3);
    }
  MPI_Finalize ();
  return 0;
}
