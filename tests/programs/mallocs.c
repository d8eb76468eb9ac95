/* mallocs.c - has a tick at each instruction of the C library's malloc, calloc
   and free: see tick.h.

   SPDX-License-Identifier: MIT  */

#include "tick.h"

#include <stdlib.h>
#include <ucontext.h>

static volatile sig_atomic_t steps;

/* After each instruction.  The tick is blocked until this returns.  */
static void
on_step (int number, siginfo_t *info, void *context)
{
  enum { TRAP_FLAG = 0x100 };
  greg_t *flags = &((ucontext_t *) context)->uc_mcontext.gregs[REG_EFL];

  (void) number;
  (void) info;
  if (steps)
    tick ();
  *flags = steps ? *flags | TRAP_FLAG : *flags & ~TRAP_FLAG;
}

int
main (void)
{
  struct sigaction action
      = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
  void *volatile block = malloc (24);

  sigfillset (&action.sa_mask);
  sigaction (SIGTRAP, &action, NULL);
  steps = 1;
  raise (SIGTRAP);
  free (block);
  block = malloc (24);
  free (block);
  block = calloc (1, 2000);
  free (block);
  steps = 0;
  return 0;
}
