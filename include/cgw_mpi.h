/* cgw_mpi.h - add up the profiles of all ranks of an MPI program.

   Call cgw_mpi_reduce; the other names that begin with cgw_mpi_ are private.
   libcgw itself does not use MPI: the functions here are compiled with your
   program, by its mpicc.  They call MPI by the PMPI_ names, so tools that
   intercept MPI calls do not see them.

   SPDX-License-Identifier: MIT  */

#ifndef CGW_MPI_H
#define CGW_MPI_H 1

#include "cgw.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* A packed profile is sent in pieces of at most 64 KiB.  So its size need not
   fit into MPI's int, and the sender need not hold it as a whole.  The tag of
   the last piece is the sender's status.  */
#define CGW_MPI_PIECE 65536
#define CGW_MPI_MORE 1000 /* the tag of the other pieces */

struct cgw_mpi_link
{
  MPI_Comm comm;
  int peer;
  int status;  /* the highest so far, of this rank and of its senders */
  int used;    /* bytes in piece */
  char *bytes; /* a packed profile that is being received */
  size_t n, room;
  char piece[CGW_MPI_PIECE];
};

static inline void
cgw_mpi_note (struct cgw_mpi_link *l, int status)
{
  if (status > l->status)
    l->status = status;
}

/* The hook for cgw_profile_pack.  */
static inline ssize_t
cgw_mpi_take (void *context, const void *bytes, size_t n)
{
  struct cgw_mpi_link *l = (struct cgw_mpi_link *) context;
  size_t room = (size_t) (CGW_MPI_PIECE - l->used);

  if (n > room)
    n = room;
  memcpy (l->piece + l->used, bytes, n);
  l->used += (int) n;
  if (l->used == CGW_MPI_PIECE)
    {
      PMPI_Send (l->piece, l->used, MPI_BYTE, l->peer, CGW_MPI_MORE, l->comm);
      l->used = 0;
    }
  return (ssize_t) n;
}

static inline void
cgw_mpi_send (struct cgw_mpi_link *l, struct cgw_profile *p)
{
  if (l->status == CGW_OK)
    cgw_mpi_note (l, cgw_profile_pack (p, cgw_mpi_take, l));
  PMPI_Send (l->piece, l->used, MPI_BYTE, l->peer, l->status, l->comm);
}

/* Return where to receive the next piece.  Without memory, it is received all
   the same, because the sender waits, and dropped.  */
static inline char *
cgw_mpi_room (struct cgw_mpi_link *l)
{
  size_t room = l->room != 0 ? 2 * l->room : CGW_MPI_PIECE;
  char *bytes = l->bytes;

  if (l->room - l->n < CGW_MPI_PIECE)
    {
      bytes = (char *) realloc (l->bytes, room);
      if (bytes == NULL)
        {
          cgw_mpi_note (l, CGW_ENOMEM);
          return l->piece;
        }
      l->bytes = bytes;
      l->room = room;
    }
  return bytes + l->n;
}

static inline void
cgw_mpi_receive (struct cgw_mpi_link *l, struct cgw_profile *p)
{
  MPI_Status status;
  int n;

  l->n = 0;
  do
    {
      char *to = cgw_mpi_room (l);

      PMPI_Recv (to, CGW_MPI_PIECE, MPI_BYTE, l->peer, MPI_ANY_TAG, l->comm,
                 &status);
      PMPI_Get_count (&status, MPI_BYTE, &n);
      if (to != l->piece)
        l->n += (size_t) n;
    }
  while (status.MPI_TAG == CGW_MPI_MORE);
  cgw_mpi_note (l, status.MPI_TAG);
  if (l->status == CGW_OK)
    cgw_mpi_note (l, cgw_profile_unpack (p, l->bytes, l->n));
}

/* Add up the profiles of all ranks in the profile of `root`.  This is a
   collective call: every rank of the communicator must call it, with the same
   root.  The result does not depend on the order of summation.  Written, it is
   the same, byte for byte, as if cgw_profile_merge had added the profiles.

   All ranks return the same status: the highest status of any rank.
   CGW_ENOMEM: also if a rank has no memory to receive a packed profile.
   CGW_EINVAL: p is NULL on some rank, as after cgw_profile_new has failed; or
   root is not a rank of comm.
   Others are as for cgw_profile_pack and cgw_profile_unpack.
   On the rank where packing or unpacking failed, cgw_profile_explain says why.
   A rank that has an error still takes part, so the others do not wait for it.
   If the profile of a rank is incomplete, so is the sum: cgw_profile_error of
   the root says so.
   After an error, and always on ranks other than root, the profile holds the
   sums of some ranks: clear or free it.

   Messages are sent on a duplicate of comm, so your own receives do not see
   them.  comm must not be an intercommunicator.  An error of MPI ends the
   program (MPI_ERRORS_ARE_FATAL).  The call needs 64 KiB of stack.  */
static inline enum cgw_status
cgw_mpi_reduce (struct cgw_profile *p, int root, MPI_Comm comm)
{
  struct cgw_mpi_link l;
  int size, rank, place, step;

  PMPI_Comm_size (comm, &size);
  PMPI_Comm_rank (comm, &rank);
  if (root < 0 || root >= size)
    return CGW_EINVAL;
  PMPI_Comm_dup (comm, &l.comm);
  PMPI_Comm_set_errhandler (l.comm, MPI_ERRORS_ARE_FATAL);
  l.status = p != NULL ? CGW_OK : CGW_EINVAL;
  l.used = 0;
  l.bytes = NULL;
  l.room = 0;

  /* A binomial tree.  A rank's place is its distance from the root.  It
     receives from its place + 1, + 2, + 4, ... as long as these are below the
     lowest set bit of its place, and sends to the place without that bit.  */
  place = (rank - root + size) % size;
  for (step = 1; step < size && !(place & step); step *= 2)
    if (step < size - place)
      {
        l.peer = (rank + step) % size;
        cgw_mpi_receive (&l, p);
      }
  if (place != 0)
    {
      l.peer = (rank - step + size) % size;
      cgw_mpi_send (&l, p);
    }
  PMPI_Bcast (&l.status, 1, MPI_INT, root, l.comm);

  free (l.bytes);
  PMPI_Comm_free (&l.comm);
  return (enum cgw_status) l.status;
}

#endif /* CGW_MPI_H */
