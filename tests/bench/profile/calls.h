/* calls.h - a program whose calls are traced: LEVELS levels of four functions,
   each of which calls two of the next level, from two of its four places.  A
   run has 2^LEVELS - 1 calls, and nobody recurs, so that all who trace it must
   find the same.

   The functions are compiled once for each way to trace them, which defines
   these before it includes calls_body.h:

     CALLS_NAME                       of the function that runs the program
     CALLS_ENTER(at, callee)          before a call
     CALLS_LEAVE                      after it

   `at` is the address of the caller's place and `callee` of the function, both
   in calls_program; the first function has NULL for `at`.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALLS_H
#define CALLS_H 1

#include <cgw.h>

enum
{
  CALLS_LEVELS = 20,
  CALLS_WIDTH = 4,
  CALLS_FNS = CALLS_LEVELS * CALLS_WIDTH,
  CALLS_PLACES = 4,
  CALLS_PER_RUN = (1 << CALLS_LEVELS) - 1
};

/* Where its functions are, with handles.  */
struct calls_program
{
  struct cgw_pos fns[CALLS_FNS];
  struct cgw_pos places[CALLS_FNS][CALLS_PLACES];
  /* From each place to its function, looked up by a tracer.  */
  struct cgw_edge edges[CALLS_FNS * CALLS_PLACES];
};

extern struct calls_program calls_program;

/* What is measured: as if a clock stood still while the tracer works.  */
extern uint64_t calls_counter;

/* Run the program; the number is different for other calls.  */
uint64_t calls_plain (uint64_t number);
uint64_t calls_libcgw (uint64_t number);
uint64_t calls_libcgw_edge (uint64_t number);
uint64_t calls_by_hand (uint64_t number);
uint64_t calls_mcount (uint64_t number);

#endif /* CALLS_H */
