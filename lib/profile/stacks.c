/* stacks.c - whole stacks, each once, with a count and costs.

   SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include <string.h>

#define FIRST_SLOTS 64

/* The slots of an empty table, which are only read.  */
static struct cgwi_stack_slot no_slots[2];

void
cgwi_stacks_init (struct cgwi_stacks *s, unsigned positions, size_t n_costs,
                  const struct cgwi_factors *factors)
{
  *s = (struct cgwi_stacks){ .positions = positions, .n_costs = n_costs,
                             .slots = no_slots, .mask = 1 };
  cgwi_table_init (&s->spots, sizeof (struct cgwi_spot), 0, factors);
}

static void
release_slots (struct cgwi_stack_slot *slots, const struct cgwi_memory *m)
{
  if (slots != no_slots)
    cgwi_release (m, slots);
}

void
cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  struct cgwi_stack_slot *old = s->slots;

  s->n = 0;
  s->n_units = 0;
  s->mask = 1;
  s->slots = no_slots;
  cgwi_in_order ();
  release_slots (old, m);
  cgwi_release_array (m, &s->units);
  cgwi_table_clear (&s->spots, m);
}

static struct cgwi_stack *
stack_at (const struct cgwi_stacks *s, size_t unit)
{
  return (void *) ((uint64_t *) s->units.at + unit);
}

static size_t
unit_of (const struct cgwi_stacks *s, const struct cgwi_stack *stack)
{
  return (size_t) ((const uint64_t *) (const void *) stack
                   - (const uint64_t *) s->units.at);
}

struct cgwi_stack *
cgwi_stacks_next (const struct cgwi_stacks *s, const struct cgwi_stack *stack)
{
  size_t unit = stack != NULL ? unit_of (s, stack) + stack->size : 0;

  return unit < s->n_units ? stack_at (s, unit) : NULL;
}

/* Finding.  These are inlined with a constant for the positions: most of the
   time of a stack goes into these loops.  */

static inline __attribute__ ((always_inline)) uint32_t
hash_frames (const struct cgwi_factors *factors, const struct cgwi_frames *f,
             unsigned positions)
{
  const uint64_t names = factors->names, next = factors->instr;
  uint64_t sum = 0;

#pragma GCC unroll 4
  for (const struct cgw_pos *at = f->at, *end = at + f->n; at != end; at++)
    {
      uint64_t line = positions & CGW_LINE ? at->line : 0;
      uint64_t instr = positions & CGW_INSTR ? at->instr : 0;

      if (positions == CGW_INSTR_LINE)
        line *= factors->line;
      sum = sum * next - (cgwi_pos_names (at) * names + line + instr);
    }
  if (f->root != 0) /* as one frame more: merging has it so */
    sum = sum * next - f->root * names;
  return (uint32_t) (cgwi_mix (factors, sum) >> 32);
}

static inline __attribute__ ((always_inline)) bool
same_frames (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
             const struct cgwi_frames *f, unsigned positions)
{
  const uint32_t *kept = (const void *) &stack->costs[s->n_costs];
  const struct cgwi_spot *root;

#pragma GCC unroll 4
  for (const struct cgw_pos *at = f->at, *end = at + f->n; at != end; at++)
    {
      const struct cgwi_spot *spot = cgwi_stacks_spot (s, *kept++);

      if (cgwi_spot_names (spot) != cgwi_pos_names (at)
          || (positions & CGW_LINE && spot->line != at->line)
          || (positions & CGW_INSTR && spot->instr != at->instr))
        return false;
    }
  if (f->root == 0)
    return true;
  root = cgwi_stacks_spot (s, *kept);
  return cgwi_spot_names (root) == f->root && root->line == 0
         && root->instr == 0;
}

