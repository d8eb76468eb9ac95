/* sums.c - aggregation: sum costs per position and calls per edge.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

/* Add the first costs, as many as do not overflow, to an entry and to the
   totals; return how many.  A position's sums never exceed the totals.  */
static inline size_t
add_to (struct cgw_profile *p, uint32_t index, const uint64_t *cost, size_t n)
{
  uint64_t *sums = cgwi_table_costs (&p->self, index);

  for (size_t i = 0; i < n; i++)
    {
      uint64_t total;

      if (__builtin_add_overflow (p->totals[i], cost[i], &total))
        return i;
      p->totals[i] = total;
      sums[i] += cost[i];
    }
  return n;
}

enum cgw_status
cgwi_add_self (struct cgw_profile *p, const struct cgwi_spot *key,
               const uint64_t *cost, size_t first, size_t n)
{
  uint32_t index = cgwi_table_add (&p->self, cgwi_memory_of (p), key);

  if (index == CGWI_NONE)
    return CGW_ENOMEM;
  for (size_t i = first; i < n; i++)
    {
      cgwi_add_cost (p, &cgwi_table_costs (&p->self, index)[i], i, cost[i]);
      cgwi_add_cost (p, &p->totals[i], i, cost[i]);
    }
  return CGW_OK;
}

/* Add self costs from the first-th on, inside.  */
static enum cgw_status
add_self (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t first, size_t n)
{
  enum cgw_status status;
  struct cgwi_spot key;

  if (pos == NULL)
    return cgwi_fail_null (p, CGWI_ARG_POS);
  if ((status = cgwi_check_costs (p, cost, n)) != CGW_OK
      || (status = cgwi_take_pos (p, pos, CGWI_ARG_POS, &key)) != CGW_OK)
    return status;
  return cgwi_add_self (p, &key, cost, first, n);
}

/* The slow path of cgw_profile_cost: a new position, an overflow, which may be
   that of a signed event, or an error.  */
static __attribute__ ((noinline)) enum cgw_status
add_slow (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n, size_t first)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_COST);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_COST,
                                 add_self (p, pos, cost, first, n))
             : status;
}

/* Add to a position that the profile has, in few instructions: no call, so no
   register has to be saved.  */
enum cgw_status
cgw_profile_cost (struct cgw_profile *p, const struct cgw_pos *pos,
                  const uint64_t *cost, size_t n)
{
  struct cgwi_spot key;
  uint32_t index;
  size_t added = 0;

  if (p == NULL || pos == NULL || cost == NULL || n > p->n_events
      || !cgwi_profile_enter (p))
    return add_slow (p, pos, cost, n, 0);
  key = cgwi_key (p, pos, pos->fn.handle);
  index = cgwi_table_find (&p->self, &key);
  if (index != CGWI_NONE)
    added = add_to (p, index, cost, n);
  cgwi_profile_leave (p);
  return index != CGWI_NONE && added == n ? CGW_OK
                                          : add_slow (p, pos, cost, n, added);
}

/* `p` is const for the caller, but not the refusal that it keeps.  */
enum cgw_status
cgw_profile_total (const struct cgw_profile *const_p, uint64_t *costs,
                   size_t n)
{
  struct cgw_profile *p = (void *) (uintptr_t) const_p;
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_TOTAL);

  if (status != CGW_OK)
    return status;
  if (costs == NULL && n != 0)
    return cgwi_profile_end (p, CGWI_CALLED_PROFILE_TOTAL,
                             cgwi_fail_null (p, CGWI_ARG_COSTS));
  for (size_t i = 0; i < n; i++)
    costs[i] = i < p->n_events ? p->totals[i] : 0;
  return cgwi_profile_end (p, CGWI_CALLED_PROFILE_TOTAL, CGW_OK);
}

/* Calls.  */

enum cgw_status
cgwi_add_calls (struct cgw_profile *p, const struct cgwi_spot *key,
                const struct cgwi_edge *more, const uint64_t *cost, size_t n)
{
  uint32_t index = cgwi_table_add (&p->edges, cgwi_memory_of (p), key);
  struct cgwi_edge *edge;

  if (index == CGWI_NONE)
    return CGW_ENOMEM;
  edge = cgwi_table_entry (&p->edges, index);
  cgwi_add_count (p, &edge->count, more->count);
  cgwi_add_costs (p, cgwi_table_costs (&p->edges, index), cost, n);
  cgwi_add_target (edge, more->to_instr, more->to_line);
  return CGW_OK;
}

static enum cgw_status
add_call (struct cgw_profile *p, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
          size_t n)
{
  struct cgwi_spot key, target;
  enum cgw_status status;

  if (from == NULL || to == NULL)
    return cgwi_fail_null (p, from == NULL ? CGWI_ARG_FROM : CGWI_ARG_TO);
  if (!cgwi_takes_count (p, count))
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_COUNT_ZERO);
  if ((status = cgwi_check_costs (p, cost, n)) != CGW_OK
      || (status = cgwi_take_pos (p, from, CGWI_ARG_FROM, &key)) != CGW_OK
      || (status = cgwi_take_pos (p, to, CGWI_ARG_TO, &target)) != CGW_OK)
    return status;
  key.callee = target.fn;
  return cgwi_add_calls (p, &key,
                         &(struct cgwi_edge){ .count = count,
                                              .to_instr = target.instr,
                                              .to_line = target.line },
                         cost, n);
}

enum cgw_status
cgw_profile_call (struct cgw_profile *p, const struct cgw_pos *from,
                  const struct cgw_pos *to, uint64_t count,
                  const uint64_t *inclusive_cost, size_t n)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_CALL);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_CALL,
                                 add_call (p, from, to, count, inclusive_cost,
                                           n))
             : status;
}
