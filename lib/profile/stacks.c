/* stacks.c - whole stacks, each once, with a count and costs.

   SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include <string.h>

static uint64_t
hash (const void *entry)
{
  const struct cgwi_stack *stack = entry;

  return stack->hash;
}

void
cgwi_stacks_init (struct cgwi_stacks *s, size_t n_costs)
{
  memset (s, 0, sizeof *s);
  cgwi_table_init (&s->table, sizeof (struct cgwi_stack), n_costs, hash);
  cgwi_spots_init (&s->spots, sizeof (struct cgwi_spot), 0);
}

static bool
reserve_frames (struct cgwi_stacks *s, const struct cgwi_memory *m,
                size_t more)
{
  size_t capacity = s->capacity + s->capacity / 2 + more;
  uint32_t *frames;

  if (s->capacity - s->n_frames >= more)
    return true;
  if (capacity > SIZE_MAX / sizeof *frames || capacity < more)
    return false;
  frames = cgwi_resize (m, s->frames, capacity * sizeof *frames);
  if (frames == NULL)
    return false;
  s->frames = frames;
  s->capacity = capacity;
  return true;
}

bool
cgwi_stacks_reserve (struct cgwi_stacks *s, const struct cgwi_memory *m,
                     size_t n_frames)
{
  return cgwi_table_reserve (&s->table, m) && reserve_frames (s, m, n_frames);
}

bool
cgwi_stacks_push (struct cgwi_stacks *s, const struct cgwi_memory *m,
                  const struct cgwi_spot *frame)
{
  uint32_t index = cgwi_spots_add (&s->spots, m, frame);

  if (index == CGWI_TABLE_NONE)
    return false;
  s->frames[s->n_frames++] = index;
  return true;
}

uint32_t
cgwi_stacks_end (struct cgwi_stacks *s, uint64_t hash, uint32_t n_frames)
{
  struct cgwi_stack stack = { .hash = hash,
                              .first = s->n_frames - n_frames,
                              .n_frames = n_frames };

  return cgwi_table_append (&s->table, &stack, sizeof stack);
}

/* The spots stay: other stacks may have them.  */
void
cgwi_stacks_drop (struct cgwi_stacks *s, size_t n_frames)
{
  s->n_frames -= n_frames;
}

void
cgwi_stacks_truncate (struct cgwi_stacks *s, uint32_t n)
{
  if (n < s->table.n)
    s->n_frames = cgwi_stacks_at (s, n)->first;
  cgwi_table_truncate (&s->table, n);
}

void
cgwi_stacks_clear (struct cgwi_stacks *s, const struct cgwi_memory *m)
{
  cgwi_table_clear (&s->table, m);
  cgwi_table_clear (&s->spots, m);
  cgwi_release (m, s->frames);
  s->frames = NULL;
  s->n_frames = s->capacity = 0;
}
