/* calls_by_hand.c - the program of calls.h, traced by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "by_hand.h"

#define CALLS_NAME calls_by_hand
#define CALLS_ENTER(at, callee) by_hand_enter (at, callee, calls_counter += 3)
#define CALLS_LEAVE by_hand_leave (calls_counter += 5)
#include "calls_body.h"
