/* printable.h - texts of others on a terminal.

   A name in a profile, or that of a file, may be an attack: terminals obey
   control characters, which may clear the screen or change its title, and
   characters that change the direction of writing make a text look like
   another.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef PRINTABLE_H
#define PRINTABLE_H 1

#include <stddef.h>
#include <stdio.h>

/* Returns the length of the character at text, which is not empty, if a
   terminal only shows it.  Returns 0 for a control character (C0, DEL, C1), a
   separator of lines, a character that changes the direction of writing, and a
   byte that is not UTF-8; *bad is its length then.  */
size_t printable_length (const char *text, size_t *bad);

/* Prints a text with a "?" for each character that is not printable.  */
void printable_print (FILE *to, const char *text);

#endif /* PRINTABLE_H */
