/* tracer.c - the calls of a tracer.

   SPDX-License-Identifier: MIT  */

#include "calls.h"

#include "../api/structs.h"
#include "../profile/sums.h"

#include <string.h>

static bool
take_options (struct cgw_tracer_options *o, const struct cgw_profile *p,
              const struct cgw_tracer_options *theirs,
              struct cgwi_sentence *why)
{
  *o = (struct cgw_tracer_options) CGW_TRACER_OPTIONS_INIT;
  if (theirs != NULL
      && !cgwi_take_struct (o, sizeof *o, theirs, "options",
                            "CGW_TRACER_OPTIONS_INIT", why))
    return false;
  if (o->flags != 0)
    return cgwi_say (why, "options.flags has %x, which libcgw "
                          CGW_VERSION_STRING " does not know", o->flags);
  if (o->n_counters > p->n_events)
    return cgwi_say (why, "options.n_counters is %U, but the profile has %U "
                          "events",
                     (uint64_t) o->n_counters, (uint64_t) p->n_events);
  return true;
}

/* Count the open calls anew, if the profile was cleared.  */
static void
follow_profile (struct cgw_tracer *t)
{
  if (t->interval != t->p->interval)
    cgwi_recount_calls (t);
}

static enum cgw_status
book_open_calls (struct cgwi_tracing *of_profile)
{
  struct cgw_tracer *t = (struct cgw_tracer *) of_profile;

  follow_profile (t);
  return cgwi_sync_calls (t);
}

/* Make a tracer, inside the writer.  */
static enum cgw_status
make (struct cgw_tracer **result, struct cgw_profile *p,
      const struct cgw_tracer_options *theirs)
{
  struct cgwi_sentence *why = &p->w->core.errors.last_why;
  struct cgw_tracer_options o;
  struct cgwi_spot root;
  struct cgw_tracer *t;
  size_t size;

  if (!take_options (&o, p, theirs, why))
    return CGW_EINVAL;
  if (cgwi_profile_spot (p, &(struct cgw_pos){ .fn = o.root }, &root)
      != CGW_OK)
    {
      cgwi_say (why, "options.root is a handle of another writer, or of one "
                     "that was freed");
      return CGW_EHANDLE;
    }
  size = sizeof *t + (p->n_events + o.n_counters) * sizeof *t->sums;
  if ((t = cgwi_resize (&p->w->memory, NULL, size)) == NULL)
    return CGW_ENOMEM;
  memset (t, 0, size);
  t->p = p;
  t->n_counters = o.n_counters;
  t->root = o.root.handle != 0 ? root.fn : CGWI_NONE;
  t->interval = p->interval;
  t->usual = t->simple = UINT32_MAX; /* until there was an event */
  t->frame_size = cgwi_frame_size (p->n_events);
  if (t->root != CGWI_NONE && !cgwi_reserve_active (t, t->root))
    {
      cgwi_release (&p->w->memory, t);
      return CGW_ENOMEM;
    }
  if (t->root != CGWI_NONE)
    t->active[t->root]++; /* it is always open */
  t->of_profile.book = book_open_calls;
  cgwi_profile_add_tracer (p, &t->of_profile);
  *result = t;
  return CGW_OK;
}

enum cgw_status
cgw_tracer_new (struct cgw_tracer **result, struct cgw_profile *p,
                const struct cgw_tracer_options *options)
{
  enum cgw_status status;

  if (result == NULL)
    return CGW_EINVAL;
  *result = NULL;
  if (p == NULL)
    return CGW_EINVAL;
  if (!cgwi_profile_enter (p))
    return CGW_EBUSY;
  /* Before the gate, which this enters, too.  */
  status = cgwi_profile_exactly (p);
  if (status == CGW_OK)
    status = cgwi_enter (p->w);
  if (status == CGW_OK)
    {
      status = cgwi_errors_end (&p->w->core.errors, make (result, p, options));
      cgwi_leave (p->w);
    }
  cgwi_profile_leave (p);
  return status;
}

