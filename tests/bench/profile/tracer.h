/* tracer.h - the library's tracer, as the benchmark uses it: with a counter
   that is handed over, so that no clock is read.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACER_H
#define TRACER_H 1

#include "calls.h"

extern struct cgw_tracer *tracer;
extern int tracer_failed; /* 0, or what a call returned */

static inline void
tracer_enter (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  calls_counter += 3;
  tracer_failed
      |= (int)cgw_tracer_enter (tracer, at, callee, 0, &calls_counter);
}

/* The same by the edge, but the first call has none.  */
static inline void
tracer_enter_edge (const struct cgw_pos *at, const struct cgw_pos *callee)
{
  if (!at)
    {
      tracer_enter (at, callee);
      return;
    }
  calls_counter += 3;
  tracer_failed |= (int)cgw_tracer_enter_edge (
      tracer, calls_program.edges[at - calls_program.places[0]], 0,
      &calls_counter);
}

static inline void
tracer_leave (void)
{
  calls_counter += 5;
  tracer_failed |= (int)cgw_tracer_leave (tracer, &calls_counter);
}

#endif /* TRACER_H */
