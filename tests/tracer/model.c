/* model.c - tracers against a naive model, which books each cost in all open
   calls: see model.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "model.h"

#include "../support/written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  FNS = 6, /* of them, number 0 is the root */
  LINES = 3,
  COUNTERS = 2,
  EVENTS = 3,
  TRACERS = 4,
  DEEPEST = 400,
  TAGS = 10,
  NOWHERE = -1
};

/* A position by numbers.  */
struct place
{
  int fn; /* or NOWHERE */
  uint32_t line;
};

struct call
{
  struct place from;
  struct place at; /* where the called function stands */
  int fn;
  uint64_t tag;
};

struct thread
{
  struct cgw_tracer *t;
  struct call calls[DEEPEST];
  size_t depth;
  uint64_t last[COUNTERS];
  bool paused;
  int root; /* or NOWHERE */
  struct thread *resumer, *resumed;
  struct place from; /* while it has a resumer: where that calls */
  struct place self; /* and what runs while it has no open call */
  bool calls_only;
};

/* All sums, each in a place of its own.  */
struct sums
{
  bool is_used;
  uint64_t count;
  uint64_t costs[EVENTS];
};

struct program
{
  const struct tracer_model_choices *choices;
  bool has_root;
  bool has_odd_roots; /* which are called, too, and of which coroutines have
                         their own */
  bool has_orphans; /* coroutines that went on without a resumer */
  bool is_signed[EVENTS];
  unsigned errors;  /* the bits of those that the file may have */
  bool is_large;    /* some costs are near 2^64 */
  bool is_plain; /* calls come from where their function stands, which is in the
                    function */
  struct cgw_fn fns[FNS];
  struct cgw_names *names;
  struct cgw_profile *p;
  struct thread threads[TRACERS];
  uint64_t clock[COUNTERS];
  struct sums self[FNS][LINES];
  struct sums edges[FNS][LINES][FNS];
  uint64_t in_calls[EVENTS]; /* booked in open calls */
  uint64_t totals[EVENTS];   /* booked at a position */
};

static uint64_t
below (struct program *g, uint64_t n)
{
  return g->choices->below (g->choices->context, n);
}

static struct place
some_place (struct program *g)
{
  return (struct place){ (int) (1 + below (g, FNS - 1)),
                         (uint32_t) below (g, LINES) };
}

static struct cgw_pos
position (const struct program *g, struct place at)
{
  return (struct cgw_pos){ .fn = g->fns[at.fn], .line = at.line };
}

/* The model.  */

static struct sums *
self_at (struct program *g, struct place at)
{
  g->self[at.fn][at.line].is_used = true;
  return &g->self[at.fn][at.line];
}

static struct sums *
edge_of (struct program *g, const struct call *call)
{
  return &g->edges[call->from.fn][call->from.line][call->fn];
}

/* Whether a call is the outermost activation of its function, in the stack of
   the thread and its resumers.  */
static bool
is_outermost (const struct thread *t, size_t i)
{
  int fn = t->calls[i].fn;

  for (; t->resumer != NULL; t = t->resumer, i = t->depth)
    for (size_t j = 0; j < i; j++)
      if (t->calls[j].fn == fn)
        return false;
  for (size_t j = 0; j < i; j++)
    if (t->calls[j].fn == fn)
      return false;
  return t->root != fn;
}

static bool
is_in_calls (const struct thread *t)
{
  while (t->depth == 0 && t->resumer != NULL)
    t = t->resumer;
  return t->depth != 0;
}

/* What runs, or nothing.  */
static struct place
running (const struct thread *t)
{
  return t->depth != 0          ? t->calls[t->depth - 1].at
         : t->resumer != NULL ? t->self
                                : (struct place){ NOWHERE, 0 };
}

/* What the next call comes from.  */
static struct place
caller (const struct thread *t)
{
  return t->depth != 0        ? t->calls[t->depth - 1].at
         : t->resumer != NULL ? t->from
                              : (struct place){ t->root, 0 };
}

