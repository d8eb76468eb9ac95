/* text.h - which bytes of a caller's string may stand in the file.

   Readers take a newline for the end of a line, hang at a NUL, disagree about
   a CR, refuse line separators, and crash on invalid UTF-8; a terminal obeys
   control characters.  So each byte of a control character (C0, DEL, C1), of
   U+2028 or U+2029, and of anything that is not UTF-8 becomes "\xHH".

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_TEXT_H
#define CGWI_TEXT_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An escaped byte is this long, so n bytes give at most that many times n. */
#define CGWI_ESCAPE 4

/* FNV-1a, 64 bits.  */
uint64_t cgwi_hash (const char *text, size_t n);

/* Whether n bytes of text may stand in the file as a name as they are.  */
bool cgwi_name_is_clean (const char *text, size_t n);

/* Writes text as a name at p, at most CGW_NAME_MAX bytes, and returns the
   end.  A blank at either end is escaped, too: readers trim it.  */
char *cgwi_put_clean_name (char *p, const char *text, size_t n);

/* Writes text as the value of a header line or as a comment at p, without
   the blanks at its ends, and returns the end.  */
char *cgwi_put_value (char *p, const char *text);

/* The same for cmd:, where a newline becomes "\n" and a backslash is doubled,
   as callgrind does it.  */
char *cgwi_put_command (char *p, const char *text);

#endif
