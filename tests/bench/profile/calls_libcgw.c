/* calls_libcgw.c - the program of calls.h, traced by a cgw_tracer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tracer.h"

#define CALLS_NAME calls_libcgw
#define CALLS_ENTER(at, callee) tracer_enter (at, callee)
#define CALLS_LEAVE tracer_leave ()
#include "calls_body.h"