static struct thread *
innermost (struct thread *t)
{
  while (t->resumed != NULL)
    t = t->resumed;
  return t;
}

/* Adds to a sum, which stops at its end.  */
static void
add (struct program *g, uint64_t *sum, size_t event, uint64_t cost)
{
  *sum += cost;
  if (*sum < cost && !g->is_signed[event])
    {
      *sum = UINT64_MAX;
      g->errors |= 1u << CGW_EOVERFLOW;
    }
}

/* Books a cost at a place and in all open calls.  */
static void
model_book (struct program *g, struct thread *t, struct place at, size_t event,
            uint64_t cost)
{
  uint64_t self = t->calls_only ? 0 : cost;

  add (g, &self_at (g, at)->costs[event], event, self);
  add (g, &g->totals[event], event, self);
  g->in_calls[event] += is_in_calls (t) ? cost : 0;
  for (; t != NULL; t = t->resumer)
    for (size_t i = 0; i < t->depth; i++)
      if (t->calls[i].from.fn != NOWHERE && is_outermost (t, i))
        add (g, &edge_of (g, &t->calls[i])->costs[event], event, cost);
}

/* Takes note of the counters.  Returns the status that they lead to.  */
static enum cgw_status
model_counters (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status status = CGW_OK;

  for (size_t i = 0; i < COUNTERS; i++)
    {
      if (counters[i] < t->last[i] && !g->is_signed[i])
        {
          status = CGW_EBACKWARDS;
          continue;
        }
      if (running (t).fn != NOWHERE)
        model_book (g, t, running (t), i, counters[i] - t->last[i]);
      t->last[i] = counters[i];
    }
  return status;
}

static void
model_count (struct program *g, const struct call *call)
{
  if (call->from.fn != NOWHERE)
    edge_of (g, call)->is_used = true, edge_of (g, call)->count++;
}

static void
model_enter (struct program *g, struct thread *t, struct place from,
             struct place callee)
{
  struct call *call = &t->calls[t->depth++];

  *call = (struct call){ from, callee, callee.fn, 7 };
  self_at (g, callee);
  model_count (g, call);
}

static void
model_yield (struct thread *t)
{
  struct thread *resumer = t->resumer;

  memcpy (resumer->last, t->last, sizeof t->last);
  if (t->depth != 0)
    t->calls[0].from.fn = NOWHERE;
  resumer->paused = t->paused;
  t->paused = true;
  t->resumer = resumer->resumed = NULL;
}

/* What a thread has resumed yields.  A thread that is freed does not see the
   counters.  */
static enum cgw_status
model_yield_to (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct thread *inner = innermost (t);
  enum cgw_status status
      = counters != NULL && !inner->paused
            ? model_counters (g, inner, counters) : CGW_OK;

  while (inner != t)
    {
      struct thread *resumer = inner->resumer;

      model_yield (inner);
      inner = resumer;
    }
  return status;
}

/* A position in the running function, of which the line may be all that is
   given; or none, for the current position.  Returns where that is.  */
static struct place
call_site (struct program *g, const struct thread *t, struct cgw_pos *pos,
           const struct cgw_pos **at)
{
  struct place from = caller (t);

  *at = NULL;
  if (g->is_plain)
    return from;
  *at = pos;
  switch (below (g, 6))
    {
    case 0:
    case 1:
      from = some_place (g);
      *pos = position (g, from);
      break;
    case 2:
      *pos = (struct cgw_pos){ .line = (uint32_t) below (g, LINES) };
      if (t->depth != 0)
        from.line = pos->line;
      break;
    default:
      *at = NULL;
    }
  return from;
}

static uint64_t
some_cost (struct program *g, size_t event)
{
  uint64_t cost = below (g, 100);

  if (g->is_large && !g->is_signed[event] && below (g, 3) == 0)
    cost += below (g, UINT64_C (1) << 31) << 33;
  return g->is_signed[event] && below (g, 2) == 0 ? 0 - cost : cost;
}

