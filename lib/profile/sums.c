/* sums.c - aggregation: sum costs per position and calls per edge.

   SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <string.h>

/* Add the first costs, as many as do not overflow, to an entry and to the
   totals; return how many.  A position's sums never exceed the totals.  */
static inline size_t
add_to (struct cgw_profile *p, uint32_t index, const uint64_t *cost, size_t n)
{
  uint64_t *sums = cgwi_table_costs (&p->self, index);

  for (size_t i = 0; i < n; i++)
    {
      uint64_t total;

      if (__builtin_add_overflow (p->totals[i], cost[i], &total))
        return i;
      p->totals[i] = total;
      sums[i] += cost[i];
    }
  return n;
}

enum cgw_status
cgwi_add_self (struct cgw_profile *p, const struct cgwi_key *key,
               const uint64_t *cost, size_t first, size_t n)
{
  uint32_t index = cgwi_table_add (&p->self, cgwi_memory_of (p), key);

  if (index == CGWI_NONE)
    return CGW_ENOMEM;
  for (size_t i = first; i < n; i++)
    {
      cgwi_add_cost (p, &cgwi_table_costs (&p->self, index)[i], i, cost[i]);
      cgwi_add_cost (p, &p->totals[i], i, cost[i]);
    }
  return CGW_OK;
}

/* Add self costs from the first-th on, inside.  */
static enum cgw_status
add_self (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t first, size_t n)
{
  enum cgw_status status;
  struct cgwi_key key;

  if (pos == NULL)
    return cgwi_fail_null (p, CGWI_ARG_POS);
  if ((status = cgwi_check_costs (p, cost, n, p->n_events)) != CGW_OK
      || (status = cgwi_take_pos (p, pos, CGWI_ARG_POS, &key)) != CGW_OK)
    return status;
  return cgwi_add_self (p, &key, cost, first, n);
}

/* The slow path of cgw_profile_cost: a new position, an overflow, which may be
   that of a signed event, or an error.  */
static __attribute__ ((noinline)) enum cgw_status
add_slow (struct cgw_profile *p, const struct cgw_pos *pos,
          const uint64_t *cost, size_t n, size_t first)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_COST);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_COST,
                                 add_self (p, pos, cost, first, n))
             : status;
}

/* Add a position that the profile does not have, inside, and leave; in few
   instructions if it needs no memory, so that processors look up the next one
   before the cache miss of this one ends.  */
static __attribute__ ((noinline)) enum cgw_status
add_new (struct cgw_profile *p, const struct cgw_pos *pos,
         const uint64_t *cost, size_t n)
{
  struct cgwi_key key = cgwi_key (p, pos, pos->fn.handle);
  size_t added = 0;
  bool fast = cgwi_table_has_room (&p->self) && cgwi_is_checked (p, &key);

  if (fast)
    added = add_to (p, cgwi_table_append (&p->self, &key), cost, n);
  cgwi_profile_leave (p);
  return fast && added == n ? CGW_OK : add_slow (p, pos, cost, n, added);
}

/* Add to a position that the profile has, in few instructions: no call, so no
   register has to be saved.  */
enum cgw_status
cgw_profile_cost (struct cgw_profile *p, const struct cgw_pos *pos,
                  const uint64_t *cost, size_t n)
{
  struct cgwi_key key;
  uint32_t index;
  size_t added;

  if (p == NULL || pos == NULL || cost == NULL || n > p->n_events
      || !cgwi_profile_enter (p))
    return add_slow (p, pos, cost, n, 0);
  key = cgwi_key (p, pos, pos->fn.handle);
  index = cgwi_table_find (&p->self, &key);
  if (index == CGWI_NONE)
    return add_new (p, pos, cost, n);
  added = add_to (p, index, cost, n);
  cgwi_profile_leave (p);
  return added == n ? CGW_OK : add_slow (p, pos, cost, n, added);
}

/* `p` is const for the caller, but not the refusal that it keeps.  */
CGWI_COLD enum cgw_status
cgw_profile_total (const struct cgw_profile *const_p, uint64_t *costs,
                   size_t n)
{
  struct cgw_profile *p = (void *) (uintptr_t) const_p;
  enum cgw_status status
      = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_TOTAL);

  if (status != CGW_OK)
    return status;
  if (costs == NULL && n != 0)
    return cgwi_profile_end (p, CGWI_CALLED_PROFILE_TOTAL,
                             cgwi_fail_null (p, CGWI_ARG_COSTS));
  for (size_t i = 0; i < n; i++)
    costs[i] = i < p->n_events ? p->totals[i] : 0;
  return cgwi_profile_end (p, CGWI_CALLED_PROFILE_TOTAL, CGW_OK);
}

