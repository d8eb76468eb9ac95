/* tracer.c - the calls of a tracer.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include "../profile/sums.h"
#include "../sized.h"

#include <string.h>

/* Count the open calls anew, if the profile was cleared.  */
static void
follow_profile (struct cgw_tracer *t)
{
  if (t->interval != t->p->interval)
    cgwi_recount_calls (t);
}

/* Keep why a call is refused.  Some tools cannot avoid some errors, which leave
   nothing out of the profile: the return of a function that was called before
   tracing began, and counters that a handler overtook.  */
static enum cgw_status
refuse (struct cgw_tracer *t, enum cgwi_called called, enum cgw_status status)
{
  return status == CGW_EDEPTH || status == CGW_EBACKWARDS
                 || status == CGW_EORDER || status == CGW_EBUSY
             ? cgwi_refuse_unkept (&t->p->refusals, called, status,
                                   cgwi_profile_why (t->p, status))
             : cgwi_profile_refuse (t->p, called, status);
}

/* Making and freeing.  */

static void
book_open_calls (struct cgw_tracer *t)
{
  follow_profile (t);
  cgwi_sync_calls (t);
}

/* Once for all tracers of a chain is enough.  */
static void
sync_hook (struct cgwi_tracing *of_profile)
{
  struct cgw_tracer *t = (struct cgw_tracer *) of_profile;

  if (t->resumed == NULL)
    book_open_calls (t);
}

static void
free_hook (struct cgwi_tracing *of_profile)
{
  struct cgw_tracer *t = (struct cgw_tracer *) of_profile;
  const struct cgwi_memory *m = cgwi_memory_of (t->p);

  cgwi_release_array (m, &t->frames);
  cgwi_release_array (m, &t->active);
  cgwi_release (m, t);
}

static enum cgw_status
take_options (struct cgw_tracer_options *o, struct cgw_profile *p,
              const struct cgw_tracer_options *theirs)
{
  struct cgwi_why why;

  *o = (struct cgw_tracer_options) CGW_TRACER_OPTIONS_INIT;
  if (theirs != NULL
      && !cgwi_take_struct (o, sizeof *o, theirs, CGWI_ARG_TRACER_OPTIONS,
                            &why))
    return cgwi_fail (p, CGW_EINVAL, &why);
  if ((o->flags & ~CGW_CALLS_ONLY) != 0)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_UNKNOWN_FLAGS,
                      .value = o->flags & ~CGW_CALLS_ONLY);
  if (o->n_counters > p->n_events)
    return CGWI_FAIL (p, CGW_EINVAL, .reason = CGWI_WHY_N_COUNTERS,
                      .a = o->n_counters, .b = p->n_events);
  return cgwi_check_root (p, o->root, CGWI_ARG_OPTIONS_ROOT);
}

/* Make room for what a tracer needs before its first event.  */
static bool
reserve (struct cgw_tracer *t, uint32_t root)
{
  struct cgw_profile *p = t->p;
  const struct cgwi_memory *m = cgwi_memory_of (p);
  bool has_sites = p->sites.room != 0;

  if (!cgwi_grow (m, &t->frames, 1, t->frame_size)
      || !cgwi_reserve_active (t, root)
      || !cgwi_grow (m, &p->sites, CGWI_SITES, sizeof (struct cgwi_site)))
    return false;
  if (!has_sites) /* no call is in them: no function has such an index */
    memset (p->sites.at, 0xff, CGWI_SITES * sizeof (struct cgwi_site));
  return true;
}

/* Make a tracer, which is not the profile's yet.  NULL: no memory.  */
static struct cgw_tracer *
make (struct cgw_profile *p, const struct cgw_tracer_options *o)
{
  size_t size = sizeof (struct cgw_tracer)
                + (p->n_events + o->n_counters) * sizeof (uint64_t);
  struct cgw_tracer *t = cgwi_resize (cgwi_memory_of (p), NULL, size);
  uint32_t root = cgwi_index (p->names, o->root.handle);
  bool has_root = o->root.handle != 0;

  if (t == NULL)
    return NULL;
  memset (t, 0, size);
  t->of_profile.book = sync_hook;
  t->of_profile.free = free_hook;
  t->p = p;
  t->n_counters = o->n_counters;
  t->calls_only = (o->flags & CGW_CALLS_ONLY) != 0;
  t->root = o->root;
  t->interval = p->interval;
  t->from_self = CGWI_NONE;
  t->frame_size = cgwi_frame_size (p->n_events);
  if (!reserve (t, root))
    {
      free_hook (&t->of_profile);
      return NULL;
    }
  t->top = cgwi_frame (t, 0);
  t->end = cgwi_frame (t, t->frames.room - 1);
  t->top->edge = CGWI_NONE;
  t->top->self = CGWI_OUTSIDE + (has_root ? root + 1 : 0);
  *cgwi_active (t, root) = has_root; /* it is always open */
  return t;
}

