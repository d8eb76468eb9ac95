/* follow.h - follows the calls of a virtual processor.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef FOLLOW_H
#define FOLLOW_H 1

#include "vcpu.h"

/* A block is executed that may begin or end calls.  Its function is known
   then.  */
void follow (struct vcpu *v, struct block *block);

/* The vcpu's counters get what unwatched blocks of a function executed.  */
static inline void
count_unwatched (struct vcpu *v, const struct function *function)
{
  uint64_t n
      = function != NULL ? number_get (function->unwatched, &v->boards) : 0;

  if (n == 0)
    return;
  v->calls.counters.of[EVENT_INSTRUCTIONS] += n;
  number_clear (function->unwatched, &v->boards);
}

#endif /* FOLLOW_H */
