/* shell.h - prints words for a command that the user may copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SHELL_H
#define SHELL_H 1

#include <stdio.h>

/* Prints a blank and a word, quoted if a shell would read it otherwise.  */
void shell_print_word (FILE *to, const char *word);

#endif /* SHELL_H */
