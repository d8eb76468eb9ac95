/* whole.h - which lines end a record: where a file may be cut.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_WHOLE_H
#define CGWI_WHOLE_H 1

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether a line of n bytes begins with a literal text.  */
#define CGWI_BEGINS_WITH(line, n, text)                                       \
  ((n) >= sizeof (text) - 1 && memcmp (line, text, sizeof (text) - 1) == 0)

/* Whether this is how cost lines of any kind begin.  */
static inline bool
cgwi_is_cost_line (char first)
{
  return (first >= '0' && first <= '9') || first == '+' || first == '-'
         || first == '*';
}

/* The length of the whole records in n bytes that begin with one; the rest is
   a torn record, or none.  */
size_t cgwi_whole_records (const char *bytes, size_t n);

#endif
