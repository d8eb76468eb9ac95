/* reduce.c - adds up the profiles of all ranks, at MPI_Finalize.

   The watchers symbolize addresses and write files.  This code adds up their
   packed profiles by MPI.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reduce.h"

#include "agent.h"

#include <cgw.h>
#include <cgw_mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EVENTS = 3 };

/* The slowest rank spent most time outside MPI.  The total time does not tell:
   ranks that wait in MPI take as long.  Of equal ranks, the lowest counts.  */
static void
judge (struct rank_memory *memory, MPI_Comm comm)
{
  struct
  {
    long ns;
    int rank;
  } own = { 0, 0 }, slowest, fastest;

  PMPI_Comm_rank (comm, &own.rank);
  if (memory != NULL)
    own.ns = (long) memory->outside;
  PMPI_Allreduce (&own, &slowest, 1, MPI_LONG_INT, MPI_MAXLOC, comm);
  PMPI_Allreduce (&own, &fastest, 1, MPI_LONG_INT, MPI_MINLOC, comm);
  if (memory == NULL)
    return;
  memory->slow = slowest.rank == own.rank;
  memory->fast = fastest.rank == own.rank;
}

/* Bytes from the watcher, and to it.  */

struct packed
{
  char *bytes;
  size_t n;
};

/* Maps the watcher's packed profile.  n is 0 after a failure.  */
static struct packed
take (struct rank_memory *memory, enum rank_request request)
{
  struct packed p = { NULL, 0 };
  char path[64];
  int fd;

  if (memory == NULL || !agent_ask (memory, request)
      || memory->status != CGW_OK)
    return p;
  snprintf (path, sizeof path, "/proc/%d/fd/%d", memory->watcher, memory->fd);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return p;
  p.bytes = mmap (NULL, memory->bytes, PROT_READ, MAP_SHARED, fd, 0);
  close (fd);
  if (p.bytes == MAP_FAILED)
    p.bytes = NULL;
  else
    p.n = memory->bytes;
  return p;
}

static void
drop (struct packed p)
{
  if (p.bytes != NULL)
    munmap (p.bytes, p.n);
}

static ssize_t
put (void *fd, const void *bytes, size_t n)
{
  return write (*(int *) fd, bytes, n);
}

/* Passes the contents of a memfd to the watcher, with a request.  */
static bool
give (struct rank_memory *memory, enum rank_request request, int fd)
{
  memory->fd = fd;
  memory->bytes = (uint64_t) lseek (fd, 0, SEEK_CUR);
  return agent_ask (memory, request) && memory->status == CGW_OK;
}

/* The profile of all.  */

/* Nothing is written: the writer only holds the names.  */
static ssize_t
write_nothing (void *context, const void *bytes, size_t n)
{
  (void) context;
  (void) bytes;
  return (ssize_t) n;
}

static struct cgw_profile *
unpack (struct cgw_writer *w, struct packed packed)
{
  struct cgw_profile *profile = NULL;

  if (packed.bytes != NULL
      && cgw_profile_new (&profile, w, EVENTS, CGW_INSTR_LINE) == CGW_OK
      && cgw_profile_unpack (profile, packed.bytes, packed.n) != CGW_OK)
    {
      cgw_profile_free (profile);
      profile = NULL;
    }
  return profile;
}

static enum cgw_status
write_sum (struct rank_memory *memory, struct cgw_profile *sum)
{
  int fd = memfd_create ("cgw-mpi", MFD_CLOEXEC);
  enum cgw_status status
      = fd >= 0 ? cgw_profile_pack (sum, put, &fd) : CGW_EIO;

  if (status == CGW_OK && !give (memory, RANK_WRITE, fd))
    status = (enum cgw_status) memory->status;
  if (fd >= 0)
    close (fd);
  return status;
}

/* Returns the same on all ranks.  */
static enum cgw_status
add_up (struct rank_memory *memory, int rank, MPI_Comm comm)
{
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct packed packed = take (memory, RANK_PACK);
  struct cgw_writer *w = NULL;
  struct cgw_profile *profile;
  enum cgw_status status;
  int shared_status;

  options.write = write_nothing;
  cgw_new (&w, -1, &options);
  profile = unpack (w, packed);
  drop (packed);
  status = cgw_mpi_reduce (profile, 0, comm);
  if (status == CGW_OK && rank == 0)
    status = write_sum (memory, profile);
  cgw_profile_free (profile);
  cgw_free (w);
  shared_status = status;
  PMPI_Bcast (&shared_status, 1, MPI_INT, 0, comm);
  return (enum cgw_status) shared_status;
}

/* The parts.  */

enum { PIECE = 1 << 20, TAG = 1 };

static void
send (struct packed p, MPI_Comm comm)
{
  unsigned long long n = p.n;

  PMPI_Send (&n, 1, MPI_UNSIGNED_LONG_LONG, 0, TAG, comm);
  for (size_t at = 0; at < p.n; at += PIECE)
    PMPI_Send (p.bytes + at, p.n - at < PIECE ? (int) (p.n - at) : PIECE,
               MPI_BYTE, 0, TAG, comm);
}

/* Receives a packed profile into a memfd, or drops it if that fails.  */
static bool
receive (int fd, int rank, MPI_Comm comm)
{
  static char piece[PIECE];
  unsigned long long n;
  bool ok = fd >= 0;

  PMPI_Recv (&n, 1, MPI_UNSIGNED_LONG_LONG, rank, TAG, comm,
             MPI_STATUS_IGNORE);
  ok = ok && n != 0;
  for (unsigned long long at = 0; at < n; at += PIECE)
    {
      size_t size = n - at < PIECE ? (size_t) (n - at) : PIECE;

      PMPI_Recv (piece, (int) size, MPI_BYTE, rank, TAG, comm,
                 MPI_STATUS_IGNORE);
      ok = ok && write (fd, piece, size) == (ssize_t) size;
    }
  return ok;
}

static bool
write_part (struct rank_memory *memory, int rank, struct packed own,
            MPI_Comm comm)
{
  int fd = memfd_create ("cgw-mpi", MFD_CLOEXEC);
  bool ok = rank == 0 ? write (fd, own.bytes, own.n) == (ssize_t) own.n
                      : receive (fd, rank, comm);

  memory->part = (uint32_t) rank;
  ok = ok && give (memory, RANK_PART, fd);
  if (fd >= 0)
    close (fd);
  return ok;
}

static enum cgw_status
write_parts (struct rank_memory *memory, int rank, int size, MPI_Comm comm)
{
  struct packed own = take (memory, RANK_PACK_OWN);
  bool ok = true;

  if (rank != 0)
    send (own, comm);
  else
    for (int i = 0; i < size; i++)
      ok = write_part (memory, i, own, comm) && ok;
  drop (own);
  return ok ? CGW_OK : CGW_EIO;
}

void
reduce (struct rank_memory *memory, MPI_Comm comm)
{
  enum cgw_status status;
  int rank, size;
  int parts = memory != NULL && memory->parts;

  PMPI_Comm_rank (comm, &rank);
  PMPI_Comm_size (comm, &size);
  judge (memory, comm);
  status = add_up (memory, rank, comm);
  PMPI_Bcast (&parts, 1, MPI_INT, 0, comm);
  if (parts)
    write_parts (memory, rank, size, comm);
  if (memory == NULL)
    return;
  memory->status = status;
  agent_ask (memory, status == CGW_OK ? RANK_END : RANK_FAIL);
}
