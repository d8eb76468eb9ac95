/* merge.c - aggregation: add the sums of one profile to another.

   First all entries and stacks are looked up or added; then, when nothing can
   fail any more, the sums are added.

   SPDX-License-Identifier: MIT  */

#include "sorted.h"
#include "profile.h"

#include <string.h>

struct merge
{
  struct cgw_profile *into;
  struct cgw_profile *from;
  /* Of the names of `from`: their indices in the names of `into`, CGWI_NONE if
     not yet known.  If both use the same names, there are no arrays.  */
  struct cgwi_numbers indices;
  /* By entry of `from`, first the self costs, then the edges: the entry of
     `into`, or CGWI_NONE.  */
  uint32_t *entries;
};

/* Return the index in `into` of a name of `from`, added if need be; CGWI_NONE:
   *status says why not.  */
static uint32_t
unify (struct merge *g, enum cgwi_kind_of_name kind, uint32_t index,
       enum cgw_status *status)
{
  const struct cgwi_name *name = cgwi_name (g->from->names, kind, index);
  uint32_t *known = &g->indices.of[kind][index];
  uint32_t file = 0, object = 0;

  if (*known == CGWI_NONE
      && (kind != CGWI_FNS
          || ((file = unify (g, CGWI_FILES, name->file, status)) != CGWI_NONE
              && (object = unify (g, CGWI_OBJECTS, name->object, status))
                     != CGWI_NONE)))
    /* Not "???" as a text, which would make it an object of the file.  */
    *known = cgwi_add_name (g->into->names, kind,
                            index != CGWI_UNKNOWN ? name->text : NULL,
                            name->length, file, object, status);
  return *known;
}

/* Replace a handle of `from`.  CGW_ENOMEM, CGW_EBUSY.  */
static enum cgw_status
unify_handle (struct merge *g, enum cgwi_kind_of_name kind, uint32_t *handle)
{
  enum cgw_status status = CGW_OK;

  if (*handle != 0 && g->from->names != g->into->names)
    *handle = cgwi_handle (g->into->names,
                           unify (g, kind,
                                  cgwi_index (g->from->names, *handle),
                                  &status));
  return status;
}

/* Return the key in `into` of an entry of `from`.  */
static enum cgw_status
unify_key (struct merge *g, const struct cgwi_table *t, uint32_t i,
           struct cgwi_key *key)
{
  enum cgw_status status;

  *key = *(const struct cgwi_key *) cgwi_table_entry (t, i);
  if ((status = unify_handle (g, CGWI_FNS, &key->fn)) != CGW_OK
      || (status = unify_handle (g, CGWI_FILES, &key->file)) != CGW_OK)
    return status;
  return key->callee != CGWI_NONE ? unify_handle (g, CGWI_FNS, &key->callee)
                                  : CGW_OK;
}

/* Find the entry in `into` of an entry of `from`, unless that is zero.  */
static enum cgw_status
prepare_entry (struct merge *g, const struct cgwi_table *from,
               struct cgwi_table *into, uint32_t i, uint64_t count,
               uint32_t *index)
{
  struct cgwi_key key;
  enum cgw_status status;

  *index = CGWI_NONE;
  if (cgwi_is_zero (g->from, count, cgwi_table_costs (from, i)))
    return CGW_OK;
  if ((status = unify_key (g, from, i, &key)) != CGW_OK)
    return status;
  *index = cgwi_table_add (into, cgwi_memory_of (g->into), &key);
  return *index != CGWI_NONE ? CGW_OK : CGW_ENOMEM;
}

/* Look up or add a stack; a new one has count and costs 0.  Its names were
   checked.  NULL: no memory.  */
static struct cgwi_stack *
find_or_add_stack (struct cgw_profile *p, struct cgwi_frames *f)
{
  struct cgwi_stack *stack = cgwi_stacks_find (&p->stacks, f);

  return stack != NULL ? stack
                       : cgwi_stacks_add (&p->stacks, cgwi_memory_of (p), f);
}

/* Look up or add a stack of `from`.  */
static enum cgw_status
find_stack (struct merge *g, const struct cgwi_stack *stack,
            struct cgwi_stack **found)
{
  enum cgw_status status = CGW_OK;
  struct cgwi_frames f;

  if (!cgwi_take_frames (g->into, g->from, stack, &f))
    return CGW_ENOMEM;
  for (uint32_t i = 0; i < f.n; i++)
    {
      struct cgw_pos *frame = (struct cgw_pos *) g->into->frames.at + i;

      if ((status = unify_handle (g, CGWI_FNS, &frame->fn.handle)) != CGW_OK
          || (status = unify_handle (g, CGWI_FILES, &frame->file.handle))
                 != CGW_OK)
        return status;
    }
  *found = find_or_add_stack (g->into, &f);
  return *found != NULL ? CGW_OK : CGW_ENOMEM;
}

