/* agent_real.c - finds libc's own functions, for those that stand in for
   them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <dlfcn.h>
#include <string.h>

struct agent_real agent_real;

/* memcpy, because C has no conversion from void * to a function pointer.  */
void
agent_find (const char *name, void *pointer)
{
  void *symbol = dlsym (RTLD_NEXT, name);

  memcpy (pointer, &symbol, sizeof symbol);
}

#define FIND(name) agent_find (#name, &agent_real.name)

void
agent_find_real (void)
{
  if (agent_real.dlclose != NULL)
    return;
  FIND (pthread_create);
  FIND (thrd_create);
  FIND (pthread_sigmask);
  FIND (sigprocmask);
  FIND (sigwait);
  FIND (sigwaitinfo);
  FIND (sigtimedwait);
  FIND (signalfd);
  FIND (sigaction);
  FIND (signal);
  FIND (pipe2);
  FIND (dl_iterate_phdr);
  FIND (execve);
  FIND (execvpe);
  FIND (fexecve);
  FIND (execveat);
  FIND (dlclose);
}
