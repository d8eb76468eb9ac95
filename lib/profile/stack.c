/* stack.c - add whole call stacks, and turn them into self costs and calls.

   SPDX-License-Identifier: MIT  */

#include "sums.h"

#include <string.h>

static enum cgw_status
check_frames (struct cgw_profile *p, const struct cgwi_frames *f)
{
  enum cgw_status status = CGW_OK;

  for (uint32_t i = 0; status == CGW_OK && i < f->n; i++)
    status = cgwi_check_names (p, &f->at[i], CGWI_ARG_FRAMES, i);
  return status;
}

static enum cgw_status
add_stack (struct cgw_profile *p, const struct cgw_pos *frames,
           size_t n_frames, uint64_t count, const uint64_t *cost, size_t n)
{
  struct cgwi_frames f = { .at = frames, .n = (uint32_t) n_frames,
                           .root = p->root.handle };
  struct cgwi_stack *stack;
  enum cgw_status status;

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
  if ((stack = cgwi_stacks_find (&p->stacks, &f)) == NULL)
    {
      if ((status = check_frames (p, &f)) != CGW_OK)
        return status;
      stack = cgwi_stacks_add (&p->stacks, cgwi_memory_of (p), &f);
      if (stack == NULL)
        return CGW_ENOMEM;
    }
  cgwi_add_count (p, &stack->count, count);
  cgwi_add_costs (p, stack->costs, cost, n);
  cgwi_add_costs (p, p->totals, cost, n);
  return CGW_OK;
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

/* Expanding.  */

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

/* Append an edge to the list, if it is new there; add nothing yet.  */
static bool
see_edge (struct cgw_profile *p, const struct cgwi_spot *key)
{
  struct cgwi_seen *s = &p->seen;
  uint32_t index = cgwi_table_add (&p->edges, cgwi_memory_of (p), key);
  struct cgwi_edge *edge;

  if (index == CGWI_NONE)
    return false;
  edge = cgwi_table_entry (&p->edges, index);
  if (edge->hint < s->n && listed (p, edge->hint) == edge)
    return true;
  if (!cgwi_grow (cgwi_memory_of (p), &s->edges, s->n + (size_t) 1,
                  sizeof index))
    return false;
  if (!is_called (p, key->callee))
    *first_into (p, key->callee) = s->n;
  edge->hint = s->n;
  ((uint32_t *) s->edges.at)[s->n++] = index;
  return true;
}

/* List the edges of a stack, from its outermost frame to its leaf, whose key
   is returned in *leaf.  False: no memory.  */
static bool
see_stack (struct cgw_profile *p, const struct cgwi_frames *f,
           struct cgwi_spot *leaf)
{
  uint32_t n_fns = atomic_load_explicit (&p->names->tables[CGWI_FNS].n,
                                         memory_order_relaxed);
  uint32_t i = f->n;

  if (!cgwi_reserve_words (cgwi_memory_of (p), &p->seen.of_fn, n_fns))
    return false;
  p->seen.n = 0;
  *leaf = cgwi_checked_key (p, &f->at[--i]);
  while (i > 0)
    {
      struct cgwi_spot caller = *leaf;

      *leaf = cgwi_checked_key (p, &f->at[--i]);
      caller.callee = leaf->fn;
      if (!see_edge (p, &caller))
        return false;
    }
  return true;
}

/* Add the calls to each listed edge, and the costs to the outermost one into
   each function.  Readers take the sum over a function's callers as its
   inclusive cost (callgrind_annotate even includes its calls to itself), so
   that sum must contain the stack's costs once.  */
static void
add_seen (struct cgw_profile *p, const struct cgwi_stack *stack)
{
  for (uint32_t i = 0; i < p->seen.n; i++)
    {
      struct cgwi_edge *edge = listed (p, i);

      cgwi_add_count (p, &edge->count, stack->count);
      if (*first_into (p, edge->key.callee) == i)
        cgwi_add_costs (p, (uint64_t *) (edge + 1), stack->costs,
                        p->n_events);
    }
}

/* Add a stack to the self costs and calls, and leave nothing of it.  False: no
   memory, and nothing was added.  */
static bool
expand (struct cgw_profile *p, struct cgwi_stack *stack)
{
  struct cgwi_frames f;
  struct cgwi_spot leaf;
  uint32_t self;

  if (!cgwi_take_frames (p, p, stack, &f) || !see_stack (p, &f, &leaf)
      || (self = cgwi_table_add (&p->self, cgwi_memory_of (p), &leaf))
             == CGWI_NONE)
    return false;
  cgwi_add_costs (p, cgwi_table_costs (&p->self, self), stack->costs,
                  p->n_events);
  add_seen (p, stack);
  stack->count = 0;
  memset (stack->costs, 0, p->n_events * sizeof *stack->costs);
  return true;
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
cgwi_expand_stacks (struct cgw_profile *p)
{
  struct cgwi_stack *stack = NULL;

  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    if (stack->count != 0 && !expand (p, stack))
      return CGW_ENOMEM;
  cgwi_stacks_clear (&p->stacks, cgwi_memory_of (p));
  return CGW_OK;
}
