/* frames.h - struct cgw_tracer: the stack of open calls.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_FRAMES_H
#define CGWI_FRAMES_H 1

#include "../profile/profile.h"

/* An open call.  Its edge and position are entries of the profile's tables,
   which a profile keeps while it has tracers.  */
struct cgwi_frame
{
  uint64_t tag;
  uint32_t edge;    /* index, or CGWI_NONE: called from nowhere */
  uint32_t self;    /* index of the function's current position */
  uint32_t fn;      /* index of the called function */
  uint32_t unused;
  uint64_t start[]; /* the tracer's sums when it began; n_events */
};

struct cgw_tracer
{
  struct cgwi_tracing of_profile; /* first */
  struct cgw_profile *p;
  size_t n_counters;
  size_t depth;      /* of frames */
  size_t missed;     /* calls inside the innermost frame that have none */
  bool paused;
  struct cgw_fn root; /* or {0} */
  uint32_t interval; /* of the profile, when the frames were counted */
  uint32_t usual;    /* the same, or UINT32_MAX if paused or missed: then no
                        event is usual */
  uint32_t simple;   /* the same as usual, if the profile has one event, which
                        is a counter; else UINT32_MAX */
  struct cgwi_array frames;
  size_t frame_size;
  struct cgwi_array active; /* uint32_t: by index of a function, how many
                               frames it has */
  struct cgwi_refusals refusals;
  uint64_t sums[];   /* all costs booked in calls, n_events; then the counters
                        of the last event, n_counters */
};

/* Return the counters of the last event.  */
static inline uint64_t *
cgwi_last (struct cgw_tracer *t, size_t n_events)
{
  return t->sums + n_events;
}

static inline size_t
cgwi_frame_size (size_t n_events)
{
  return sizeof (struct cgwi_frame) + n_events * sizeof (uint64_t);
}

static inline struct cgwi_frame *
cgwi_frame (const struct cgw_tracer *t, size_t i)
{
  return (struct cgwi_frame *) (void *) ((unsigned char *) t->frames.at
                                         + i * t->frame_size);
}

/* Return the place behind a frame.  */
static inline struct cgwi_frame *
cgwi_next_frame (struct cgwi_frame *frame, size_t n_events)
{
  return (struct cgwi_frame *) (void *) ((unsigned char *) frame
                                         + cgwi_frame_size (n_events));
}

/* Return how many frames a function has, for which there is room.  */
static inline uint32_t *
cgwi_active (const struct cgw_tracer *t, uint32_t fn)
{
  return (uint32_t *) t->active.at + fn;
}

/* Return the innermost frame.  There is one.  */
static inline struct cgwi_frame *
cgwi_top (const struct cgw_tracer *t)
{
  return cgwi_frame (t, t->depth - 1);
}

#endif
