/* tell.h - tells cgw-trace, which waits for the program's end, what becomes of
   the profiles.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_TELL_H
#define TRACE_TELL_H 1

#include <stdbool.h>
#include <stdint.h>

/* Finds the memory for it.  Without, nothing is told.  */
void tell_begin (void);

/* The program of the process that the command started calls functions; and it
   has ended, and written all its threads but some.  */
void tell_called (void);
void tell_complete (unsigned n_missing);

/* A file was written, or could not be: is_own if this is the process that the
   command started.  */
void tell_file (bool is_own, unsigned thread, uint64_t time);
void tell_failed (bool is_own, unsigned thread, int error);

#endif /* TRACE_TELL_H */
