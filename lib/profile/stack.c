/* stack.c - aggregation: add a whole call stack to a profile.

   SPDX-License-Identifier: MIT  */

#include "stack.h"

#include "expand.h"
#include "sums.h"

/* Check the handles of a stack.  */
static bool
has_names (const struct cgw_profile *p, const struct cgwi_frames *f)
{
  struct cgwi_spot key;

  for (uint32_t i = 0; i < f->n; i++)
    if (cgwi_profile_spot (p, &f->at[i], &key) != CGW_OK)
      return false;
  return true;
}

static void
add_sums (struct cgwi_stack *stack, uint64_t count, const uint64_t *cost,
          size_t n)
{
  stack->count += count;
  cgwi_add_costs (stack->costs, cost, n);
}

enum cgw_status
cgwi_keep_stack (struct cgw_profile *p, struct cgwi_frames *f, uint64_t count,
                 const uint64_t *cost, size_t n)
{
  struct cgwi_stack *stack = cgwi_stacks_find (&p->stacks, f);

  if (stack == NULL)
    {
      if (!has_names (p, f))
        return CGW_EHANDLE;
      stack = cgwi_stacks_add (&p->stacks, &p->w->memory, f);
      if (stack == NULL)
        return CGW_ENOMEM;
    }
  add_sums (stack, count, cost, n);
  return CGW_OK;
}

/* Add a stack to the tables of self costs and edges.  */
static enum cgw_status
expand (struct cgw_profile *p, const struct cgwi_frames *f, uint64_t count,
        const uint64_t *cost, size_t n)
{
  struct cgwi_stack *stack;
  enum cgw_status status;

  if (!has_names (p, f))
    return CGW_EHANDLE;
  stack = cgwi_stacks_push (&p->stacks, &p->w->memory, f);
  if (stack == NULL)
    return CGW_ENOMEM;
  add_sums (stack, count, cost, n);
  status = cgwi_expand (p, stack);
  cgwi_stacks_drop (&p->stacks, stack);
  return status;
}

/* Whether no edge can overflow if this stack is added, too.  */
static bool
is_bounded (const struct cgw_profile *p, uint64_t count, const uint64_t *cost,
            size_t n)
{
  if (p->exact || p->n_calls + count < count)
    return false;
  for (size_t i = 0; i < n; i++)
    if (p->totals[i] + cost[i] + p->called[i] < p->called[i])
      return false;
  return true;
}

/* Add a stack whose arguments are checked.  Without bounds, expand it at once:
   then each edge is checked.  */
static enum cgw_status
add_stack (struct cgw_profile *p, struct cgwi_frames *f, uint64_t count,
           const uint64_t *cost, size_t n)
{
  enum cgw_status status;

  if (is_bounded (p, count, cost, n))
    {
      status = cgwi_keep_stack (p, f, count, cost, n);
      p->n_calls += status == CGW_OK ? count : 0;
    }
  else
    {
      status = cgwi_profile_exactly (p);
      if (status == CGW_OK)
        status = expand (p, f, count, cost, n);
    }
  if (status == CGW_OK)
    cgwi_add_costs (p->totals, cost, n);
  return status;
}

static enum cgw_status
stack_inside (struct cgw_profile *p, const struct cgw_pos *frames,
              size_t n_frames, uint64_t count, const uint64_t *cost, size_t n)
{
  struct cgwi_frames f = { .at = frames, .n = (uint32_t) n_frames };
  enum cgw_status status = cgwi_profile_check (p, cost, n);

  if (frames == NULL || n_frames == 0 || count == 0)
    return CGW_EINVAL;
  if (status != CGW_OK)
    return status;
  if (n_frames >= UINT32_MAX)
    return CGW_ENOMEM;
  if (!cgwi_costs_fit (p->totals, cost, n))
    return CGW_EOVERFLOW;
  f.root = p->root.handle;
  return add_stack (p, &f, count, cost, n);
}

static enum cgwi_reason
why_no_stack (const struct cgw_pos *frames, size_t n_frames, uint64_t count,
              enum cgw_status status)
{
  if (status == CGW_EINVAL && (frames == NULL || n_frames == 0))
    return CGWI_STACK_NO_FRAMES;
  if (status == CGW_EINVAL && count == 0)
    return CGWI_STACK_COUNT;
  if (status == CGW_EINVAL || status == CGW_ECOSTS)
    return cgwi_profile_why_check (status);
  return status == CGW_EHANDLE ? CGWI_STACK_FOREIGN : CGWI_NO_REASON;
}

enum cgw_status
cgw_profile_stack (struct cgw_profile *p, const struct cgw_pos *frames,
                   size_t n_frames, uint64_t count, const uint64_t *cost,
                   size_t n)
{
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_busy (p);
  status = stack_inside (p, frames, n_frames, count, cost, n);
  return cgwi_profile_end (p, status, why_no_stack (frames, n_frames, count,
                                                    status));
}

enum cgw_status
cgw_profile_set_root (struct cgw_profile *p, struct cgw_fn root)
{
  struct cgw_pos pos = { .fn = root };
  struct cgwi_spot key;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return CGW_EBUSY;
  if (cgwi_profile_spot (p, &pos, &key) != CGW_OK)
    {
      cgwi_profile_leave (p);
      cgwi_errors_refused (&p->w->core.errors,
                           cgwi_refused_as (CGW_EHANDLE, CGWI_ROOT_FOREIGN));
      return CGW_EHANDLE;
    }
  p->root = root;
  cgwi_profile_leave (p);
  return CGW_OK;
}
