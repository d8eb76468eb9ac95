/* step.c - stops a call after each of its instructions.  See step.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "step.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

bool (*step_wanted) (void);
static bool (*reached) (void);

unsigned long
step_stride (unsigned long n)
{
  return getenv ("CGW_STRESS") != NULL ? 1 : n;
}

unsigned long
step_first (unsigned long stride, const char *name)
{
  unsigned long hash = 0;

  while (*name != '\0')
    hash = hash * 31 + (unsigned char) *name++;
  return 1 + hash % stride;
}

void *
step_allocate (void *heap, void *p, size_t n)
{
  bool stepping = trap_pause ();
  void *result = heap_allocate (heap, p, n);

  trap_resume (stepping);
  return result;
}

static void
on_trap (int number, siginfo_t *info, void *interrupted)
{
  ucontext_t *u = interrupted;
  int kept = errno;

  (void) number;
  (void) info;
  (void) u;
#ifdef CAN_STEP
  if (!reached ())
    u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#endif
  errno = kept;
}

void
step_catch (bool (*boundary) (void))
{
  struct sigaction action = { .sa_sigaction = on_trap,
                              .sa_flags = SA_SIGINFO | SA_NODEFER
                                          | SA_RESTART };

  reached = boundary;
  sigaction (SIGTRAP, &action, NULL);
}

static struct
{
  unsigned long n;
  volatile unsigned long at;
  void (*visit) (void *);
  void *context;
} s;

static bool
count_step (void)
{
  if (++s.n == s.at || s.at == STEP_ALWAYS)
    s.visit (s.context);
  return s.n < s.at;
}

void
step_stop (void)
{
  s.at = 0;
}

void
step (unsigned long at, void (*call) (void *), void (*visit) (void *),
      void *context)
{
  s.n = 0;
  s.at = at;
  s.visit = visit;
  s.context = context;
  step_catch (count_step);
  trap_on ();
  call (context);
  trap_off ();
}
