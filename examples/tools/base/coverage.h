/* coverage.h - saves what gcov counted, in a build with --enable-coverage, where
   a process ends without exit.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef COVERAGE_H
#define COVERAGE_H 1

#include <unistd.h>

#ifdef CGW_COVERAGE
void __gcov_dump (void);
#endif

/* What is run after this is not counted.  */
static inline void
coverage_save (void)
{
#ifdef CGW_COVERAGE
  __gcov_dump ();
#endif
}

/* Ends a forked process without what exit does: that is left to the process that
   forked.  */
static inline void __attribute__ ((noreturn))
leave (int status)
{
  coverage_save ();
  _exit (status);
}

#endif /* COVERAGE_H */
