/* counted.c - an allocator hook that counts the bytes in use.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "counted.h"

#include <stdlib.h>

/* What stands before each block's bytes.  */
union front
{
  size_t size;
  max_align_t align;
};

void *
counted_allocate (void *context, void *p, size_t n)
{
  size_t *used = context;
  union front *front = p ? (union front *)p - 1 : NULL;
  size_t before = front ? front->size : 0;

  if (n == 0)
    {
      *used -= before;
      free (front);
      return NULL;
    }
  front = realloc (front, sizeof *front + n);
  if (!front)
    return NULL;
  *used += n - before;
  front->size = n;
  return front + 1;
}
