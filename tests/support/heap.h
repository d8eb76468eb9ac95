/* heap.h - an allocation hook that counts, and fails on demand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef HEAP_H
#define HEAP_H 1

#include <stdbool.h>
#include <stddef.h>

struct heap
{
  size_t calls;   /* allocations wanted so far */
  size_t fail_at; /* from 1; 0 never */
  bool forever;   /* from then on */
  size_t failed;
  size_t live;    /* blocks */
  size_t bytes;   /* in them */
};

/* For struct cgw_options; the context is a struct heap.  A block that is
   resized always moves.  */
void *heap_allocate (void *context, void *p, size_t n);

/* So many more allocations succeed.  */
void heap_limit (struct heap *h, size_t n);

#endif /* HEAP_H */
