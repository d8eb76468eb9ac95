/* expand.c - turn whole stacks into self costs and calls.

   SPDX-License-Identifier: MIT  */

#include "expand.h"

#include <string.h>

/* Whether the list of seen edges has this edge.  */
static bool
is_seen (const struct cgw_profile *p, uint32_t index)
{
  const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);
  const struct cgwi_seen *s = &p->seen;

  return edge->seen < s->n && s->edges[edge->seen] == index;
}

/* Whether it has an edge into this function.  */
static bool
is_called (const struct cgw_profile *p, uint32_t fn)
{
  const struct cgwi_seen *s = &p->seen;
  const struct cgwi_edge *edge;

  if (s->of_fn[fn] >= s->n)
    return false;
  edge = cgwi_table_entry (&p->edges, s->edges[s->of_fn[fn]]);
  return edge->key.callee == fn;
}

static bool
reserve_edge (struct cgwi_seen *s, const struct cgwi_memory *m)
{
  uint32_t capacity = s->capacity + s->capacity / 2 + 32;
  uint32_t *edges;

  if (s->n < s->capacity)
    return true;
  edges = cgwi_resize (m, s->edges, capacity * sizeof *edges);
  if (edges == NULL)
    return false;
  s->edges = edges;
  s->capacity = capacity;
  return true;
}

/* Whether an edge can take the stack's calls and, if it is the first one into
   its function, the costs.  */
static bool
edge_fits (const struct cgw_profile *p, uint32_t index, bool first,
           const struct cgwi_stack *stack)
{
  const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);

  return edge->count + stack->count >= stack->count
         && (!first
             || cgwi_costs_fit (cgwi_table_costs (&p->edges, index),
                                stack->costs, p->n_events));
}

/* Append an edge to the list, if it is new there; add nothing yet.  */
static enum cgw_status
see_edge (struct cgw_profile *p, const struct cgwi_spot *key,
          const struct cgwi_stack *stack)
{
  struct cgwi_seen *s = &p->seen;
  uint32_t index = cgwi_spots_add (&p->edges, &p->w->memory, key);
  struct cgwi_edge *edge;
  bool first;

  if (index == CGWI_TABLE_NONE)
    return CGW_ENOMEM;
  if (is_seen (p, index))
    return CGW_OK;
  if (!reserve_edge (s, &p->w->memory))
    return CGW_ENOMEM;
  first = !is_called (p, key->callee);
  if (!edge_fits (p, index, first, stack))
    return CGW_EOVERFLOW;
  edge = cgwi_table_entry (&p->edges, index);
  edge->seen = s->n;
  if (first)
    s->of_fn[key->callee] = s->n;
  s->edges[s->n++] = index;
  return CGW_OK;
}

struct cgwi_spot
cgwi_frame_key (const struct cgw_profile *p, const struct cgwi_stack *stack,
                size_t i)
{
  const struct cgwi_core *c = &p->w->core;
  struct cgwi_spot key = *cgwi_stack_frame (&p->stacks, stack, i);

  key.fn = cgwi_index (c, UINT32_MAX, key.fn);
  if (key.source != 0)
    key.source = cgwi_index (c, UINT32_MAX, key.source) + 1;
  return key;
}

/* The same, without the function's own file: one edge must not be two, for each
   gets one call.  */
static struct cgwi_spot
key_of (const struct cgw_profile *p, const struct cgwi_stack *stack, size_t i)
{
  struct cgwi_spot key = cgwi_frame_key (p, stack, i);

  key.source = cgwi_source (p, &key);
  return key;
}

/* List the edges of the stack, from its outermost frame to its leaf, whose key
   is returned in *leaf.  */
static enum cgw_status
see_stack (struct cgw_profile *p, const struct cgwi_stack *stack,
           struct cgwi_spot *leaf)
{
  size_t outermost = stack->n_frames - 1;
  enum cgw_status status = cgwi_learn_homes (p);

  if (status != CGW_OK)
    return status;
  if (!cgwi_profile_reserve (p, &p->seen.of_fn, &p->seen.n_fns, p->homes.n))
    return CGW_ENOMEM;
  p->seen.n = 0;
  *leaf = key_of (p, stack, outermost);
  for (size_t i = outermost; i > 0 && status == CGW_OK; i--)
    {
      struct cgwi_spot caller = *leaf;

      *leaf = key_of (p, stack, i - 1);
      caller.callee = leaf->fn;
      status = see_edge (p, &caller, stack);
    }
  return status;
}

/* Add the calls to each listed edge, and the costs to the outermost one into
   each function.  Readers take the sum over a function's callers as its
   inclusive cost (callgrind_annotate even includes its calls to itself), so
   that sum must contain the stack's costs once.  */
static void
add_seen (struct cgw_profile *p, uint64_t count, const uint64_t *cost)
{
  const struct cgwi_seen *s = &p->seen;

  for (uint32_t i = 0; i < s->n; i++)
    {
      struct cgwi_edge *edge = cgwi_table_entry (&p->edges, s->edges[i]);
      edge->count += count;
      if (s->of_fn[edge->key.callee] == i)
        cgwi_add_costs (cgwi_table_costs (&p->edges, s->edges[i]), cost,
                        p->n_events);
    }
}

/* The totals already include the stack.  */
enum cgw_status
cgwi_expand (struct cgw_profile *p, struct cgwi_stack *stack)
{
  uint32_t n_edges = p->edges.n;
  struct cgwi_spot leaf;
  enum cgw_status status = see_stack (p, stack, &leaf);
  uint32_t self = CGWI_TABLE_NONE;

  if (status == CGW_OK)
    {
      self = cgwi_spots_add (&p->self, &p->w->memory, &leaf);
      status = self != CGWI_TABLE_NONE ? CGW_OK : CGW_ENOMEM;
    }
  if (status != CGW_OK)
    {
      cgwi_table_truncate (&p->edges, n_edges);
      return status;
    }
  cgwi_add_costs (cgwi_table_costs (&p->self, self), stack->costs,
                  p->n_events);
  add_seen (p, stack->count, stack->costs);
  stack->count = 0;
  memset (stack->costs, 0, p->n_events * sizeof *stack->costs);
  return CGW_OK;
}

enum cgw_status
cgwi_expand_all (struct cgw_profile *p)
{
  struct cgwi_stack *stack = NULL;
  enum cgw_status status;

  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    if (stack->count != 0 && (status = cgwi_expand (p, stack)) != CGW_OK)
      return status;
  cgwi_stacks_clear (&p->stacks, &p->w->memory);
  return CGW_OK;
}
