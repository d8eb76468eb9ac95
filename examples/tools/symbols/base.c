/* base.c - a thread's outermost frames, for stacks that lack their own.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "base.h"

/* Those that every stack of the thread has.  */
static uint32_t
first_of_all (const struct base_frame *base, uint32_t n, bool is_certain)
{
  enum { ROUTINE = 3 };

  for (uint32_t i = n; i-- != 0;)
    if (base[i].is_main)
      return i;
  if (!is_certain)
    return n;
  return n < ROUTINE ? 0 : n - ROUTINE;
}

uint32_t
base_first (const struct base_frame *base, uint32_t n, bool is_certain,
            const struct cgw_fn *last)
{
  uint32_t i = first_of_all (base, n, is_certain);

  for (uint32_t k = i; k < n && last != NULL; k++)
    if (base[k].fn.handle == last->handle)
      i = k + 1;
  return i;
}
