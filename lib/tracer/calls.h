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
  uint32_t unused;  /* so that `self` and `fn` are stored at once */
  uint32_t self;    /* index of the function's current position */
  uint32_t fn;      /* index of the called function */
  uint64_t start[]; /* the tracer's sums when it began; n_events */
};

/* What the frame outside all calls has as `self`.  */
#define CGWI_OUTSIDE (UINT32_C (1) << 31)

/* A recent call, as the caller gave it, and what was found for it.  Calls
   repeat, and comparing takes less than making two keys and hashing them.  */
struct cgwi_site
{
  uint64_t at_names;
  uint64_t at_instr;
  uint64_t callee_names;
  uint64_t callee_instr;
  uint32_t at_line;
  uint32_t callee_line;
  uint32_t from; /* `self` of the calling frame */
  uint32_t edge;
  uint64_t begin; /* as in struct cgw_edge */
  uint64_t unused; /* the size is a power of two, to be multiplied fast */
};

/* All tracers of a profile share its sites.  A call has one place among them,
   by a hash, and takes it from the call that had it before.  */
#define CGWI_SITES_BITS 9
#define CGWI_SITES (1 << CGWI_SITES_BITS)

struct cgw_tracer
{
  struct cgwi_tracing of_profile; /* first */
  struct cgw_profile *p;
  struct cgwi_frame *top; /* the innermost call, or the frame outside */
  size_t depth;      /* open calls that have frames */
  size_t missed;     /* calls inside the innermost frame that have none */
  bool stopped;
  uint32_t interval; /* of the profile, when the frames were counted */
  struct cgwi_array frames; /* the first one is outside all calls */
  struct cgwi_frame *end;   /* the last one for which there is room */
  size_t frame_size;
  struct cgwi_array active; /* uint32_t: by index of a function, how many
                               frames it has here */
  struct cgwi_array counts; /* the same, with those of the resumers: the array
                               of the last of them, and how much of it all
                               have room for */
  struct cgw_tracer *resumer; /* whose running function has resumed this
                                 coroutine, or NULL */
  struct cgw_tracer *resumed; /* the coroutine that the running function has
                                 resumed, or NULL */
  struct cgwi_key from; /* if has_from: where the resumer calls */
  bool has_from;
  uint32_t from_self; /* what runs while the coroutine has no open call, index
                         or CGWI_NONE */
  uint64_t begin_instr; /* where the outermost call began that is not called
                           from anywhere at present */
  uint32_t begin_line;
  size_t n_counters;
  bool calls_only;    /* it books no self costs */
  struct cgw_fn root; /* or {0} */
  uint64_t sums[];    /* all costs booked in calls, n_events: those of a frame
                         are the difference to its start; then the counters of
                         the last event, n_counters */
};

/* The functions that most events take are inlined with these members, which
   may be constants: so the loops for one event vanish, and what only one kind
   of tracers needs.  */
struct cgwi_shape
{
  size_t n_events;
  size_t n_counters;
  bool calls_only;
};

static inline struct cgwi_shape
cgwi_shape_of (const struct cgw_tracer *t)
{
  return (struct cgwi_shape){ t->p->n_events, t->n_counters, t->calls_only };
}

/* Return the counters of the last event.  */
static inline uint64_t *
cgwi_last (struct cgw_tracer *t, struct cgwi_shape shape)
{
  return t->sums + shape.n_events;
}

static inline size_t
cgwi_frame_size (size_t n_events)
{
  return sizeof (struct cgwi_frame) + n_events * sizeof (uint64_t);
}

/* Return the frame of an open call: 1 is the outermost.  0 is outside all.  */
static inline struct cgwi_frame *
cgwi_frame (const struct cgw_tracer *t, size_t i)
{
  return (struct cgwi_frame *) (void *) ((unsigned char *) t->frames.at
                                         + i * t->frame_size);
}

/* Return how many frames a function has, here and in the resumers.  There is
   room for it.  */
static inline uint32_t *
cgwi_active (const struct cgw_tracer *t, uint32_t fn)
{
  return (uint32_t *) t->counts.at + fn;
}

/* Return an entry of the profile's tables, or its costs.  */

static inline struct cgwi_edge *
cgwi_edge (const struct cgw_tracer *t, uint32_t index)
{
  return (void *) ((unsigned char *) t->p->edges.entries.at
                   + index * t->p->edges.entry_size);
}

static inline uint64_t *
cgwi_edge_costs (struct cgwi_edge *edge)
{
  return (uint64_t *) (edge + 1);
}

static inline uint64_t *
cgwi_self_costs (const struct cgw_tracer *t, uint32_t self,
                 struct cgwi_shape shape)
{
  size_t head = sizeof (struct cgwi_key);
  size_t size = head + shape.n_events * sizeof (uint64_t);

  return (void *) ((unsigned char *) t->p->self.entries.at + self * size
                   + head);
}

static inline const struct cgwi_key *
cgwi_self_key (const struct cgw_tracer *t, uint32_t self)
{
  return cgwi_table_entry (&t->p->self, self);
}

