/* merge.c - aggregation: add the sums of one profile to another.

   SPDX-License-Identifier: MIT  */

#include "merge.h"

#include "expand.h"
#include "stack.h"
#include "sums.h"
#include "unify.h"

#include <string.h>

/* What has been added so far, to be taken back if the rest fails.  */
struct merge
{
  struct cgw_profile *into;
  struct cgw_profile *from;
  struct cgwi_unified names;
  uint32_t *self;  /* by entry of `from`: the entry of `into` */
  uint32_t *edges;
  uint32_t n_self; /* added */
  uint32_t n_edges;
  uint32_t had_self; /* entries of `into` before */
  uint32_t had_edges;
  struct cgw_pos *frames; /* of the stack that is being added */
  size_t room;
};

/* Sum up the calls of all edges and stacks, an upper bound for those of any
   edge.  False: a sum passes 2^64-1.  */
static bool
sum_calls (const struct cgw_profile *p, uint64_t *count, uint64_t *costs)
{
  const struct cgwi_stack *stack = NULL;

  for (uint32_t i = 0; i < p->edges.n; i++)
    {
      const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, i);
      const uint64_t *cost = cgwi_table_costs (&p->edges, i);

      if (*count + edge->count < *count
          || !cgwi_costs_fit (costs, cost, p->n_events))
        return false;
      *count += edge->count;
      cgwi_add_costs (costs, cost, p->n_events);
    }
  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    {
      if (*count + stack->count < *count)
        return false;
      *count += stack->count;
    }
  return true;
}

/* Raise the bounds of `into`, whose totals are those of both already, or expand
   all stacks.  */
static enum cgw_status
bound (struct cgw_profile *into, struct cgw_profile *from)
{
  uint64_t costs[CGW_EVENTS_MAX] = { 0 };
  uint64_t count = 0;
  enum cgw_status status
      = sum_calls (from, &count, costs)
            ? cgwi_profile_bound (into, count, costs, into->n_events)
            : cgwi_profile_exactly (into);

  return status == CGW_OK && into->exact ? cgwi_expand_all (from) : status;
}

static enum cgw_status
add_self (struct merge *g, uint32_t i)
{
  struct cgwi_spot key = *(struct cgwi_spot *) cgwi_table_entry (
      &g->from->self, i);
  enum cgw_status status;
  uint32_t index;

  g->self[i] = CGWI_TABLE_NONE;
  if (cgwi_is_stale (g->from, 0, cgwi_table_costs (&g->from->self, i)))
    return CGW_OK;
  if ((status = cgwi_unify_key (&g->names, &key)) != CGW_OK)
    return status;
  index = cgwi_spots_add (&g->into->self, &g->into->w->memory, &key);
  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  g->self[i] = index;
  cgwi_add_costs (cgwi_table_costs (&g->into->self, index),
                  cgwi_table_costs (&g->from->self, i), g->into->n_events);
  return CGW_OK;
}

static enum cgw_status
add_edge (struct merge *g, uint32_t i)
{
  const struct cgwi_edge *more = cgwi_table_entry (&g->from->edges, i);
  const uint64_t *cost = cgwi_table_costs (&g->from->edges, i);
  struct cgwi_spot key = more->key;
  struct cgwi_edge *edge;
  enum cgw_status status;
  uint32_t index;

  g->edges[i] = CGWI_TABLE_NONE;
  if (cgwi_is_stale (g->from, more->count, cost))
    return CGW_OK;
  if (!cgwi_profile_takes_count (g->into, more->count))
    return CGW_EINVAL;
  if ((status = cgwi_unify_key (&g->names, &key)) != CGW_OK)
    return status;
  index = cgwi_spots_add (&g->into->edges, &g->into->w->memory, &key);
  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  edge = cgwi_table_entry (&g->into->edges, index);
  if (edge->count + more->count < more->count
      || !cgwi_costs_fit (cgwi_table_costs (&g->into->edges, index), cost,
                          g->into->n_events))
    return CGW_EOVERFLOW;
  g->edges[i] = index;
  edge->count += more->count;
  cgwi_add_costs (cgwi_table_costs (&g->into->edges, index), cost,
                  g->into->n_events);
  return CGW_OK;
}