/* Make a tracer, inside the profile.  */
static enum cgw_status
make_inside (struct cgw_tracer **result, struct cgw_profile *p,
             const struct cgw_tracer_options *theirs)
{
  struct cgw_tracer_options o;
  enum cgw_status status;
  struct cgw_tracer *t;

  if (result == NULL)
    return cgwi_fail_null (p, CGWI_ARG_TRACER);
  if ((status = take_options (&o, p, theirs)) != CGW_OK)
    return status;
  if ((t = make (p, &o)) == NULL)
    return CGW_ENOMEM;
  cgwi_profile_add_tracer (p, &t->of_profile);
  *result = t;
  return CGW_OK;
}

enum cgw_status
cgw_tracer_new (struct cgw_tracer **result, struct cgw_profile *p,
                const struct cgw_tracer_options *options)
{
  enum cgw_status status;

  if (result != NULL)
    *result = NULL;
  status = cgwi_profile_begin (p, CGWI_CALLED_TRACER_NEW);
  return status == CGW_OK ? cgwi_profile_end (p, CGWI_CALLED_TRACER_NEW,
                                              make_inside (result, p, options))
                          : status;
}

enum cgw_status
cgw_tracer_free (struct cgw_tracer *t)
{
  struct cgw_profile *p;

  if (t == NULL)
    return CGW_OK;
  p = t->p;
  if (!cgwi_profile_enter (p))
    return refuse (t, CGWI_CALLED_TRACER_FREE, CGW_EBUSY);
  book_open_calls (t);
  cgwi_yield_to (t);
  if (t->resumer != NULL)
    cgwi_yield (t);
  cgwi_profile_remove_tracer (&t->of_profile);
  free_hook (&t->of_profile);
  cgwi_profile_leave (p);
  return CGW_OK;
}

/* Events.  */

/* Leave.  */
static enum cgw_status
leave (struct cgw_tracer *t, enum cgwi_called called, enum cgw_status status)
{
  t->of_profile.path = cgwi_path_of (t);
  if (status != CGW_OK)
    refuse (t, called, status);
  cgwi_profile_leave (t->p);
  return status;
}

/* Enter.  CGW_EINVAL, CGW_EBUSY: do not leave.  */
static enum cgw_status
enter (struct cgw_tracer *t, enum cgwi_called called)
{
  if (t == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (t->p))
    return refuse (t, called, CGW_EBUSY);
  follow_profile (t);
  return CGW_OK;
}

static enum cgw_status
fail (struct cgw_tracer *t, enum cgw_status status, enum cgwi_reason reason)
{
  return CGWI_FAIL (t->p, status, .reason = reason);
}

/* End the running call, missed or not.  */
static enum cgw_status
end_one (struct cgw_tracer *t)
{
  if (t->missed != 0)
    t->missed--;
  else if (t->depth != 0)
    cgwi_end_call (t);
  else
    return fail (t, CGW_EDEPTH, CGWI_WHY_NO_OPEN_CALL);
  return CGW_OK;
}

/* Leave calls until `depth` are open.  */
static enum cgw_status
unwind_to (struct cgw_tracer *t, size_t depth)
{
  if (depth > t->depth + t->missed)
    return CGWI_FAIL (t->p, CGW_EDEPTH, .reason = CGWI_WHY_FEWER_CALLS,
                      .a = depth, .b = t->depth + t->missed);
  while (t->depth + t->missed > depth)
    end_one (t);
  return CGW_OK;
}

/* Leave calls until the innermost one with this tag is running.  Calls that
   are missed have no tags.  */
static enum cgw_status
unwind_to_tag (struct cgw_tracer *t, uint64_t tag)
{
  size_t depth = t->depth;

  while (depth > 0 && cgwi_frame (t, depth)->tag != tag)
    depth--;
  return depth != 0 ? unwind_to (t, depth)
                    : CGWI_FAIL (t->p, CGW_EDEPTH, .reason = CGWI_WHY_NO_TAG,
                                 .a = tag);
}

/* The running function ends, and another one runs in its place.  */
static enum cgw_status
replace (struct cgw_tracer *t, const struct cgw_pos *callee, uint64_t tag)
{
  if (t->missed != 0)
    return CGW_OK;
  return t->depth != 0 ? cgwi_replace_call (t, callee, tag)
                       : fail (t, CGW_EDEPTH, CGWI_WHY_NO_OPEN_CALL);
}

