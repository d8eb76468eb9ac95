/* whole.c - which lines end a record: where a file may be cut.

   SPDX-License-Identifier: MIT  */

#include "whole.h"

/* Cost lines of any kind, totals and comments end a record, events: and
   summary: a header, a blank line is between records.  */
static bool
ends_record (const char *line, size_t n)
{
  switch (line[0])
    {
    case '\n':
      return true;
    case 't': /* not thread: */
      return CGWI_BEGINS_WITH (line, n, "totals:");
    case '#':
      return !CGWI_BEGINS_WITH (line, n, "# callgrind format\n");
    case 'e':
      return CGWI_BEGINS_WITH (line, n, "events:");
    case 's':
      return CGWI_BEGINS_WITH (line, n, "summary:");
    default:
      return cgwi_is_cost_line (line[0]);
    }
}

/* Where the line begins that ends before bytes[end].  */
static size_t
line_start (const char *bytes, size_t end)
{
  size_t start = end - 1;

  while (start > 0 && bytes[start - 1] != '\n')
    start--;
  return start;
}

size_t
cgwi_whole_records (const char *bytes, size_t n)
{
  while (n > 0)
    {
      size_t start = line_start (bytes, n);
      if (bytes[n - 1] == '\n' && ends_record (bytes + start, n - start))
        break;
      n = start;
    }
  return n;
}
