/* capture.h - runs a function in a process of its own, which it may end, and
   keeps what it prints.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CAPTURE_H
#define CAPTURE_H 1

struct captured
{
  int status; /* its exit status, or 128 and the signal that ended it */
  char out[4096];
  char err[4096];
};

/* A function that returns ends with status 0.  The result stays until the next
   call.  */
const struct captured *capture (void (*function) (void *), void *context);

/* A folder of the test's own, the current one from now on.  */
void enter_folder (void);
void leave_folder (void);

/* Writes a file; reads one, at most 4095 bytes, until the next call.  NULL:
   there is none.  */
void put_file (const char *path, const char *text);
const char *get_file (const char *path);

#endif /* CAPTURE_H */
