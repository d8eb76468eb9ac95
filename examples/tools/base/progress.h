/* progress.h - shows on a terminal how far long work has come.

   It is shown on the standard error if that is a terminal, from the second
   second on.  Messages of tool.h take it off the terminal before they are
   printed.  There is one at a time; lines.c counts the bytes that it reads itself.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PROGRESS_H
#define PROGRESS_H 1

#include <stdint.h>

/* Begins: "NN %" of a total that is known, or "NN MB" if it is 0.  */
void progress_begin (uint64_t total);

/* Counts what was done since the last call.  Does nothing before
   progress_begin.  */
void progress_add (uint64_t done);

/* Takes it off the terminal before something else is printed there.  */
void progress_clear (void);

/* The same, and ends it.  */
void progress_end (void);

/* The bytes of a file from its offset on, or 0 if it is not a regular file.  */
uint64_t progress_size (int fd);

#endif /* PROGRESS_H */
