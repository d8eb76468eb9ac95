/* can_step.h - whether this build can single-step a call by the trap flag.

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

#endif /* CAN_STEP_H */
