/* memory.h - the allocator hook of one writer.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_MEMORY_H
#define CGWI_MEMORY_H 1

#include <stddef.h>

struct cgwi_memory
{
  void *(*allocate) (void *context, void *p, size_t n);
  void *context;
};

/* p NULL allocates, n 0 frees, else resizes; NULL means no memory.  */
static inline void *
cgwi_resize (const struct cgwi_memory *m, void *p, size_t n)
{
  return m->allocate (m->context, p, n);
}

static inline void
cgwi_release (const struct cgwi_memory *m, void *p)
{
  if (p != NULL)
    m->allocate (m->context, p, 0);
}

#endif
