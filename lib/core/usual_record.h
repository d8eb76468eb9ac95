/* usual_record.h - write usual cost lines: see format/usual.h.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_USUAL_RECORD_H
#define CGWI_USUAL_RECORD_H 1

#include "../format/usual.h"
#include "core.h"

/* Write a usual cost line.  False: it is not one, and nothing has changed.  */
static inline __attribute__ ((always_inline)) bool
cgwi_write_usual_cost (struct cgwi_core *c, const struct cgw_pos *pos,
                       const uint64_t *cost, size_t n)
{
  struct cgwi_encoder *e = &c->encoder;
  struct cgwi_buffer *b = &c->buffer;
  const struct cgw_pos at = *pos;
  char *end;

  /* n == 0 is not usual either.  */
  if (n - 1 >= e->usual || cgwi_handles (pos) != e->handles)
    return false;
  n = cgwi_without_zeros (cost, n);
  end = cgwi_put_usual_line_of_costs (cgwi_buffer_end (b), e, &at, cost, n);
  if (end == NULL || !cgwi_buffer_is_inside (b, end))
    return false;
  cgwi_count_usual_record (&c->accounts, cost, n);
  cgwi_buffer_commit_inside (b, end, CGWI_RECORD);
  e->last.line = at.line;
  e->last.instr = at.instr;
  return true;
}

#endif
