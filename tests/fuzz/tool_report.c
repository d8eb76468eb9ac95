/* tool_report.c - cgw-report, as a function.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tool_run.h"

#define main main_report
#include "report/report.c"