/* The counters go on, or rarely seem to run backwards.  */
static void
tick (struct program *g, uint64_t counters[COUNTERS])
{
  for (size_t i = 0; i < COUNTERS; i++)
    {
      g->clock[i] += below (g, 3) * below (g, 50);
      if (g->is_large && !g->is_signed[i] && below (g, 100) == 0)
        g->clock[i] += (UINT64_MAX - g->clock[i]) / 2;
      g->clock[i] -= g->is_signed[i] ? below (g, 3) * below (g, 50) : 0;
      counters[i] = g->clock[i];
      if (below (g, 40) == 0)
        counters[i] -= below (g, 60);
    }
}

/* Looks a call up that may never come: that leaves no trace.  */
static void
look_up (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct cgw_pos at = position (g, some_place (g));
  struct cgw_pos pos = position (g, some_place (g));
  struct cgw_edge edge;

  (void) counters;
  cr_assert_eq (cgw_tracer_edge (t->t, &at, &pos, &edge), CGW_OK);
}

/* What events may do.  Each checks the status of the tracer.  */

static void
enter (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct place callee = some_place (g), from;
  struct cgw_pos pos = position (g, callee), site;
  uint64_t tag = below (g, TAGS);
  enum cgw_status expected = model_counters (g, t, counters);
  const struct cgw_pos *at;

  from = call_site (g, t, &site, &at);
  if (at != NULL && at->fn.handle != 0 && below (g, 2) == 0)
    {
      struct cgw_edge edge;

      cr_assert_eq (cgw_tracer_edge (g->threads[below (g, TRACERS)].t, at,
                                     &pos, &edge), CGW_OK);
      cr_assert_eq (cgw_tracer_enter_edge (t->t, edge, tag, counters),
                    expected);
    }
  else
    cr_assert_eq (cgw_tracer_enter (t->t, at, &pos, tag, counters), expected);
  model_enter (g, t, from, callee);
  t->calls[t->depth - 1].tag = tag;
  cr_assert_eq (cgw_tracer_tag (t->t, t->depth), tag);
}

static void
leave (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status expected = model_counters (g, t, counters);

  if (t->depth == 0)
    expected = CGW_EDEPTH;
  else
    t->depth--;
  cr_assert_eq (cgw_tracer_leave (t->t, counters), expected);
}

static void
tail (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct place callee = some_place (g);
  struct cgw_pos pos = position (g, callee);
  enum cgw_status expected = model_counters (g, t, counters);

  if (t->depth == 0)
    expected = CGW_EDEPTH;
  else
    {
      struct place from = t->calls[--t->depth].from;
      model_enter (g, t, from, callee);
    }
  cr_assert_eq (cgw_tracer_tail (t->t, &pos, 7, counters), expected);
}

static void
unwind (struct program *g, struct thread *t, const uint64_t *counters)
{
  size_t depth = below (g, t->depth + 2);
  enum cgw_status expected = model_counters (g, t, counters);

  if (depth > t->depth)
    expected = CGW_EDEPTH;
  else
    t->depth = depth;
  cr_assert_eq (cgw_tracer_unwind (t->t, depth, counters), expected);
}

static void
unwind_tag (struct program *g, struct thread *t, const uint64_t *counters)
{
  uint64_t tag = below (g, TAGS);
  enum cgw_status expected = model_counters (g, t, counters);
  size_t depth = t->depth;

  while (depth > 0 && t->calls[depth - 1].tag != tag)
    depth--;
  if (depth == 0)
    expected = CGW_EDEPTH;
  else
    t->depth = depth;
  cr_assert_eq (cgw_tracer_unwind_tag (t->t, tag, counters), expected);
}

