/* stacks.c - adds up samples by stack.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include "memory.h"

#include <string.h>

/* A pending sample, before its frames.  */
enum { TAG, TICKS, FRAMES, HEAD };

void
stacks_begin (struct stacks *s, struct maps *maps, const char *agent)
{
  s->maps = maps;
  s->agent = agent;
}

void
stacks_take (void *stacks, const struct cgw_sample *sample)
{
  struct stacks *s = stacks;
  uint64_t *p;

  while (s->pending_size - s->n_pending < HEAD + sample->n_frames)
    {
      s->pending_size = s->pending_size != 0 ? 2 * s->pending_size : 4096;
      s->pending = resize (s->pending, s->pending_size, sizeof *s->pending);
    }
  p = s->pending + s->n_pending;
  p[TAG] = sample->tag;
  p[TICKS] = sample->cost[0];
  p[FRAMES] = sample->n_frames;
  memcpy (p + HEAD, sample->frames,
          sample->n_frames * sizeof *sample->frames);
  s->n_pending += HEAD + sample->n_frames;
}

uint32_t
stacks_output (struct stacks *s, uint64_t process)
{
  const struct process *p = maps_process (s->maps, process);
  uint64_t key[2] = { p->pid, p->start_time };
  uint32_t output = intern (&s->outputs, key, sizeof key);

  s->output_process
      = resize_for (s->output_process, output, &s->n_output_process,
                    sizeof *s->output_process);
  if (s->output_process[output] < process)
    s->output_process[output] = process;
  return output;
}

static uint32_t
find_location (struct stacks *s, struct location l)
{
  uint32_t n = s->locations.n;
  uint32_t location = intern (&s->locations, &l, sizeof l);

  if (location == n)
    {
      s->is_agent = resize_for (s->is_agent, location, &s->n_is_agent,
                                sizeof *s->is_agent);
      s->is_agent[location]
          = strcmp (maps_object_of (s->maps, l.object).path, s->agent) == 0;
    }
  return location;
}

static uint32_t
find_thread (struct stacks *s, uint64_t tag)
{
  uint64_t key[2] = { sample_tag_process (tag), sample_tag_thread (tag) };
  uint32_t thread = intern (&s->threads, key, sizeof key);

  s->bases = resize_for (s->bases, thread, &s->n_bases, sizeof *s->bases);
  return thread;
}

static void
keep_base (struct base *base, const uint32_t *locations, uint32_t n)
{
  if (n < base->depth)
    return;
  base->depth = n;
  base->n = n < SAMPLE_BASE_FRAMES ? n : (uint32_t) SAMPLE_BASE_FRAMES;
  memcpy (base->location, locations + n - base->n,
          base->n * sizeof *locations);
}

/* The locations of a sample's frames, those of the agent aside; returns how
   many.  Where nothing says how to unwind code, libunwind takes for the
   caller's address what it finds: a stack that leads out of all code is cut
   there.  */
static uint32_t
find_locations (struct stacks *s, const uint64_t *sample,
                uint32_t locations[SAMPLE_FRAMES], bool *is_cut)
{
  uint64_t process = sample_tag_process (sample[TAG]);
  uint32_t n = 0;

  for (uint64_t f = 0; f < sample[FRAMES] && n < SAMPLE_FRAMES; f++)
    {
      struct location l;
      uint32_t location;

      if (!maps_find (s->maps, process, sample[HEAD + f], &l) && f != 0)
        {
          *is_cut = true;
          break;
        }
      location = find_location (s, l);
      if (!s->is_agent[location])
        locations[n++] = location;
    }
  return n;
}

static void
add (struct stacks *s, const uint64_t *sample)
{
  struct { struct stack_key key; uint32_t location[SAMPLE_FRAMES]; } stack;
  bool is_cut = sample_tag_is_cut (sample[TAG]);
  uint32_t thread = find_thread (s, sample[TAG]);
  uint32_t n = find_locations (s, sample, stack.location, &is_cut);
  uint32_t i;

  stack.key.output = stacks_output (s, sample_tag_process (sample[TAG]));
  stack.key.thread = is_cut ? thread + 1 : 0;
  if (!is_cut)
    keep_base (&s->bases[thread], stack.location, n);
  i = intern (&s->stacks, &stack,
              sizeof stack.key + n * sizeof *stack.location);
  s->sums = resize_for (s->sums, i, &s->n_sums, sizeof *s->sums);
  s->sums[i].samples++;
  s->sums[i].ticks += sample[TICKS];
}

void
stacks_settle (struct stacks *s)
{
  size_t i = 0;

  while (i < s->n_pending)
    {
      add (s, s->pending + i);
      i += HEAD + s->pending[i + FRAMES];
    }
  s->n_pending = 0;
}
