/* outcome.h - tells cgw-trace, which waits for the program's end, what becomes
   of the profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_OUTCOME_H
#define TRACE_OUTCOME_H 1

#include <stdbool.h>
#include <stdint.h>

/* Finds the memory for it.  Without, nothing is told.  */
void outcome_begin (void);

/* The program of the process that the command started calls functions; and it
   has ended, and written all its threads but some.  */
void outcome_called (void);
void outcome_complete (unsigned n_missing);

/* A file was written, or could not be: is_own if this is the process that the
   command started.  */
void outcome_file (bool is_own, unsigned thread, uint64_t time);
void outcome_failed (bool is_own, unsigned thread, int error);

#endif /* TRACE_OUTCOME_H */
