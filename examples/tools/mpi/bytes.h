/* bytes.h - how many bytes a call sends and receives, for the wrappers of
   wrap.pl, which follow this file; the declarations of next_MPI_* precede it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BYTES_H
#define BYTES_H 1

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t
bytes (int64_t count, MPI_Datatype type)
{
  MPI_Count size = 0;

  /* The type need not be valid if there is nothing.  */
  if (count > 0)
    NEXT (MPI_Type_size_x) (type, &size);
  return size > 0 ? (uint64_t) count * (uint64_t) size : 0;
}

/* A communicator.  */

static int
own_rank (MPI_Comm of)
{
  int rank = 0;

  NEXT (MPI_Comm_rank) (of, &rank);
  return rank;
}

static int
own_size (MPI_Comm of)
{
  int size = 0;

  NEXT (MPI_Comm_size) (of, &size);
  return size;
}

static bool
is_inter (MPI_Comm of)
{
  int flag = 0;

  NEXT (MPI_Comm_test_inter) (of, &flag);
  return flag;
}

/* How many ranks a rank exchanges data with, itself among them.  */
static int
peers (MPI_Comm of)
{
  int size = 0;

  if (!is_inter (of))
    return own_size (of);
  NEXT (MPI_Comm_remote_size) (of, &size);
  return size;
}

static bool
is_root (int root, MPI_Comm of)
{
  return is_inter (of) ? root == MPI_ROOT : root == own_rank (of);
}

/* Whether this rank exchanges data with the root.  The root does so with
   itself, unless the ranks at both ends are of different groups.  */
static bool
has_root (int root, MPI_Comm of)
{
  return root != MPI_PROC_NULL && (!is_inter (of) || root != MPI_ROOT);
}

/* Counts for each rank: int, or MPI_Count in the functions of MPI 4.  */

static int64_t
count_at (const void *counts, size_t width, int i)
{
  return width == sizeof (int) ? ((const int *) counts)[i]
                               : ((const MPI_Count *) counts)[i];
}

static uint64_t
bytes_of_all (const void *counts, size_t width, int n, MPI_Datatype type)
{
  int64_t sum = 0;

  for (int i = 0; i < n; i++)
    sum += count_at (counts, width, i);
  return bytes (sum, type);
}

/* With a type for each rank.  */
static uint64_t
bytes_of_types (const void *counts, size_t width, int n,
                const MPI_Datatype types[])
{
  uint64_t sum = 0;

  for (int i = 0; i < n; i++)
    sum += bytes (count_at (counts, width, i), types[i]);
  return sum;
}

/* The size of a message that was received.  */
static uint64_t
bytes_got (const MPI_Status *status)
{
  MPI_Count n = 0;

  NEXT (MPI_Get_elements_x) (status, MPI_BYTE, &n);
  return n > 0 ? (uint64_t) n : 0;
}

#endif /* BYTES_H */
