/* agent_load.c - what agents need of the dynamic linker: libc's own functions,
   and a look at what is unloaded.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "agent_parts.h"

#include <dlfcn.h>
#include <string.h>

/* memcpy, because C has no conversion from void * to a function pointer.  */
void
agent_find (const char *name, void *pointer)
{
  void *symbol = dlsym (RTLD_NEXT, name);

  memcpy (pointer, &symbol, sizeof symbol);
}

/* The constructors of other libraries may call this before any constructor
   here.  */
AGENT_STAND_IN int
dlclose (void *handle)
{
  static int (*real) (void *);
  int result;

  if (real == NULL)
    agent_find ("dlclose", &real);
  agent_maps_begin_change ();
  result = real (handle);
  agent_maps_end_change ();
  return result;
}
