/* usual_record.h - write a usual cost line: see format/usual.h.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_USUAL_RECORD_H
#define CGWI_USUAL_RECORD_H 1

#include "../format/usual.h"
#include "core.h"

/* Write a usual cost line.  False, and nothing is done, if it is not one.  */
static inline __attribute__ ((always_inline)) bool
cgwi_write_usual_cost (struct cgwi_core *c, const struct cgw_pos *pos,
                       const uint64_t *cost, size_t n)
{
  struct cgwi_encoder *e = &c->encoder;
  size_t kept;
  char *end;

  /* n is not 0 either.  */
  if (!e->usual || cgwi_handles (pos) != e->handles || n - 1 >= e->n_events)
    return false;
  n = cgwi_without_zeros (cost, n);
  end = cgwi_put_usual_line_of_costs (cgwi_buffer_end (&c->buffer), e, pos,
                                      cost, n, &kept);
  if (end == NULL
      || !cgwi_buffer_commit_inside (&c->buffer, end, CGWI_RECORD, cost, n,
                                     kept))
    return false;
  e->last.line = pos->line;
  e->last.instr = pos->instr;
  cgwi_count_record (&c->accounts, cost, n);
  return true;
}

#endif