/* Calls.  */

enum cgw_status
cgwi_add_calls (struct cgw_profile *p, const struct cgwi_key *key,
                const struct cgwi_edge *more, const uint64_t *cost, size_t n)
{
  uint32_t index = cgwi_table_add (&p->edges, cgwi_memory_of (p), key);
  struct cgwi_edge *edge;

  if (index == CGWI_NONE)
    return CGW_ENOMEM;
  edge = cgwi_table_entry (&p->edges, index);
  cgwi_add_count (p, &edge->count, more->count);
  cgwi_add_costs (p, cgwi_table_costs (&p->edges, index), cost, n);
  cgwi_add_target (edge, more->to_instr, more->to_line);
  return CGW_OK;
}

static enum cgw_status
add_call (struct cgw_profile *p, const struct cgw_pos *from,
          const struct cgw_pos *to, uint64_t count, const uint64_t *cost,
          size_t n)
{
  struct cgwi_key key, target;
  enum cgw_status status;

  if (from == NULL || to == NULL)
    return cgwi_fail_null (p, from == NULL ? CGWI_ARG_FROM : CGWI_ARG_TO);
  if ((status = cgwi_check_costs (p, cost, n, p->n_events)) != CGW_OK
      || (status = cgwi_take_pos (p, from, CGWI_ARG_FROM, &key)) != CGW_OK
      || (status = cgwi_take_pos (p, to, CGWI_ARG_TO, &target)) != CGW_OK)
    return status;
  key.callee = target.fn;
  return cgwi_add_calls (p, &key,
                         &(struct cgwi_edge){ .count = count,
                                              .to_instr = target.instr,
                                              .to_line = target.line },
                         cost, n);
}

enum cgw_status
cgw_profile_call (struct cgw_profile *p, const struct cgw_pos *from,
                  const struct cgw_pos *to, uint64_t count,
                  const uint64_t *inclusive_cost, size_t n)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_CALL);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_CALL,
                                 add_call (p, from, to, count, inclusive_cost,
                                           n))
             : status;
}

static enum cgw_status
check_frames (struct cgw_profile *p, const struct cgwi_frames *f)
{
  enum cgw_status status = CGW_OK;

  for (uint32_t i = 0; status == CGW_OK && i < f->n; i++)
    status = cgwi_check_names (p, &f->at[i], CGWI_ARG_FRAME, i);
  return status;
}

/* Count calls of the leaf by its caller alone.  They have no inclusive cost
   here, because that comes with the stack.  CGW_ENOMEM.  */
static enum cgw_status
add_leaf_calls (struct cgw_profile *p, const struct cgwi_frames *f,
                uint64_t count)
{
  const struct cgw_pos root = { .fn = { f->root } };
  struct cgwi_key key;

  if (f->n == 1 && f->root == 0)
    return CGW_OK;
  key = cgwi_checked_key (p, f->n > 1 ? &f->at[1] : &root);
  key.callee = cgwi_known_fn (p, f->at[0].fn.handle);
  return cgwi_add_calls (p, &key, &(struct cgwi_edge){ .count = count }, NULL,
                         0);
}

/* Add a stack whose calls are all counted, or those of its leaf alone.  */
static enum cgw_status
add_stack (struct cgw_profile *p, const struct cgw_pos *frames,
           size_t n_frames, uint64_t count, uint64_t leaf_count,
           const uint64_t *cost, size_t n)
{
  struct cgwi_frames f = { .at = frames, .n = (uint32_t) n_frames,
                           .root = p->root.handle };
  struct cgwi_stack *stack;
  enum cgw_status status;

  if (frames == NULL)
    return cgwi_fail_null (p, CGWI_ARG_FRAMES);
  if (n_frames == 0)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_ZERO,
                      .parameter = CGWI_ARG_N_FRAMES);
  if ((status = cgwi_check_costs (p, cost, n, p->n_events)) != CGW_OK)
    return status;
  if (n_frames > UINT32_MAX - 16) /* hashing adds a few, in 32 bits */
    return CGW_ENOMEM;
  if ((stack = cgwi_stacks_find (&p->stacks, &f)) == NULL)
    {
      if ((status = check_frames (p, &f)) != CGW_OK)
        return status;
      stack = cgwi_stacks_add (&p->stacks, cgwi_memory_of (p), &f);
      if (stack == NULL)
        return CGW_ENOMEM;
    }
  if (leaf_count != 0
      && (status = add_leaf_calls (p, &f, leaf_count)) != CGW_OK)
    return status;
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
                                 add_stack (p, frames, n_frames, count, 0,
                                            cost, n))
             : status;
}

