/* calls_mcount.c - the program of calls.h, traced by gprof's mcount: this file
   is compiled with -pg.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define CALLS_NAME calls_mcount
#define CALLS_ENTER(at, callee) (void)0
#define CALLS_LEAVE (void)0
#include "calls_body.h"