void
cgw_tracer_free (struct cgw_tracer *t)
{
  struct cgw_profile *p;

  if (t == NULL || !cgwi_profile_enter (t->p))
    return;
  p = t->p;
  cgwi_profile_remove_tracer (p, &t->of_profile);
  cgwi_release (&p->w->memory, t->frames);
  cgwi_release (&p->w->memory, t->active);
  cgwi_release (&p->w->memory, t);
  cgwi_profile_leave (p);
}

/* Keep the error of an event: in the tracer, and also in the profile, unless
   some tools cannot avoid it.  Such errors are the return of a function that
   was called before tracing began, and counters that a handler overtook.  */
static enum cgw_status
refuse (struct cgw_tracer *t, enum cgw_status status, enum cgwi_reason reason)
{
  if (t == NULL)
    return status;
  if (t->error == CGW_OK)
    t->error = status;
  if (status == CGW_EDEPTH || status == CGW_EBACKWARDS || status == CGW_EORDER)
    {
      cgwi_errors_refused (&t->p->w->core.errors,
                           cgwi_refused_as (status, reason));
      return status;
    }
  return cgwi_profile_refuse (t->p, status, reason);
}

/* Why an event was refused that had its arguments.  */
static enum cgwi_reason
why_refused (const struct cgw_tracer *t, enum cgw_status status)
{
  switch (status)
    {
    case CGW_EHANDLE:
      return CGWI_TRACER_FOREIGN;
    case CGW_ECOSTS:
      return CGWI_WHY_TRACER_COSTS;
    case CGW_EORDER:
      return t->paused ? CGWI_TRACER_PAUSED : CGWI_TRACER_NOT_PAUSED;
    default:
      return CGWI_WHY_NO_REASON;
    }
}

/* Enter for an event that needs `arguments`.  CGW_EINVAL, CGW_EBUSY: do not
   leave.  */
static enum cgw_status
enter (struct cgw_tracer *t, bool arguments)
{
  if (!arguments)
    return refuse (t, CGW_EINVAL, CGWI_TRACER_NULL);
  if (!cgwi_profile_enter (t->p))
    return CGW_EBUSY;
  follow_profile (t);
  return CGW_OK;
}

/* Whether an event that needs counters has them.  */
static inline bool
has_counters (const struct cgw_tracer *t, const uint64_t *counters)
{
  return counters != NULL || t->n_counters == 0;
}

/* Enter for an event that needs counters, too.  */
static enum cgw_status
enter_with (struct cgw_tracer *t, const uint64_t *counters, bool arguments)
{
  return t == NULL || has_counters (t, counters)
             ? enter (t, t != NULL && arguments)
             : refuse (t, CGW_EINVAL, CGWI_TRACER_COUNTERS);
}

/* Leave.  */
static enum cgw_status
leave (struct cgw_tracer *t, enum cgw_status status)
{
  bool is_usual = t->missed == 0 && !t->paused;
  bool is_simple = t->n_counters == 1 && t->p->n_events == 1;

  t->usual = is_usual ? t->interval : UINT32_MAX;
  t->simple = is_usual && is_simple ? t->interval : UINT32_MAX;
  cgwi_profile_leave (t->p);
  return status == CGW_OK ? CGW_OK
                          : refuse (t, status, why_refused (t, status));
}

static enum cgw_status
first_of (enum cgw_status a, enum cgw_status b)
{
  return a != CGW_OK ? a : b;
}

/* Begin an event with counters, and book them.  False: the event ends with
   *status.  */
static bool
begin (struct cgw_tracer *t, const uint64_t *counters, bool arguments,
       enum cgw_status *status)
{
  *status = enter_with (t, counters, arguments);
  if (*status != CGW_OK)
    return false;
  if (t->paused)
    {
      *status = leave (t, CGW_EORDER);
      return false;
    }
  *status = cgwi_book_counters (t, counters);
  return true;
}

/* Most events find the tracer in its usual state: it has an open call, is not
   paused, and so on.  They take one function without a call, which is compiled
   twice: for one event that is a counter, and for any.  */

