/* calls.h - counts and times the calls of MPI functions, in the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALLS_H
#define CALLS_H 1

#include "rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What programs see.  */
#define MPI_STAND_IN __attribute__ ((visibility ("default")))

/* A call of an MPI function that is going on.  */
struct call
{
  bool is_counted;
  uint32_t stack;
  uint64_t start;
};

/* Begins a call that returns to `site`.  It is not counted where the profile
   has not begun or has ended, or where another MPI function makes it.  */
void call_begin (struct call *call, uint32_t function, const char *name,
                 const void *site);
void call_end (const struct call *call);

/* Begins the profile, when the call of MPI_Init that returns to `site` is
   done.  This thread is the first.  */
void calls_begin (struct rank_memory *memory, const void *site);

/* Ends it, when a call of MPI_Finalize begins.  */
void calls_end (const void *site);

/* In a forked child, which is no rank: counts no more.  */
void calls_forget (void);

/* Whether this thread walks its stack for a call.  */
bool calls_walk (void);

/* Whether this thread is in an MPI function, or the profile has not begun or
   has ended.  */
bool calls_inside (void);

/* Adds a sample; in a handler, too.  */
void calls_sample (const uint64_t *frames, size_t n, uint64_t ns);

#endif /* CALLS_H */