static inline __attribute__ ((always_inline)) struct cgwi_stack *
find_with (const struct cgwi_stacks *s, struct cgwi_frames *f,
           unsigned positions)
{
  uint32_t n = f->n + (f->root != 0);
  uint32_t hash = f->hash = hash_frames (&s->spots.factors, f, positions);

  for (uint32_t i = hash & s->mask; s->slots[i].at != 0;
       i = (i + 1) & s->mask)
    if (s->slots[i].hash == hash)
      {
        struct cgwi_stack *stack = stack_at (s, s->slots[i].at - 1);
        if (stack->n_frames == n && same_frames (s, stack, f, positions))
          return stack;
      }
  return NULL;
}

struct cgwi_stack *
cgwi_stacks_find (const struct cgwi_stacks *s, struct cgwi_frames *f)
{
  return s->positions == CGW_LINE    ? find_with (s, f, CGW_LINE)
         : s->positions == CGW_INSTR ? find_with (s, f, CGW_INSTR)
                                     : find_with (s, f, CGW_INSTR_LINE);
}

/* Adding.  */

static void
put_slot (struct cgwi_stacks *s, struct cgwi_stack_slot slot)
{
  uint32_t i = slot.hash & s->mask;

  while (s->slots[i].at != 0)
    i = (i + 1) & s->mask;
  s->slots[i] = slot;
}

static bool
reserve_slot (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  struct cgwi_stack_slot *old = s->slots, *slots;
  size_t n_old = (size_t) s->mask + 1;
  size_t n = old == no_slots ? FIRST_SLOTS : n_old * 2;

  if (old != no_slots && s->n < n_old / 4 * 3)
    return true;
  if (n > (size_t) 1 << 31 || n > SIZE_MAX / 2 / sizeof *slots
      || (slots = cgwi_resize (m, NULL, n * sizeof *slots)) == NULL)
    return false;
  memset (slots, 0, n * sizeof *slots);
  s->slots = slots;
  s->mask = (uint32_t) n - 1;
  for (size_t i = 0; i < n_old; i++)
    if (old[i].at != 0)
      put_slot (s, old[i]);
  release_slots (old, m);
  return true;
}

/* Find where the spot of a frame is, and add it if it is new.  False: no
   memory.  */
static bool
add_frame (struct cgwi_stacks *s, const struct cgwi_memory *m,
           const struct cgw_pos *at, uint32_t *frame)
{
  const uint32_t units = sizeof (struct cgwi_spot) / 8;
  const struct cgwi_spot spot = {
    .fn = at->fn.handle,
    .file = at->file.handle,
    .line = s->positions & CGW_LINE ? at->line : 0,
    .callee = CGWI_NONE,
    .instr = s->positions & CGW_INSTR ? at->instr : 0
  };
  uint32_t index = cgwi_table_add (&s->spots, m, &spot);

  *frame = index * units;
  return index <= UINT32_MAX / units; /* false also without memory */
}

struct cgwi_stack *
cgwi_stacks_add (struct cgwi_stacks *s, const struct cgwi_memory *m,
                 const struct cgwi_frames *f)
{
  const struct cgw_pos root = { .fn = { f->root } };
  uint32_t n = f->n + (f->root != 0);
  size_t size = sizeof (struct cgwi_stack) / 8 + s->n_costs + n / 2 + n % 2;
  size_t unit = s->n_units;
  struct cgwi_stack *stack;
  uint32_t *frames;

  if (unit >= UINT32_MAX || !reserve_slot (s, m)
      || !cgwi_grow (m, &s->units, unit + size, 8))
    return NULL;
  stack = stack_at (s, unit);
  memset (stack, 0, size * 8);
  stack->n_frames = n;
  stack->size = (uint32_t) size;
  frames = (void *) &stack->costs[s->n_costs];
  for (uint32_t i = 0; i < n; i++)
    if (!add_frame (s, m, i < f->n ? &f->at[i] : &root, &frames[i]))
      return NULL;
  s->n_units += size;
  s->n++;
  put_slot (s, (struct cgwi_stack_slot){ f->hash, (uint32_t) unit + 1 });
  return stack;
}
