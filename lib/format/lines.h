/* lines.h - the lines of a part's body: position specs (ob fl fi fe fn, cob
   cfi cfn, jfi jfn), cost lines, calls, and jumps.

   All functions write a whole record at p, unchecked, and return its end.
   They may touch CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_LINES_H
#define CGWI_LINES_H 1

#include "encoder.h"
#include "subposition.h"

/* A position whose handles were looked up.  */
struct cgwi_place
{
  uint32_t fn;      /* indices */
  uint32_t source;  /* the file that the code is in */
  uint32_t line;
  uint64_t instr;
  uint64_t handles; /* the position's own */
};

/* A cost line with n costs, at most the part's events.  */
char *cgwi_put_cost_line (char *p, struct cgwi_encoder *e,
                          const struct cgwi_place *at, const uint64_t *cost,
                          size_t n);

/* A call, and the cost line of its inclusive cost.  */
char *cgwi_put_call (char *p, struct cgwi_encoder *e,
                     const struct cgwi_place *from,
                     const struct cgwi_place *to, uint64_t count,
                     const uint64_t *cost, size_t n);

/* A jump, or, where followed is not NULL, a conditional one, and its source
   position.  */
char *cgwi_put_jump (char *p, struct cgwi_encoder *e,
                     const struct cgwi_place *from,
                     const struct cgwi_place *to, const uint64_t *followed,
                     uint64_t executed);

/* Bounds: no record of that kind is longer, whatever readers remember.  Slack
   is not included.  */
size_t cgwi_cost_line_max (const struct cgwi_lengths *l);
size_t cgwi_call_max (const struct cgwi_lengths *l);
size_t cgwi_jump_max (const struct cgwi_lengths *l);

/* The longest record of any kind: a call, for it has the most specs and both
   subpositions and costs.  */
static inline size_t
cgwi_record_max (const struct cgwi_lengths *l)
{
  size_t call = cgwi_call_max (l);
  size_t jump = cgwi_jump_max (l);

  return call > jump ? call : jump;
}

#endif