static enum cgw_status
prepare_merge (struct merge *g)
{
  const struct cgw_profile *from = g->from;
  struct cgwi_stack *stack = NULL, *found;
  enum cgw_status status = CGW_OK;

  for (uint32_t i = 0; status == CGW_OK && i < from->self.n; i++)
    status = prepare_entry (g, &from->self, &g->into->self, i, 0,
                            &g->entries[i]);
  for (uint32_t i = 0; status == CGW_OK && i < from->edges.n; i++)
    {
      const struct cgwi_edge *edge = cgwi_table_entry (&from->edges, i);

      status = prepare_entry (g, &from->edges, &g->into->edges, i, edge->count,
                              &g->entries[from->self.n + i]);
    }
  while (status == CGW_OK
         && (stack = cgwi_stacks_next (&from->stacks, stack)) != NULL)
    if (!cgwi_is_zero (from, stack->count, stack->costs))
      status = find_stack (g, stack, &found);
  return status;
}

/* Add all sums.  The stacks are found again: so nothing fails.  */
static void
add_sums (struct merge *g)
{
  struct cgw_profile *into = g->into;
  const struct cgw_profile *from = g->from;
  const uint32_t *entry = g->entries;
  struct cgwi_stack *stack = NULL, *found;

  for (uint32_t i = 0; i < from->self.n; i++, entry++)
    if (*entry != CGWI_NONE)
      cgwi_add_costs (into, cgwi_table_costs (&into->self, *entry),
                      cgwi_table_costs (&from->self, i), from->n_events);
  for (uint32_t i = 0; i < from->edges.n; i++, entry++)
    if (*entry != CGWI_NONE)
      {
        const struct cgwi_edge *more = cgwi_table_entry (&from->edges, i);
        struct cgwi_edge *edge = cgwi_table_entry (&into->edges, *entry);

        cgwi_add_count (into, &edge->count, more->count);
        cgwi_add_costs (into, cgwi_table_costs (&into->edges, *entry),
                        cgwi_table_costs (&from->edges, i), from->n_events);
        cgwi_add_target (edge, more->to_instr, more->to_line);
      }
  while ((stack = cgwi_stacks_next (&from->stacks, stack)) != NULL)
    if (!cgwi_is_zero (from, stack->count, stack->costs)
        && find_stack (g, stack, &found) == CGW_OK)
      {
        cgwi_add_count (into, &found->count, stack->count);
        cgwi_add_costs (into, found->costs, stack->costs, from->n_events);
      }
  cgwi_add_costs (into, into->totals, from->totals, from->n_events);
}

enum cgw_status
cgwi_merge (struct cgw_profile *into, struct cgw_profile *from)
{
  struct merge g = { .into = into, .from = from };
  enum cgw_status status = CGW_ENOMEM;

  g.entries = cgwi_scratch (into, (size_t) from->self.n + from->edges.n,
                           sizeof *g.entries);
  if (g.entries != NULL
      && (into->names == from->names
          || cgwi_make_numbers (&g.indices, from->names, into)))
    status = prepare_merge (&g);
  if (status == CGW_OK)
    {
      add_sums (&g);
      cgwi_inherit (&into->refusals, &from->refusals);
    }
  cgwi_free_scratch (into);
  return status;
}

/* Merge, inside `into`.  */
static enum cgw_status
enter_and_merge (struct cgw_profile *into, struct cgw_profile *from)
{
  enum cgw_status status;

  if (from == NULL)
    return cgwi_fail_null (into, CGWI_ARG_FROM);
  if (from == into)
    return CGWI_FAIL (into, CGW_EINVAL, .reason = CGWI_WHY_SAME,
                      .parameter = CGWI_ARG_INTO_AND_FROM);
  if (into->n_events != from->n_events)
    return CGWI_FAIL (into, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT_NUMBERS,
                      .parameter = CGWI_ARG_THEIR_EVENTS, .a = into->n_events,
                      .b = from->n_events);
  if (into->positions != from->positions)
    return CGWI_FAIL (into, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT,
                      .parameter = CGWI_ARG_THEIR_POSITIONS);
  if (memcmp (into->is_signed, from->is_signed,
              into->n_events * sizeof *into->is_signed) != 0)
    return CGWI_FAIL (into, CGW_EINVAL, .reason = CGWI_WHY_DIFFERENT,
                      .parameter = CGWI_ARG_THEIR_SIGNED);
  if (!cgwi_profile_enter (from))
    return CGW_EBUSY;
  cgwi_profile_sync (from);
  status = cgwi_merge (into, from);
  /* The file of `into` will ask its own names only.  */
  if (status == CGW_OK && into->names != from->names)
    cgwi_inherit (&into->refusals, &from->names->refusals);
  cgwi_profile_leave (from);
  return status;
}

enum cgw_status
cgw_profile_merge (struct cgw_profile *into, struct cgw_profile *from)
{
  enum cgw_status status
      = cgwi_profile_begin (into, CGWI_CALLED_PROFILE_MERGE);

  return status == CGW_OK
             ? cgwi_profile_end (into, CGWI_CALLED_PROFILE_MERGE,
                                 enter_and_merge (into, from))
             : status;
}
