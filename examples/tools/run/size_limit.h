/* size_limit.h - inside the profiled program: a limit of the size of files is
   an error of the file like any other, not a signal that ends the program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SIZE_LIMIT_H
#define SIZE_LIMIT_H 1

#include <signal.h>

struct size_limit
{
  sigset_t mask;    /* the thread's */
  sigset_t waiting; /* for it, before */
};

/* Around what this thread writes.  */
void size_limit_ignore (struct size_limit *l);
void size_limit_restore (const struct size_limit *l);

#endif /* SIZE_LIMIT_H */
