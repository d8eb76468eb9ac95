/* test_step_run.h - what a run knows of the processes around it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEST_STEP_RUN_H
#define TEST_STEP_RUN_H 1

#include <stdbool.h>

/* Where cgw_create makes its files.  */
extern char *run_directory;

/* Whether something was wrong in this process since it began.  */
bool run_failed (void);

#endif