/* Set the current position of the running function.  */
static enum cgw_status
move_to (struct cgw_tracer *t, const struct cgw_pos *pos)
{
  uint32_t self;
  enum cgw_status status;

  if (t->depth == 0)
    return fail (t, CGW_EDEPTH, CGWI_WHY_NO_OPEN_CALL);
  status = cgwi_find_self (t, pos, CGWI_ARG_POS, &self);
  /* Below a missed call, the frame is that of its caller.  */
  if (status == CGW_OK && t->missed == 0)
    t->top->self = self;
  return status;
}

/* Continue, behind a pause or in the place of the coroutines that were
   resumed.  */
static enum cgw_status
resume (struct cgw_tracer *t, const uint64_t *counters)
{
  cgwi_yield_to (t);
  if (t->paused && t->n_counters != 0)
    memcpy (cgwi_last (t, cgwi_shape_of (t)), counters,
            t->n_counters * sizeof *counters);
  t->paused = false;
  return CGW_OK;
}

/* Leave all calls.  What runs inside yields first; a coroutine itself then
   does.  */
static enum cgw_status
end_all (struct cgw_tracer *t)
{
  cgwi_yield_to (t);
  unwind_to (t, 0);
  if (t->resumer != NULL)
    cgwi_yield (t);
  t->paused = false;
  return CGW_OK;
}

/* An event with counters, and what else it has.  */
struct event
{
  enum cgwi_called called;
  const uint64_t *counters;
  const struct cgw_pos *at;
  const struct cgw_pos *pos; /* the callee's, or where a function continues */
  struct cgw_edge edge;
  uint64_t tag;
  size_t depth;
  size_t n_pos; /* of a run */
  const uint64_t *cost;
  size_t n_cost;
  struct cgw_tracer *resumer;
};

/* Check the costs of events that are no counters.  CGW_EINVAL, CGW_ECOSTS.  */
static enum cgw_status
check_costs (struct cgw_tracer *t, const uint64_t *cost, size_t n)
{
  size_t most = t->p->n_events - t->n_counters;

  if (cost == NULL && n != 0)
    return cgwi_fail_null (t->p, CGWI_ARG_COST);
  if (n > most)
    return CGWI_FAIL (t->p, CGW_ECOSTS, .reason = CGWI_WHY_TRACER_COSTS,
                      .value = cgwi_at_most_32_bits (n), .a = most);
  return CGW_OK;
}

static enum cgw_status
check (struct cgw_tracer *t, const struct event *e)
{
  bool needs_callee = e->called == CGWI_CALLED_TRACER_ENTER
                      || e->called == CGWI_CALLED_TRACER_TAIL;
  bool needs_pos = e->called == CGWI_CALLED_TRACER_MOVE
                   || (e->called == CGWI_CALLED_TRACER_RUN && e->n_pos != 0);
  bool is_of_all = e->called == CGWI_CALLED_TRACER_SYNC
                   || e->called == CGWI_CALLED_TRACER_END;

  if (e->pos == NULL && (needs_callee || needs_pos))
    return cgwi_fail_null (t->p, needs_pos ? CGWI_ARG_POS : CGWI_ARG_CALLEE);
  if (is_of_all && cgwi_innermost (t)->paused)
    return CGW_OK;
  if (e->counters == NULL && t->n_counters != 0)
    return CGWI_FAIL (t->p, CGW_EINVAL, .reason = CGWI_WHY_NO_COUNTERS,
                      .value = (uint32_t) t->n_counters);
  if (t->resumed != NULL)
    return is_of_all || e->called == CGWI_CALLED_TRACER_RESUME
               ? CGW_OK
               : fail (t, CGW_EORDER, CGWI_WHY_SUSPENDED);
  if (e->called == CGWI_CALLED_TRACER_RESUME_FROM)
    return cgwi_check_resumer (t, e->resumer);
  if (t->paused != (e->called == CGWI_CALLED_TRACER_RESUME))
    return fail (t, CGW_EORDER,
                 t->paused ? CGWI_WHY_PAUSED : CGWI_WHY_NOT_PAUSED);
  return e->called == CGWI_CALLED_TRACER_YIELD && t->resumer == NULL
             ? fail (t, CGW_EORDER, CGWI_WHY_NO_RESUMER)
             : check_costs (t, e->cost, e->n_cost);
}

