/* trace_memory.h - memory for what happens inside a traced program's calls.

   It comes straight from the kernel: the functions traced may be inside
   malloc.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H 1

#include <stddef.h>

/* Allocates if p is NULL, frees if n is 0, else resizes.  New bytes are 0.
   NULL: no memory.  context is for the library, whose hook this is.  */
void *memory_resize (void *context, void *p, size_t n);

#endif /* TRACE_MEMORY_H */
