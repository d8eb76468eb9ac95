/* thread_files.h - writes profiles of threads.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_THREAD_FILES_H
#define TRACE_THREAD_FILES_H 1

#include "thread.h"

/* Call this when the process begins, before it changes the mode of new
   files.  */
void write_begin (void);

/* Writes a list of threads.  False: not all was written.  */
bool write_threads (struct thread *threads);

#endif /* TRACE_THREAD_FILES_H */
