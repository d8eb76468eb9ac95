/* tell.h - tells cgw-trace, which waits for the program's end, what becomes of
   the profiles.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_TELL_H
#define TRACE_TELL_H 1

#include <stdbool.h>
#include <stdint.h>

/* Finds the memory for it.  Without, nothing is told.  */
void tell_begin (void);

/* The process that the command started has begun to call traced functions.  */
void tell_traced (void);

/* A profile could not be written.  is_said: a message says so.  */
void tell_failed (bool is_said);

/* A file was written: of this process if with_pid, else of the command's.  */
void tell_file (bool with_pid, unsigned thread, uint64_t time);

/* All files of the command's process were, now or at its end.  */
void tell_saved (void);
void tell_written (void);

#endif /* TRACE_TELL_H */
