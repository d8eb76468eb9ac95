/* calls.h - struct cgw_tracer: the stack of open calls; open and end calls,
   and book their costs.

   SPDX-License-Identifier: MIT  */

#ifndef CGWI_CALLS_H
#define CGWI_CALLS_H 1

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

/* The functions that most events take are inlined with the numbers of events
   and counters, which may be constants: so the loops for one event vanish.  */
struct cgwi_shape
{
  size_t n_events;
  size_t n_counters;
};

static inline struct cgwi_shape
cgwi_shape_of (const struct cgw_tracer *t)
{
  return (struct cgwi_shape){ t->p->n_events, t->n_counters };
}

static inline struct cgwi_edge *
cgwi_edge (const struct cgw_tracer *t, uint32_t index)
{
  return cgwi_table_entry (&t->p->edges, index);
}

static inline const struct cgwi_spot *
cgwi_self_spot (const struct cgw_tracer *t, uint32_t self)
{
  return cgwi_table_entry (&t->p->self, self);
}

/* The function of the current position, which may be inlined code; 0 is
   "???".  */
static inline uint32_t
cgwi_running_fn (const struct cgw_tracer *t)
{
  return t->depth != 0 ? cgwi_self_spot (t, cgwi_top (t)->self)->fn
                       : t->root.handle;
}

/* The following set p->why when they fail.  They only store: most events take
   functions that call no other, and keep these values in registers.  Without
   the fence, GCC would pack both numbers, to store them at once, before it
   knows that they are wanted.  */
static inline enum cgw_status
cgwi_event_failed (struct cgw_tracer *t, enum cgw_status status,
                   enum cgwi_reason reason, size_t event, uint64_t a,
                   uint64_t b)
{
  struct cgwi_why *why = &t->p->why;

  why->reason = reason;
  why->value = (uint32_t) event;
  why->text = NULL;
  why->a = a;
  cgwi_in_order ();
  why->b = b;
  return status;
}

static inline enum cgw_status
cgwi_event_overflow (struct cgw_tracer *t, enum cgwi_reason reason,
                     size_t event, uint64_t sum, uint64_t more)
{
  return cgwi_event_failed (t, CGW_EOVERFLOW, reason, event, sum, more);
}

/* `fn` is the running function.  */
static inline enum cgw_status
cgwi_event_backwards (struct cgw_tracer *t, uint32_t fn, size_t counter,
                      uint64_t value, uint64_t last)
{
  const struct cgw_names *names = t->p->names;

  cgwi_event_failed (t, CGW_EBACKWARDS, CGWI_WHY_BACKWARDS, counter, value,
                     last);
  t->p->why.text = cgwi_name (names, CGWI_FNS, cgwi_index (names, fn))->text;
  return CGW_EBACKWARDS;
}

/* Book a cost of one event at a position and in the open calls.
   CGW_EOVERFLOW: nothing is booked.  */
static inline enum cgw_status
cgwi_book (struct cgw_tracer *t, uint32_t self, size_t event, uint64_t cost)
{
  struct cgw_profile *p = t->p;
  uint64_t total;

  if (__builtin_add_overflow (p->totals[event], cost, &total))
    return cgwi_event_overflow (t, CGWI_WHY_SELF_OVERFLOW, event,
                                p->totals[event], cost);
  p->totals[event] = total;
  cgwi_table_costs (&p->self, self)[event] += cost;
  t->sums[event] += cost;
  return CGW_OK;
}

/* Book the differences of the counters at the current position of the running
   function, whose frame is `top`.  CGW_EBACKWARDS, CGW_EOVERFLOW.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_book_inside (struct cgw_tracer *t, const struct cgwi_frame *top,
                  const uint64_t *counters, struct cgwi_shape shape)
{
  uint64_t *last = cgwi_last (t, shape.n_events);
  uint32_t self = top->self;
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < shape.n_counters; i++)
    {
      uint64_t value = counters[i];
      uint64_t cost;

      if (__builtin_sub_overflow (value, last[i], &cost))
        {
          if (status == CGW_OK) /* an overflow weighs more */
            status = cgwi_event_backwards (t, cgwi_self_spot (t, self)->fn, i,
                                           value, last[i]);
          continue;
        }
      last[i] = value;
      if (cgwi_book (t, self, i, cost) != CGW_OK)
        status = CGW_EOVERFLOW;
    }
  return status;
}

/* The same; without an open call, only store the counters.  */
enum cgw_status cgwi_book_counters (struct cgw_tracer *t,
                                    const uint64_t *counters);

/* Push the frame `top`, for which there is room.  */
static inline __attribute__ ((always_inline)) void
cgwi_push (struct cgw_tracer *t, struct cgwi_frame *top, uint64_t tag,
           uint32_t edge, uint32_t self, uint32_t fn, struct cgwi_shape shape)
{
  t->depth++;
  top->tag = tag;
  top->edge = edge;
  top->self = self;
  top->fn = fn;
  for (size_t i = 0; i < shape.n_events; i++)
    top->start[i] = t->sums[i];
  ++*cgwi_active (t, fn);
}

/* Open a call from the frame `top` if the profile has the edge, and the callee
   begins where it began the last time.  Otherwise return false, and change
   nothing.  `at` may be NULL.  There must be room for a frame.  */
