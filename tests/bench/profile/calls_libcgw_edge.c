/* calls_libcgw_edge.c - the program of calls.h, traced by a cgw_tracer that has
   looked up each edge before.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tracer.h"

#define CALLS_NAME calls_libcgw_edge
#define CALLS_ENTER(at, callee) tracer_enter_edge (at, callee)
#define CALLS_LEAVE tracer_leave ()
#include "calls_body.h"
