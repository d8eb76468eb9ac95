/* text.h - texts of others: on a terminal, and as the name of an event.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef TEXT_H
#define TEXT_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a terminal only shows.  */

/* Returns the length of the character at text, which is not empty, if a
   terminal only shows it.  Returns 0 for a control character (C0, DEL, C1), a
   separator of lines, a character that changes the direction of writing, and a
   byte that is not UTF-8; *bad is its length then.  */
size_t printable_length (const char *text, size_t *bad);

/* Prints a text with a "?" for each character that is not printable.  */
void printable_print (FILE *to, const char *text);

/* Prints a text as a string of JSON, in quotation marks.  What is not printable
   is escaped, and so are "<", ">" and "&", for JSON that is part of a page.
   A byte that is not UTF-8 becomes U+FFFD.  */
void json_print (FILE *to, const char *text);

/* The bytes of a number with commas and a sign.  */
enum { NUMBER_TEXT = 28 };

/* Writes a number with commas between thousands, behind a sign or "".  Returns
   the text.  */
char *number_text (char text[NUMBER_TEXT], const char *sign,
                   unsigned long long number);

/* The names that readers take in event: lines.  */

static inline bool
is_in_identifier (char c, bool is_first)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
         || (c >= '0' && c <= '9' && !is_first);
}

/* Whether a name of n characters is one.  */
static inline bool
is_identifier (const char *name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!is_in_identifier (name[i], i == 0))
      return false;
  return n > 0;
}

#endif /* TEXT_H */
