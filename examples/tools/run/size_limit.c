/* size_limit.c - inside the profiled program: a limit of the size of files is
   an error of the file like any other, not a signal that ends the program.

   The kernel sends SIGXFSZ to the thread that writes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "size_limit.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void
make_set (sigset_t *set)
{
  sigemptyset (set);
  sigaddset (set, SIGXFSZ);
}

void
size_limit_ignore (struct size_limit *l)
{
  sigset_t set;

  make_set (&set);
  sigpending (&l->waiting);
  pthread_sigmask (SIG_BLOCK, &set, &l->mask);
}

void
size_limit_restore (const struct size_limit *l)
{
  static const struct timespec none = { 0, 0 };
  sigset_t set;

  make_set (&set);
  if (!sigismember (&l->waiting, SIGXFSZ))
    while (sigtimedwait (&set, NULL, &none) == SIGXFSZ)
      continue;
  pthread_sigmask (SIG_SETMASK, &l->mask, NULL);
}