enum cgw_status
cgw_profile_node (struct cgw_profile *p, const struct cgw_pos *frames,
                  size_t n_frames, uint64_t count, const uint64_t *cost,
                  size_t n)
{
  enum cgw_status status = cgwi_profile_begin (p, CGWI_CALLED_PROFILE_NODE);

  return status == CGW_OK
             ? cgwi_profile_end (p, CGWI_CALLED_PROFILE_NODE,
                                 add_stack (p, frames, n_frames, 0, count,
                                            cost, n))
             : status;
}

/* Expanding.  */

/* Return the edge that is listed i-th.  */
static struct cgwi_edge *
listed (const struct cgw_profile *p, uint32_t i)
{
  const uint32_t *edges = p->listed.edges.at;

  return cgwi_table_entry (&p->edges, edges[i]);
}

/* Return where the first edge into a function is in the list.  If it has none,
   that is another edge or nowhere.  */
static uint32_t *
first_into (const struct cgw_profile *p, uint32_t fn)
{
  return (uint32_t *) p->listed.of_fn.at + cgwi_index (p->names, fn);
}

/* Whether the list has an edge into this function.  */
static bool
is_called (const struct cgw_profile *p, uint32_t fn)
{
  uint32_t i = *first_into (p, fn);

  return i < p->listed.n && listed (p, i)->key.callee == fn;
}

/* Append an edge to the list, if it is new there; add nothing yet.  */
static bool
list_edge (struct cgw_profile *p, const struct cgwi_key *key)
{
  struct cgwi_edge_list *s = &p->listed;
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
list_stack (struct cgw_profile *p, const struct cgwi_frames *f,
            struct cgwi_key *leaf)
{
  uint32_t n_fns = atomic_load_explicit (&p->names->tables[CGWI_FNS].n,
                                         memory_order_relaxed);
  uint32_t i = f->n;

  if (!cgwi_reserve_words (cgwi_memory_of (p), &p->listed.of_fn, n_fns))
    return false;
  p->listed.n = 0;
  *leaf = cgwi_checked_key (p, &f->at[--i]);
  while (i > 0)
    {
      struct cgwi_key caller = *leaf;

      *leaf = cgwi_checked_key (p, &f->at[--i]);
      caller.callee = leaf->fn;
      if (!list_edge (p, &caller))
        return false;
    }
  return true;
}

/* Add the calls to each listed edge, and the costs to the outermost one into
   each function.  Readers take the sum over a function's callers as its
   inclusive cost (callgrind_annotate even includes its calls to itself), so
   that sum must contain the stack's costs once.  */
static void
add_listed (struct cgw_profile *p, const struct cgwi_stack *stack)
{
  for (uint32_t i = 0; i < p->listed.n; i++)
    {
      struct cgwi_edge *edge = listed (p, i);

      cgwi_add_count (p, &edge->count, stack->count);
      if (*first_into (p, edge->key.callee) == i)
        cgwi_add_costs (p, (uint64_t *) (edge + 1), stack->costs,
                        p->n_events);
    }
}

/* Add a stack of `from` to the self costs and calls.  False: no memory.  */
static bool
expand_stack (struct cgw_profile *p, const struct cgw_profile *from,
              const struct cgwi_stack *stack)
{
  struct cgwi_frames f;
  struct cgwi_key leaf;
  uint32_t self;

  if (!cgwi_take_frames (p, from, stack, &f) || !list_stack (p, &f, &leaf)
      || (self = cgwi_table_add (&p->self, cgwi_memory_of (p), &leaf))
             == CGWI_NONE)
    return false;
  cgwi_add_costs (p, cgwi_table_costs (&p->self, self), stack->costs,
                  p->n_events);
  add_listed (p, stack);
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

const struct cgw_profile *
cgwi_expand_stacks (struct cgw_profile *p)
{
  const struct cgwi_memory *m = cgwi_memory_of (p);
  const struct cgwi_stack *stack = NULL;
  struct cgw_profile *sums;

  if (p->stacks.n == 0)
    return p;
  if (cgwi_profile_make_like (&p->expanded, p) != CGW_OK)
    return NULL;
  sums = p->expanded;
  if (!cgwi_table_copy (&sums->self, m, &p->self)
      || !cgwi_table_copy (&sums->edges, m, &p->edges))
    return NULL;
  while ((stack = cgwi_stacks_next (&p->stacks, stack)) != NULL)
    if (!cgwi_is_zero (p, stack->count, stack->costs)
        && !expand_stack (sums, p, stack))
      return NULL;
  cgwi_inherit (&p->refusals, &sums->refusals);
  return sums;
}
