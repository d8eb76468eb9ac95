/* usual.h - the usual cost line: one that needs no position spec, has an
   address near the last one and a line near the last one or below 10000, and
   no cost of a million or more.

   Most lines of a profile are that, so it is encoded here without a call; all
   that is not usual, or wrong, is left to cgwi_cost, which writes the same.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_USUAL_H
#define CGWI_USUAL_H 1

#include "writer.h"

/* The subpositions, or NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_usual_subpositions (char *p, unsigned positions,
                             const struct cgwi_encoder *e,
                             uint32_t line, uint64_t instr)
{
  if (positions != CGW_LINE)
    {
      p = cgwi_put_usual_instr (p, instr, e->instr);
      if (p == NULL || positions == CGW_INSTR)
        return p;
      *p++ = ' ';
    }
  return cgwi_put_usual_line (p, line, e->line);
}

/* How many costs are left without zeros at the end, six of which are left out
   at a time.  One at a time would save instructions, but processors cannot
   foresee how often.  */
static inline size_t
cgwi_without_zeros (const uint64_t *cost, size_t n)
{
  while (n > 6
         && (cost[n - 1] | cost[n - 2] | cost[n - 3] | cost[n - 4]
             | cost[n - 5] | cost[n - 6])
                == 0)
    n -= 6;
  return n;
}

/* " cost" for each event, without trailing zeros; or NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_usual_costs (char *p, const uint64_t *cost, size_t n)
{
  char *end = p = cgwi_put_usual_cost (p, cost[0]);

  for (size_t i = 1; p != NULL && i < n; i++)
    {
      p = cgwi_put_usual_cost (p, cost[i]);
      end = cost[i] != 0 ? p : end;
    }
  return p != NULL ? end : NULL;
}

/* Whether a cost line needs no position spec, and no error.  */
static inline bool
cgwi_may_be_usual (const struct cgw_writer *w, const struct cgw_pos *pos,
                   size_t n)
{
  const struct cgwi_encoder *e = &w->encoder;

  return e->usual && w->state == CGWI_PART_OPEN
         && pos->fn.handle == e->at_fn.handle
         && pos->file.handle == e->at_file.handle
         && n - 1 < w->n_events; /* not 0 either */
}

/* Writes a usual cost line, inside the guard; false, and nothing is done, if
   it is not one.  */
static inline __attribute__ ((always_inline)) bool
cgwi_put_usual_record (struct cgw_writer *w, const struct cgw_pos *pos,
                     const uint64_t *cost, size_t n)
{
  struct cgwi_buffer *b = &w->buffer;
  struct cgwi_encoder *e = &w->encoder;
  char *p;

  if (!cgwi_may_be_usual (w, pos, n))
    return false;
  n = cgwi_without_zeros (cost, n);
  p = cgwi_put_usual_subpositions (b->bytes + b->used, w->positions, e,
                                   pos->line, pos->instr);
  if (p == NULL || (p = cgwi_put_usual_costs (p, cost, n)) == NULL)
    return false;
  *p++ = '\n';
  if (!cgwi_buffer_commit_inside (b, (size_t) (p - b->bytes)))
    return false;
  e->line = pos->line;
  e->instr = pos->instr;
  w->overflow |= cgwi_add_costs (w->sums.part, cost, n);
  w->recorded++;
  return true;
}

#endif
