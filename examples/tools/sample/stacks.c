/* stacks.c - adds up samples by stack.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stacks.h"

#include "../base/memory.h"

#include <string.h>

/* What stands before the frames of a sample, and before the words of a note.  */
enum { TAG, FRAMES, NOTE_HEAD, NOTED = NOTE_HEAD, TICKS, HEAD };

/* The tag of a note that maps have.  */
#define KNOWN UINT64_MAX

void
stacks_begin (struct stacks *s, struct maps *maps, const char *agent)
{
  s->maps = maps;
  s->agent = agent;
}

/* Adds a tag and frames, and returns them.  */
static uint64_t *
add_words (struct words *w, const struct cgw_sample *sample, size_t head)
{
  uint64_t *p;

  while (w->size - w->n < head + sample->n_frames)
    {
      w->size = w->size != 0 ? 2 * w->size : 4096;
      w->word = resize (w->word, w->size, sizeof *w->word);
    }
  p = w->word + w->n;
  p[TAG] = sample->tag;
  p[FRAMES] = sample->n_frames;
  memcpy (p + head, sample->frames,
          sample->n_frames * sizeof *sample->frames);
  w->n += head + sample->n_frames;
  return p;
}

void
stacks_take (void *stacks, const struct cgw_sample *sample)
{
  struct stacks *s = stacks;
  uint64_t *p = add_words (&s->samples, sample, HEAD);

  p[TICKS] = sample->cost[0];
  p[NOTED] = sample->cost[1];
}

/* Notes of processes do not wait: there is one of each.  */
void
stacks_take_note (void *stacks, const struct cgw_sample *note)
{
  struct stacks *s = stacks;

  if ((note->tag & 0xff) == SAMPLE_NOTE_MAP
      && note->n_frames >= SAMPLE_NOTE_WORDS)
    add_words (&s->notes, note, NOTE_HEAD);
  else
    maps_take (s->maps, note);
}

static void
know (struct stacks *s, uint64_t *note)
{
  struct cgw_sample sample = { .tag = note[TAG],
                               .n_frames = note[FRAMES],
                               .frames = note + NOTE_HEAD };

  if (note[TAG] != KNOWN)
    maps_take (s->maps, &sample);
  note[TAG] = KNOWN;
}

/* Knows what a process had mapped when a sample was taken.  */
static void
know_until (struct stacks *s, const uint64_t *sample)
{
  uint64_t *note = s->notes.word, *end = note + s->notes.n;

  for (; note < end; note += NOTE_HEAD + note[FRAMES])
    if (note[TAG] >> 8 == sample_tag_process (sample[TAG])
        && note[NOTE_HEAD + SAMPLE_NOTE_NUMBER] <= sample[NOTED])
      know (s, note);
}

static void
know_old (struct stacks *s)
{
  struct words *w = &s->notes;
  uint64_t *note = w->word, *end = note + s->n_old_notes;

  for (; note < end; note += NOTE_HEAD + note[FRAMES])
    know (s, note);
  w->n -= s->n_old_notes;
  if (w->n != 0)
    memmove (w->word, note, w->n * sizeof *note);
  s->n_old_notes = w->n;
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
  bool is_deep = sample[FRAMES] == SAMPLE_FRAMES;
  uint32_t thread = find_thread (s, sample[TAG]);
  uint32_t n = find_locations (s, sample, stack.location, &is_cut);
  uint32_t i;

  stack.key.output = stacks_output (s, sample_tag_process (sample[TAG]));
  if (!is_cut)
    keep_base (&s->bases[thread], stack.location, n);
  /* The outermost of a deep one stand behind a gap.  */
  if (!is_cut && is_deep && n > SAMPLE_BASE_FRAMES)
    n -= SAMPLE_BASE_FRAMES;
  stack.key.thread = is_cut || is_deep ? thread + 1 : 0;
  i = intern (&s->stacks, &stack,
              sizeof stack.key + n * sizeof *stack.location);
  s->sums = resize_for (s->sums, i, &s->n_sums, sizeof *s->sums);
  s->sums[i].samples++;
  s->sums[i].ticks += sample[TICKS];
}

void
stacks_settle (struct stacks *s)
{
  const uint64_t *sample = s->samples.word, *end = sample + s->samples.n;

  for (; sample < end; sample += HEAD + sample[FRAMES])
    {
      know_until (s, sample);
      add (s, sample);
    }
  s->samples.n = 0;
  know_old (s);
}
