/* can_step.h - whether this build can single-step a call by the trap flag, and
   how.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CAN_STEP_H
#define CAN_STEP_H 1

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__                       \
    && !defined __SANITIZE_THREAD__
#define CAN_STEP 1
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CAN_STEP
#endif
#endif

#ifdef CAN_STEP

#define TRAP_FLAG 0x100

/* From the next instruction on there is a SIGTRAP after each.  The red zone
   of the caller must survive the push.  */
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

#endif

#endif /* CAN_STEP_H */
