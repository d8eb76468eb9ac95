/* each_stack.h - the stacks of a profile, for formats that have nothing else.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef EACH_STACK_H
#define EACH_STACK_H 1

#include "../format/recording.h"
#include "estimate.h"

#include <stdbool.h>

/* Whether all costs of a recording are those of stacks.  Costs without any
   calls are, too: each is a stack of one frame.  */
bool stacks_are_whole (const struct recording *r);

/* Passes on the stacks of a profile, each once.  Costs and calls without stacks
   become some whose sums are the same: see estimate.c.  */
void each_stack (const struct recording *r, const struct recorded *from,
                 take_stack *take, void *context);

/* The outermost frame of stacks that were estimated.  */
struct cgw_fn estimated_fn (const struct recording *r);

#endif /* EACH_STACK_H */
