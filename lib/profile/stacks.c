/* stacks.c - whole stacks, each once, with a count and costs.

   SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include <string.h>

#define FIRST_STACK_SLOTS 64

/* The slots of an empty table, which are only read.  */
static struct cgwi_stack_slot no_stack_slots[2];

void
cgwi_stacks_init (struct cgwi_stacks *s, unsigned positions, size_t n_costs,
                  const struct cgwi_factors *factors)
{
  *s = (struct cgwi_stacks){ .line_mask
                             = positions & CGW_LINE ? UINT32_MAX : 0,
                             .instr_mask
                             = positions & CGW_INSTR ? UINT64_MAX : 0,
                             .n_costs = n_costs,
                             .slots = no_stack_slots,
                             .mask = 1 };
  cgwi_table_init (&s->keys, sizeof (struct cgwi_key), 0, factors);
}

static void
release_stack_slots (struct cgwi_stack_slot *slots,
                     const struct cgwi_memory *m)
{
  if (slots != no_stack_slots)
    cgwi_release (m, slots);
}

void
cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  struct cgwi_stack_slot *old = s->slots;

  s->n = 0;
  s->n_units = 0;
  s->mask = 1;
  s->slots = no_stack_slots;
  cgwi_in_order ();
  release_stack_slots (old, m);
  cgwi_release_array (m, &s->units);
  cgwi_table_clear (&s->keys, m);
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

/* Finding.  */

/* How many frames a sample of a stack has, at most.  */
#define SAMPLE 8

/* Hash one frame more, or the root.  Each product hides what the caller chooses
   by a secret, and spreads all bits of the frames before: so differences of one
   frame cannot be made up for in another one.  */
static inline uint64_t
hash_frame (const struct cgwi_factors *secret, uint64_t sum, uint64_t names,
            uint32_t line, uint64_t instr)
{
  return cgwi_fold (sum ^ names ^ secret->names,
                    (line * secret->line + instr) ^ secret->instr);
}

/* Hash n frames, at most f->n, of which only every step-th.  */
static inline __attribute__ ((always_inline)) uint64_t
hash_frames (const struct cgwi_stacks *s, const struct cgwi_frames *f,
             uint32_t n, uint32_t step)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; i < n; i += step)
    {
      const struct cgw_pos *at = &f->at[i];

      sum = hash_frame (&s->keys.factors, sum, cgwi_pos_names (at),
                        at->line & s->line_mask, at->instr & s->instr_mask);
    }
  return sum;
}

static uint32_t
upper_half (const struct cgwi_stacks *s, uint64_t sum)
{
  return (uint32_t) (cgwi_mix (&s->keys.factors, sum) >> 32);
}

/* Hash a sample of n frames.  The outermost one is not in it, because it may
   be the root.  */
static inline uint32_t
hash_sample (const struct cgwi_stacks *s, const struct cgwi_frames *f,
             uint32_t n)
{
  return upper_half (s, n + hash_frames (s, f, n > 1 ? n - 1 : 1,
                                         (n + SAMPLE - 1) / SAMPLE));
}

/* Hash all frames.  */
static __attribute__ ((noinline)) uint32_t
hash_all (const struct cgwi_stacks *s, const struct cgwi_frames *f)
{
  uint64_t sum = hash_frames (s, f, f->n, 1);

  if (f->root != 0) /* as one frame more: merging has it so */
    sum = hash_frame (&s->keys.factors, sum, f->root, 0, 0);
  return upper_half (s, sum);
}

/* Names, line, and a word that does not count, of a position or a key.  */
typedef uint32_t quad
    __attribute__ ((vector_size (16), aligned (4), may_alias));

/* Without a branch for each frame: nearly all stacks that are compared are
   equal.  */