static void
move (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct place place = some_place (g);
  struct cgw_pos pos;
  enum cgw_status expected = model_counters (g, t, counters);

  if (t->depth != 0 && (g->is_plain || below (g, 3) != 0))
    place.fn = t->calls[t->depth - 1].fn;
  pos = position (g, place);
  if (t->depth == 0)
    expected = CGW_EDEPTH;
  else
    {
      t->calls[t->depth - 1].at = place;
      self_at (g, place);
    }
  cr_assert_eq (cgw_tracer_move (t->t, &pos, counters), expected);
}

/* Some positions and a cost at each.  A wrong one may end them.  */
static void
run_through (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum { MOST = 5 };
  struct place places[MOST];
  struct cgw_pos pos[MOST];
  size_t n = below (g, MOST + 1), n_cost = below (g, 2);
  size_t right = n > 0 && below (g, 10) == 0 ? below (g, n) : n;
  uint64_t value = some_cost (g, COUNTERS);
  enum cgw_status expected = model_counters (g, t, counters);
  int fn = t->depth != 0 ? t->calls[t->depth - 1].at.fn : 0;

  for (size_t i = 0; i < n; i++)
    {
      bool has_fn = !g->is_plain && below (g, 3) == 0;

      places[i] = some_place (g);
      places[i].fn = has_fn ? places[i].fn : fn;
      pos[i] = position (g, places[i]);
      if (!has_fn && below (g, 2) == 0)
        pos[i].fn.handle = 0;
      fn = places[i].fn;
    }
  if (right < n)
    pos[right].fn.handle = 12345678;
  if (t->depth == 0)
    expected = CGW_EDEPTH;
  else if (right < n)
    {
      expected = CGW_EHANDLE;
      g->errors |= 1u << CGW_EHANDLE;
    }
  for (size_t i = 0; t->depth != 0 && i < right; i++)
    {
      t->calls[t->depth - 1].at = places[i];
      model_book (g, t, places[i], COUNTERS, n_cost != 0 ? value : 0);
    }
  cr_assert_eq (cgw_tracer_block (t->t, pos, n, &value, n_cost, counters),
                expected);
}

static void
cost (struct program *g, struct thread *t, const uint64_t *counters)
{
  uint64_t value = some_cost (g, COUNTERS);
  struct place place = some_place (g);
  struct cgw_pos pos = position (g, place);
  bool here = below (g, 2) == 0;
  enum cgw_status expected = CGW_OK;

  (void) counters;
  if (here && running (t).fn == NOWHERE)
    expected = CGW_EDEPTH;
  else
    model_book (g, t, here ? running (t) : place, COUNTERS, value);
  cr_assert_eq (cgw_tracer_cost (t->t, here ? NULL : &pos, &value, 1),
                expected);
}

static void
sync (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status expected = CGW_OK;

  if (!innermost (t)->paused)
    expected = model_counters (g, innermost (t), counters);
  cr_assert_eq (cgw_tracer_sync (t->t, counters), expected);
}

static void
pause (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status expected = model_counters (g, t, counters);

  cr_assert_eq (cgw_tracer_stop (t->t, counters), expected);
  t->paused = true;
}

static void
resume (struct program *g, struct thread *t, const uint64_t *counters)
{
  g->has_orphans |= t->depth != 0 && t->calls[0].from.fn == NOWHERE;
  cr_assert_eq (cgw_tracer_leave (t->t, counters), CGW_EORDER);
  cr_assert_eq (cgw_tracer_yield (t->t, counters), CGW_EORDER);
  cr_assert_eq (cgw_tracer_start (t->t, counters), CGW_OK);
  cr_assert_eq (cgw_tracer_start (t->t, counters), CGW_EORDER);
  memcpy (t->last, counters, sizeof t->last);
  t->paused = false;
}

/* Whether a thread can resume the coroutine of another one.  */
static enum cgw_status
can_resume (const struct thread *resumer, const struct thread *t)
{
  return t->resumed != NULL                     ? CGW_EORDER
         : resumer->calls_only != t->calls_only ? CGW_EINVAL
         : t->resumer != NULL             ? CGW_EORDER
         : !t->paused && t->depth != 0    ? CGW_EORDER
         : resumer->resumed != NULL       ? CGW_EORDER
         : resumer->paused                ? CGW_EORDER
                                          : CGW_OK;
}

