/* profile.c - turns the contents of the shared memory into a profile.

   A program that crashed may have left anything there, so indices that are out
   of bounds are skipped.  Processes that it left may still write there, so what
   is checked is a copy.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include "../run/notes.h"
#include "../run/ranks.h"

#include <string.h>

enum { PROCESS = 1 }; /* the number of the only one */

/* Mapped objects.  */

static void
take_notes (struct profile *p)
{
  const struct rank_memory *m = p->memory;
  uint32_t end = atomic_load (&m->n_notes);

  for (uint32_t at = 0; at < end && end <= RANK_NOTES;)
    {
      struct cgw_sample note = { .frames = m->notes + at + 1,
                                 .n_frames = m->notes[at],
                                 .tag = PROCESS << 8 | SAMPLE_NOTE_MAP };

      if (note.n_frames >= end - at)
        break;
      maps_take (&p->maps, &note);
      at += 1 + (uint32_t) note.n_frames;
    }
}

void
profile_begin (struct profile *p, const struct rank_memory *memory,
               struct cgw_names *names)
{
  struct location library;

  p->memory = memory;
  maps_begin (&p->maps);
  take_notes (p);
  resolver_begin (&p->resolver, &p->maps, names);
  if (maps_find (&p->maps, PROCESS, memory->library, &library))
    p->library = cgw_add_object (
        names, maps_object_of (&p->maps, library.object).path);
}

/* Stacks.  */

static struct cgw_pos
position (struct profile *p, uint64_t address, bool is_call)
{
  struct location location;

  maps_find (&p->maps, PROCESS, address, &location);
  return resolve (&p->resolver, location, is_call).at->pos;
}

/* An MPI function.  */
static struct cgw_pos
function_position (const struct profile *p, uint32_t function)
{
  char name[RANK_NAME] = "";
  struct cgw_pos pos = { .line = 0 };

  if (function < RANK_FUNCTIONS)
    memcpy (name, p->memory->names[function], RANK_NAME - 1);
  pos.fn = cgw_add_fn (p->resolver.names, name, (struct cgw_file){ 0 },
                       p->library);
  return pos;
}

/* The frames of a stack; returns how many.  */
static size_t
frames_of (struct profile *p, const struct rank_stack *s,
           struct cgw_pos *frames)
{
  const uint64_t *words = p->memory->words + s->first;
  size_t n = 0;
  uint32_t i = 0;

  if (s->kind == RANK_CALL)
    frames[n++] = function_position (p, s->function);
  else if (s->kind == RANK_SAMPLE)
    frames[n++] = position (p, words[i++], false);
  else if (s->kind == RANK_BETWEEN)
    {
      struct cgw_pos to = position (p, words[0], true);

      if (to.fn.handle == position (p, words[1], true).fn.handle)
        frames[n++] = to;
      i = 2;
    }
  for (; i < s->n; i++)
    frames[n++] = position (p, words[i], true);
  if (n == 0)
    frames[n++] = (struct cgw_pos){ .line = 0 };
  return n;
}

static bool
is_sound (const struct rank_stack *s)
{
  return s->n <= RANK_FRAMES + 1 && s->first <= RANK_WORDS - s->n
         && (s->kind != RANK_BETWEEN || s->n >= 2)
         && (s->kind != RANK_SAMPLE || s->n >= 1);
}

void
profile_fill (struct profile *p, struct cgw_profile *to, bool is_own)
{
  const struct rank_memory *m = p->memory;
  uint32_t n_stacks = atomic_load (&m->n_stacks);
  size_t n = is_own ? ranks_n_own (m->bytes) : ranks_n_costs (m->bytes);

  for (uint32_t i = 0; i < n_stacks && i < RANK_STACKS; i++)
    {
      const struct rank_stack s = m->stacks[i];
      const uint64_t own[RANKS_OWN_COSTS] = { s.ns, s.sent, s.received };
      uint64_t all[RANKS_COSTS];
      struct cgw_pos frames[RANK_FRAMES + 2];

      atomic_signal_fence (memory_order_seq_cst); /* it is not read again */
      ranks_costs (own, m->slow, m->fast, all);
      if (s.count != 0 && is_sound (&s))
        cgw_profile_stack (to, frames, frames_of (p, &s, frames),
                           s.kind == RANK_CALL ? s.count : 1,
                           is_own ? own : all, n);
    }
}
