/* usual.h - the usual cost line: one that needs no position spec, has an
   address near the last one and a line near the last one or below 10000, and
   no cost of a million or more.

   Most lines of a profile are usual, so they are encoded here without a
   function call.  lines.c encodes all others, and would encode these the same
   way.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_USUAL_H
#define CGWI_USUAL_H 1

#include "encoder.h"
#include "subposition.h"

/* Write the subpositions at p.  Return the end, or NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_usual_subpositions (char *p, const struct cgwi_encoder *e,
                             uint32_t line, uint64_t instr)
{
  if (e->positions != CGW_LINE)
    {
      p = cgwi_put_usual_instr (p, instr, e->last.instr);
      if (p == NULL || e->positions == CGW_INSTR)
        return p;
      *p++ = ' ';
    }
  return cgwi_put_usual_line (p, line, e->last.line);
}

/* Return the number of costs without most trailing zeros.  Strip them six at a
   time: stripping one by one takes fewer instructions but mispredicts on every
   line.  */
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

/* Write " cost" for each event, without trailing zeros.  Return the end, or
   NULL.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_usual_costs (char *p, const uint64_t *cost, size_t n)
{
  size_t i = 1, kept = 1;

  p = cgwi_put_usual_cost (p, cost[0]);
  while (p != NULL && i < n)
    {
      uint64_t value = cost[i++];
      p = cgwi_put_usual_cost (p, value);
      kept = value != 0 ? i : kept;
    }
  /* A trailing zero takes two bytes.  */
  return p != NULL ? p - 2 * (n - kept) : NULL;
}

/* Write a usual cost line at p, with n costs, at least 1.  Return its end, or
   NULL if it is not usual.  The caller updates e->last.  */
static inline __attribute__ ((always_inline)) char *
cgwi_put_usual_line_of_costs (char *p, const struct cgwi_encoder *e,
                              const struct cgw_pos *pos, const uint64_t *cost,
                              size_t n)
{
  p = cgwi_put_usual_subpositions (p, e, pos->line, pos->instr);
  if (p == NULL || (p = cgwi_put_usual_costs (p, cost, n)) == NULL)
    return NULL;
  *p++ = '\n';
  return p;
}

#endif