/* The current position.  While a coroutine has no open call, that of its
   resumer.  CGWI_NONE: nothing runs.  */
static inline uint32_t
cgwi_running_self (const struct cgw_tracer *t)
{
  return t->depth != 0 ? t->top->self : t->from_self;
}

/* The function of the current position, which may be inlined code; 0 is
   "???".  */
static inline uint32_t
cgwi_running_fn (const struct cgw_tracer *t)
{
  return t->depth != 0        ? cgwi_self_key (t, t->top->self)->fn
         : t->resumer != NULL ? t->from.fn
                              : t->root.handle;
}

/* Whether a call from this position, of the running function, has none.  */
static inline bool
cgwi_is_nowhere (const struct cgw_tracer *t, const struct cgw_pos *at)
{
  return at->fn.handle == 0 && t->depth == 0;
}

/* Booking.  */

/* Whether no call is open.  The depth says it, too, but events have the top
   frame at hand.  */
static inline bool
cgwi_is_outside (const struct cgw_tracer *t)
{
  return t->top->self == CGWI_OUTSIDE;
}

/* Book a cost of one event at a position and in the open calls.  False: a sum
   would overflow, and nothing is booked.  The others are not larger.  */
static inline bool
cgwi_try_to_book (struct cgw_tracer *t, uint32_t self, size_t event,
                  uint64_t cost, struct cgwi_shape shape)
{
  uint64_t *total = shape.calls_only ? t->sums : t->p->totals;
  uint64_t sum;

  if (__builtin_add_overflow (total[event], cost, &sum))
    return false;
  total[event] = sum;
  if (!shape.calls_only)
    {
      t->sums[event] += cost;
      cgwi_self_costs (t, self, shape)[event] += cost;
    }
  return true;
}

/* Book a cost though a sum overflows, which may be that of a signed event.  */
void cgwi_book_slowly (struct cgw_tracer *t, uint32_t self, size_t event,
                       uint64_t cost);

static inline void
cgwi_book (struct cgw_tracer *t, uint32_t self, size_t event, uint64_t cost,
           struct cgwi_shape shape)
{
  if (!cgwi_try_to_book (t, self, event, cost, shape))
    cgwi_book_slowly (t, self, event, cost);
}

/* Take a counter: book the difference at the current position, unless that is
   outside all calls.  False: nothing has changed, because the counter is below
   its last value or a sum would overflow, or a coroutine has no open call.  */
static inline bool
cgwi_take_counter (struct cgw_tracer *t, size_t i, uint64_t value,
                   struct cgwi_shape shape)
{
  uint64_t *last = cgwi_last (t, shape);
  uint64_t cost;

  if (__builtin_sub_overflow (value, last[i], &cost)
      || (__builtin_expect (!cgwi_is_outside (t), true)
              ? !cgwi_try_to_book (t, t->top->self, i, cost, shape)
              : t->resumer != NULL))
    return false;
  last[i] = value;
  return true;
}

/* Take all counters.  False: those up to one that cannot be taken.  */
static inline __attribute__ ((always_inline)) bool
cgwi_take_counters (struct cgw_tracer *t, const uint64_t *counters,
                    struct cgwi_shape shape)
{
  for (size_t i = 0; i < shape.n_counters; i++)
    if (!cgwi_take_counter (t, i, counters[i], shape))
      return false;
  return true;
}

/* Take all counters but those that go backwards.  CGW_EBACKWARDS.  */
enum cgw_status cgwi_book_counters (struct cgw_tracer *t,
                                    const uint64_t *counters);

/* Book the inclusive costs of a frame.  False: one of the sums would overflow,
   and nothing is booked.  */
static inline __attribute__ ((always_inline)) bool
cgwi_book_inclusive (struct cgw_tracer *t, const struct cgwi_frame *frame,
                     struct cgwi_shape shape)
{
  uint64_t *sums = cgwi_edge_costs (cgwi_edge (t, frame->edge));
  uint64_t sum;

  for (size_t i = 0; i < shape.n_events; i++)
    if (__builtin_add_overflow (sums[i], t->sums[i] - frame->start[i], &sum))
      return false;
  for (size_t i = 0; i < shape.n_events; i++)
    sums[i] += t->sums[i] - frame->start[i];
  return true;
}

/* The running function passes through positions, and costs as much at each, of
   n events behind the counters.  CGW_EHANDLE, CGW_ENOMEM: it has passed only
   through those before.  */
enum cgw_status cgwi_run (struct cgw_tracer *t, const struct cgw_pos *pos,
                          size_t n_pos, const uint64_t *cost, size_t n);

/* Opening.  */

/* Prepare the frame of the next call, on an edge or on none.  `begin` is as in
   struct cgw_edge.  There must be room.  */
static inline struct cgwi_frame *
cgwi_prepare_frame (struct cgw_tracer *t, uint64_t tag, uint32_t edge,
                    uint64_t begin, struct cgwi_shape shape)
{
  struct cgwi_frame *frame = (void *) ((unsigned char *) t->top
                                       + cgwi_frame_size (shape.n_events));

  frame->tag = tag;
  frame->edge = edge;
  frame->self = (uint32_t) begin;
  frame->fn = (uint32_t) (begin >> 32);
  return frame;
}

