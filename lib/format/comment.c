/* comment.c - comment lines: the caller's, and the report of lost records.

   SPDX-License-Identifier: MIT  */

#include "comment.h"

#include "../text/escape.h"
#include "../text/number.h"

#include <string.h>

#define REPORT "# cgw: lost "
#define REPORT_LENGTH (sizeof REPORT - 1)

char *
cgwi_put_comment (char *p, const char *text)
{
  char *end;

  memcpy (p, "# ", 2);
  end = cgwi_put_value (p + 2, text);
  if (end == p + 2) /* empty: no blank at the line's end */
    end--;
  else if ((size_t) (end - p) >= REPORT_LENGTH
           && memcmp (p, REPORT, REPORT_LENGTH) == 0)
    {
      /* Escape its first letter.  */
      memmove (p + 6, p + 3, (size_t) (end - (p + 3)));
      memcpy (p + 2, "\\x63", 4);
      end += 3;
    }
  *end++ = '\n';
  return end;
}

size_t
cgwi_comment_max (const char *text)
{
  return sizeof "# \n" + CGWI_ESCAPED_BYTE * strlen (text);
}

char *
cgwi_put_lost_comment (char *p, uint64_t n)
{
  const char *what = n == 1 ? " record\n" : " records\n";

  memcpy (p, REPORT, REPORT_LENGTH);
  p = cgwi_put_decimal (p + REPORT_LENGTH, n);
  memcpy (p, what, strlen (what));
  return p + strlen (what);
}

size_t
cgwi_lost_comment_max (void)
{
  return sizeof REPORT " records\n" + CGWI_NUMBER_MAX;
}
