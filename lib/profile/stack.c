/* stack.c - aggregation: add a whole call stack to a profile.

   SPDX-License-Identifier: MIT  */

#include "profile.h"

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

/* Make room in of_fn for each function of the writer.  */
static bool
reserve_fns (struct cgw_profile *p)
{
  struct cgwi_seen *s = &p->seen;
  uint32_t n = p->w->core.encoder.fns.capacity;
  uint32_t *of_fn;

  if (s->n_fns >= p->w->core.encoder.fns.n)
    return true;
  of_fn = cgwi_resize (&p->w->memory, s->of_fn, n * sizeof *of_fn);
  if (of_fn == NULL)
    return false;
  memset (of_fn + s->n_fns, 0, (n - s->n_fns) * sizeof *of_fn);
  s->of_fn = of_fn;
  s->n_fns = n;
  return true;
}

/* Whether an edge can take one more call and, if it is the first one into its
   function, the cost.  */
static bool
edge_fits (const struct cgw_profile *p, uint32_t index, bool first,
           const uint64_t *cost, size_t n)
{
  const struct cgwi_edge *edge = cgwi_table_entry (&p->edges, index);

  return edge->count < UINT64_MAX
         && (!first
             || cgwi_costs_fit (cgwi_table_costs (&p->edges, index), cost, n));
}

/* Append an edge to the list, if it is new there; add nothing yet.  */
static enum cgw_status
see_edge (struct cgw_profile *p, const struct cgwi_spot *key,
          const uint64_t *cost, size_t n)
{
  struct cgwi_seen *s = &p->seen;
  uint32_t index = cgwi_table_add (&p->edges, &p->w->memory, key);
  struct cgwi_edge *edge;
  bool first;

  if (index == CGWI_TABLE_FULL)
    return CGW_ENOMEM;
  if (is_seen (p, index))
    return CGW_OK;
  if (!reserve_edge (s, &p->w->memory))
    return CGW_ENOMEM;
  first = !is_called (p, key->callee);
  if (!edge_fits (p, index, first, cost, n))
    return CGW_EOVERFLOW;
  edge = cgwi_table_entry (&p->edges, index);
  edge->seen = s->n;
  if (first)
    s->of_fn[key->callee] = s->n;
  s->edges[s->n++] = index;
  return CGW_OK;
}

/* List the edges of the stack, from its outermost frame to its leaf, and
   return the key of the leaf.  */
static enum cgw_status
see_stack (struct cgw_profile *p, const struct cgw_pos *frames,
           size_t n_frames, const uint64_t *cost, size_t n,
           struct cgwi_spot *leaf)
{
  struct cgwi_spot caller;
  enum cgw_status status = cgwi_profile_spot (p, &frames[n_frames - 1], leaf);

  p->seen.n = 0;
  if (status == CGW_OK && !reserve_fns (p))
    status = CGW_ENOMEM;
  for (size_t i = n_frames - 1; i > 0 && status == CGW_OK; i--)
    {
      caller = *leaf;
      status = cgwi_profile_spot (p, &frames[i - 1], leaf);
      caller.callee = leaf->fn;
      if (status == CGW_OK)
        status = see_edge (p, &caller, cost, n);
    }
  return status;
}

/* Add a call to each listed edge, and the cost to the outermost one into each
   function.  Readers take the sum over a function's callers as its inclusive
   cost (callgrind_annotate even includes its calls to itself), so that sum
   must contain the stack's cost once.  */
static void
add_seen (struct cgw_profile *p, const uint64_t *cost, size_t n)
{
  const struct cgwi_seen *s = &p->seen;

  for (uint32_t i = 0; i < s->n; i++)
    {
      struct cgwi_edge *edge = cgwi_table_entry (&p->edges, s->edges[i]);
      edge->count++;
      if (s->of_fn[edge->key.callee] == i)
        cgwi_add_costs (cgwi_table_costs (&p->edges, s->edges[i]), cost, n);
    }
}

static enum cgw_status
stack (struct cgw_profile *p, const struct cgw_pos *frames, size_t n_frames,
       const uint64_t *cost, size_t n)
{
  struct cgwi_spot leaf;
  uint32_t n_edges;
  enum cgw_status status;

  if (frames == NULL || n_frames == 0)
    return CGW_EINVAL;
  if ((status = cgwi_profile_check (p, cost, n)) != CGW_OK
      || (status = cgwi_enter (p->w)) != CGW_OK)
    return status;
  n_edges = p->edges.n;
  status = see_stack (p, frames, n_frames, cost, n, &leaf);
  cgwi_leave (p->w);
  if (status == CGW_OK)
    status = cgwi_profile_add_self (p, &leaf, cost, n);
  if (status == CGW_OK)
    add_seen (p, cost, n);
  else
    cgwi_table_truncate (&p->edges, n_edges);
  return status;
}

enum cgw_status
cgw_profile_stack (struct cgw_profile *p, const struct cgw_pos *frames,
                   size_t n_frames, const uint64_t *cost, size_t n)
{
  return p != NULL
             ? cgwi_profile_keep (p, stack (p, frames, n_frames, cost, n))
             : CGW_EINVAL;
}
