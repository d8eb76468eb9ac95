/* packed.c - packed profiles, which the agent and the watcher hand each other in
   files of memory.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "packed.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t
put (void *fd, const void *bytes, size_t n)
{
  return write (*(int *) fd, bytes, n);
}

enum cgw_status
packed_put (struct rank_memory *memory, struct cgw_profile *profile,
            int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = memfd_create ("cgw-mpi", MFD_CLOEXEC);
  memory->fd = *fd;
  return *fd >= 0 ? cgw_profile_pack (profile, put, fd) : CGW_ENOMEM;
}

enum cgw_status
packed_add (const struct rank_memory *memory, int process,
            struct cgw_profile *profile)
{
  enum cgw_status status = CGW_ENOMEM;
  char path[64];
  struct stat st;
  size_t n;
  void *bytes;
  int fd;

  snprintf (path, sizeof path, "/proc/%d/fd/%d", process, (int) memory->fd);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return status;
  n = fstat (fd, &st) == 0 ? (size_t) st.st_size : 0;
  bytes = mmap (NULL, n, PROT_READ, MAP_SHARED, fd, 0);
  close (fd);
  if (bytes == MAP_FAILED)
    return status;
  status = cgw_profile_unpack (profile, bytes, n);
  munmap (bytes, n);
  return status;
}
