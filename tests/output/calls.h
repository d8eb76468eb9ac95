/* calls.h - system calls in place of libc's, in which a test may interrupt,
   fail or kill the library.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CALLS_H
#define CALLS_H 1

enum call
{
  CALL_OPEN,
  CALL_WRITE,
  CALL_CLOSE,
  CALL_RENAME,
  CALL_UNLINK,
  CALLS
};

/* If not NULL, they run before each call, after it, and, of a write, at each
   end of a page in between.  */
extern void (*before_call) (enum call call);
extern void (*after_call) (enum call call);
extern void (*after_page) (void);

/* If not 0, an open with O_CREAT, a write or a rename does nothing and fails with
   this errno, and a close fails after it closed.  */
extern int call_errors[CALLS];

#endif /* CALLS_H */
