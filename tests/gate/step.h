/* step.h - interrupts a call after a chosen one of its instructions, by the
   processor's trap flag.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STEP_H
#define STEP_H 1

#include "can_step.h"

#include <criterion/criterion.h>
#include <stdbool.h>

/* First in each test that steps.  */
#ifdef CAN_STEP
#define STEP_OR_SKIP() ((void) 0)
#else
#define STEP_OR_SKIP() cr_skip_test ("needs x86-64 without sanitizers")
#endif

#define STEP_NEVER 0ul
#define STEP_ALWAYS (~0ul) /* after each instruction */

/* Calls call (context), and visit (context) in a handler after the at-th
   instruction.  Returns how many instructions there were: up to the visit, or
   in all when there was none, or visits after each.  */
unsigned long step (unsigned long at, void (*call) (void *),
                    void (*visit) (void *), void *context);

/* The same with a visit after the first-th instruction, and after each
   period-th from there, up to the last-th.  */
void step_every (unsigned long first, unsigned long period,
                 unsigned long last, void (*call) (void *),
                 void (*visit) (void *), void *context);

/* No traps from here on until step_resume: for hooks whose own instructions
   do not matter.  */
void step_pause (void);
void step_resume (void);

/* No more traps in this call: for a visit, and what returns from it.  */
void step_stop (void);

/* Every instruction when CGW_STRESS is set, else each n-th.  A prime n does not
   fall into step with a loop of the call.  */
unsigned long step_stride (unsigned long n);

/* The first instruction of a sweep with that stride: below it, and another
   from name to name, so that sweeps of one call do not all leave out the
   same.  */
unsigned long step_first (unsigned long stride, const char *name);

#endif /* STEP_H */