static bool
reserve_frames (struct merge *g, size_t n)
{
  struct cgw_pos *frames;

  if (n <= g->room)
    return true;
  frames = cgwi_resize (&g->into->w->memory, g->frames, n * sizeof *frames);
  if (frames == NULL)
    return false;
  g->frames = frames;
  g->room = n;
  return true;
}

/* Make the caller's frames of a kept stack, in the names of `into`.  */
static enum cgw_status
take_frames (struct merge *g, const struct cgwi_stack *stack,
             struct cgwi_frames *f)
{
  const struct cgwi_core *into = &g->into->w->core;

  *f = (struct cgwi_frames){ .n = stack->n_frames };
  if (!reserve_frames (g, stack->n_frames))
    return CGW_ENOMEM;
  f->at = g->frames;
  for (uint32_t i = 0; i < stack->n_frames; i++)
    {
      struct cgwi_spot key = cgwi_frame_key (g->from, stack, i);
      enum cgw_status status = cgwi_unify_key (&g->names, &key);

      if (status != CGW_OK)
        return status;
      g->frames[i] = (struct cgw_pos){
        .fn = { cgwi_handle (into, key.fn) },
        .file = { key.source != 0 ? cgwi_handle (into, key.source - 1) : 0 },
        .line = key.line,
        .instr = key.instr
      };
    }
  return CGW_OK;
}

static enum cgw_status
add_stack (struct merge *g, const struct cgwi_stack *stack)
{
  struct cgwi_frames f;
  enum cgw_status status = take_frames (g, stack, &f);

  return status == CGW_OK ? cgwi_keep_stack (g->into, &f, stack->count,
                                             stack->costs, g->into->n_events)
                          : status;
}

/* Add the stacks before `end`, or all if that is NULL.  */
static enum cgw_status
add_stacks (struct merge *g, const struct cgwi_stack **end)
{
  const struct cgwi_stack *stack = NULL;
  enum cgw_status status;

  while ((stack = cgwi_stacks_next (&g->from->stacks, stack)) != NULL)
    if (stack->count != 0 && (status = add_stack (g, stack)) != CGW_OK)
      {
        *end = stack;
        return status;
      }
  return CGW_OK;
}

/* Take back the stacks before `end`.  They are there, so nothing can fail; one
   that was new stays with a count of 0, which nobody sees.  */
static void
take_back_stacks (struct merge *g, const struct cgwi_stack *end)
{
  const struct cgwi_stack *stack = NULL;

  while ((stack = cgwi_stacks_next (&g->from->stacks, stack)) != end)
    {
      struct cgwi_stack *kept;
      struct cgwi_frames f;

      if (stack->count == 0 || take_frames (g, stack, &f) != CGW_OK
          || (kept = cgwi_stacks_find (&g->into->stacks, &f)) == NULL)
        continue;
      kept->count -= stack->count;
      cgwi_subtract_costs (kept->costs, stack->costs, g->into->n_events);
    }
}

static void
take_back (struct merge *g)
{
  struct cgw_profile *into = g->into;

  for (uint32_t i = 0; i < g->n_self; i++)
    if (g->self[i] != CGWI_TABLE_NONE)
      cgwi_subtract_costs (cgwi_table_costs (&into->self, g->self[i]),
                           cgwi_table_costs (&g->from->self, i),
                           into->n_events);
  for (uint32_t i = 0; i < g->n_edges; i++)
    if (g->edges[i] != CGWI_TABLE_NONE)
      {
        const struct cgwi_edge *more = cgwi_table_entry (&g->from->edges, i);
        struct cgwi_edge *edge = cgwi_table_entry (&into->edges, g->edges[i]);

        edge->count -= more->count;
        cgwi_subtract_costs (cgwi_table_costs (&into->edges, g->edges[i]),
                             cgwi_table_costs (&g->from->edges, i),
                             into->n_events);
      }
  cgwi_table_truncate (&into->self, g->had_self);
  cgwi_table_truncate (&into->edges, g->had_edges);
}