static void
resume_coroutine (struct program *g, struct thread *resumer,
                  const uint64_t *counters)
{
  struct thread *t = g->threads + ((size_t) (resumer - g->threads) + 1
                                   + below (g, TRACERS - 1)) % TRACERS;
  enum cgw_status expected = can_resume (resumer, t);
  bool can = expected == CGW_OK;
  const struct cgw_pos *at;
  struct cgw_pos site;
  struct place from = call_site (g, resumer, &site, &at);

  if (can)
    {
      expected = model_counters (g, resumer, counters);
      memcpy (t->last, resumer->last, sizeof t->last);
      t->from = from;
      t->self = running (resumer);
      t->paused = false;
      t->resumer = resumer;
      resumer->resumed = t;
      t->calls[0].from = from;
      if (t->depth != 0)
        model_count (g, &t->calls[0]);
    }
  cr_assert_eq (cgw_tracer_resume (t->t, resumer->t, at, counters), expected);
  if (can)
    cr_assert_eq (cgw_tracer_leave (resumer->t, counters), CGW_EORDER);
  else if (expected == CGW_EINVAL)
    g->errors |= 1u << CGW_EINVAL;
}

static void
yield (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status expected = CGW_EORDER;

  if (t->resumer != NULL)
    {
      expected = model_counters (g, t, counters);
      model_yield (t);
    }
  cr_assert_eq (cgw_tracer_yield (t->t, counters), expected);
}

/* A resumer goes on, whatever it has resumed.  */
static void
take_over (struct program *g, struct thread *t, const uint64_t *counters)
{
  enum cgw_status expected = model_yield_to (g, t, counters);

  if (t->paused)
    memcpy (t->last, counters, sizeof t->last);
  t->paused = false;
  cr_assert_eq (cgw_tracer_start (t->t, counters), expected);
}

/* What happens to a thread whose coroutine runs.  */
static void
disturb (struct program *g, struct thread *t, const uint64_t *counters)
{
  struct cgw_pos pos = position (g, some_place (g));

  switch (below (g, 8))
    {
    case 0:
      sync (g, t, counters);
      break;
    case 1:
    case 2:
      cr_assert_eq (cgw_tracer_yield (t->t, counters), CGW_EORDER);
      break;
    case 3:
      take_over (g, t, counters);
      break;
    case 4:
      cr_assert_eq (cgw_tracer_cost (t->t, &pos, counters, 1), CGW_EORDER);
      break;
    default:
      cr_assert_eq (cgw_tracer_enter (t->t, NULL, &pos, 0, counters),
                    CGW_EORDER);
    }
}

static void
make_tracer (struct program *g, struct thread *t)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  bool is_odd = g->has_odd_roots && (t - g->threads) % 2 != 0;

  o.n_counters = COUNTERS;
  *t = (struct thread){ .root = is_odd ? 1 : g->has_root ? 0 : NOWHERE };
  cr_assert_eq (cgw_profile_set_root (g->p, t->root != NOWHERE
                                              ? g->fns[t->root]
                                              : (struct cgw_fn){ 0 }),
                CGW_OK);
  if (below (g, 4) == 0)
    {
      o.flags = CGW_CALLS_ONLY;
      t->calls_only = true;
    }
  cr_assert_eq (cgw_tracer_new (&t->t, g->p, &o), CGW_OK);
}

static void
free_tracer (struct program *g, struct thread *t)
{
  model_yield_to (g, t, NULL);
  if (t->resumer != NULL)
    model_yield (t);
  cr_assert_eq (cgw_tracer_free (t->t), CGW_OK);
}

