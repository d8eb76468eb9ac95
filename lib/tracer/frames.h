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
  uint32_t edge;    /* index, or CGWI_TABLE_NONE: called from nowhere */
  uint32_t self;    /* index of the position where the function stands */
  uint32_t fn;      /* the called function */
  uint32_t unused;
  uint64_t start[]; /* the tracer's sums when it began; n_events */
};

struct cgw_tracer
{
  struct cgw_profile *p;
  size_t n_counters;
  size_t depth;      /* of frames */
  size_t missed;     /* calls inside the innermost frame that have none */
  bool paused;
  uint32_t root;     /* index, or CGWI_NONE */
  uint32_t interval; /* of the profile, when the frames were counted */
  uint32_t usual;    /* the same, or UINT32_MAX if paused or missed: then no
                        event is usual */
  bool is_simple;    /* one event, one counter */
  unsigned char *frames;
  size_t frame_size;
  size_t capacity;
  uint32_t *active;  /* by function: how many frames it has */
  uint32_t n_active;
  uint64_t *last;    /* the counters of the last event */
  uint64_t sums[];   /* all costs booked in calls, n_events; then `last` */
};

static inline struct cgwi_frame *
cgwi_frame (const struct cgw_tracer *t, size_t i)
{
  return (struct cgwi_frame *) (void *) (t->frames + i * t->frame_size);
}

/* Return the innermost frame.  There is one.  */
static inline struct cgwi_frame *
cgwi_top (const struct cgw_tracer *t)
{
  return cgwi_frame (t, t->depth - 1);
}

#endif