/* Do what an event says, after its counters were booked.  */
static enum cgw_status
carry_out (struct cgw_tracer *t, const struct event *e)
{
  switch (e->called)
    {
    case CGWI_CALLED_TRACER_ENTER:
      return cgwi_open_call (t, e->at, e->pos, e->tag);
    case CGWI_CALLED_TRACER_ENTER_EDGE:
      return cgwi_open_edge (t, e->edge, e->tag);
    case CGWI_CALLED_TRACER_LEAVE:
      return end_one (t);
    case CGWI_CALLED_TRACER_TAIL:
      return replace (t, e->pos, e->tag);
    case CGWI_CALLED_TRACER_MOVE:
      return move_to (t, e->pos);
    case CGWI_CALLED_TRACER_RUN:
      return t->depth != 0
                 ? cgwi_run (t, e->pos, e->n_pos, e->cost, e->n_cost)
                 : fail (t, CGW_EDEPTH, CGWI_WHY_NO_OPEN_CALL);
    case CGWI_CALLED_TRACER_RESUME:
      return resume (t, e->counters);
    case CGWI_CALLED_TRACER_UNWIND_TAG:
      return unwind_to_tag (t, e->tag);
    case CGWI_CALLED_TRACER_RESUME_FROM:
      return cgwi_resume_from (t, e->resumer, e->at);
    case CGWI_CALLED_TRACER_YIELD:
      cgwi_yield (t);
      return CGW_OK;
    case CGWI_CALLED_TRACER_SYNC:
      cgwi_sync_calls (t);
      return CGW_OK;
    case CGWI_CALLED_TRACER_END:
      return end_all (t);
    case CGWI_CALLED_TRACER_UNWIND:
      return unwind_to (t, e->depth);
    default: /* pause */
      t->paused = true;
      return CGW_OK;
    }
}

static enum cgw_status
take (struct cgw_tracer *t, const struct event *e)
{
  enum cgw_status status = enter (t, e->called);
  enum cgw_status booked = CGW_OK;
  struct cgw_tracer *running;

  if (status != CGW_OK)
    return status;
  if ((status = check (t, e)) == CGW_OK)
    {
      running = e->resumer != NULL ? e->resumer : cgwi_innermost (t);
      follow_profile (running);
      if (!running->paused)
        booked = cgwi_book_counters (running, e->counters);
      status = carry_out (t, e);
      status = status != CGW_OK ? status : booked;
    }
  return leave (t, e->called, status);
}

/* Most events find the tracer neither paused nor without memory, and no sum
   overflows.  They take one function without a call, which is compiled for each
   path.  If it finds anything else, it leaves, and the event takes the slow
   path: counters that it has booked do not count again, because their
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

/* Stands for the position of a call that has none.  No names are such.  */
static const struct cgw_pos no_position = { .fn = { CGWI_NONE } };

/* Find what the profile has for a call: the edge, and the position where the
   callee begins if it began there the last time.  */
static bool
find_call (const struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, uint32_t *edge, uint32_t *self)
{
  const struct cgw_profile *p = t->p;
  struct cgwi_spot to = cgwi_key (p, callee, callee->fn.handle);
  struct cgwi_spot from;

  if (t->depth == 0 && (at == &no_position || cgwi_is_nowhere (t, at)))
    return false;
  if (at != &no_position)
    from = cgwi_key (p, at, at->fn.handle != 0 ? at->fn.handle
                                               : cgwi_running_fn (t));
  else
    from = *cgwi_self_spot (t, t->top->self);
  from.callee = to.fn;
  if ((*edge = cgwi_table_find (&p->edges, &from)) == CGWI_NONE)
    return false;
  *self = ~cgwi_edge (t, *edge)->hint;
  return *self < p->self.n && cgwi_spot_equal (cgwi_self_spot (t, *self), &to);
}

/* Make the site of a call that the profile has, but no site does.  NULL: it is
   new, or the callee began elsewhere the last time.  */
static const struct cgwi_site *
learn_site (const struct cgw_tracer *t, const struct cgw_pos *at,
            const struct cgw_pos *callee)
{
  struct cgwi_site *site = cgwi_site (t, at, callee);
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
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_ENTER,
                                   .counters = counters,
                                   .at = at != &no_position ? at : NULL,
                                   .pos = callee, .tag = tag });
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
  site = cgwi_site (t, at, callee);
  if (!cgwi_is_site (site, t->top->self, at, callee))
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

static enum cgw_status
find_edge (struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, struct cgw_edge *edge)
{
  return edge == NULL || at == NULL || callee == NULL
             ? cgwi_fail_null (t->p, edge == NULL ? CGWI_ARG_EDGE
                                     : at == NULL ? CGWI_ARG_AT
                                                  : CGWI_ARG_CALLEE)
             : cgwi_find_edge (t, at, callee, edge);
}

