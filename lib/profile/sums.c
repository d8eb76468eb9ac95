/* sums.c - aggregation: sum costs per position and calls per edge.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

#include "expand.h"

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

/* Add any self costs, inside.  */
static enum cgw_status
add_self (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n)
{
  enum cgw_status status = cgwi_profile_check (p, cost, n);
  struct cgwi_spot key;
  uint32_t index;

  if (pos == NULL)
    return CGW_EINVAL;
  if (status != CGW_OK
      || (status = cgwi_profile_spot (p, pos, &key)) != CGW_OK)
    return status;
  if (!cgwi_costs_fit (p->totals, cost, n))
    return CGW_EOVERFLOW;
  index = cgwi_spots_add (&p->self, &p->w->memory, &key);
  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  add_to (p, index, cost, n);
  return CGW_OK;
}

/* Find the reason again, so that the way of a cost need not carry it.  */
static enum cgwi_reason
why_no_cost (const struct cgw_pos *pos, enum cgw_status status)
{
  if (status == CGW_EINVAL && pos == NULL)
    return CGWI_COST_NO_POS;
  if (status == CGW_EINVAL || status == CGW_ECOSTS)
    return cgwi_profile_why_check (status);
  return status == CGW_EHANDLE ? CGWI_COST_FOREIGN : CGWI_NO_REASON;
}

/* The slow path of cgw_profile_cost: a new position, or an error.  */
static __attribute__ ((noinline)) enum cgw_status
add_unusual (struct cgw_profile *p, const struct cgw_pos *pos,
             const uint64_t *cost, size_t n)
{
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_busy (p);
  status = add_self (p, pos, cost, n);
  return cgwi_profile_end (p, status, why_no_cost (pos, status));
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

  if (p == NULL || pos == NULL || cost == NULL || n > p->n_events
      || cgwi_profile_key (p, pos, &key) != CGW_OK || !cgwi_profile_enter (p))
    return add_unusual (p, pos, cost, n);
  index = cgwi_spots_find (&p->self, &key);
  added = index != CGWI_TABLE_NONE && add_to (p, index, cost, n);
  cgwi_profile_leave (p);
  return added ? CGW_OK : add_unusual (p, pos, cost, n);
}

enum cgw_status
cgwi_profile_add_call (struct cgw_profile *p, const struct cgwi_spot *key,
                       const struct cgwi_spot *to, uint64_t count,
                       const uint64_t *cost, size_t n)
{
  uint32_t index = cgwi_spots_add (&p->edges, &p->w->memory, key);
  struct cgwi_edge *edge;

  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  edge = cgwi_table_entry (&p->edges, index);
  /* A new edge cannot overflow, so it never has to be removed again.  */
  if (edge->count + count < count
      || !cgwi_costs_fit (cgwi_table_costs (&p->edges, index), cost, n))
    return CGW_EOVERFLOW;
  edge->count += count;
  cgwi_add_costs (cgwi_table_costs (&p->edges, index), cost, n);
  cgwi_add_target (edge, to->instr, to->line);
  return CGW_OK;
}

/* Make the bounds of the edges' sums, or give up bounds.  */
static void
raise_bounds (struct cgw_profile *p, uint64_t count, const uint64_t *cost,
              size_t n)
{
  if (p->n_calls + count < count || !cgwi_costs_fit (p->called, cost, n))
    {
      p->exact = true;
      return;
    }
  p->n_calls += count;
  cgwi_add_costs (p->called, cost, n);
}

enum cgw_status
cgwi_profile_bound (struct cgw_profile *p, uint64_t count,
                    const uint64_t *cost, size_t n)
{
  if (!p->exact)
    raise_bounds (p, count, cost, n);
  return !p->exact && cgwi_costs_fit (p->totals, p->called, p->n_events)
             ? CGW_OK
             : cgwi_profile_exactly (p);
}

enum cgw_status
cgwi_profile_exactly (struct cgw_profile *p)
{
  p->exact = true;
  return cgwi_expand_all (p);
}

static enum cgw_status
call_inside (struct cgw_profile *p, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
             size_t n)
{
  struct cgwi_spot key, target;
  enum cgw_status status = cgwi_profile_check (p, cost, n);

  if (from == NULL || to == NULL || !cgwi_profile_takes_count (p, count))
    return CGW_EINVAL;
  if (status != CGW_OK
      || (status = cgwi_profile_spot (p, from, &key)) != CGW_OK
      || (status = cgwi_profile_spot (p, to, &target)) != CGW_OK
      || (status = cgwi_profile_bound (p, count, cost, n)) != CGW_OK)
    return status;
  key.callee = target.fn;
  return cgwi_profile_add_call (p, &key, &target, count, cost, n);
}

static enum cgwi_reason
why_no_call (const struct cgw_profile *p, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count, enum cgw_status status)
{
  struct cgwi_spot key;

  if (status == CGW_EINVAL && from == NULL)
    return CGWI_CALL_NO_FROM;
  if (status == CGW_EINVAL && to == NULL)
    return CGWI_CALL_NO_TO;
  if (status == CGW_EINVAL && !cgwi_profile_takes_count (p, count))
    return CGWI_CALL_COUNT;
  if (status == CGW_EINVAL || status == CGW_ECOSTS)
    return cgwi_profile_why_check (status);
  if (status != CGW_EHANDLE)
    return CGWI_NO_REASON;
  return cgwi_profile_spot (p, from, &key) != CGW_OK ? CGWI_CALL_FOREIGN_FROM
                                                     : CGWI_CALL_FOREIGN_TO;
}

enum cgw_status
cgw_profile_call (struct cgw_profile *p, const struct cgw_pos *from,
                  const struct cgw_pos *to, uint64_t count,
                  const uint64_t *inclusive_cost, size_t n)
{
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_busy (p);
  status = call_inside (p, from, to, count, inclusive_cost, n);
  return cgwi_profile_end (p, status, why_no_call (p, from, to, count, status));
}

enum cgw_status
cgw_profile_total (const struct cgw_profile *p, uint64_t *costs, size_t n)
{
  if (p == NULL || (costs == NULL && n != 0))
    return CGW_EINVAL;
  if (atomic_load_explicit (&p->inside, memory_order_relaxed))
    return CGW_EBUSY;
  for (size_t i = 0; i < n; i++)
    costs[i] = i < p->n_events ? p->totals[i] : 0;
  return CGW_OK;
}
