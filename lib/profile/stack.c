/* stack.c - aggregation: add a whole call stack to a profile.

   SPDX-License-Identifier: MIT  */

#include "expand.h"

/* The frames of a stack as the caller gave them, and the root's, which is
   outermost.  */
struct frames
{
  const struct cgw_pos *at;
  size_t n; /* without the root */
  bool has_root;
  struct cgwi_spot root;
  uint64_t hash;
};

static inline uint64_t
names_of (const struct cgw_pos *pos)
{
  return (uint64_t) pos->file.handle << 32 | pos->fn.handle;
}

static struct frames
take_frames (const struct cgw_profile *p, const struct cgw_pos *frames,
             size_t n)
{
  return (struct frames){
    .at = frames,
    .n = n,
    .has_root = p->has_root,
    .root = { .fn = p->root.handle, .callee = CGWI_NONE }
  };
}

/* The next three are inlined with a constant for the positions: most of the
   time of a stack goes into these loops.  */

static inline __attribute__ ((always_inline)) uint64_t
hash_frames (const struct frames *f, unsigned positions)
{
  uint64_t hash = f->has_root ? (uint64_t) f->root.fn + 1 : 0;

  for (size_t i = 0; i < f->n; i++)
    hash = (hash
            + cgwi_sum_words (names_of (&f->at[i]),
                              positions & CGW_LINE ? f->at[i].line : 0,
                              positions & CGW_INSTR ? f->at[i].instr : 0))
           * UINT64_C (0x9e3779b97f4a7c15);
  return cgwi_mix (hash);
}

static inline __attribute__ ((always_inline)) bool
same_frames (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
             const struct frames *f, unsigned positions)
{
  const struct cgwi_spot *spots = (const void *) s->spots.entries;
  const uint32_t *frames = s->frames + stack->first;

  if (stack->hash != f->hash || stack->n_frames != f->n + f->has_root)
    return false;
  for (size_t i = 0; i < f->n; i++)
    {
      const struct cgwi_spot *kept = &spots[frames[i]];
      if (cgwi_spot_names (kept) != names_of (&f->at[i])
          || (positions & CGW_LINE && kept->line != f->at[i].line)
          || (positions & CGW_INSTR && kept->instr != f->at[i].instr))
        return false;
    }
  return !f->has_root || cgwi_spot_equal (&spots[frames[f->n]], &f->root);
}

static inline __attribute__ ((always_inline)) uint32_t
find_with (const struct cgwi_stacks *s, struct frames *f, unsigned positions)
{
  struct cgwi_probe probe;
  uint32_t index;

  f->hash = hash_frames (f, positions);
  probe = cgwi_probe_start (&s->table, f->hash);
  do
    index = cgwi_probe_next (&s->table, &probe);
  while (index != CGWI_TABLE_NONE
         && !same_frames (s, cgwi_stacks_at (s, index), f, positions));
  return index;
}

static uint32_t
find (const struct cgw_profile *p, struct frames *f)
{
  return p->positions == CGW_LINE    ? find_with (&p->stacks, f, CGW_LINE)
         : p->positions == CGW_INSTR ? find_with (&p->stacks, f, CGW_INSTR)
                                     : find_with (&p->stacks, f,
                                                  CGW_INSTR_LINE);
}

/* Return the caller's frame as it is kept.  */
static struct cgwi_spot
kept_frame (const struct cgw_profile *p, const struct cgw_pos *pos)
{
  return (struct cgwi_spot){
    .fn = pos->fn.handle,
    .source = pos->file.handle,
    .line = pos->line & p->line_mask,
    .callee = CGWI_NONE,
    .instr = pos->instr & p->instr_mask
  };
}

static enum cgw_status
push_frames (struct cgw_profile *p, const struct frames *f)
{
  struct cgwi_spot key;

  for (size_t i = 0; i < f->n; i++)
    {
      struct cgwi_spot frame = kept_frame (p, &f->at[i]);

      if (cgwi_profile_spot (p, &f->at[i], &key) != CGW_OK)
        return CGW_EHANDLE;
      if (!cgwi_stacks_push (&p->stacks, &p->w->memory, &frame))
        return CGW_ENOMEM;
    }
  return f->has_root && !cgwi_stacks_push (&p->stacks, &p->w->memory, &f->root)
             ? CGW_ENOMEM
             : CGW_OK;
}

