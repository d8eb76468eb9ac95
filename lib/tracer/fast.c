/* fast.c - the fast paths of a tracer's events: enter and leave.

   SPDX-License-Identifier: MIT  */

#include "slow.h"

/* Most events find the tracer neither stopped nor without memory, and no sum
   overflows.  They take one function without a call, which is compiled for
   each path.  If it finds anything else, it leaves, and the event takes the
   slow path: counters that it has booked do not count again, because their
   differences are 0 then.  */

static inline enum cgwi_path
path_of (const struct cgw_tracer *t, const uint64_t *counters)
{
  return t != NULL && counters != NULL ? t->of_profile.path : CGWI_SLOW;
}

#define ONE ((struct cgwi_shape){ 1, 1, false })
#define ONE_CALLS_ONLY ((struct cgwi_shape){ 1, 1, true })

static inline bool
has_one (const struct cgw_tracer *t)
{
  return t->n_counters == 1 && t->p->n_events == 1;
}

/* Return the shape of a tracer whose kind is known.  */
static inline struct cgwi_shape
shape_of (const struct cgw_tracer *t, bool calls_only)
{
  return (struct cgwi_shape){ t->p->n_events, t->n_counters, calls_only };
}

/* Stands for the position of a call that has none.  No names are such, and no
   caller's mistake has these numbers.  */
static const struct cgw_pos no_position
    = { .fn = { CGWI_NONE },
        .line = UINT32_C (0x9e3779b9),
        .instr = UINT64_C (0xd6e8feb86659fd93) };

/* Return the site of a call.  */
static struct cgwi_site *
site_of (const struct cgw_tracer *t, const struct cgw_pos *at,
         const struct cgw_pos *callee)
{
  uint32_t sum = t->top->self + at->line + (uint32_t) at->instr
                 + 8 * callee->fn.handle;

  return (struct cgwi_site *) t->p->sites.at
         + (sum * UINT32_C (0x9e3779b1) >> (32 - CGWI_SITES_BITS));
}

/* Whether a site has this call.  */
static inline bool
is_site (const struct cgwi_site *s, uint32_t from,
         const struct cgw_pos *at, const struct cgw_pos *callee)
{
  return s->from == from && s->at_names == cgwi_pos_names (at)
         && s->at_line == at->line && s->at_instr == at->instr
         && s->callee_names == cgwi_pos_names (callee)
         && s->callee_line == callee->line
         && s->callee_instr == callee->instr;
}

/* Find what the profile has for a call: the edge, and the position where the
   callee begins if it began there the last time.  */
static bool
find_call (const struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, uint32_t *edge, uint32_t *self)
{
  const struct cgw_profile *p = t->p;
  struct cgwi_key to = cgwi_key (p, callee, callee->fn.handle);
  struct cgwi_key from;

  if (t->depth == 0 && (at == &no_position || cgwi_is_nowhere (t, at)))
    return false;
  if (at != &no_position)
    from = cgwi_key (p, at, at->fn.handle != 0 ? at->fn.handle
                                               : cgwi_running_fn (t));
  else
    from = *cgwi_self_key (t, t->top->self);
  from.callee = to.fn;
  if ((*edge = cgwi_table_find (&p->edges, &from)) == CGWI_NONE)
    return false;
  *self = ~cgwi_edge (t, *edge)->hint;
  return *self < p->self.n && cgwi_key_equal (cgwi_self_key (t, *self), &to);
}

/* Make the site of a call that the profile has, but no site does.  NULL: it is
   new, or the callee began elsewhere the last time.  */
static const struct cgwi_site *
learn_site (const struct cgw_tracer *t, const struct cgw_pos *at,
            const struct cgw_pos *callee)
{
  struct cgwi_site *site = site_of (t, at, callee);
  uint32_t edge, self;

  if (!find_call (t, at, callee, &edge, &self))
    return NULL;
  site->from = t->top->self;
  site->at_names = cgwi_pos_names (at);
  site->at_line = at->line;
  site->at_instr = at->instr;
  site->callee_names = cgwi_pos_names (callee);
  site->callee_line = callee->line;
  site->callee_instr = callee->instr;
  site->edge = edge;
  site->begin
      = (uint64_t) cgwi_index (t->p->names, callee->fn.handle) << 32 | self;
  return site;
}

/* Open a call on an edge.  False: it is not open.  */
static inline __attribute__ ((always_inline)) bool
open_fast (struct cgw_tracer *t, uint32_t index, uint64_t begin, uint64_t tag,
           const uint64_t *counters, struct cgwi_shape shape)
{
  struct cgwi_frame *frame;
  struct cgwi_edge *edge;

  if (begin >> 32 >= t->counts.room || t->top == t->end)
    return false;
  frame = cgwi_prepare_frame (t, tag, index, begin, shape);
  edge = cgwi_edge (t, index);
  if (edge->count == UINT64_MAX || !cgwi_take_counters (t, counters, shape))
    return false;
  edge->count++;
  cgwi_push (t, frame, shape);
  return true;
}

static __attribute__ ((noinline)) enum cgw_status
enter_slow (struct cgw_tracer *t, const struct cgw_pos *at,
            const struct cgw_pos *callee, uint64_t tag,
            const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_ENTER,
                    .counters = counters,
                    .at = at != &no_position ? at : NULL, .pos = callee,
                    .tag = tag);
}

