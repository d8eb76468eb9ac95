/* contexts.c - the calling contexts of a virtual processor.

   What the counters count while a function is the innermost one, is the cost of
   its context.  So the costs of all contexts are what was executed, however
   calls end and stacks change.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contexts.h"

#include "../base/memory.h"
#include "../run/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More are cut.  */
enum { CONTEXTS_MAX = 1 << 20 };

/* The number of the second one: it calls those that are cut.  */
enum { CONTEXT_CUT = 1 };

enum { RECENT_BITS = 12 };

static struct context *
context_at (const struct contexts *x, uint32_t number)
{
  return table_entry (&x->all, number);
}

void
contexts_begin (struct contexts *x, struct cgw_names *names, uint32_t vcpu,
                uint32_t n_events)
{
  enum { RECENT_SIZE = sizeof *x->recent << RECENT_BITS };
  struct context context = { .costs = { { 0 } } };

  x->names = names;
  x->vcpu = vcpu;
  x->n_events = n_events;
  x->all.key_size = sizeof context.key;
  x->all.entry_size = sizeof context;
  x->recent = new_lines (RECENT_SIZE);
  for (context.key.caller = CONTEXT_ROOT; context.key.caller <= CONTEXT_CUT;
       context.key.caller++)
    table_add (&x->all, &context.key);
}

void
contexts_free (struct contexts *x)
{
  table_free (&x->all);
  free (x->recent);
  free (x->former);
}

/* Finds one in the table, or adds it.  */
static struct context *
find_or_add (struct contexts *x, uint32_t caller,
             const struct function *function, uint64_t site)
{
  struct context wanted = { .key = { function, caller } };
  struct context *context = NULL;
  uint32_t before = x->all.n;

  if (caller != CONTEXT_CUT && x->all.n >= CONTEXTS_MAX
      && (context = table_find (&x->all, &wanted.key)) == NULL)
    wanted.key.caller = CONTEXT_CUT;
  if (wanted.key.caller == CONTEXT_CUT)
    x->are_cut = true;
  if (context == NULL)
    context = table_add (&x->all, &wanted.key);
  if (x->all.n != before)
    context->site = site;
  return context;
}

uint32_t
contexts_find (struct contexts *x, uint32_t caller,
               const struct function *function, const struct block *site,
               uint32_t depth)
{
  uint32_t sum = caller + (function->number << 16 | function->number >> 16);
  uint32_t *recent
      = &x->recent[sum * UINT32_C (0x9e3779b1) >> (32 - RECENT_BITS)];
  struct context *context = context_at (x, *recent);
  uint64_t number = site != NULL ? (uint64_t) site->site + 1 : 0;

  if (depth >= TREE_DEPTH)
    caller = CONTEXT_CUT;
  if (context->key.function != function || context->key.caller != caller)
    {
      context = find_or_add (x, caller, function, number);
      *recent = table_index (&x->all, context);
    }
  if (context->site != number)
    context->site = 0;
  return *recent;
}

/* Costs.  */

static void
keep_former (struct contexts *x, struct context *context)
{
  x->former = resize_for (x->former, x->n_former, &x->former_capacity,
                          sizeof *x->former);
  x->former[x->n_former++]
      = (struct former_costs){ table_index (&x->all, context), context->costs };
  context->period = x->period;
}

static void
add_costs (struct contexts *x, const struct costs *counters)
{
  struct context *context = context_at (x, x->now);

  if (context->period != x->period)
    keep_former (x, context);
  for (uint32_t i = 0; i < x->n_events; i++)
    context->costs.of[i] += counters->of[i] - x->start.of[i];
  x->start = *counters;
}

void
contexts_go (struct contexts *x, uint32_t number,
             const struct costs *counters)
{
  add_costs (x, counters);
  x->now = number;
}

void
contexts_resume (struct contexts *x)
{
  x->n_former = 0;
  x->period++;
}

/* The number of what is called as a context, but by `to` instead of `from`.
   CONTEXT_ROOT: that does not call it.  */
static uint32_t
find_other (struct contexts *x, uint32_t number, uint32_t from, uint32_t to)
{
  struct context context = *context_at (x, number);
  uint32_t caller;

  if (number == from)
    return to;
  if (context.key.function == NULL)
    return CONTEXT_ROOT;
  caller = find_other (x, (uint32_t) context.key.caller, from, to);
  return caller == CONTEXT_ROOT
             ? CONTEXT_ROOT
             : table_index (&x->all,
                            find_or_add (x, caller, context.key.function,
                                         context.site));
}

void
contexts_change (struct contexts *x, uint32_t from, uint32_t to)
{
  uint32_t n = from != to ? x->n_former : 0;

  for (uint32_t i = 0; i < n; i++)
    {
      struct former_costs former = x->former[i];
      uint32_t other = find_other (x, former.number, from, to);
      struct context *context, *into;

      if (other == CONTEXT_ROOT)
        continue;
      context = context_at (x, former.number);
      into = context_at (x, other);
      for (uint32_t k = 0; k < x->n_events; k++)
        into->costs.of[k] += context->costs.of[k] - former.costs.of[k];
      context->costs = former.costs;
    }
}

/* A context as a function.  */
static struct cgw_fn
name_context (const struct contexts *x, uint32_t number)
{
  const struct context *context = context_at (x, number);
  struct cgw_file file = { 0 };
  struct cgw_object object = { 0 };
  const char *function
      = context->key.function != NULL
            ? cgw_fn_name (x->names, context->key.function->start.fn, &file,
                           &object)
            : TREE_CUT;
  char *name
      = make_text ("%s'%" PRIu32 ".%" PRIu32, function, x->vcpu, number);
  struct cgw_fn fn = cgw_add_fn (x->names, name, file, object);

  free (name);
  return fn;
}

/* Where a context was called.  A position that is none of its caller's
   function, as behind code that was not counted, is unknown.  */
static struct cgw_pos
call_of (const struct contexts *x, const struct context *context)
{
  uint32_t caller = (uint32_t) context->key.caller;
  const struct function *function = context_at (x, caller)->key.function;
  struct cgw_pos at = { .fn = { 0 } };

  if (context->site != 0 && function != NULL)
    at = guest_site ((uint32_t) (context->site - 1));
  if (function == NULL || at.fn.handle != function->start.fn.handle)
    at = (struct cgw_pos){ .fn = { 0 } };
  at.fn = name_context (x, caller);
  return at;
}

void
contexts_move (struct contexts *x, const struct costs *counters,
               struct cgw_profile *profile)
{
  add_costs (x, counters);
  for (uint32_t i = 0; i < x->all.n; i++)
    {
      struct context *context = context_at (x, i);

      if (profile != NULL && context->key.function != NULL)
        {
          struct cgw_pos self = { .fn = name_context (x, i) };
          struct cgw_pos at = call_of (x, context);

          cgw_profile_cost (profile, &self, context->costs.of, x->n_events);
          if (context->key.caller != CONTEXT_ROOT)
            cgw_profile_call (profile, &at, &self, 1, NULL, 0);
        }
      context->costs = (struct costs){ { 0 } };
    }
  contexts_resume (x);
}
