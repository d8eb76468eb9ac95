/* sample_check.h - finds the program, and says beforehand why it could not be
   sampled.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_CHECK_H
#define SAMPLE_CHECK_H 1

#include <stddef.h>

/* Why the program cannot be sampled, or NULL.  Names are looked up in PATH as
   execvp does; scripts are looked at through their interpreters.  A program
   that is not found is for exec to complain of.  *culprit is set to the file
   that is meant, and is the caller's to free.  */
const char *check_program (const char *name, char **culprit);

#endif /* SAMPLE_CHECK_H */
