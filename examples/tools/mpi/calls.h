/* calls.h - counts and times the calls of MPI functions, in the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALLS_H
#define CALLS_H 1

#include "rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An MPI call that is under way.  */
struct call
{
  bool is_counted;
  bool has_bytes; /* is to have them: it is counted, with --bytes */
  uint32_t stack;
  uint64_t start;
  uint64_t sent; /* bytes, set by the wrapper */
  uint64_t received;
};

/* Begins a call that returns to `site`.  It is not counted where the profile
   has not begun or has ended, or where another MPI function makes it.  */
void call_begin (struct call *call, uint32_t function, const char *name,
                 const void *site);
void call_end (const struct call *call);

/* Begins the profile, after the call of MPI_Init that returns to `site`.  This
   thread becomes the first one.  */
void calls_begin (struct rank_memory *memory, const void *site);

/* Ends the profile, before the call of MPI_Finalize that returns to `site`; or
   interrupts it, in MPI_Pcontrol.  */
void calls_end (const void *site);

/* Goes on, in MPI_Pcontrol.  */
void calls_continue (const void *site);

/* In a forked child, which is no rank: counts no more.  */
void calls_forget (void);

/* Whether this thread is in an MPI function, or the profile has not begun or
   has ended.  */
bool calls_inside (void);

/* Adds a sample.  Async-signal-safe.  */
void calls_sample (const uint64_t *frames, size_t n, uint64_t ns);

#endif /* CALLS_H */