static inline bool
is_usual (const struct cgw_tracer *t, const uint64_t *counters)
{
  return t != NULL && counters != NULL && t->usual == t->p->interval
         && t->depth != 0;
}

static inline bool
is_simple (const struct cgw_tracer *t, const uint64_t *counters)
{
  return t != NULL && counters != NULL && t->simple == t->p->interval
         && t->depth != 0;
}

#define SIMPLE ((struct cgwi_shape){ 1, 1 })

/* Open a call after the counters were booked.  */
static __attribute__ ((noinline)) enum cgw_status
open_unusual (struct cgw_tracer *t, const struct cgw_pos *at,
              const struct cgw_pos *callee, uint64_t tag,
              enum cgw_status booked)
{
  return leave (t, first_of (cgwi_open_call (t, at, callee, tag), booked));
}

static __attribute__ ((noinline)) enum cgw_status
enter_unusual (struct cgw_tracer *t, const struct cgw_pos *at,
               const struct cgw_pos *callee, uint64_t tag,
               const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, callee != NULL, &booked))
    return booked;
  return open_unusual (t, at, callee, tag, booked);
}

static inline __attribute__ ((always_inline)) enum cgw_status
enter_usual (struct cgw_tracer *t, const struct cgw_pos *at,
             const struct cgw_pos *callee, uint64_t tag,
             const uint64_t *counters, struct cgwi_shape shape)
{
  struct cgwi_frame *top = cgwi_top (t);
  enum cgw_status booked;

  if (t->depth == t->capacity || !cgwi_profile_enter (t->p))
    return enter_unusual (t, at, callee, tag, counters);
  booked = cgwi_book_inside (t, top, counters, shape);
  if (booked != CGW_OK || !cgwi_open_known (t, top, at, callee, tag, shape))
    return open_unusual (t, at, callee, tag, booked);
  cgwi_profile_leave (t->p);
  return CGW_OK;
}

static __attribute__ ((noinline)) enum cgw_status
enter_any (struct cgw_tracer *t, const struct cgw_pos *at,
           const struct cgw_pos *callee, uint64_t tag,
           const uint64_t *counters)
{
  if (callee == NULL || !is_usual (t, counters))
    return enter_unusual (t, at, callee, tag, counters);
  return enter_usual (t, at, callee, tag, counters, cgwi_shape_of (t));
}

enum cgw_status
cgw_tracer_enter (struct cgw_tracer *t, const struct cgw_pos *at,
                  const struct cgw_pos *callee, uint64_t tag,
                  const uint64_t *counters)
{
  if (callee == NULL || !is_simple (t, counters))
    return enter_any (t, at, callee, tag, counters);
  return enter_usual (t, at, callee, tag, counters, SIMPLE);
}

enum cgw_status
cgw_tracer_edge (struct cgw_tracer *t, const struct cgw_pos *at,
                 const struct cgw_pos *callee, struct cgw_edge *edge)
{
  enum cgw_status status;

  if (edge == NULL)
    return refuse (t, CGW_EINVAL, CGWI_TRACER_NULL);
  *edge = (struct cgw_edge){ 0, 0 };
  status = enter (t, t != NULL && at != NULL && callee != NULL);
  return status == CGW_OK ? leave (t, cgwi_find_edge (t, at, callee, edge))
                          : status;
}

/* The parts of an edge are passed by themselves: compilers then keep them in
   registers.  */
static __attribute__ ((noinline)) enum cgw_status
open_edge_unusual (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                   uint64_t tag, enum cgw_status booked)
{
  return leave (t, first_of (cgwi_open_edge (t, handle, start, tag), booked));
}

static __attribute__ ((noinline)) enum cgw_status
enter_edge_unusual (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                    uint64_t tag, const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, true, &booked))
    return booked;
  return open_edge_unusual (t, handle, start, tag, booked);
}

static inline __attribute__ ((always_inline)) enum cgw_status
enter_edge_usual (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                  uint64_t tag, const uint64_t *counters,
                  struct cgwi_shape shape)
{
  struct cgwi_frame *top = cgwi_top (t);
  enum cgw_status booked;

