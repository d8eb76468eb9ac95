/* agent_backtrace.c - walks stacks for an agent that takes no samples, in place
   of agent_unwind.c: by libc's backtrace, which knows every processor, but may
   not be called in a handler.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <execinfo.h>
#include <limits.h>

/* The first call loads the unwinder.  */
bool
agent_unwind_begin (bool frame_pointers)
{
  void *caller;

  (void) frame_pointers; /* there is one way only */
  return backtrace (&caller, 1) > 0;
}

size_t
agent_unwind_callers (void **addresses, size_t max)
{
  int n = backtrace (addresses, max < INT_MAX ? (int) max : INT_MAX);

  return n > 0 ? (size_t) n : 0;
}

/* Nothing is remembered.  */
void
agent_unwind_forget (void)
{
}
