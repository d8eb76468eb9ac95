/* memory.h - the allocator hook of one writer.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_MEMORY_H
#define CGWI_MEMORY_H 1

#include <errno.h>
#include <stddef.h>

struct cgwi_memory
{
  void *(*allocate) (void *context, void *p, size_t n);
  void *context;
};

/* p NULL allocates, n 0 frees, else resizes; NULL means no memory.  Keeps
   errno, which a hook need not do.  */
static inline void *
cgwi_resize (const struct cgwi_memory *m, void *p, size_t n)
{
  int kept = errno;
  void *result = m->allocate (m->context, p, n);

  errno = kept;
  return result;
}

static inline void
cgwi_release (const struct cgwi_memory *m, void *p)
{
  if (p != NULL)
    cgwi_resize (m, p, 0);
}

#endif
