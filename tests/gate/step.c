/* step.c - interrupts a call after a chosen one of its instructions.  See
   step.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "step.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

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

#ifdef CAN_STEP

static struct
{
  volatile unsigned long steps;
  volatile unsigned long at;
  unsigned long period; /* from one visit to the next; 0: there is one */
  unsigned long last;
  void (*visit) (void *);
  void *context;
  volatile bool on;
} s;

void
step_pause (void)
{
  trap_off ();
}

void
step_resume (void)
{
  if (s.on)
    trap_on ();
}

void
step_stop (void)
{
  s.at = STEP_NEVER;
}

/* Where the next visit is; whether there is one.  */
static bool
next_visit (void)
{
  if (s.at == STEP_ALWAYS)
    return true;
  if (s.at == STEP_NEVER || s.period == 0 || s.last - s.at < s.period)
    return false;
  s.at += s.period;
  return true;
}

static void
on_trap (int number, siginfo_t *info, void *interrupted)
{
  ucontext_t *u = interrupted;

  (void) number;
  (void) info;
  s.steps++;
  if (s.steps == s.at || s.at == STEP_ALWAYS)
    {
      /* A hook of the visit must not turn the traps on.  */
      s.on = false;
      if (s.visit != NULL)
        s.visit (s.context);
      s.on = next_visit ();
    }
  if (!s.on)
    u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void
prepare (unsigned long at, void (*visit) (void *), void *context)
{
  struct sigaction action = { .sa_sigaction = on_trap,
                              .sa_flags = SA_SIGINFO | SA_NODEFER
                                          | SA_RESTART };

  sigaction (SIGTRAP, &action, NULL);
  s.steps = 0;
  s.at = s.last = at;
  s.period = 0;
  s.visit = visit;
  s.context = context;
  s.on = true;
}

unsigned long
step (unsigned long at, void (*call) (void *), void (*visit) (void *),
      void *context)
{
  prepare (at, visit, context);
  trap_on ();
  call (context);
  trap_off ();
  s.on = false;
  return s.steps;
}

void
step_every (unsigned long first, unsigned long period, unsigned long last,
            void (*call) (void *), void (*visit) (void *), void *context)
{
  prepare (first, visit, context);
  s.period = period;
  s.last = last > first ? last : first;
  trap_on ();
  call (context);
  trap_off ();
  s.on = false;
}

#else

unsigned long
step (unsigned long at, void (*call) (void *), void (*visit) (void *),
      void *context)
{
  (void) at;
  (void) visit;
  call (context);
  return 0;
}

void
step_every (unsigned long first, unsigned long period, unsigned long last,
            void (*call) (void *), void (*visit) (void *), void *context)
{
  (void) first;
  (void) period;
  (void) last;
  (void) visit;
  call (context);
}

void
step_pause (void)
{
}

void
step_resume (void)
{
}

void
step_stop (void)
{
}

#endif
