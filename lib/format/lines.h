/* lines.h - the lines of a part's body: position specs (ob fl fi fe fn, cob
   cfi cfn, jfi jfn), cost lines, calls, and jumps.

   The put functions write a whole record at p, unchecked, and return its end.
   They may touch CGWI_NUMBER_SLACK bytes behind it.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_LINES_H
#define CGWI_LINES_H 1

#include "encoder.h"
#include "subposition.h"

/* A position after its handles were looked up.  */
struct cgwi_place
{
  uint32_t fn;      /* indices */
  uint32_t source;  /* the file that the code is in */
  uint32_t line;
  uint64_t instr;
  uint64_t handles; /* the position's own */
};

/* Write a cost line with n costs, at most as many as the part has events.  */
char *cgwi_put_cost_line (char *p, struct cgwi_encoder *e,
                          const struct cgwi_place *at, const uint64_t *cost,
                          size_t n);

/* Write a call, and the cost line of its inclusive cost.  */
char *cgwi_put_call (char *p, struct cgwi_encoder *e,
                     const struct cgwi_place *from,
                     const struct cgwi_place *to, uint64_t count,
                     const uint64_t *cost, size_t n);

/* Write a jump and its source position; a conditional one if followed is not
   NULL.  */
char *cgwi_put_jump (char *p, struct cgwi_encoder *e,
                     const struct cgwi_place *from,
                     const struct cgwi_place *to, const uint64_t *followed,
                     uint64_t executed);

/* Upper bounds of the length of a record of that kind, in any state of the
   encoder, without slack.  */
size_t cgwi_cost_line_max (const struct cgwi_lengths *l);
size_t cgwi_call_max (const struct cgwi_lengths *l);
size_t cgwi_jump_max (const struct cgwi_lengths *l);

/* Upper bound of the length of any record.  Calls are the longest: they have
   the most specs, and costs.  */
static inline size_t
cgwi_record_max (const struct cgwi_lengths *l)
{
  size_t call = cgwi_call_max (l);
  size_t jump = cgwi_jump_max (l);

  return call > jump ? call : jump;
}

#endif
