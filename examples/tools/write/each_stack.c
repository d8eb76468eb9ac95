/* each_stack.c - the stacks of a profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "each_stack.h"

#include "../base/memory.h"

struct walk
{
  take_stack *take;
  void *context;
  struct call_graph *graph; /* adds up what there is besides stacks; or NULL */
};

static enum cgw_status
take_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
           size_t n)
{
  const struct walk *w = context;

  (void) n;
  if (w->graph != NULL)
    call_graph_cost (w->graph, pos->fn.handle, cost);
  else
    w->take (w->context, pos, 1, cost);
  return CGW_OK;
}

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct walk *w = context;

  (void) count;
  (void) n;
  call_graph_call (w->graph, from->fn.handle, to->fn.handle, cost);
  return CGW_OK;
}

static enum cgw_status
take_whole (void *context, const struct cgw_pos *frames, size_t n_frames,
            uint64_t count, const uint64_t *cost, size_t n)
{
  const struct walk *w = context;

  (void) count;
  (void) n;
  w->take (w->context, frames, n_frames, cost);
  return CGW_OK;
}

static enum cgw_status
leave_whole (void *context, const struct cgw_pos *frames, size_t n_frames,
             uint64_t count, const uint64_t *cost, size_t n)
{
  (void) context;
  (void) frames;
  (void) n_frames;
  (void) count;
  (void) cost;
  (void) n;
  return CGW_OK;
}

static void
visit (const struct recorded *from, struct cgw_visitor *visitor)
{
  if (cgw_profile_visit (from->profile, visitor) != CGW_OK)
    no_memory ();
}

/* Ends a visit: there is a call.  A function's calls of itself make no stack
   that its costs are not in.  */
static enum cgw_status
find_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  bool *has_calls = context;

  (void) count;
  (void) cost;
  (void) n;
  *has_calls = from->fn.handle != to->fn.handle;
  return *has_calls ? CGW_EORDER : CGW_OK;
}

/* Passes on the stacks of a profile, and adds up what else it has.  */
static void
walk (struct walk *w, const struct recording *r, const struct recorded *from)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  w->graph = call_graph_new (r->n_events);
  visitor.context = w;
  visitor.cost = take_cost;
  visitor.call = take_call;
  visitor.stack = take_whole;
  visit (from, &visitor);
}

/* Passes on each cost, with its position, as a stack of one frame.  */
static void
walk_costs (struct walk *w, const struct recorded *from)
{
  struct cgw_visitor visitor = CGW_VISITOR_INIT;

  visitor.context = w;
  visitor.cost = take_cost;
  visitor.stack = leave_whole; /* else they would be costs, too */
  visit (from, &visitor);
}

bool
stacks_are_whole (const struct recording *r)
{
  bool has_calls = false;

  for (size_t i = 0; i < r->n_profiles && !has_calls; i++)
    {
      struct cgw_visitor visitor = CGW_VISITOR_INIT;

      visitor.context = &has_calls;
      visitor.call = find_call;
      visitor.stack = leave_whole; /* else they would be calls, too */
      if (cgw_profile_visit (r->profiles[i].profile, &visitor) != CGW_OK
          && !has_calls)
        no_memory ();
    }
  return !has_calls;
}

struct cgw_fn
estimated_fn (const struct recording *r)
{
  return cgw_add_fn (r->names, "(estimated)", (struct cgw_file){ 0 },
                     (struct cgw_object){ 0 });
}

void
each_stack (const struct recording *r, const struct recorded *from,
            take_stack *take, void *context)
{
  struct walk w = { .take = take, .context = context };
  struct call_graph *graph;

  walk (&w, r, from);
  graph = w.graph;
  w.graph = NULL;
  if (call_graph_has_calls (graph))
    call_graph_estimate (graph, estimated_fn (r), take, context);
  else
    walk_costs (&w, from);
  call_graph_free (graph);
}
