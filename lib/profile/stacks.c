/* stacks.c - whole stacks, each once, with a count and costs.

   SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include <string.h>

#define FIRST_SLOTS 64

/* The slots of an empty table, which are only read.  */
static struct cgwi_stack_slot no_slots[2];

void
cgwi_stacks_init (struct cgwi_stacks *s, unsigned positions, size_t n_costs)
{
  memset (s, 0, sizeof *s);
  s->positions = positions;
  s->n_costs = n_costs;
  s->slots = no_slots;
  s->mask = 1;
  cgwi_spots_init (&s->spots, sizeof (struct cgwi_spot), 0);
}

void
cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  if (s->slots != no_slots)
    cgwi_release (m, s->slots);
  cgwi_release (m, s->units);
  cgwi_table_clear (&s->spots, m);
  cgwi_stacks_init (s, s->positions, s->n_costs);
}

static struct cgwi_stack *
stack_at (const struct cgwi_stacks *s, size_t unit)
{
  return (struct cgwi_stack *) (void *) &s->units[unit];
}

static size_t
unit_of (const struct cgwi_stacks *s, const struct cgwi_stack *stack)
{
  return (size_t) ((const uint64_t *) (const void *) stack - s->units);
}

struct cgwi_stack *
cgwi_stacks_next (const struct cgwi_stacks *s, const struct cgwi_stack *stack)
{
  size_t unit = stack != NULL ? unit_of (s, stack) + stack->size : 0;

  return unit < s->n_units ? stack_at (s, unit) : NULL;
}

/* Finding.  These are inlined with a constant for the positions: most of the
   time of a stack goes into these loops.  */

static inline uint64_t
names_of (const struct cgw_pos *at)
{
  return (uint64_t) at->file.handle << 32 | at->fn.handle;
}

static inline __attribute__ ((always_inline)) uint32_t
hash_frames (const struct cgwi_frames *f, unsigned positions)
{
  uint64_t sum = 0;

#pragma GCC unroll 4
  for (const struct cgw_pos *at = f->at, *end = at + f->n; at != end; at++)
    {
      sum += names_of (at) * UINT64_C (0xd6e8feb86659fd93);
      sum += positions & CGW_LINE ? at->line : 0;
      sum += positions & CGW_INSTR ? at->instr : 0;
      sum *= UINT64_C (0x9e3779b97f4a7c15);
    }
  if (f->root != 0) /* as one frame more: merging has it so */
    sum = (sum + f->root * UINT64_C (0xd6e8feb86659fd93))
          * UINT64_C (0x9e3779b97f4a7c15);
  return (uint32_t) (cgwi_mix (sum) >> 32);
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

      if (cgwi_spot_names (spot) != names_of (at)
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
  uint32_t hash = f->hash = hash_frames (f, positions);

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
  uint32_t n = s->slots == no_slots ? FIRST_SLOTS : (s->mask + 1) * 2;
  struct cgwi_stacks old = *s;

  if (s->n < s->most)
    return true;
  if (n == 0 || (size_t) n * sizeof *s->slots / n != sizeof *s->slots
      || (s->slots = cgwi_resize (m, NULL, n * sizeof *s->slots)) == NULL)
    {
      s->slots = old.slots;
      return false;
    }
  memset (s->slots, 0, n * sizeof *s->slots);
  s->mask = n - 1;
  s->most = n / 4 * 3;
  for (size_t i = 0; i <= old.mask; i++)
    if (old.slots[i].at != 0)
      put_slot (s, old.slots[i]);
  if (old.slots != no_slots)
    cgwi_release (m, old.slots);
  return true;
}

/* Make room for units.  A quarter more: they are most of the memory.  */
static bool
reserve_units (struct cgwi_stacks *s, const struct cgwi_memory *m, size_t more)
{
  size_t capacity = s->capacity + s->capacity / 4 + more;
  uint64_t *units;

  if (s->capacity - s->n_units >= more)
    return true;
  if (capacity < more || capacity > SIZE_MAX / sizeof *units)
    return false;
  units = cgwi_resize (m, s->units, capacity * sizeof *units);
  if (units == NULL)
    return false;
  s->units = units;
  s->capacity = capacity;
  return true;
}

/* Find where the spot of a frame is, and add it if it is new.  False: no
   memory.  */
static bool
add_frame (struct cgwi_stacks *s, const struct cgwi_memory *m,
           const struct cgw_pos *at, uint32_t *frame)
{
  uint32_t units = sizeof (struct cgwi_spot) / 8, index;
  struct cgwi_spot spot = {
    .fn = at->fn.handle,
    .source = at->file.handle,
    .line = s->positions & CGW_LINE ? at->line : 0,
    .callee = CGWI_TABLE_NONE,
    .instr = s->positions & CGW_INSTR ? at->instr : 0
  };

  index = cgwi_spots_add (&s->spots, m, &spot);
  if (index > UINT32_MAX / units) /* also if there is no memory */
    return false;
  *frame = index * units;
  return true;
}

struct cgwi_stack *
cgwi_stacks_push (struct cgwi_stacks *s, const struct cgwi_memory *m,
                  const struct cgwi_frames *f)
{
  const struct cgw_pos root = { .fn = { f->root } };
  uint32_t n = f->n + (f->root != 0);
  size_t size = sizeof (struct cgwi_stack) / 8 + s->n_costs + (n + 1) / 2;
  struct cgwi_stack *stack;
  uint32_t *frames;

  if (!reserve_units (s, m, size) || s->n_units >= UINT32_MAX)
    return NULL;
  stack = stack_at (s, s->n_units);
  memset (stack, 0, size * 8);
  stack->n_frames = n;
  stack->size = (uint32_t) size;
  frames = (uint32_t *) (void *) &stack->costs[s->n_costs];
  for (uint32_t i = 0; i < n; i++)
    if (!add_frame (s, m, i < f->n ? &f->at[i] : &root, &frames[i]))
      return NULL;
  s->n_units += size;
  return stack;
}

void
cgwi_stacks_drop (struct cgwi_stacks *s, const struct cgwi_stack *last)
{
  s->n_units = unit_of (s, last);
}

struct cgwi_stack *
cgwi_stacks_add (struct cgwi_stacks *s, const struct cgwi_memory *m,
                 const struct cgwi_frames *f)
{
  struct cgwi_stack *stack
      = reserve_slot (s, m) ? cgwi_stacks_push (s, m, f) : NULL;

  if (stack == NULL)
    return NULL;
  put_slot (s, (struct cgwi_stack_slot){ f->hash,
                                         (uint32_t) unit_of (s, stack) + 1 });
  s->n++;
  return stack;
}