/* Open a call whose frame is prepared.  */
static inline void
cgwi_push (struct cgw_tracer *t, struct cgwi_frame *frame,
           struct cgwi_shape shape)
{
  for (size_t i = 0; i < shape.n_events; i++)
    frame->start[i] = t->sums[i];
  ++*cgwi_active (t, frame->fn);
  t->depth++;
  t->top = frame;
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

/* Open a call on an edge that was looked up.  CGW_EHANDLE, CGW_ENOMEM: the
   call is open, but missed.  */
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

/* Make the key of a caller's position.  False: a call from nowhere, or an
   error.  CGW_EHANDLE.  */
bool cgwi_caller_key (const struct cgw_tracer *t, const struct cgw_pos *at,
                      struct cgwi_key *key, enum cgw_status *status);

/* Make room to count the frames of a function, also in the resumers: then a
   coroutine can yield without memory.  False: no memory.  */
bool cgwi_reserve_active (struct cgw_tracer *t, uint32_t fn);

/* Open a call.  CGW_EHANDLE, CGW_ENOMEM: the call is open, but missed.  */
enum cgw_status cgwi_open_call (struct cgw_tracer *t, const struct cgw_pos *at,
                                const struct cgw_pos *callee, uint64_t tag);

/* Open a call from the same position as that of the innermost frame, which
   ends.  */
enum cgw_status cgwi_replace_call (struct cgw_tracer *t,
                                   const struct cgw_pos *callee, uint64_t tag);

/* Ending.  */

/* Remove the innermost frame.  */
static inline void
cgwi_pop (struct cgw_tracer *t, struct cgwi_shape shape)
{
  --*cgwi_active (t, t->top->fn);
  t->depth--;
  t->top = (void *) ((unsigned char *) t->top
                     - cgwi_frame_size (shape.n_events));
}

/* End the innermost call.  False: a sum would overflow, and nothing has
   changed.  */
static inline __attribute__ ((always_inline)) bool
cgwi_close_call (struct cgw_tracer *t, struct cgwi_shape shape)
{
  const struct cgwi_frame *top = t->top;

  if (*cgwi_active (t, top->fn) == 1 && top->edge != CGWI_NONE
      && !cgwi_book_inclusive (t, top, shape))
    return false;
  cgwi_pop (t, shape);
  return true;
}

/* End the innermost call.  */
void cgwi_end_call (struct cgw_tracer *t);

/* Book the inclusive costs of a frame.  */
void cgwi_book_frame (struct cgw_tracer *t, const struct cgwi_frame *frame);

/* Book the inclusive costs of the open calls so far, also of the resumers and
   the resumed, and let them start anew.  */
void cgwi_sync_calls (struct cgw_tracer *t);

/* If the profile was cleared, count the open calls anew.  */
void cgwi_follow_profile (struct cgw_tracer *t);

/* Coroutines.  The running function of a tracer calls the outermost function of
   a coroutine whenever it resumes it, and that call ends when it yields.  In
   between the coroutine's frames are on the resumer's, to which it carries the
   sums back.  */

/* Return the tracer that runs: the last in a chain of coroutines each of which
   has resumed the next one.  */
static inline struct cgw_tracer *
cgwi_innermost (struct cgw_tracer *t)
{
  while (t->resumed != NULL)
    t = t->resumed;
  return t;
}

/* Which path the next event of a tracer takes.  */
static inline enum cgwi_path
cgwi_path_of (const struct cgw_tracer *t)
{
  return t->missed != 0 || t->stopped || t->resumed != NULL ? CGWI_SLOW
         : t->calls_only                             ? CGWI_FAST_CALLS_ONLY
         : t->n_counters == 1 && t->p->n_events == 1 ? CGWI_FAST_ONE
                                                     : CGWI_FAST;
}

/* Check that a tracer, which is that parameter, is neither stopped nor waits
   for a coroutine.  CGW_EORDER.  */
enum cgw_status cgwi_check_running (const struct cgw_tracer *t,
                                    enum cgwi_parameter parameter);

/* Check whether the running function of `resumer` can resume a coroutine, which
   has resumed no other.  CGW_EINVAL, CGW_EORDER.  */
enum cgw_status cgwi_check_resumer (const struct cgw_tracer *t,
                                    const struct cgw_tracer *resumer);

/* Resume a coroutine.  CGW_EHANDLE, CGW_ENOMEM: it is stopped.  */
enum cgw_status cgwi_resume (struct cgw_tracer *t, struct cgw_tracer *resumer,
                             const struct cgw_pos *at);

/* Pause a coroutine that runs; its resumer continues, or is stopped if the
   coroutine was.  */
void cgwi_yield (struct cgw_tracer *t);

/* Let the coroutines yield that a tracer, and each other, have resumed.  */
void cgwi_yield_to (struct cgw_tracer *t);

#endif