  if (t->depth == t->capacity || !cgwi_profile_enter (t->p))
    return enter_edge_unusual (t, handle, start, tag, counters);
  booked = cgwi_book_inside (t, top, counters, shape);
  if (booked != CGW_OK
      || !cgwi_open_edge_known (t, top, handle, start, tag, shape))
    return open_edge_unusual (t, handle, start, tag, booked);
  cgwi_profile_leave (t->p);
  return CGW_OK;
}

static __attribute__ ((noinline)) enum cgw_status
enter_edge_any (struct cgw_tracer *t, uint64_t handle, uint64_t start,
                uint64_t tag, const uint64_t *counters)
{
  if (!is_usual (t, counters))
    return enter_edge_unusual (t, handle, start, tag, counters);
  return enter_edge_usual (t, handle, start, tag, counters,
                           cgwi_shape_of (t));
}

enum cgw_status
cgw_tracer_enter_edge (struct cgw_tracer *t, struct cgw_edge edge,
                       uint64_t tag, const uint64_t *counters)
{
  if (!is_simple (t, counters))
    return enter_edge_any (t, edge.handle, edge.begin, tag, counters);
  return enter_edge_usual (t, edge.handle, edge.begin, tag, counters, SIMPLE);
}

/* End the running call, missed or not.  */
static enum cgw_status
end_one (struct cgw_tracer *t)
{
  if (t->missed == 0)
    return t->depth != 0 ? cgwi_end_call (t, cgwi_top (t), cgwi_shape_of (t))
                         : CGW_EDEPTH;
  t->missed--;
  return CGW_OK;
}

static __attribute__ ((noinline)) enum cgw_status
leave_unusual (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, true, &booked))
    return booked;
  return leave (t, first_of (end_one (t), booked));
}

static inline __attribute__ ((always_inline)) enum cgw_status
leave_usual (struct cgw_tracer *t, const uint64_t *counters,
             struct cgwi_shape shape)
{
  const struct cgwi_frame *top = cgwi_top (t);
  enum cgw_status booked, ended;

  if (!cgwi_profile_enter (t->p))
    return CGW_EBUSY;
  booked = cgwi_book_inside (t, top, counters, shape);
  ended = cgwi_end_call (t, top, shape);
  if ((booked | ended) != CGW_OK)
    return leave (t, first_of (ended, booked));
  cgwi_profile_leave (t->p);
  return CGW_OK;
}

static __attribute__ ((noinline)) enum cgw_status
leave_any (struct cgw_tracer *t, const uint64_t *counters)
{
  if (!is_usual (t, counters))
    return leave_unusual (t, counters);
  return leave_usual (t, counters, cgwi_shape_of (t));
}

enum cgw_status
cgw_tracer_leave (struct cgw_tracer *t, const uint64_t *counters)
{
  return is_simple (t, counters) ? leave_usual (t, counters, SIMPLE)
                                 : leave_any (t, counters);
}

enum cgw_status
cgw_tracer_tail (struct cgw_tracer *t, const struct cgw_pos *callee,
                 uint64_t tag, const uint64_t *counters)
{
  enum cgw_status booked, status = CGW_OK;

  if (!begin (t, counters, callee != NULL, &booked))
    return booked;
  if (t->missed == 0)
    status = t->depth != 0 ? cgwi_replace_call (t, callee, tag) : CGW_EDEPTH;
  return leave (t, first_of (status, booked));
}

/* Set the current position of the running function.  */
static enum cgw_status
move_to (struct cgw_tracer *t, const struct cgw_pos *pos)
{
  uint32_t self;
  enum cgw_status status;

  if (t->depth == 0)
    return CGW_EDEPTH;
  status = cgwi_find_self (t, pos, &self);
  /* Below a missed call, the frame is that of its caller.  */
  if (status == CGW_OK && t->missed == 0)
    cgwi_top (t)->self = self;
  return status;
}

