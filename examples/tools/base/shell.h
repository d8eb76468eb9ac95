/* shell.h - words of a command that the user may copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SHELL_H
#define SHELL_H 1

#include <stdio.h>

/* A word that a shell reads as the text: quoted if need be, and allocated.  What
   is not printable is escaped in $'', as in POSIX of 2024.  */
char *shell_word (const char *text);

/* Prints a blank and the word.  */
void shell_print_word (FILE *to, const char *text);

/* The same for a file, which a command must not take for an option.  */
void shell_print_file (FILE *to, const char *path);

#endif /* SHELL_H */
