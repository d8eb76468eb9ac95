/* tell.h - tells cgw-trace, which waits for the program's end, what becomes of
   the profiles.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_TELL_H
#define TRACE_TELL_H 1

#include <stdbool.h>
#include <stdint.h>

/* Finds the memory for it.  Without, nothing is told.  */
void tell_begin (void);

/* The process that the command started has functions that can be traced, or
   not; and it has begun to call them.  */
void tell_traceable (bool is_traceable);
void tell_traced (void);

/* A profile could not be written.  is_said: a message says so.  */
void tell_failed (bool is_said);

/* A file was written: of this process if with_pid, else of the command's.  */
void tell_file (bool with_pid, unsigned thread, uint64_t time);

/* What is in all files of the command's process.  */
struct tell_profile
{
  uint64_t calls;
  unsigned threads;
  unsigned missing; /* threads */
  unsigned limits;  /* of the reader, that it meets */
};

/* They were written: now, or at its end.  by_abort: it is about to end.  */
void tell_saved (const struct tell_profile *p, bool by_abort);
void tell_written (const struct tell_profile *p);

#endif /* TRACE_TELL_H */
