/* reader.c - the programs that read profiles, and how to write for one of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader.h"

#include <stdio.h>
#include <string.h>

enum
{
  /* Nobody but KCachegrind has a place for these.  */
  NONE_BUT_KC = READER_PARTS | READER_ADDRESSES | READER_LONG_NAMES
                | READER_FORMULAS | READER_JUMPS,
  CACHEGRIND = NONE_BUT_KC | READER_THREAD | READER_CALLS | READER_SAME
};

#define IS_FOR_CACHEGRIND                                                     \
  .flags = CGW_CACHEGRIND, .lacks = CACHEGRIND, .key = READER_BY_FILE

const struct reader readers[N_READERS] = {
#define READER(id, name, option, ...)                                         \
  [READER_##id] = { name, option, __VA_ARGS__ },
#include "readers.def"
#undef READER
};

/* Behind "READER: ", in the order of the bits.  */
static const char *const sentences[N_READER_LIMITS] = {
  "shows one part: all are added up",
  "has no place for the number of the thread: it is left out",
  "shows no addresses: they are left out",
  "shows no long names of events: they are left out",
  "computes no derived events: they are left out",
  "shows the first event alone",
  "shows no calls: they are left out",
  "shows no jumps: they are left out",
  "cannot tell apart functions that have the same ",
  "counts functions that call themselves through others several times",
  "misreads functions that have callers, but also begin without one",
};

static const char *const keys[] = {
  [READER_BY_ALL] = "name, file and object",
  [READER_BY_BASENAME] = "name, object and name of the file",
  [READER_BY_FILE] = "name and file",
  [READER_BY_NAME] = "name",
};

const struct reader *
reader_named (const char *option)
{
  for (size_t i = 0; i < N_READERS; i++)
    if (strcmp (readers[i].option, option) == 0)
      return &readers[i];
  return NULL;
}

static unsigned
lacks (const struct reader *r)
{
  return r != NULL ? r->lacks : 0;
}

unsigned
reader_positions (const struct reader *r, unsigned positions)
{
  return lacks (r) & READER_ADDRESSES && positions & CGW_LINE ? CGW_LINE
                                                              : positions;
}

/* Copies the events that the reader knows what to do with.  Returns the limits
   that were met.  */
static unsigned
fit_events (const struct reader *r, struct cgw_part *part,
            struct cgw_event *events)
{
  unsigned limits = 0;
  size_t n = 0;

  for (size_t i = 0; i < part->n_events; i++)
    {
      struct cgw_event event = part->events[i];

      if (event.formula != NULL && lacks (r) & READER_FORMULAS)
        {
          limits |= READER_FORMULAS;
          continue;
        }
      if (event.long_name != NULL && lacks (r) & READER_LONG_NAMES)
        {
          limits |= READER_LONG_NAMES;
          event.long_name = NULL;
        }
      events[n++] = event;
    }
  part->events = events;
  part->n_events = n;
  return limits | (n > 1 ? lacks (r) & READER_EVENTS : 0);
}

unsigned
reader_fit (const struct reader *r, struct cgw_part *part,
            struct cgw_event *events)
{
  unsigned limits = fit_events (r, part, events);

  if (reader_positions (r, part->positions) != part->positions)
    {
      part->positions = reader_positions (r, part->positions);
      limits |= READER_ADDRESSES;
    }
  if (part->thread != 0 && lacks (r) & READER_THREAD)
    {
      part->thread = 0;
      limits |= READER_THREAD;
    }
  return limits;
}

static bool
has_function (const struct cgw_pos *frames, size_t n, uint32_t handle)
{
  while (n > 0 && frames[n - 1].fn.handle != handle)
    n--;
  return n > 0;
}

/* Whether a function comes again, with others between.  Stacks may be deep, so
   most functions that did not come before are told by a bit.  */
static bool
has_cycle (const struct cgw_pos *frames, size_t n)
{
  uint64_t seen[64] = { 0 };

  for (size_t i = 0; i < n; i++)
    {
      uint32_t handle = frames[i].fn.handle;
      uint64_t *word = &seen[handle / 64 % 64];
      uint64_t bit = UINT64_C (1) << handle % 64;

      if (i > 0 && frames[i - 1].fn.handle == handle)
        continue;
      if ((*word & bit) != 0 && has_function (frames, i, handle))
        return true;
      *word |= bit;
    }
  return false;
}

unsigned
reader_stack (const struct reader *r, const struct cgw_pos *frames, size_t n)
{
  return lacks (r) & READER_CYCLES && has_cycle (frames, n) ? READER_CYCLES
                                                            : 0;
}

void
reader_sentence (const struct reader *r, enum reader_limit limit, char *text,
                 size_t size)
{
  size_t i = 0;

  while (1U << i != (unsigned) limit)
    i++;
  snprintf (text, size, "%s %s%s", r->name, sentences[i],
            limit == READER_SAME ? keys[r->key] : "");
}