static inline __attribute__ ((always_inline)) bool
cgwi_open_known (struct cgw_tracer *t, struct cgwi_frame *top,
                 const struct cgw_pos *at, const struct cgw_pos *callee,
                 uint64_t tag, struct cgwi_shape shape)
{
  struct cgw_profile *p = t->p;
  struct cgwi_spot to = cgwi_key (p, callee, callee->fn.handle);
  struct cgwi_spot from = *cgwi_self_spot (t, top->self);
  struct cgwi_edge *entry;
  uint32_t edge, self, fn;

  if (at != NULL)
    from = cgwi_key (p, at, at->fn.handle != 0 ? at->fn.handle : from.fn);
  from.callee = to.fn;
  edge = cgwi_table_find (&p->edges, &from);
  if (edge == CGWI_NONE)
    return false;
  entry = cgwi_edge (t, edge);
  self = ~entry->hint;
  fn = cgwi_index (p->names, to.fn);
  if (self >= p->self.n || !cgwi_spot_equal (cgwi_self_spot (t, self), &to)
      || fn >= t->active.room || entry->count == UINT64_MAX)
    return false;
  entry->count++;
  cgwi_push (t, cgwi_next_frame (top, shape.n_events), tag, edge, self, fn,
             shape);
  return true;
}

/* An edge that was looked up has the profile's epoch and its index, in the
   lower half; and the indices of the called function, and of the position
   where that begins.  */

/* Whether such an edge is one of this profile, and still valid.  */
static inline bool
cgwi_is_valid (const struct cgw_profile *p, uint64_t handle, uint64_t begin)
{
  return handle >> 32 == p->epoch && (uint32_t) handle < p->edges.n
         && (uint32_t) begin < p->self.n;
}

/* The same as cgwi_open_known for such an edge.  */
static inline __attribute__ ((always_inline)) bool
cgwi_open_edge_known (struct cgw_tracer *t, struct cgwi_frame *top,
                      uint64_t handle, uint64_t begin, uint64_t tag,
                      struct cgwi_shape shape)
{
  uint32_t index = (uint32_t) handle;
  uint32_t fn = (uint32_t) (begin >> 32);
  struct cgwi_edge *entry;

  if (!cgwi_is_valid (t->p, handle, begin) || fn >= t->active.room)
    return false;
  entry = cgwi_edge (t, index);
  if (entry->count == UINT64_MAX)
    return false;
  entry->count++;
  cgwi_push (t, cgwi_next_frame (top, shape.n_events), tag, index,
             (uint32_t) begin, fn, shape);
  return true;
}

/* Open a call on an edge that was looked up.  CGW_EHANDLE, CGW_ENOMEM: the
   call is open, but missed.  CGW_EOVERFLOW: as cgwi_open_call.  */
enum cgw_status cgwi_open_edge (struct cgw_tracer *t, struct cgw_edge edge,
                                uint64_t tag);

/* Look up or add an edge.  CGW_EHANDLE, CGW_ENOMEM.  */
enum cgw_status cgwi_find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee,
                                struct cgw_edge *edge);

/* Look up or add a position.  If it is not a callee's, function {0} is the
   running one.  CGW_EHANDLE, CGW_ENOMEM.  */
enum cgw_status cgwi_find_self (struct cgw_tracer *t,
                                const struct cgw_pos *pos,
                                enum cgwi_parameter parameter, uint32_t *self);

/* Make room to count the frames of a function.  False: no memory.  */
bool cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn);

/* Open a call.  CGW_EHANDLE, CGW_ENOMEM: the call is open, but missed.
   CGW_EOVERFLOW: it is open, but the count of its edge would overflow.  */
enum cgw_status cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee, uint64_t tag);

/* Open a call from the same position as that of the innermost frame, which
   ends.  */
enum cgw_status cgwi_replace_call (struct cgw_tracer *t,
                                   const struct cgw_pos *callee, uint64_t tag);

/* Book the inclusive costs of a frame.  CGW_EOVERFLOW: not of all events.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_book_inclusive (struct cgw_tracer *t, const struct cgwi_frame *frame,
                     struct cgwi_shape shape)
{
  uint64_t *sums = cgwi_table_costs (&t->p->edges, frame->edge);
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < shape.n_events; i++)
    {
      uint64_t cost = t->sums[i] - frame->start[i];
      uint64_t sum;

      if (__builtin_add_overflow (sums[i], cost, &sum))
        status = cgwi_event_overflow (t, CGWI_WHY_EDGE_OVERFLOW, i, sums[i],
                                      cost);
      else
        sums[i] = sum;
    }
  return status;
}

/* End the innermost call, whose frame is `top`.  CGW_EOVERFLOW: its inclusive
   cost is not booked.  */
static inline __attribute__ ((always_inline)) enum cgw_status
cgwi_end_call (struct cgw_tracer *t, const struct cgwi_frame *top,
               struct cgwi_shape shape)
{
  bool outermost = --*cgwi_active (t, top->fn) == 0;

  t->depth--;
  return outermost && top->edge != CGWI_NONE
             ? cgwi_book_inclusive (t, top, shape)
             : CGW_OK;
}

/* Book the inclusive costs of the open calls so far, and let them start
   anew.  */
enum cgw_status cgwi_sync_calls (struct cgw_tracer *t);

/* Count the open calls in a new interval.  */
void cgwi_recount_calls (struct cgw_tracer *t);

#endif
