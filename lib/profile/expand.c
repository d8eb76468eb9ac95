/* expand.c - turn whole stacks into self costs and calls.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

#include <string.h>

/* Return the edge that is listed i-th.  */
static struct cgwi_edge *
listed (const struct cgw_profile *p, uint32_t i)
{
  const uint32_t *edges = p->seen.edges.at;

  return cgwi_table_entry (&p->edges, edges[i]);
}

/* Return where the first edge into a function is in the list.  If it has none,
   that is another edge or nowhere.  */
static uint32_t *
first_into (const struct cgw_profile *p, uint32_t fn)
{
  return (uint32_t *) p->seen.of_fn.at + cgwi_index (p->names, fn);
}

/* Whether the list has an edge into this function.  */
static bool
is_called (const struct cgw_profile *p, uint32_t fn)
{
  uint32_t i = *first_into (p, fn);

  return i < p->seen.n && listed (p, i)->key.callee == fn;
}

/* Append an edge to the list, if it is new there; add nothing yet.  If it is
   the first one into its function, it must be able to take the costs, too.  */
static enum cgw_status
see_edge (struct cgw_profile *p, const struct cgwi_spot *key, uint64_t count,
          const uint64_t *cost, size_t n)
{
  struct cgwi_seen *s = &p->seen;
  bool first = !is_called (p, key->callee);
  struct cgwi_edge *edge;
  enum cgw_status status;
  uint32_t index;

  status = cgwi_prepare_edge (p, key, count, cost, first ? n : 0, &index);
  if (status != CGW_OK)
    return status;
  edge = cgwi_table_entry (&p->edges, index);
  if (edge->hint < s->n && listed (p, edge->hint) == edge)
    return CGW_OK;
  if (!cgwi_grow (cgwi_memory_of (p), &s->edges, s->n + (size_t) 1,
                  sizeof index))
    return CGW_ENOMEM;
  if (first)
    *first_into (p, key->callee) = s->n;
  edge->hint = s->n;
  ((uint32_t *) s->edges.at)[s->n++] = index;
  return CGW_OK;
}

/* List the edges of a stack, from its outermost frame to its leaf, whose key
   is returned in *leaf.  */
static enum cgw_status
see_stack (struct cgw_profile *p, const struct cgwi_frames *f, uint64_t count,
           const uint64_t *cost, size_t n, struct cgwi_spot *leaf)
{
  const struct cgw_pos root = { .fn = { f->root } };
  uint32_t n_fns = atomic_load_explicit (&p->names->tables[CGWI_FNS].n,
                                         memory_order_relaxed);
  enum cgw_status status = CGW_OK;
  uint32_t i = f->n;

  if (!cgwi_reserve_words (cgwi_memory_of (p), &p->seen.of_fn, n_fns))
    return CGW_ENOMEM;
  p->seen.n = 0;
  *leaf = cgwi_checked_key (p, f->root != 0 ? &root : &f->at[--i]);
  while (i > 0 && status == CGW_OK)
    {
      struct cgwi_spot caller = *leaf;

      *leaf = cgwi_checked_key (p, &f->at[--i]);
      caller.callee = leaf->fn;
      status = see_edge (p, &caller, count, cost, n);
    }
  return status;
}

/* Add the calls to each listed edge, and the costs to the outermost one into
   each function.  Readers take the sum over a function's callers as its
   inclusive cost (callgrind_annotate even includes its calls to itself), so
   that sum must contain the stack's costs once.  */
static void
add_seen (struct cgw_profile *p, uint64_t count, const uint64_t *cost,
          size_t n)
{
  for (uint32_t i = 0; i < p->seen.n; i++)
    {
      uint32_t index = ((const uint32_t *) p->seen.edges.at)[i];
      bool first = *first_into (p, listed (p, i)->key.callee) == i;

      cgwi_add_calls (p, index, count, cost, first ? n : 0);
    }
}

enum cgw_status
cgwi_expand (struct cgw_profile *p, const struct cgwi_frames *f,
             uint64_t count, const uint64_t *cost, size_t n)
{
  uint32_t n_edges = p->edges.n;
  struct cgwi_spot leaf;
  enum cgw_status status = see_stack (p, f, count, cost, n, &leaf);
  uint32_t self = CGWI_NONE;

  if (status == CGW_OK)
    {
      self = cgwi_table_add (&p->self, cgwi_memory_of (p), &leaf);
      status = self == CGWI_NONE   ? CGW_ENOMEM
               : n > p->n_unsigned ? cgwi_check_sums (
                   p, CGWI_WHY_SELF_OVERFLOW,
                   cgwi_table_costs (&p->self, self), cost, n)
                                   : CGW_OK;
    }
  if (status != CGW_OK)
    {
      cgwi_table_truncate (&p->edges, n_edges);
      return status;
    }
  cgwi_add_costs (cgwi_table_costs (&p->self, self), cost, n);
  add_seen (p, count, cost, n);
  return CGW_OK;
}

bool
cgwi_take_frames (struct cgw_profile *p, const struct cgw_profile *from,
                  const struct cgwi_stack *stack, struct cgwi_frames *f)
{
  struct cgw_pos *frames;

  if (!cgwi_grow (cgwi_memory_of (p), &p->frames, stack->n_frames,
                  sizeof *frames))
    return false;
  frames = p->frames.at;
  *f = (struct cgwi_frames){ .at = frames, .n = stack->n_frames };
  for (uint32_t i = 0; i < f->n; i++)
    frames[i] = cgwi_stack_frame (&from->stacks, stack, i);
  return true;
}

enum cgw_status
cgwi_expand_all (struct cgw_profile *p)
{
  struct cgwi_stack *stack = NULL;
  struct cgwi_frames f;
  enum cgw_status status;

  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    if (stack->count != 0)
      {
        status = cgwi_take_frames (p, p, stack, &f)
                     ? cgwi_expand (p, &f, stack->count, stack->costs,
                                    p->n_events)
                     : CGW_ENOMEM;
        if (status != CGW_OK)
          return status;
        stack->count = 0;
        memset (stack->costs, 0, p->n_events * sizeof *stack->costs);
      }
  cgwi_stacks_clear (&p->stacks, cgwi_memory_of (p));
  return CGW_OK;
}