/* The next interval.  */
static void
clear (struct program *g)
{
  memset (g->self, 0, sizeof g->self);
  memset (g->edges, 0, sizeof g->edges);
  memset (g->totals, 0, sizeof g->totals);
  memset (g->in_calls, 0, sizeof g->in_calls);
  g->errors = 0;
  for (int i = 0; i < TRACERS; i++)
    for (size_t k = 0; k < g->threads[i].depth; k++)
      model_count (g, &g->threads[i].calls[k]);
  cr_assert_eq (cgw_profile_clear (g->p), CGW_OK);
}

static void
declare_signed (const struct program *g, struct cgw_profile *p)
{
  for (size_t i = 0; i < EVENTS; i++)
    if (g->is_signed[i])
      cr_assert_eq (cgw_profile_set_signed (p, i), CGW_OK);
}

/* What is written now has the costs so far; the rest is not written twice.  */
static void
merge_elsewhere (struct program *g)
{
  struct cgw_profile *p;

  cr_assert_eq (cgw_profile_new (&p, g->names, EVENTS, CGW_LINE), CGW_OK);
  declare_signed (g, p);
  cr_assert_eq (cgw_profile_merge (p, g->p), CGW_OK);
  cgw_profile_free (p);
}

static void
step (struct program *g)
{
  static void (*const events[]) (struct program *, struct thread *,
                                 const uint64_t *)
      = { enter, enter, enter, enter, leave, leave, leave, tail,
          unwind, unwind_tag, move, move, run_through, run_through, cost, cost,
          sync, pause, look_up, resume_coroutine, resume_coroutine,
          resume_coroutine, yield, yield };
  struct thread *t = &g->threads[below (g, TRACERS)];
  uint64_t counters[COUNTERS];

  tick (g, counters);
  if (below (g, 40) == 0)
    free_tracer (g, t), make_tracer (g, t);
  else if (below (g, 80) == 0)
    clear (g);
  else if (below (g, 80) == 0)
    merge_elsewhere (g);
  else if (t->resumed != NULL && below (g, 8) == 0)
    disturb (g, t, counters);
  else
    {
      t = innermost (t);
      if (t->paused && below (g, 4) != 0)
        resume (g, t, counters);
      else if (t->paused)
        resume_coroutine (g, t, counters);
      else
        events[below (g, sizeof events / sizeof *events)](g, t, counters);
    }
  cr_assert_eq (cgw_tracer_depth (t->t), t->depth);
  cr_assert_eq (cgw_tracer_tag (t->t, t->depth + 1), 0);
  cr_assert_eq (cgw_tracer_tag (t->t, 0), 0);
}

/* Files.  */

static const struct cgw_event events[EVENTS] = {
  { "Clock", NULL, NULL }, { "Ir", NULL, NULL }, { "Bytes", NULL, NULL }
};

static void
begin_file (struct program *g, struct written *f)
{
  written_open (f, NULL);
  g->names = f->names;
  for (int i = 0; i < FNS; i++)
    {
      char name[8];
      snprintf (name, sizeof name, "f%d", i);
      g->fns[i] = written_fn (f->names, NULL, i % 2 ? "a.c" : "b.c", name);
    }
  cr_assert_eq (cgw_profile_new (&g->p, f->names, EVENTS, CGW_LINE), CGW_OK);
}

/* Bytes of a packed profile.  */
struct bytes
{
  unsigned char at[1 << 16];
  size_t n;
};

static ssize_t
take_bytes (void *context, const void *bytes, size_t n)
{
  struct bytes *b = context;

  cr_assert_leq (n, sizeof b->at - b->n);
  memcpy (b->at + b->n, bytes, n);
  b->n += n;
  return (ssize_t) n;
}

/* Replaces the profile by what another process would unpack.  */
static void
travel (struct program *g, struct written *f)
{
  static struct bytes b;

  b.n = 0;
  cr_assert_eq (cgw_profile_pack (g->p, take_bytes, &b), CGW_OK);
  cgw_profile_free (g->p);
  cr_assert_eq (cgw_profile_new (&g->p, f->names, EVENTS, CGW_LINE), CGW_OK);
  declare_signed (g, g->p);
  cr_assert_eq (cgw_profile_unpack (g->p, b.at, b.n), CGW_OK);
}

