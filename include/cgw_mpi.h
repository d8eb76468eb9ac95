/* cgw_mpi.h - one profile of all ranks of an MPI program.

   libcgw itself knows nothing of MPI: what this header calls comes from the MPI
   that your program is compiled with (mpicc).  It calls MPI by its PMPI_ names,
   so tools that intercept MPI do not see it.

   SPDX-License-Identifier: MIT  */

#ifndef CGW_MPI_H
#define CGW_MPI_H 1

#include "cgw.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Packed profiles travel in pieces of at most 64 KiB, so none is too long for
   MPI's int, and no sender holds one as a whole.  The tag of the last piece is
   the sender's status.  What has cgw_mpi_ before cgw_mpi_reduce is not for
   you.  */
#define CGW_MPI_PIECE 65536
#define CGW_MPI_MORE 1000 /* the tag of the other pieces */

struct cgw_mpi_link
{
  MPI_Comm comm;
  int peer;
  int status;  /* the worst, of this rank and of those it heard of */
  int used;    /* bytes in piece */
  char *bytes; /* what was received */
  size_t n, room;
  char piece[CGW_MPI_PIECE];
};

static inline void
cgw_mpi_note (struct cgw_mpi_link *l, int status)
{
  if (status > l->status)
    l->status = status;
}

/* A hook for cgw_profile_pack.  */
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

/* Where the next piece goes.  Without memory it is received all the same, and
   dropped, because the sender waits.  */
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

/* Add up the profiles of all ranks in that of `root`.  A collective call: each
   rank of the communicator makes it, with the same root.  The order of
   summation does not matter: the profile has the sums, and cgw_profile_write
   writes the bytes, that cgw_profile_merge of all would make.

   All ranks return the same status, the highest of those that the calls on any
   of them returned: of cgw_profile_pack, cgw_profile_unpack, CGW_ENOMEM for a
   buffer of the size of a packed profile, or CGW_EINVAL where p is NULL, as
   after a cgw_profile_new that failed.  A rank that fails still takes part, so
   no other waits for it.  On other ranks than root, and on root after an error,
   the profile is the sum of some: clear or free it.

   Messages pass over a duplicate of the communicator, so your own receives do
   not see them.  It must not be an intercommunicator.  An error of MPI ends the
   program (MPI_ERRORS_ARE_FATAL).  Needs 64 KiB of stack.  */
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
     receives from the places 1, 2, 4, ... behind its own, up to the lowest bit
     of that, and sends to the place without this bit.  */
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
