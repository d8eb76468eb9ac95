/* calls.c - the program of calls.h: not traced, traced by a cgw_tracer, by one
   that has looked up each edge before, and by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "by_hand.h"
#include "tracer.h"

#define CALLS_NAME calls_plain
#define CALLS_ENTER(at, callee) (void)0
#define CALLS_LEAVE (void)0
#include "calls_body.h"

#define CALLS_NAME calls_libcgw
#define CALLS_ENTER(at, callee) tracer_enter (at, callee)
#define CALLS_LEAVE tracer_leave ()
#include "calls_body.h"

#define CALLS_NAME calls_libcgw_edge
#define CALLS_ENTER(at, callee) tracer_enter_edge (at, callee)
#define CALLS_LEAVE tracer_leave ()
#include "calls_body.h"

#define CALLS_NAME calls_by_hand
#define CALLS_ENTER(at, callee) by_hand_enter (at, callee, calls_counter += 3)
#define CALLS_LEAVE by_hand_leave (calls_counter += 5)
#include "calls_body.h"