static inline bool
same_frames (const struct cgwi_stacks *s, const struct cgwi_stack *stack,
             const struct cgwi_frames *f)
{
  const uint32_t *kept = (const void *) &stack->costs[s->n_costs];
  const struct cgwi_key *key;
  uint64_t instr = 0;
  quad differ = { 0 };

#pragma GCC unroll 4
  for (const struct cgw_pos *at = f->at, *end = at + f->n; at != end; at++)
    {
      key = cgwi_stacks_key (s, *kept++);
      differ |= *(const quad *) (const void *) at
                ^ *(const quad *) (const void *) key;
      instr |= at->instr ^ key->instr;
    }
  if ((differ[0] | differ[1] | (differ[2] & s->line_mask)) != 0
      || (instr & s->instr_mask) != 0)
    return false;
  if (f->root == 0)
    return true;
  key = cgwi_stacks_key (s, *kept);
  return cgwi_key_names (key) == f->root && key->line == 0
         && key->instr == 0;
}

/* Return the stack of n frames that is kept by that hash, or NULL; then *used
   is whether another one is.  */
static inline __attribute__ ((always_inline)) struct cgwi_stack *
find_by (const struct cgwi_stacks *s, const struct cgwi_frames *f, uint32_t n,
         uint32_t hash, bool *used)
{
  *used = false;
  for (uint32_t i = hash & s->mask; s->slots[i].at != 0;
       i = (i + 1) & s->mask)
    if (s->slots[i].hash == hash)
      {
        struct cgwi_stack *stack = stack_at (s, s->slots[i].at - 1);
        if (stack->n_frames == n && same_frames (s, stack, f))
          return stack;
        *used = true;
      }
  return NULL;
}

static __attribute__ ((noinline)) struct cgwi_stack *
find_by_all (const struct cgwi_stacks *s, struct cgwi_frames *f, uint32_t n)
{
  bool used;

  f->hash = hash_all (s, f);
  return find_by (s, f, n, f->hash, &used);
}

struct cgwi_stack *
cgwi_stacks_find (const struct cgwi_stacks *s, struct cgwi_frames *f)
{
  uint32_t n = f->n + (f->root != 0);
  struct cgwi_stack *stack;
  bool used;

  f->hash = hash_sample (s, f, n);
  stack = find_by (s, f, n, f->hash, &used);
  return used && stack == NULL ? find_by_all (s, f, n) : stack;
}

/* Adding.  */

static void
put_stack_slot (struct cgwi_stacks *s, struct cgwi_stack_slot slot)
{
  uint32_t i = slot.hash & s->mask;

  while (s->slots[i].at != 0)
    i = (i + 1) & s->mask;
  s->slots[i] = slot;
}

static bool
reserve_stack_slot (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  struct cgwi_stack_slot *old = s->slots, *slots;
  size_t n_old = (size_t) s->mask + 1;
  size_t n = old == no_stack_slots ? FIRST_STACK_SLOTS : n_old * 2;

  if (old != no_stack_slots && s->n < n_old / 4 * 3)
    return true;
  if (n > (size_t) 1 << 31 || n > SIZE_MAX / 2 / sizeof *slots
      || (slots = cgwi_resize (m, NULL, n * sizeof *slots)) == NULL)
    return false;
  memset (slots, 0, n * sizeof *slots);
  s->slots = slots;
  s->mask = (uint32_t) n - 1;
  for (size_t i = 0; i < n_old; i++)
    if (old[i].at != 0)
      put_stack_slot (s, old[i]);
  release_stack_slots (old, m);
  return true;
}

/* Find where the key of a frame is, and add it if it is new.  False: no
   memory.  */
static bool
add_frame (struct cgwi_stacks *s, const struct cgwi_memory *m,
           const struct cgw_pos *at, uint32_t *frame)
{
  const uint32_t units = sizeof (struct cgwi_key) / 8;
  const struct cgwi_key key = {
    .fn = at->fn.handle,
    .file = at->file.handle,
    .line = at->line & s->line_mask,
    .callee = CGWI_NONE,
    .instr = at->instr & s->instr_mask
  };
  uint32_t index = cgwi_table_add (&s->keys, m, &key);

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

  if (unit >= UINT32_MAX || !reserve_stack_slot (s, m)
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
  put_stack_slot (s, (struct cgwi_stack_slot){ f->hash, (uint32_t) unit + 1 });
  return stack;
}
