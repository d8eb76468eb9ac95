/* mpi_bytes.c - calls of each kind, which send and receive known numbers of
   bytes; for 3 ranks.  With the argument "abort", rank 1 aborts at the end.

   SPDX-License-Identifier: MIT  */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, ROOM = 1000 };

static int rank, next, last;
static const MPI_Comm all = MPI_COMM_WORLD;
static int in[ROOM], out[ROOM];
static const int counts[RANKS] = { 1, 2, 4 };
static const int starts[RANKS] = { 0, 10, 20 };

/* Each rank sends 5 doubles to the next one, which has room for 50.  */
static void
messages (void)
{
  MPI_Request requests[2];
  MPI_Status status;

  if (rank == 0)
    {
      MPI_Send (out, 5, MPI_DOUBLE, next, 1, all);
      MPI_Recv (in, 50, MPI_DOUBLE, last, 1, all, &status);
    }
  else
    {
      MPI_Recv (in, 50, MPI_DOUBLE, last, 1, all, MPI_STATUS_IGNORE);
      MPI_Ssend (out, 5, MPI_DOUBLE, next, 1, all);
    }
  MPI_Irecv (in, 50, MPI_DOUBLE, last, 1, all, &requests[0]);
  MPI_Isend (out, 5, MPI_DOUBLE, next, 1, all, &requests[1]);
  MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv (out, 6, MPI_INT, next, 1, in, 60, MPI_INT, last, 1, all,
                MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace (out, 7, MPI_INT, next, 1, last, 1, all, &status);
}

static void
matched (void)
{
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;

  MPI_Isend (out, 3, MPI_INT, next, 1, all, &request);
  MPI_Mprobe (last, 1, all, &message, &status);
  MPI_Mrecv (in, 30, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait (&request, MPI_STATUS_IGNORE);
}

/* Nothing moves.  */
static void
nobody (void)
{
  MPI_Request request;

  MPI_Send (out, 5, MPI_INT, MPI_PROC_NULL, 1, all);
  MPI_Recv (in, 5, MPI_INT, MPI_PROC_NULL, 1, all, MPI_STATUS_IGNORE);
  MPI_Irecv (in, 5, MPI_INT, MPI_PROC_NULL, 1, all, &request);
  MPI_Wait (&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv (out, 5, MPI_INT, MPI_PROC_NULL, 1, in, 5, MPI_INT,
                MPI_PROC_NULL, 1, all, MPI_STATUS_IGNORE);
}

/* A type with holes counts without them.  */
static void
derived (void)
{
  MPI_Datatype type;

  MPI_Type_vector (3, 1, 4, MPI_INT, &type);
  MPI_Type_commit (&type);
  MPI_Bcast (in, 2, type, 0, all);
  MPI_Type_free (&type);
}

static void
rooted (void)
{
  int root = 1;
  int is_root = rank == root;

  MPI_Bcast (in, 10, MPI_INT, root, all);
  /* The counts and types of what is received mean nothing elsewhere.  */
  MPI_Gather (out, 10, MPI_INT, in, is_root ? 10 : 77,
              is_root ? MPI_INT : MPI_DATATYPE_NULL, root, all);
  MPI_Gatherv (out, counts[rank], MPI_INT, in, is_root ? counts : NULL,
               is_root ? starts : NULL, MPI_INT, root, all);
  MPI_Scatter (out, is_root ? 10 : 77,
               is_root ? MPI_INT : MPI_DATATYPE_NULL, in, 10, MPI_INT, root,
               all);
  MPI_Scatterv (out, is_root ? counts : NULL, is_root ? starts : NULL, MPI_INT,
                in, counts[rank], MPI_INT, root, all);
  MPI_Reduce (out, in, 10, MPI_INT, MPI_SUM, root, all);
}

static void
to_all (void)
{
  static const MPI_Datatype types[RANKS] = { MPI_INT, MPI_INT, MPI_INT };
  static const int places[RANKS] = { 0, 40, 80 };
  int same[RANKS];
  MPI_Request request;

  for (int i = 0; i < RANKS; i++)
    same[i] = counts[rank];
  MPI_Allgather (out, 10, MPI_INT, in, 10, MPI_INT, all);
  MPI_Allgatherv (out, counts[rank], MPI_INT, in, counts, starts, MPI_INT,
                  all);
  MPI_Alltoall (out, 10, MPI_INT, in, 10, MPI_INT, all);
  /* To rank i counts[i], so from each as many as this rank has.  */
  MPI_Alltoallv (out, counts, starts, MPI_INT, in, same, starts, MPI_INT, all);
  MPI_Alltoallw (out, counts, places, types, in, same, places, types, all);
  MPI_Allreduce (out, in, 10, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter (out, in, counts, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_block (out, in, 10, MPI_INT, MPI_SUM, all);
  MPI_Scan (out, in, 10, MPI_INT, MPI_SUM, all);
  MPI_Exscan (out, in, 10, MPI_INT, MPI_SUM, all);
  MPI_Iallreduce (out, in, 10, MPI_INT, MPI_SUM, all, &request);
  MPI_Wait (&request, MPI_STATUS_IGNORE);
}

/* What MPI_IN_PLACE stands for is in the other buffer; its own count and type
   mean nothing.  */
static void
in_place (void)
{
  const void *own = rank == 1 ? MPI_IN_PLACE : out;
  void *mine = rank == 1 ? MPI_IN_PLACE : in;

  MPI_Gatherv (own, rank == 1 ? 77 : counts[rank], MPI_INT, in, counts, starts,
               MPI_INT, 1, all);
  MPI_Scatterv (out, counts, starts, MPI_INT, mine,
                rank == 1 ? 77 : counts[rank], MPI_INT, 1, all);
  MPI_Allgather (MPI_IN_PLACE, 77, MPI_DATATYPE_NULL, in, 10, MPI_INT, all);
  MPI_Alltoall (MPI_IN_PLACE, 77, MPI_DATATYPE_NULL, in, 10, MPI_INT, all);
  MPI_Allreduce (MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, all);
}

/* Rank 0 is a group, and the others are another.  */
static void
between_groups (void)
{
  MPI_Comm group, both;
  int root = rank == 0 ? MPI_ROOT : 0;

  MPI_Comm_split (all, rank != 0, rank, &group);
  MPI_Intercomm_create (group, 0, all, rank == 0, 1, &both);
  MPI_Bcast (in, 10, MPI_INT, root, both);
  MPI_Allgather (out, 10, MPI_INT, in, 10, MPI_INT, both);
  MPI_Gather (out, 10, MPI_INT, in, 10, MPI_INT, root, both);
  root = rank != 0 ? 0 : MPI_ROOT;
  MPI_Reduce (out, in, 10, MPI_INT, MPI_SUM, root, both);
  MPI_Comm_free (&both);
  MPI_Comm_free (&group);
}

static void
one_sided (void)
{
  enum { SIZE = sizeof (int) };
  void *seen;
  MPI_Win window;

  /* Not MPI_Win_create: some machines lack what Open MPI needs for it.  */
  MPI_Win_allocate (ROOM * SIZE, SIZE, MPI_INFO_NULL, all, &seen, &window);
  MPI_Win_fence (0, window);
  MPI_Put (out, 10, MPI_INT, next, 0, 10, MPI_INT, window);
  MPI_Win_fence (0, window);
  MPI_Get (in, 20, MPI_INT, next, 0, 20, MPI_INT, window);
  MPI_Win_fence (0, window);
  MPI_Accumulate (out, 30, MPI_INT, next, 0, 30, MPI_INT, MPI_SUM, window);
  MPI_Win_fence (0, window);
  MPI_Fetch_and_op (out, in, MPI_INT, next, 0, MPI_SUM, window);
  MPI_Win_fence (0, window);
  MPI_Get_accumulate (out, 40, MPI_INT, in, 40, MPI_INT, next, 0, 40, MPI_INT,
                      MPI_SUM, window);
  MPI_Win_fence (0, window);
  MPI_Win_free (&window);
}

/* A call that fails moves nothing.  */
static void
failed (void)
{
  MPI_Comm_set_errhandler (all, MPI_ERRORS_RETURN);
  MPI_Send (out, 5, MPI_INT, 1000, 1, all);
  MPI_Comm_set_errhandler (all, MPI_ERRORS_ARE_FATAL);
}

int
main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (all, &rank);
  next = (rank + 1) % RANKS;
  last = (rank + RANKS - 1) % RANKS;
  messages ();
  matched ();
  nobody ();
  derived ();
  rooted ();
  to_all ();
  in_place ();
  between_groups ();
  one_sided ();
  failed ();
  MPI_Barrier (all);
  if (argc > 1 && strcmp (argv[1], "abort") == 0)
    {
      if (rank == 1)
        MPI_Abort (all, 3);
      MPI_Barrier (all);
    }
  MPI_Finalize ();
  return 0;
}
