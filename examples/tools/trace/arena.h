/* arena.h - memory for what happens inside a traced program's calls.

   It comes straight from the kernel: the functions traced may be inside
   malloc.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_ARENA_H
#define TRACE_ARENA_H 1

#include <stddef.h>

/* Memory for good, which is 0.  Any thread may ask for it, and any handler.
   NULL: there is none.  */
void *memory_keep (size_t n);

/* Memory that is freed all at once, in large pieces: for one thread, of which a
   program may make many.  Initialize it with zeros.  */
struct arena
{
  struct chunk *chunks;
  char *unused;
  size_t n_unused;
};

/* Allocates if p is NULL, frees if n is 0, else resizes.  NULL: no memory.  It
   is the library's hook, too.  */
void *arena_resize (void *arena, void *p, size_t n);

/* Frees what is in small pieces; large ones must be freed before.  */
void arena_free (struct arena *a);

#endif /* TRACE_ARENA_H */
