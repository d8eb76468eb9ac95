/* tool_merge.c - cgw-merge, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_merge
#include "merge/merge.c"
