/* tool_import.c - cgw-import, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_import
#include "import/import.c"