/* Open a call that no site has, inside, and leave.  */
static __attribute__ ((noinline)) enum cgw_status
enter_unlearned (struct cgw_tracer *t, const struct cgw_pos *at,
                 const struct cgw_pos *callee, uint64_t tag,
                 const uint64_t *counters)
{
  const struct cgwi_site *site = learn_site (t, at, callee);
  bool ok = site != NULL
            && open_fast (t, site->edge, site->begin, tag, counters,
                          cgwi_shape_of (t));

  cgwi_profile_leave (t->p);
  return ok ? CGW_OK : enter_slow (t, at, callee, tag, counters);
}

static inline __attribute__ ((always_inline)) enum cgw_status
enter_fast (struct cgw_tracer *t, const struct cgw_pos *at,
            const struct cgw_pos *callee, uint64_t tag,
            const uint64_t *counters, struct cgwi_shape shape)
{
  const struct cgwi_site *site;
  bool ok;

  if (at == NULL)
    at = &no_position;
  if (!cgwi_profile_enter (t->p))
    return enter_slow (t, at, callee, tag, counters);
  site = site_of (t, at, callee);
  if (!is_site (site, t->top->self, at, callee))
    return enter_unlearned (t, at, callee, tag, counters);
  ok = open_fast (t, site->edge, site->begin, tag, counters, shape);
  cgwi_profile_leave (t->p);
  return ok ? CGW_OK : enter_slow (t, at, callee, tag, counters);
}

static __attribute__ ((noinline)) enum cgw_status
enter_any (struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, uint64_t tag,
           const uint64_t *counters)
{
  enum cgwi_path path = callee != NULL ? path_of (t, counters) : CGWI_SLOW;

  return path >= CGWI_FAST ? enter_fast (t, at, callee, tag, counters,
                                         shape_of (t, false))
         : path == CGWI_FAST_CALLS_ONLY
             ? enter_fast (t, at, callee, tag, counters, shape_of (t, true))
             : enter_slow (t, at, callee, tag, counters);
}

enum cgw_status
cgw_tracer_enter (struct cgw_tracer *t, const struct cgw_pos *at,
                  const struct cgw_pos *callee, uint64_t tag,
                  const uint64_t *counters)
{
  return callee != NULL && path_of (t, counters) == CGWI_FAST_ONE
             ? enter_fast (t, at, callee, tag, counters, ONE)
             : enter_any (t, at, callee, tag, counters);
}

static __attribute__ ((noinline)) enum cgw_status
enter_edge_slow (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                 uint64_t tag, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_ENTER_EDGE,
                    .counters = counters, .edge = { handle, start },
                    .tag = tag);
}

static inline __attribute__ ((always_inline)) enum cgw_status
enter_edge_fast (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                 uint64_t tag, const uint64_t *counters,
                 struct cgwi_shape shape)
{
  bool ok;

  if (!cgwi_profile_enter (t->p))
    return enter_edge_slow (t, handle, start, tag, counters);
  ok = cgwi_is_valid (t->p, handle, start)
       && open_fast (t, (uint32_t) handle, start, tag, counters, shape);
  cgwi_profile_leave (t->p);
  return ok ? CGW_OK : enter_edge_slow (t, handle, start, tag, counters);
}

static __attribute__ ((noinline)) enum cgw_status
enter_edge_any (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                uint64_t tag, const uint64_t *counters)
{
  enum cgwi_path path = path_of (t, counters);

  return path >= CGWI_FAST ? enter_edge_fast (t, handle, start, tag, counters,
                                              shape_of (t, false))
         : path == CGWI_SLOW ? enter_edge_slow (t, handle, start, tag, counters)
         : has_one (t) ? enter_edge_fast (t, handle, start, tag, counters,
                                          ONE_CALLS_ONLY)
                       : enter_edge_fast (t, handle, start, tag, counters,
                                          shape_of (t, true));
}

enum cgw_status
cgw_tracer_enter_edge (struct cgw_tracer *t, struct cgw_edge edge,
                       uint64_t tag, const uint64_t *counters)
{
  return path_of (t, counters) == CGWI_FAST_ONE
             ? enter_edge_fast (t, edge.handle, edge.begin, tag, counters, ONE)
             : enter_edge_any (t, edge.handle, edge.begin, tag, counters);
}

static __attribute__ ((noinline)) enum cgw_status
leave_slow (struct cgw_tracer *t, const uint64_t *counters)
{
  return CGWI_TAKE (t, .called = CGWI_CALLED_TRACER_LEAVE,
                    .counters = counters);
}

static inline __attribute__ ((always_inline)) enum cgw_status
leave_fast (struct cgw_tracer *t, const uint64_t *counters,
            struct cgwi_shape shape)
{
  bool ok;

  if (!cgwi_profile_enter (t->p))
    return leave_slow (t, counters);
  ok = !cgwi_is_outside (t) && cgwi_take_counters (t, counters, shape)
       && cgwi_close_call (t, shape);
  cgwi_profile_leave (t->p);
  return ok ? CGW_OK : leave_slow (t, counters);
}

static __attribute__ ((noinline)) enum cgw_status
leave_any (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgwi_path path = path_of (t, counters);

  return path >= CGWI_FAST ? leave_fast (t, counters, shape_of (t, false))
         : path == CGWI_SLOW ? leave_slow (t, counters)
         : has_one (t)       ? leave_fast (t, counters, ONE_CALLS_ONLY)
                             : leave_fast (t, counters, shape_of (t, true));
}

enum cgw_status
cgw_tracer_leave (struct cgw_tracer *t, const uint64_t *counters)
{
  return path_of (t, counters) == CGWI_FAST_ONE
             ? leave_fast (t, counters, ONE)
             : leave_any (t, counters);
}