static void
end_file (struct program *g, struct written *f, unsigned statuses)
{
  struct cgw_part part = written_part_of (events, EVENTS);
  enum cgw_status status;

  cr_assert_eq (cgw_profile_write (g->p, f->w, &part), CGW_OK);
  cgw_profile_free (g->p);
  status = cgw_finish (f->w);
  cr_assert (statuses >> status & 1, "%d", status);
}

/* What is below 0 is written as 0.  */

static void
at_least_zero (struct program *g, const uint64_t *costs, uint64_t *zeroed)
{
  for (size_t i = 0; i < EVENTS; i++)
    zeroed[i] = g->is_signed[i] && (int64_t) costs[i] < 0 ? 0 : costs[i];
}

static void
note (const struct sums *s, size_t event, unsigned *n, int64_t *sum)
{
  if (s->is_used && (int64_t) s->costs[event] < 0)
    ++*n, *sum += (int64_t) s->costs[event];
}

static void
describe (char *text, const char *kind, unsigned n, int64_t sum)
{
  if (n != 0)
    sprintf (text + strlen (text), "%s%u %s cost%s below 0 %s written as 0, "
             "%lld together", text[strlen (text) - 2] == ':' ? "" : "; ", n,
             kind, n == 1 ? "" : "s", n == 1 ? "was" : "were",
             (long long) sum);
}

/* Makes the descriptions of that.  */
static void
make_descriptions (const struct program *g, char *text)
{
  *text = '\0';
  for (size_t i = 0; i < EVENTS; i++)
    {
      unsigned n_self = 0, n_inclusive = 0;
      int64_t self = 0, inclusive = 0;

      for (int fn = 0; fn < FNS && g->is_signed[i]; fn++)
        for (uint32_t line = 0; line < LINES; line++)
          {
            note (&g->self[fn][line], i, &n_self, &self);
            for (int to = 0; to < FNS; to++)
              note (&g->edges[fn][line][to], i, &n_inclusive, &inclusive);
          }
      if (n_self + n_inclusive == 0)
        continue;
      sprintf (text + strlen (text), "desc: event %s: ", events[i].name);
      describe (text, "self", n_self, self);
      describe (text, "inclusive", n_inclusive, inclusive);
      strcat (text, "\n");
    }
}

/* Moves the descriptions of events out of a file.  */
static void
take_descriptions (char *bytes, char *descriptions)
{
  char *to = bytes;

  *descriptions = '\0';
  for (size_t n; *bytes != '\0'; bytes += n)
    {
      n = strcspn (bytes, "\n") + 1;
      if (strncmp (bytes, "desc: event ", 12) == 0)
        strncat (descriptions, bytes, n);
      else
        {
          memmove (to, bytes, n);
          to += n;
        }
    }
  *to = '\0';
}

/* Writes the model's sums, with 0 for those below 0.  */
static void
write_model (struct program *g, struct written *f)
{
  begin_file (g, f);
  for (int fn = 0; fn < FNS; fn++)
    for (uint32_t line = 0; line < LINES; line++)
      {
        struct cgw_pos pos = position (g, (struct place){ fn, line });
        const struct sums *self = &g->self[fn][line];
        uint64_t costs[EVENTS];

        at_least_zero (g, self->costs, costs);
        if (self->is_used)
          cr_assert_eq (cgw_profile_cost (g->p, &pos, costs, EVENTS), CGW_OK);
        for (int to = 0; to < FNS; to++)
          {
            const struct sums *edge = &g->edges[fn][line][to];
            struct cgw_pos target = { .fn = g->fns[to] };

            at_least_zero (g, edge->costs, costs);
            if (edge->is_used)
              cr_assert_eq (cgw_profile_call (g->p, &pos, &target, edge->count,
                                              costs, EVENTS), CGW_OK);
          }
      }
  end_file (g, f, 1u << CGW_OK | 1u << CGW_EOVERFLOW);
}

