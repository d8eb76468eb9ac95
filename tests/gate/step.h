/* step.h - stops a call after each of its instructions, by the processor's trap
   flag.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STEP_H
#define STEP_H 1

#include "../support/support.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__ && !SANITIZED
#define CAN_STEP 1
#endif

/* First in each test that steps.  */
#ifdef CAN_STEP
#define STEP_OR_SKIP() ((void) 0)
#else
#define STEP_OR_SKIP() cr_skip_test ("needs x86-64 without sanitizers")
#endif

#define TRAP_FLAG 0x100

/* trap_on: from the next instruction on there is a trap after each.  The red
   zone of the caller must survive the push.  trap_pause: no traps in the part
   of a hook that handlers must not see half done; whether there were any.  */
#ifdef CAN_STEP

static inline __attribute__ ((always_inline)) void
trap_on (void)
{
  __asm__ volatile ("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
                    "orq $0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                    ::: "cc", "memory");
}

static inline __attribute__ ((always_inline)) void
trap_off (void)
{
  __asm__ volatile ("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
                    "andq $~0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                    ::: "cc", "memory");
}

static inline __attribute__ ((always_inline)) bool
trap_pause (void)
{
  uint64_t flags;

  __asm__ volatile ("lea -128(%%rsp), %%rsp\n\tpushfq\n\tpopq %0\n\t"
                    "lea 128(%%rsp), %%rsp" : "=r" (flags) :: "memory");
  trap_off ();
  return (flags & TRAP_FLAG) != 0;
}

#else

static inline void trap_on (void) {}
static inline void trap_off (void) {}
static inline bool trap_pause (void) { return false; }

#endif

static inline __attribute__ ((always_inline)) void
trap_resume (bool stepping)
{
  if (stepping)
    trap_on ();
}

/* Calls boundary () in a handler at each trap, which says whether there will be
   another.  */
void step_catch (bool (*boundary) (void));

/* Whether the calls in STEPPED (...) are to be stopped; NULL: none.  */
extern bool (*step_wanted) (void);

#define STEPPED(call)                                                         \
  do                                                                          \
    {                                                                         \
      bool wanted_ = step_wanted != NULL && step_wanted ();                   \
      trap_resume (wanted_);                                                  \
      call;                                                                   \
      if (wanted_)                                                            \
        trap_off ();                                                          \
    }                                                                         \
  while (0)

/* heap_allocate, of which a handler sees nothing half done.  */
void *step_allocate (void *heap, void *p, size_t n);

#define STEP_ALWAYS (~0ul) /* after each instruction */

/* Calls call (context), and visit (context) in a handler after the at-th
   instruction.  */
void step (unsigned long at, void (*call) (void *), void (*visit) (void *),
           void *context);

/* No more traps in this call: for a visit.  */
void step_stop (void);

/* Every instruction when CGW_STRESS is set, else each n-th.  A prime n does not
   fall into step with a loop of the call.  */
unsigned long step_stride (unsigned long n);

/* The first instruction of a sweep with that stride: below it, and another
   from name to name, so that sweeps of one call do not all leave out the
   same.  */
unsigned long step_first (unsigned long stride, const char *name);

#endif /* STEP_H */
