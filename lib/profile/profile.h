/* profile.h - struct cgw_profile, and what the files that aggregate share:
   profile.c adds costs and calls, stack.c stacks, sorted.c writes all.

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
  uint32_t seen;     /* where in the list of seen edges, if it is there */
};

/* The edges of the stack that is being added, each once, outermost first.
   An edge, and a function that was called, know their place in the list; the
   place is theirs if the list has them there.  So nothing must be cleared
   from one stack to the next.  */
struct cgwi_seen
{
  uint32_t *edges;
  uint32_t n;
  uint32_t capacity;
  uint32_t *of_fn; /* the place of the first edge into that function */
  uint32_t n_fns;
};

struct cgw_profile
{
  struct cgw_writer *w;
  unsigned positions;
  struct cgwi_table self;
  struct cgwi_table edges;
  struct cgwi_seen seen;
  size_t n_events;
  uint64_t totals[]; /* of the self costs */
};

/* The key of a position.  Subpositions that the parts do not have are left
   out, so that equal lines of the file are one entry.  Inside the writer's
   guard, for names may move.  CGW_EHANDLE.  */
enum cgw_status cgwi_profile_spot (const struct cgw_profile *p,
                                   const struct cgw_pos *pos,
                                   struct cgwi_spot *spot);

/* Whether the costs can be added: CGW_EINVAL, CGW_ECOSTS.  */
enum cgw_status cgwi_profile_check (const struct cgw_profile *p,
                                    const uint64_t *cost, size_t n);

/* Whether n costs, added to sums, stay below 2^64.  */
bool cgwi_costs_fit (const uint64_t *sums, const uint64_t *cost, size_t n);

/* Adds n costs that fit to sums.  */
void cgwi_add_costs (uint64_t *sums, const uint64_t *cost, size_t n);

/* Adds self cost to a position; nothing after CGW_EOVERFLOW, CGW_ENOMEM.  */
enum cgw_status cgwi_profile_add_self (struct cgw_profile *p,
                                       const struct cgwi_spot *spot,
                                       const uint64_t *cost, size_t n);

#endif
