/* calls_plain.c - the program of calls.h, not traced.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define CALLS_NAME calls_plain
#define CALLS_ENTER(at, callee) (void)0
#define CALLS_LEAVE (void)0
#include "calls_body.h"
