/* cachegrind.h - the lines of a file with CGW_CACHEGRIND that differ from the
   callgrind format.

   Its readers, cg_annotate, cg_merge and cg_diff, exist in C, Perl and Python,
   and each refuses lines that another accepts.  So a file has only lines that
   all of them accept:

     desc: text            one or more lines, before all others
     cmd: text             then one of these, and events: directly below
     events: Ir Dr
     fl=main.c             always followed by fn=, because some readers forget
     fn=main               the function at fl=; full names, no ids
     12 90 4               the line number, absolute, and all costs
     summary: 90 4         the last line, and exactly the sum of the body

   There are no blank lines, comments, calls, jumps, objects, addresses or
   descriptions of events, because some reader stops at each of them.  The blank
   after desc: and cmd: is written even if no text follows.

   core/ checks for this format: in write_cost and the functions below it in
   record.c, and in those at the top of part.c.

   The put functions write at p, unchecked, and return the end.  They may touch
   CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CACHEGRIND_H
#define CGWI_CACHEGRIND_H 1

#include "lines.h"

/* The flags that CGW_CACHEGRIND implies.  */
#define CGWI_CACHEGRIND_IMPLIES                                               \
  (CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS | CGW_NO_PAD)

static inline bool
cgwi_is_cachegrind (const struct cgwi_encoder *e)
{
  return (e->flags & CGW_CACHEGRIND) != 0;
}

/* Write the header.  A part without desc gets one that names the creator.
   KCachegrind looks for events: in the first 2047 bytes: therefore the lines
   of desc have CGWI_CACHEGRIND_TEXT_MAX bytes in all, and the text of cmd as
   many.  */
char *cgwi_put_cachegrind_header (char *p, const char *creator,
                                  const struct cgw_part *part);
uint64_t cgwi_cachegrind_header_max (const struct cgw_part *part);

#define CGWI_CACHEGRIND_TEXT_MAX 1000

/* Write a cost line with n costs, at most as many as the part has events.
   Inlined code is written as the same function in another file.  In a part
   without lines, the line is 0, which means unknown.  */
char *cgwi_put_cachegrind_line (char *p, struct cgwi_encoder *e,
                                const struct cgwi_place *at,
                                const uint64_t *cost, size_t n);

static inline size_t
cgwi_cachegrind_line_max (size_t n_events)
{
  return sizeof "fl=\nfn=\n" - 1 + 2 * CGW_NAME_MAX + CGWI_NUMBER_MAX
         + cgwi_costs_max (n_events);
}

#endif