/* The targets come last, because they cannot be taken back.  */
static void
add_targets (struct merge *g)
{
  for (uint32_t i = 0; i < g->from->edges.n; i++)
    {
      const struct cgwi_edge *more = cgwi_table_entry (&g->from->edges, i);

      if (g->edges[i] != CGWI_TABLE_NONE)
        cgwi_add_target (cgwi_table_entry (&g->into->edges, g->edges[i]),
                         more->to_instr, more->to_line);
    }
}

static enum cgw_status
add_tables (struct merge *g)
{
  enum cgw_status status = CGW_OK;

  while (status == CGW_OK && g->n_self < g->from->self.n)
    if ((status = add_self (g, g->n_self)) == CGW_OK)
      g->n_self++;
  while (status == CGW_OK && g->n_edges < g->from->edges.n)
    if ((status = add_edge (g, g->n_edges)) == CGW_OK)
      g->n_edges++;
  return status;
}

static enum cgw_status
add_all (struct merge *g)
{
  const struct cgwi_stack *end = NULL;
  enum cgw_status status = add_tables (g);

  if (status == CGW_OK && (status = add_stacks (g, &end)) != CGW_OK)
    take_back_stacks (g, end);
  if (status != CGW_OK)
    {
      take_back (g);
      return status;
    }
  add_targets (g);
  return CGW_OK;
}

/* Merge two profiles, the totals of which are summed up already.  */
static enum cgw_status
merge (struct cgw_profile *into, struct cgw_profile *from)
{
  const struct cgwi_memory *m = &into->w->memory;
  struct merge g = { .into = into, .from = from };
  enum cgw_status status = bound (into, from);

  if (status != CGW_OK)
    return status;
  g.had_self = into->self.n;
  g.had_edges = into->edges.n;
  g.self = cgwi_resize (m, NULL, (from->self.n + (size_t) 1) * sizeof *g.self);
  g.edges
      = cgwi_resize (m, NULL, (from->edges.n + (size_t) 1) * sizeof *g.edges);
  status = cgwi_unify (&g.names, into->w, from->w);
  if (g.self == NULL || g.edges == NULL)
    status = CGW_ENOMEM;
  if (status == CGW_OK)
    status = add_all (&g);
  cgwi_free_unified (&g.names);
  cgwi_release (m, g.self);
  cgwi_release (m, g.edges);
  cgwi_release (m, g.frames);
  return status;
}

enum cgw_status
cgwi_merge (struct cgw_profile *into, struct cgw_profile *from)
{
  enum cgw_status status;

  if (!cgwi_costs_fit (into->totals, from->totals, into->n_events))
    return CGW_EOVERFLOW;
  cgwi_add_costs (into->totals, from->totals, into->n_events);
  status = merge (into, from);
  if (status != CGW_OK)
    cgwi_subtract_costs (into->totals, from->totals, into->n_events);
  return status;
}

static bool
may_merge (const struct cgw_profile *into, const struct cgw_profile *from,
           struct cgwi_sentence *why)
{
  if (from == NULL)
    return cgwi_say (why, "cgw_profile_merge: from is NULL");
  if (into == from)
    return cgwi_say (why, "cgw_profile_merge: into and from are the same "
                          "profile");
  if (into->n_events != from->n_events)
    return cgwi_say (why, "cgw_profile_merge: the profiles have %U and %U "
                          "events", (uint64_t) into->n_events,
                     (uint64_t) from->n_events);
  return into->positions == from->positions
         || cgwi_say (why, "cgw_profile_merge: the profiles have different "
                           "positions");
}

enum cgw_status
cgw_profile_merge (struct cgw_profile *into, struct cgw_profile *from)
{
  struct cgwi_sentence why = { "" };
  enum cgw_status status;

  if (into == NULL)
    return CGW_EINVAL;
  if (!may_merge (into, from, &why))
    {
      cgwi_profile_refuse (into, CGW_EINVAL, CGWI_NO_REASON);
      return cgwi_explain_call (into->w, CGW_EINVAL, &why);
    }
  if (!cgwi_profile_enter (into))
    return cgwi_profile_busy (into);
  if (!cgwi_profile_enter (from))
    {
      cgwi_profile_leave (into);
      return cgwi_profile_busy (into);
    }
  cgwi_profile_sync (from);
  status = cgwi_merge (into, from);
  cgwi_profile_leave (from);
  return cgwi_profile_end (into, status, CGWI_NO_REASON);
}
