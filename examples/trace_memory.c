/* trace_memory.c - memory straight from the kernel, in whole pages.

   SPDX-License-Identifier: MIT  */

#include "trace_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* What stands in front of a block: a cache line, so that blocks begin with
   one.  */
struct block
{
  size_t size;   /* with this */
  char pad[64 - sizeof (size_t)];
};

static void *
map (size_t size)
{
  return mmap (NULL, size, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static struct block *
resize_block (struct block *old, size_t size)
{
  struct block *b = old ? mremap (old, old->size, size, MREMAP_MAYMOVE)
                        : map (size);

  if (b == MAP_FAILED)
    return NULL;
  b->size = size;
  return b;
}

void *
memory_resize (void *context, void *p, size_t n)
{
  enum { PAGE = 4096 };
  struct block *old = p ? (struct block *) p - 1 : NULL;
  struct block *b;

  (void) context;
  if (n == 0)
    {
      if (old)
        munmap (old, old->size);
      return NULL;
    }
  if (n > SIZE_MAX / 2)
    return NULL;
  n = (n + sizeof *b + PAGE - 1) / PAGE * PAGE;
  b = old && old->size == n ? old : resize_block (old, n);
  return b ? b + 1 : NULL;
}
