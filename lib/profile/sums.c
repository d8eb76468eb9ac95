/* sums.c - aggregation: sum costs per position and calls per edge.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

#include <string.h>

/* Self costs.  */

/* Take back what add_to added, whatever overflowed.  */
static __attribute__ ((noinline)) bool
take_back (struct cgw_profile *p, uint64_t *sums, const uint64_t *cost,
           size_t n)
{
  cgwi_subtract_costs (sums, cost, n);
  cgwi_subtract_costs (p->totals, cost, n);
  return false;
}

/* Add self costs to an entry.  False: a total would pass 2^64-1, and nothing
   has changed.  A position's sums never exceed the totals.  */
static inline bool
add_to (struct cgw_profile *p, uint32_t index, const uint64_t *cost, size_t n)
{
  uint64_t *sums = cgwi_table_costs (&p->self, index);

  for (size_t i = 0; i < n; i++)
    {
      uint64_t value = cost[i];

      sums[i] += value;
      if (__builtin_add_overflow (p->totals[i], value, &p->totals[i]))
        return take_back (p, sums, cost, i + 1);
    }
  return true;
}

enum cgw_status
cgwi_add_self (struct cgw_profile *p, uint32_t index, const uint64_t *cost,
               size_t n)
{
  uint64_t *sums = cgwi_table_costs (&p->self, index);
  enum cgw_status status
      = n > p->n_unsigned
            ? cgwi_check_sums (p, CGWI_WHY_SELF_OVERFLOW, sums, cost, n)
            : CGW_OK;

  if (status == CGW_OK)
    {
      cgwi_add_costs (sums, cost, n);
      cgwi_add_costs (p->totals, cost, n);
    }
  return status;
}

/* Add any self costs, inside.  */
static enum cgw_status
add_self (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n)
{
  enum cgw_status status;
  struct cgwi_spot key;
  uint32_t index;

  if (pos == NULL)
    return cgwi_fail_null (p, CGWI_ARG_POS);
  if ((status = cgwi_check_costs (p, cost, n)) != CGW_OK
      || (status = cgwi_take_pos (p, pos, CGWI_ARG_POS, &key)) != CGW_OK
      || (status = cgwi_check_sums (p, CGWI_WHY_SELF_OVERFLOW, p->totals, cost,
                                    n)) != CGW_OK)
    return status;
  if (n > p->n_unsigned
      && (status = cgwi_raise_bounds (p, 0, cost, n, true)) != CGW_OK)
    return status;
  index = cgwi_table_add (&p->self, cgwi_memory_of (p), &key);
  return index != CGWI_NONE ? cgwi_add_self (p, index, cost, n) : CGW_ENOMEM;
}

/* The slow path of cgw_profile_cost: a new position, a signed cost, or an
   error.  */
static __attribute__ ((noinline)) enum cgw_status
add_unusual (struct cgw_profile *p, const struct cgw_pos *pos,
             const uint64_t *cost, size_t n)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_COST);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_COST,
                                 add_self (p, pos, cost, n))
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
  bool added;

  if (p == NULL || pos == NULL || cost == NULL || n > p->n_unsigned
      || !cgwi_profile_enter (p))
    return add_unusual (p, pos, cost, n);
  key = cgwi_key (p, pos, pos->fn.handle);
  index = cgwi_table_find (&p->self, &key);
  added = index != CGWI_NONE && add_to (p, index, cost, n);
  cgwi_profile_leave (p);
  return added ? CGW_OK : add_unusual (p, pos, cost, n);
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

/* Bounds.  */

/* Return what a cost adds to a bound.  Self costs of unsigned events, and the
   stacks' costs, are in the totals.  */
static uint64_t
weight_of (const struct cgw_profile *p, size_t event, uint64_t cost,
           bool is_self)
{
  return is_self && !p->is_signed[event] ? 0 : cgwi_weight (p, event, cost);
}

static bool
add_weights (const struct cgw_profile *p, uint64_t *weights,
             const uint64_t *cost, bool is_self)
{
  for (size_t i = 0; i < p->n_events; i++)
    if (__builtin_add_overflow (weights[i],
                                weight_of (p, i, cost[i], is_self),
                                &weights[i])
        || (p->is_signed[i] && weights[i] > INT64_MAX))
      return false;
  return true;
}

bool
cgwi_sum_weights (const struct cgw_profile *p, uint64_t *count,
                  uint64_t *weights)
{
  const struct cgwi_stack *stack = NULL;
  bool fit = true;

  for (uint32_t i = 0; i < p->edges.n; i++)
    {
      const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, i);

      if (__builtin_add_overflow (*count, edge->count, count)
          || !add_weights (p, weights, cgwi_table_costs (&p->edges, i), false))
        return false;
    }
  for (uint32_t i = 0; cgwi_has_signed (p) && i < p->self.n; i++)
    if (!add_weights (p, weights, cgwi_table_costs (&p->self, i), true))
      return false;
  while (fit && (stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    fit = !__builtin_add_overflow (*count, stack->count, count)
          && (!cgwi_has_signed (p)
              || add_weights (p, weights, stack->costs, true));
  return fit;
}

bool
cgwi_has_bounds (struct cgw_profile *p)
{
  if (p->traced && p->tracers == NULL)
    {
      p->traced = false;
      p->n_calls = 0;
      memset (p->called, 0, p->n_events * sizeof *p->called);
      p->exact = !cgwi_sum_weights (p, &p->n_calls, p->called);
    }
  return !p->exact;
}

enum cgw_status
cgwi_raise_bounds (struct cgw_profile *p, uint64_t count, const uint64_t *cost,
                   size_t n, bool is_self)
{
  if (!cgwi_has_bounds (p) || p->n_calls + count < count)
    return cgwi_check_exactly (p);
  for (size_t i = 0; i < p->n_events; i++)
    if (!cgwi_bound_fits (p, i,
                          i < n ? weight_of (p, i, cost[i], is_self) : 0))
      return cgwi_check_exactly (p);
  p->n_calls += count;
  for (size_t i = 0; i < n; i++)
    p->called[i] += weight_of (p, i, cost[i], is_self);
  return CGW_OK;
}

enum cgw_status
cgwi_check_exactly (struct cgw_profile *p)
{
  enum cgw_status status = p->exact ? CGW_OK : cgwi_expand_all (p);

  if (status == CGW_OK)
    p->exact = true;
  return status;
}

/* Calls.  */

static enum cgw_status
add_call (struct cgw_profile *p, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
          size_t n)
{
  struct cgwi_spot key, target;
  enum cgw_status status;
  uint32_t index;

  if (from == NULL || to == NULL)
    return cgwi_fail_null (p, from == NULL ? CGWI_ARG_FROM : CGWI_ARG_TO);
  if (!cgwi_takes_count (p, count))
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_COUNT_ZERO);
  if ((status = cgwi_check_costs (p, cost, n)) != CGW_OK
      || (status = cgwi_take_pos (p, from, CGWI_ARG_FROM, &key)) != CGW_OK
      || (status = cgwi_take_pos (p, to, CGWI_ARG_TO, &target)) != CGW_OK
      || (status = cgwi_raise_bounds (p, count, cost, n, false)) != CGW_OK)
    return status;
  key.callee = target.fn;
  if ((status = cgwi_prepare_edge (p, &key, count, cost, n, &index))
             != CGW_OK)
    return status;
  cgwi_add_calls (p, index, count, cost, n);
  cgwi_add_target (cgwi_table_entry (&p->edges, index), target.instr,
                   target.line);
  return CGW_OK;
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
