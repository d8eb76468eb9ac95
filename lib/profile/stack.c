/* stack.c - aggregation: add a whole call stack to a profile.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

static enum cgw_status
check_frames (struct cgw_profile *p, const struct cgwi_frames *f)
{
  enum cgw_status status = CGW_OK;

  for (uint32_t i = 0; status == CGW_OK && i < f->n; i++)
    status = cgwi_check_names (p, &f->at[i], CGWI_ARG_FRAMES, i);
  return status;
}

/* Whether no edge can overflow if this stack is added, too.  */
static bool
is_bounded (struct cgw_profile *p, uint64_t count, const uint64_t *cost,
            size_t n)
{
  if ((p->exact && !cgwi_has_bounds (p)) || p->n_calls + count < count)
    return false;
  for (size_t i = 0; i < n; i++)
    if (p->totals[i] + cost[i] + p->called[i] < p->called[i])
      return false;
  return true;
}

/* The same if some costs are signed, whose amounts raise the bounds.  */
static __attribute__ ((noinline)) bool
raise_bounds (struct cgw_profile *p, uint64_t count, const uint64_t *cost,
              size_t n)
{
  if ((p->exact && !cgwi_has_bounds (p)) || p->n_calls + count < count)
    return false;
  for (size_t i = 0; i < n; i++)
    if (!cgwi_bound_fits (p, i, cgwi_weight (p, i, cost[i])))
      return false;
  for (size_t i = 0; i < n; i++)
    p->called[i] += p->is_signed[i] ? cgwi_weight (p, i, cost[i]) : 0;
  return true;
}

/* Keep a stack.  */
static enum cgw_status
keep (struct cgw_profile *p, struct cgwi_frames *f, uint64_t count,
      const uint64_t *cost, size_t n)
{
  struct cgwi_stack *stack = cgwi_stacks_find (&p->stacks, f);
  enum cgw_status status;

  if (stack == NULL)
    {
      if ((status = check_frames (p, f)) != CGW_OK)
        return status;
      stack = cgwi_stacks_add (&p->stacks, cgwi_memory_of (p), f);
      if (stack == NULL)
        return CGW_ENOMEM;
    }
  cgwi_add_to_stack (stack, count, cost, n);
  p->n_calls += count;
  return CGW_OK;
}

/* Expand a stack at once: then each edge is checked.  */
static enum cgw_status
expand (struct cgw_profile *p, const struct cgwi_frames *f, uint64_t count,
        const uint64_t *cost, size_t n)
{
  enum cgw_status status = check_frames (p, f);

  if (status == CGW_OK)
    status = cgwi_check_exactly (p);
  return status == CGW_OK ? cgwi_expand (p, f, count, cost, n) : status;
}

/* Whether costs, of which none is signed, can be added to the totals.  */
static bool
totals_fit (const struct cgw_profile *p, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (p->totals[i] + cost[i] < cost[i])
      return false;
  return true;
}

static enum cgw_status
add_stack (struct cgw_profile *p, const struct cgw_pos *frames,
           size_t n_frames, uint64_t count, const uint64_t *cost, size_t n)
{
  struct cgwi_frames f = { .at = frames, .n = (uint32_t) n_frames,
                           .root = p->root.handle };
  enum cgw_status status;
  bool bounded;

  if (frames == NULL)
    return cgwi_fail_null (p, CGWI_ARG_FRAMES);
  if (n_frames == 0 || count == 0)
    return CGWI_FAIL (p, CGW_EINVAL,
                      .reason = n_frames == 0 ? CGWI_WHY_NO_FRAMES
                                              : CGWI_WHY_COUNT_ZERO_STACK);
  if ((status = cgwi_check_costs (p, cost, n)) != CGW_OK)
    return status;
  if (n_frames >= UINT32_MAX)
    return CGW_ENOMEM;
  if ((n > p->n_unsigned || !totals_fit (p, cost, n))
      && (status = cgwi_check_sums (p, CGWI_WHY_SELF_OVERFLOW, p->totals, cost,
                                    n)) != CGW_OK)
    return status;
  bounded = n > p->n_unsigned ? raise_bounds (p, count, cost, n)
                              : is_bounded (p, count, cost, n);
  status = bounded ? keep (p, &f, count, cost, n)
                   : expand (p, &f, count, cost, n);
  if (status == CGW_OK)
    cgwi_add_costs (p->totals, cost, n);
  return status;
}

enum cgw_status
cgw_profile_stack (struct cgw_profile *p, const struct cgw_pos *frames,
                   size_t n_frames, uint64_t count, const uint64_t *cost,
                   size_t n)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_STACK);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_STACK,
                                 add_stack (p, frames, n_frames, count, cost,
                                            n))
             : status;
}

static enum cgw_status
set_root (struct cgw_profile *p, struct cgw_fn root)
{
  enum cgw_status status = cgwi_check_root (p, root, CGWI_ARG_ROOT);

  if (status == CGW_OK)
    p->root = root;
  return status;
}

enum cgw_status
cgw_profile_set_root (struct cgw_profile *p, struct cgw_fn root)
{
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_SET_ROOT);

  return status == CGW_OK ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_SET_ROOT,
                                              set_root (p, root))
                          : status;
}
