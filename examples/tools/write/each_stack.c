/* each_stack.c - the stacks of a profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "each_stack.h"

#include "../base/memory.h"

struct walk
{
  take_stack *take; /* NULL: stacks are not asked for */
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
  if (w->take != NULL)
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
  bool are_whole = true;

  for (size_t i = 0; i < r->n_profiles && are_whole; i++)
    {
      struct walk w = { NULL };

      walk (&w, r, &r->profiles[i]);
      are_whole = !call_graph_has_calls (w.graph);
      call_graph_free (w.graph);
    }
  return are_whole;
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
    call_graph_estimate (graph,
                         cgw_add_fn (r->names, ESTIMATED,
                                     (struct cgw_file){ 0 },
                                     (struct cgw_object){ 0 }),
                         take, context);
  else
    walk_costs (&w, from);
  call_graph_free (graph);
}