enum cgw_status
cgw_tracer_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                 const struct cgw_pos *callee, struct cgw_edge *edge)
{
  enum cgw_status status;

  if (edge != NULL)
    *edge = (struct cgw_edge){ 0, 0 };
  status = enter (t, CGWI_CALLED_TRACER_EDGE);
  return status == CGW_OK ? leave (t, CGWI_CALLED_TRACER_EDGE,
                                   find_edge (t, at, callee, edge))
                          : status;
}

static __attribute__ ((noinline)) enum cgw_status
enter_edge_slow (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                    uint64_t tag, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_ENTER_EDGE,
                                   .counters = counters,
                                   .edge = { handle, start }, .tag = tag });
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
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_LEAVE,
                                   .counters = counters });
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

enum cgw_status
cgw_tracer_tail (struct cgw_tracer *t, const struct cgw_pos *callee,
                 uint64_t tag, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_TAIL,
                                   .counters = counters, .pos = callee,
                                   .tag = tag });
}

enum cgw_status
cgw_tracer_move (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_MOVE,
                                   .counters = counters, .pos = pos });
}

enum cgw_status
cgw_tracer_run (struct cgw_tracer *t, const struct cgw_pos *pos, size_t n_pos,
                const uint64_t *cost, size_t n, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_RUN,
                                   .counters = counters, .pos = pos,
                                   .n_pos = n_pos, .cost = cost,
                                   .n_cost = n });
}

enum cgw_status
cgw_tracer_unwind (struct cgw_tracer *t, size_t depth,
                   const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_UNWIND,
                                   .counters = counters, .depth = depth });
}

enum cgw_status
cgw_tracer_unwind_tag (struct cgw_tracer *t, uint64_t tag,
                       const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_UNWIND_TAG,
                                   .counters = counters, .tag = tag });
}

enum cgw_status
cgw_tracer_pause (struct cgw_tracer *t, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_PAUSE,
                                   .counters = counters });
}

enum cgw_status
cgw_tracer_resume (struct cgw_tracer *t, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_RESUME,
                                   .counters = counters });
}

enum cgw_status
cgw_tracer_resume_from (struct cgw_tracer *t, struct cgw_tracer *resumer,
                        const struct cgw_pos *at, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_RESUME_FROM,
                                   .counters = counters, .at = at,
                                   .resumer = resumer });
}

enum cgw_status
cgw_tracer_yield (struct cgw_tracer *t, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_YIELD,
                                   .counters = counters });
}

enum cgw_status
cgw_tracer_sync (struct cgw_tracer *t, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_SYNC,
                                   .counters = counters });
}

enum cgw_status
cgw_tracer_end (struct cgw_tracer *t, const uint64_t *counters)
{
  return take (t, &(struct event){ .called = CGWI_CALLED_TRACER_END,
                                   .counters = counters });
}

/* Book costs that are no counters.  */
static enum cgw_status
book_costs (struct cgw_tracer *t, const struct cgw_pos *pos,
            const uint64_t *cost, size_t n)
{
  uint32_t self = cgwi_running_self (t);
  enum cgw_status status;

  if (t->paused || t->resumed != NULL)
    return fail (t, CGW_EORDER,
                 t->paused ? CGWI_WHY_PAUSED : CGWI_WHY_SUSPENDED);
  if ((status = check_costs (t, cost, n)) != CGW_OK)
    return status;
  if (pos == NULL && self == CGWI_NONE)
    return fail (t, CGW_EDEPTH, CGWI_WHY_NO_OPEN_CALL);
  if (pos != NULL
      && (status = cgwi_find_self (t, pos, CGWI_ARG_POS, &self)) != CGW_OK)
    return status;
  for (size_t i = 0; i < n; i++)
    cgwi_book (t, self, t->n_counters + i, cost[i], cgwi_shape_of (t));
  return CGW_OK;
}

enum cgw_status
cgw_tracer_cost (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  enum cgw_status status = enter (t, CGWI_CALLED_TRACER_COST);

  return status == CGW_OK ? leave (t, CGWI_CALLED_TRACER_COST,
                                   book_costs (t, pos, cost, n))
                          : status;
}

size_t
cgw_tracer_depth (const struct cgw_tracer *t)
{
  return t != NULL ? t->depth + t->missed : 0;
}

uint64_t
cgw_tracer_tag (const struct cgw_tracer *t, size_t depth)
{
  return t != NULL && depth - 1 < t->depth ? cgwi_frame (t, depth)->tag : 0;
}
