/* heap.h - an allocation hook that counts, and fails on demand; and names
   objects for tests.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef HEAP_H
#define HEAP_H 1

#include "cgw.h"

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

/* For struct cgw_names_options; the context is a struct heap.  A block that is
   resized always moves.  Fresh blocks are full of a pattern, and freed ones of
   another; one that somebody has written behind aborts when it is freed.  */
void *heap_allocate (void *context, void *p, size_t n);

/* So many more allocations succeed.  */
void heap_limit (struct heap *h, size_t n);

/* Makes a names object with this heap; NULL: with malloc.  */
struct cgw_names *make_names (struct heap *h);

/* The names object of a test to which it does not matter which: made at the
   first call, and never freed.  */
struct cgw_names *test_names (void);

#endif /* HEAP_H */