/* The lines of calls' targets are the callees' own: leave them out.  */
static void
drop_targets (char *text)
{
  char *to = text;

  for (char *line = text; *line != '\0';)
    {
      size_t n = strcspn (line, "\n") + 1;
      size_t kept = n;

      if (strncmp (line, "calls=", 6) == 0)
        kept = strcspn (line, " ");
      memmove (to, line, kept);
      to += kept;
      if (kept != n)
        *to++ = '\n';
      line += n;
    }
  *to = '\0';
}

/* What is true of each program, whatever the model says.  */
static void
check_invariants (const struct program *g)
{
  uint64_t inclusive[FNS][EVENTS] = { { 0 } }, from_root[EVENTS] = { 0 };

  for (int fn = 0; fn < FNS; fn++)
    for (uint32_t line = 0; line < LINES; line++)
      for (int to = 0; to < FNS; to++)
        for (size_t i = 0; i < EVENTS; i++)
          {
            inclusive[to][i] += g->edges[fn][line][to].costs[i];
            from_root[i] += fn == 0 ? g->edges[fn][line][to].costs[i] : 0;
          }
  for (size_t i = 0; i < EVENTS; i++)
    for (int fn = 1; fn < FNS; fn++)
      {
        if (!g->is_signed[i])
          cr_assert_leq (inclusive[fn][i], g->in_calls[i]);
        if (!g->has_root || g->has_odd_roots || g->has_orphans
            || !g->is_plain)
          continue;
        cr_assert_eq (from_root[i], g->in_calls[i]);
        if (g->is_signed[i])
          continue;
        for (uint32_t line = 0; line < LINES; line++)
          for (int to = 0; to < FNS; to++)
            cr_assert_leq (g->edges[fn][line][to].costs[i], inclusive[fn][i]);
      }
}

void
tracer_model_run (const struct tracer_model_choices *choices)
{
  struct program *g = calloc (1, sizeof *g);
  uint64_t sums[EVENTS], counters[COUNTERS];
  char descriptions[2000], expected[2000];
  struct written f, model;

  cr_assert_not_null (g);
  g->choices = choices;
  g->clock[0] = g->clock[1] = 1000;
  g->has_root = below (g, 2) == 0;
  g->is_plain = below (g, 2) == 0;
  g->has_odd_roots = below (g, 4) == 0;
  g->is_large = below (g, 4) == 0;
  for (int i = 1; i < EVENTS; i++)
    g->is_signed[i] = below (g, 3) == 0;
  begin_file (g, &f);
  declare_signed (g, g->p);
  for (int i = 0; i < TRACERS; i++)
    make_tracer (g, &g->threads[i]);
  for (uint64_t i = 1 + below (g, 300);
       i > 0 && !choices->is_end (choices->context); i--)
    step (g);
  for (int i = 0; i < TRACERS; i++)
    {
      struct thread *t = &g->threads[i];

      tick (g, counters);
      sync (g, t, counters);
      free_tracer (g, t);
    }
  cr_assert_eq (cgw_profile_total (g->p, sums, EVENTS), CGW_OK);
  for (size_t i = 0; i < EVENTS; i++)
    cr_assert_eq (sums[i], g->totals[i]);
  if (below (g, 3) == 0)
    travel (g, &f);
  end_file (g, &f, g->errors != 0 ? g->errors : 1u << CGW_OK);
  write_model (g, &model);
  make_descriptions (g, expected);
  take_descriptions (f.bytes, descriptions);
  cr_assert_str_eq (descriptions, expected, "%s", choices->name);
  drop_targets (f.bytes);
  drop_targets (model.bytes);
  cr_assert_str_eq (f.bytes, model.bytes, "%s", choices->name);
  if (!g->is_large)
    check_invariants (g);
  written_free (&f);
  written_free (&model);
  free (g);
}
