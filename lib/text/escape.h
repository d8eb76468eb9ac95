/* escape.h - escape the bytes of a caller's string that break readers.

   Some reader ends a line there, hangs (NUL), treats it unlike the others
   (CR), refuses it (line separators), or crashes (invalid UTF-8); terminals
   obey control characters.  Therefore each byte of a control character (C0,
   DEL, C1), of U+2028 or U+2029, and of anything that is not UTF-8 is escaped
   as "\xHH".

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_ESCAPE_H
#define CGWI_ESCAPE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of an escaped byte.  */
#define CGWI_ESCAPED_BYTE 4

/* FNV-1a, 64 bits.  */
uint64_t cgwi_hash (const char *text, size_t n);

/* Whether a name of n bytes needs no change.  */
bool cgwi_name_is_clean (const char *text, size_t n);

/* Whether text is an event's name: clean, and without blanks of any kind.
   Readers split the events: line at blanks, gprof2dot also at those of
   Unicode.  */
bool cgwi_is_event_name (const char *text);

/* Write text as a name at p, at most CGW_NAME_MAX bytes, and return the end.
   A blank at either end is escaped, too, because readers trim it.  A longer
   name is cut and ends in "#" and a hash of the whole.  */
char *cgwi_put_clean_name (char *p, const char *text, size_t n);

/* Write text as the value of a header line, or as a comment, at p, without the
   blanks at its ends.  Return the end.  */
char *cgwi_put_value (char *p, const char *text);

/* The same for cmd:, where a newline becomes "\n" and a backslash is doubled,
   as callgrind writes it.  */
char *cgwi_put_command (char *p, const char *text);

/* The same as both, in at most max bytes, at least 3: a longer text is cut,
   between two characters or escaped bytes, and ends in "...".  */
char *cgwi_put_short_value (char *p, const char *text, size_t max);
char *cgwi_put_short_command (char *p, const char *text, size_t max);

/* The same as cgwi_put_short_value, with the blanks at its ends.  */
char *cgwi_put_short (char *p, const char *text, size_t max);

#endif
