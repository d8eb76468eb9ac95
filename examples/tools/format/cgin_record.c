/* cgin_record.c - hands calls, jumps and self costs on to the sink.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

/* The callee is found at calls= and not at cfn=, for some writers have cob= or
   cfi= behind it.  A calls= with none of them has the callee of the last.  */
static struct cgw_fn
find_callee (struct cgin *in)
{
  if (in->new_callee)
    {
      in->names_object = in->has_callee_object;
      in->names_file = in->has_callee_file;
      in->callee_fn
        = cgin_bind (in, in->callee,
                     in->names_file ? in->callee_file : in->source,
                     in->names_object ? in->callee_object : in->object);
    }
  in->new_callee = false;
  return in->callee_fn;
}

void
cgin_start_call (struct cgin *in, uint64_t line)
{
  in->edge.to.fn = find_callee (in);
  in->call_line = line;
  in->pending = CGIN_CALL;
}

bool
cgin_is_zero (const uint64_t *costs, size_t n)
{
  while (n > 0 && costs[n - 1] == 0)
    n--;
  return n == 0;
}

static bool
end_call (struct cgin *in, const uint64_t *costs, size_t n)
{
  in->pending = CGIN_NOTHING;
  if (in->edge.count != 0)
    in->has_counts = true;
  else if (!cgin_is_zero (costs, n) && in->zero_calls++ == 0)
    in->first_zero_call = in->call_line;
  if (in->sink->before_call)
    in->sink->before_call (in->sink->context, in->call_line,
                           in->names_object, in->names_file);
  in->has_callee_object = in->has_callee_file = false;
  return in->sink->call == NULL
         || cgin_check (in, in->sink->call (in->sink->context, &in->pos,
                                            &in->edge.to, in->edge.count,
                                            costs, n));
}

bool
cgin_end_jump (struct cgin *in)
{
  const struct cgin_sink *sink = in->sink;
  const struct cgin_edge *edge = &in->edge;

  in->pending = CGIN_NOTHING;
  if (sink->jump == NULL)
    return true;
  return cgin_check (in, edge->conditional
                           ? sink->cond_jump (sink->context, &in->pos,
                                              &edge->to, edge->followed,
                                              edge->count)
                           : sink->jump (sink->context, &in->pos, &edge->to,
                                         edge->count));
}

static bool
self_cost (struct cgin *in, const uint64_t *costs, size_t n)
{
  for (size_t i = 0; i < n; i++)
    in->sums[i] += costs[i];
  return in->sink->cost == NULL
         || cgin_check (in, in->sink->cost (in->sink->context, &in->pos,
                                            costs, n));
}

/* calls= is missing, or cfn= should not be there.  This stays out of the way of
   other lines.  */
static bool __attribute__ ((noinline))
cost_behind_cfn (struct cgin *in, const uint64_t *costs, size_t n)
{
  in->pending = CGIN_NOTHING;
  if (in->behind_cfn++ == 0)
    in->first_behind_cfn = in->lines.number;
  if (in->sink->cfn_is_call)
    {
      in->edge = (struct cgin_edge){ .count = 1 };
      cgin_start_call (in, in->lines.number);
    }
  return cgin_end_cost_line (in, costs, n);
}

bool
cgin_end_cost_line (struct cgin *in, const uint64_t *costs, size_t n)
{
  if (in->pending == CGIN_NOTHING)
    return self_cost (in, costs, n);
  if (in->pending == CGIN_CALL)
    return end_call (in, costs, n);
  if (in->pending == CGIN_JUMP)
    return cgin_end_jump (in);
  return cost_behind_cfn (in, costs, n);
}
