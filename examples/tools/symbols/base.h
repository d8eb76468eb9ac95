/* base.h - a thread's outermost frames, for stacks that lack their own.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef BASE_H
#define BASE_H 1

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

/* One of the outermost frames of a whole stack.  */
struct base_frame
{
  struct cgw_fn fn;
  bool is_main;
};

/* Which of a thread's n outermost frames, the outermost last, to put behind a
   stack that is cut off, whose outermost function is `last` (NULL: it is
   empty): so what they cost in all stays right, although what lies between is
   not known.  Returns the index of the first.

   These are the frames that every stack of the thread has: down to main, or the
   routine that the thread began with, which the C library's two functions call.
   If it is not certain that they are frames, only main proves it.  */
uint32_t base_first (const struct base_frame *base, uint32_t n,
                     bool is_certain, const struct cgw_fn *last);

#endif /* BASE_H */
