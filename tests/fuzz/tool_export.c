/* tool_export.c - cgw-export, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_export
#include "export/export.c"