enum cgw_status
cgw_tracer_move (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, pos != NULL, &booked))
    return booked;
  return leave (t, first_of (move_to (t, pos), booked));
}

/* Book costs that are no counters, all or none.  */
static enum cgw_status
book_costs (struct cgw_tracer *t, const struct cgw_pos *pos,
            const uint64_t *cost, size_t n)
{
  struct cgw_profile *p = t->p;
  enum cgw_status status;
  uint32_t self;

  if (n > p->n_events - t->n_counters)
    return CGW_ECOSTS;
  if (pos == NULL && t->depth == 0)
    return CGW_EDEPTH;
  if (!cgwi_costs_fit (p->totals + t->n_counters, cost, n))
    return CGW_EOVERFLOW;
  if (pos == NULL)
    self = cgwi_top (t)->self;
  else if ((status = cgwi_find_self (t, pos, &self)) != CGW_OK)
    return status;
  for (size_t i = 0; i < n; i++)
    cgwi_book (t, self, t->n_counters + i, cost[i]);
  return CGW_OK;
}

enum cgw_status
cgw_tracer_cost (struct cgw_tracer *t, const struct cgw_pos *pos,
                 const uint64_t *cost, size_t n)
{
  enum cgw_status status = enter (t, t != NULL && (cost != NULL || n == 0));

  if (status != CGW_OK)
    return status;
  return leave (t, t->paused ? CGW_EORDER : book_costs (t, pos, cost, n));
}

/* Leave calls until `depth` are open.  */
static enum cgw_status
unwind_to (struct cgw_tracer *t, size_t depth)
{
  enum cgw_status status = CGW_OK;

  if (depth > t->depth + t->missed)
    return CGW_EDEPTH;
  while (t->depth + t->missed > depth)
    status = first_of (status, end_one (t));
  return status;
}

enum cgw_status
cgw_tracer_unwind (struct cgw_tracer *t, size_t depth,
                   const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, true, &booked))
    return booked;
  return leave (t, first_of (unwind_to (t, depth), booked));
}

size_t
cgw_tracer_depth (const struct cgw_tracer *t)
{
  return t != NULL ? t->depth + t->missed : 0;
}

uint64_t
cgw_tracer_tag (const struct cgw_tracer *t, size_t depth)
{
  return t != NULL && depth - 1 < t->depth ? cgwi_frame (t, depth - 1)->tag
                                           : 0;
}

enum cgw_status
cgw_tracer_error (const struct cgw_tracer *t)
{
  return t != NULL ? t->error : CGW_EINVAL;
}

enum cgw_status
cgw_tracer_pause (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin (t, counters, true, &booked))
    return booked;
  t->paused = true;
  return leave (t, booked);
}

enum cgw_status
cgw_tracer_resume (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status status = enter_with (t, counters, true);

  if (status != CGW_OK)
    return status;
  if (!t->paused)
    return leave (t, CGW_EORDER);
  t->paused = false;
  if (t->n_counters != 0)
    memcpy (cgwi_last (t, t->p->n_events), counters,
            t->n_counters * sizeof *counters);
  return leave (t, CGW_OK);
}

/* Begin an event for which a paused tracer needs no counters.  */
static bool
begin_even_paused (struct cgw_tracer *t, const uint64_t *counters,
                   enum cgw_status *status)
{
  *status = t != NULL && t->paused ? enter (t, true)
                                   : enter_with (t, counters, true);
  if (*status == CGW_OK && !t->paused)
    *status = cgwi_book_counters (t, counters);
  return *status != CGW_EINVAL && *status != CGW_EBUSY;
}

enum cgw_status
cgw_tracer_sync (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin_even_paused (t, counters, &booked))
    return booked;
  return leave (t, first_of (cgwi_sync_calls (t), booked));
}

enum cgw_status
cgw_tracer_end (struct cgw_tracer *t, const uint64_t *counters)
{
  enum cgw_status booked;

  if (!begin_even_paused (t, counters, &booked))
    return booked;
  t->paused = false;
  return leave (t, first_of (unwind_to (t, 0), booked));
}
