/* tool_recode.c - cgw-recode, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_recode
#include "recode/recode.c"
