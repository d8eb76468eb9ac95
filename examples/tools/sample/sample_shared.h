/* sample_shared.h - the memory that sample shares with the profiled programs:
   two recorders, one for samples, and one for notes on processes and their maps.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef SAMPLE_SHARED_H
#define SAMPLE_SHARED_H 1

#include "../run/notes.h"

#include <cgw.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable that leads the agent to the memory: a path.  */
#define SAMPLE_ENV "CGW_SAMPLE"

/* Of sample and agent, which must come from one build.  */
#define SAMPLE_MAGIC UINT64_C (0x637367772d736d35)

enum
{
  SAMPLE_SLOTS = 4096,
  SAMPLE_FRAMES = 512,   /* the deepest stack; deeper ones are cut */
  SAMPLE_COSTS = 2,      /* ticks; the number of the last note of what is
                            mapped when it was taken */
  SAMPLE_NOTES = 1024
};

struct sample_shared
{
  uint64_t magic;
  uint64_t interval;         /* ns of processor time between two ticks */
  uint64_t frame_pointers;   /* 1: walk stacks by them */
  uint64_t timers;           /* 1: no events, although they may be had */
  _Atomic uint64_t stop;     /* 1: no more samples */
  _Atomic uint64_t processes; /* numbers given out to processes, from 1 */
  _Atomic uint64_t taken;    /* samples, ... */
  _Atomic uint64_t taken_ticks; /* ... and the ticks that they stand for */
  _Atomic uint64_t events;   /* threads with an event, ... */
  _Atomic uint64_t event_errno; /* (why others have none) */
  _Atomic uint64_t timers_set; /* ... with a timer, ... */
  _Atomic uint64_t no_clock; /* ... and with neither */
  _Atomic uint64_t clock_errno;
  _Atomic uint64_t no_unwinder; /* processes without libunwind */
  _Atomic uint64_t left_out; /* see agent_maps_begin */
};

/* Where the recorders are, and the size of the whole.  The memory does not say:
   whoever shares it may write anything there.  */

static inline size_t
sample_notes_offset (void)
{
  return (sizeof (struct sample_shared) + 63) / 64 * 64;
}

static inline size_t
sample_samples_offset (void)
{
  return sample_notes_offset ()
         + (cgw_recorder_size (SAMPLE_NOTES, SAMPLE_NOTE_FRAMES, 0) + 63) / 64
               * 64;
}

static inline size_t
sample_shared_size (void)
{
  return sample_samples_offset ()
         + cgw_recorder_size (SAMPLE_SLOTS, SAMPLE_FRAMES, SAMPLE_COSTS);
}

/* A sample's tag.  A process has a new number after each fork and exec.  */
static inline uint64_t
sample_tag (uint64_t process, bool cut, uint32_t thread)
{
  return process << 33 | (uint64_t) cut << 32 | thread;
}

static inline uint64_t
sample_tag_process (uint64_t tag)
{
  return tag >> 33;
}

static inline bool
sample_tag_is_cut (uint64_t tag)
{
  return (tag >> 32 & 1) != 0;
}

static inline uint32_t
sample_tag_thread (uint64_t tag)
{
  return (uint32_t) tag;
}

#endif /* SAMPLE_SHARED_H */
