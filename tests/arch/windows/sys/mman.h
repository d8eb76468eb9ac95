/* mman.h - memory alone.  See ../posix.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 1
#define MAP_SHARED 2
#define MAP_ANONYMOUS 4
#define MAP_FAILED ((void *) -1)
#define mmap(address, n, protection, flags, fd, offset) calloc (1, n)
#define munmap(p, n) (free (p), 0)
