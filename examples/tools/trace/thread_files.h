/* thread_files.h - writes profiles of threads.

   SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_FILES_H
#define TRACE_THREAD_FILES_H 1

#include "tell.h"
#include "thread.h"

/* Call this when the process begins, before it changes the mode of new files
   and the standard error.  */
void write_begin (void);

/* Writes a list of threads, and adds up in *all what was written.  False: not all
   was.  */
bool write_threads (struct thread *threads, struct tell_profile *all);

#endif /* TRACE_THREAD_FILES_H */
