/* tool_lint.c - cgw-lint, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_lint
#include "lint/lint.c"