/* Add a stack without costs.  CGW_EHANDLE, CGW_ENOMEM.  */
static enum cgw_status
add_new (struct cgw_profile *p, const struct frames *f)
{
  size_t n = f->n + f->has_root;
  size_t before = p->stacks.n_frames;
  enum cgw_status status;

  if (n > UINT32_MAX || !cgwi_stacks_reserve (&p->stacks, &p->w->memory, n))
    return CGW_ENOMEM;
  status = push_frames (p, f);
  if (status == CGW_OK)
    cgwi_stacks_end (&p->stacks, f->hash, (uint32_t) n);
  else
    cgwi_stacks_drop (&p->stacks, p->stacks.n_frames - before);
  return status;
}

static void
add_sums (struct cgw_profile *p, uint32_t index, uint64_t count,
          const uint64_t *cost, size_t n)
{
  cgwi_stacks_at (&p->stacks, index)->count += count;
  cgwi_add_costs (cgwi_table_costs (&p->stacks.table, index), cost, n);
}

/* Keep a stack.  Its sums fit, because those of no edge can overflow.  */
static enum cgw_status
keep (struct cgw_profile *p, struct frames *f, uint64_t count,
      const uint64_t *cost, size_t n)
{
  uint32_t index = find (p, f);
  enum cgw_status status = CGW_OK;

  if (index == CGWI_TABLE_NONE)
    {
      status = add_new (p, f);
      index = p->stacks.table.n - 1;
    }
  if (status == CGW_OK)
    add_sums (p, index, count, cost, n);
  return status;
}

/* Add a stack to the tables of self costs and edges.  */
static enum cgw_status
expand (struct cgw_profile *p, const struct frames *f, uint64_t count,
        const uint64_t *cost, size_t n)
{
  uint32_t last = p->stacks.table.n;
  enum cgw_status status = add_new (p, f);

  if (status != CGW_OK)
    return status;
  add_sums (p, last, count, cost, n);
  status = cgwi_expand_last (p);
  if (status != CGW_OK)
    cgwi_stacks_truncate (&p->stacks, last);
  return status;
}

/* Whether no edge can overflow if this stack is added, too.  */
static bool
is_bounded (const struct cgw_profile *p, uint64_t count, const uint64_t *cost,
            size_t n)
{
  if (p->exact || p->n_calls + count < count)
    return false;
  for (size_t i = 0; i < n; i++)
    if (p->totals[i] + cost[i] + p->called[i] < p->called[i])
      return false;
  return true;
}

static enum cgw_status
stack_inside (struct cgw_profile *p, const struct cgw_pos *frames,
              size_t n_frames, uint64_t count, const uint64_t *cost, size_t n)
{
  enum cgw_status status = cgwi_profile_check (p, cost, n);
  struct frames f;

  if (frames == NULL || n_frames == 0 || count == 0)
    return CGW_EINVAL;
  if (status != CGW_OK)
    return status;
  if (!cgwi_costs_fit (p->totals, cost, n))
    return CGW_EOVERFLOW;
  f = take_frames (p, frames, n_frames);
  if (is_bounded (p, count, cost, n))
    {
      status = keep (p, &f, count, cost, n);
      p->n_calls += status == CGW_OK ? count : 0;
    }
  else
    {
      p->exact = true;
      status = cgwi_expand_all (p);
      if (status == CGW_OK)
        status = expand (p, &f, count, cost, n);
    }
  if (status == CGW_OK)
    cgwi_add_costs (p->totals, cost, n);
  return status;
}

enum cgw_status
cgw_profile_stack (struct cgw_profile *p, const struct cgw_pos *frames,
                   size_t n_frames, uint64_t count, const uint64_t *cost,
                   size_t n)
{
  enum cgw_status status;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return cgwi_profile_refuse (p, CGW_EBUSY);
  status = stack_inside (p, frames, n_frames, count, cost, n);
  cgwi_profile_leave (p);
  return status == CGW_OK ? CGW_OK : cgwi_profile_refuse (p, status);
}

enum cgw_status
cgw_profile_set_root (struct cgw_profile *p, struct cgw_fn root)
{
  struct cgw_pos pos = { .fn = root };
  struct cgwi_spot key;

  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return CGW_EBUSY;
  if (cgwi_profile_spot (p, &pos, &key) != CGW_OK)
    {
      cgwi_profile_leave (p);
      return CGW_EHANDLE;
    }
  p->root = root;
  p->has_root = true;
  cgwi_profile_leave (p);
  return CGW_OK;
}
