/* save.h - saves the profile: at the end, and every few seconds, in a thread of
   its own.

   The file is complete at any time, so a program that is killed leaves what was
   saved last.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TRACE_SAVE_H
#define TRACE_SAVE_H 1

/* Call this when the process begins.  */
void save_begin (void);

/* Saves once, in the present thread.  */
void save_now (void);

/* Stops the tracing, and writes the profile.  */
void save_at_end (void);

#endif /* TRACE_SAVE_H */
