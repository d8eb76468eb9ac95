/* profile.h - struct cgw_profile, shared by profile.c, which adds costs and
   calls, stack.c, which adds stacks, and sorted.c, which writes all.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_PROFILE_H
#define CGWI_PROFILE_H 1

#include "../gate/gate.h"
#include "table.h"

/* An entry of the table of edges, before its inclusive costs.  */
struct cgwi_edge
{
  struct cgwi_spot key;
  uint64_t count;
  uint64_t to_instr; /* the lowest known target */
  uint32_t to_line;
  uint32_t seen;     /* index in cgwi_seen.edges, if it is listed there */
};

/* The edges of the stack that is being added, each once, outermost first.
   Each edge and each called function stores its index in the list.  A stored
   index is valid only if the list has that edge there, so nothing has to be
   cleared between two stacks.  */
struct cgwi_seen
{
  uint32_t *edges;
  uint32_t n;
  uint32_t capacity;
  uint32_t *of_fn; /* by function: index of the first edge into it */
  uint32_t n_fns;
};

struct cgw_profile
{
  struct cgw_writer *w;
  unsigned positions;
  struct cgwi_table self;
  struct cgwi_table edges;
  struct cgwi_seen seen;
  enum cgw_status refused; /* the first status of a sum that was not added */
  size_t n_events;
  uint64_t totals[]; /* of the self costs */
};

/* Keep the status of a call that adds, if it did not.  Return the status.  */
static inline enum cgw_status
cgwi_profile_keep (struct cgw_profile *p, enum cgw_status status)
{
  if (status != CGW_OK)
    cgwi_errors_silence (&p->w->core.errors);
  if (p->refused == CGW_OK)
    p->refused = status;
  return status;
}

/* Make the key of a position.  Omit subpositions that the parts do not have,
   so that equal lines of the file become one entry.  Only for the writer's
   holder, because names may move.  CGW_EHANDLE.  */
enum cgw_status cgwi_profile_spot (const struct cgw_profile *p,
                                   const struct cgw_pos *pos,
                                   struct cgwi_spot *spot);

/* Check that the costs can be added.  CGW_EINVAL, CGW_ECOSTS.  */
enum cgw_status cgwi_profile_check (const struct cgw_profile *p,
                                    const uint64_t *cost, size_t n);

/* Whether n costs, added to sums, stay below 2^64.  */
bool cgwi_costs_fit (const uint64_t *sums, const uint64_t *cost, size_t n);

/* Add n costs that fit to sums.  */
void cgwi_add_costs (uint64_t *sums, const uint64_t *cost, size_t n);

/* Add self cost to a position.  CGW_EOVERFLOW, CGW_ENOMEM: nothing is
   added. */
enum cgw_status cgwi_profile_add_self (struct cgw_profile *p,
                                       const struct cgwi_spot *spot,
                                       const uint64_t *cost, size_t n);

#endif
