/* measure_stacks.c - whole stacks: the library, and each expanded when it is
   added, one beside the other.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../ways.h"
#include "profile.h"
#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  LIBCGW,
  EXPANDED,
  N
};

static const struct contender *const stackers[N]
    = { &stacks_libcgw, &stacks_expanded };

/* As figures end.  */
static const char *const suffixes[STACKS_SHAPES] = { "", "_own_places" };

/* The library.  */

struct libcgw
{
  struct entrant profile; /* of way_profile */
  struct cgw_profile *p;
  struct cgw_pos *frames;
};

static void *
libcgw_open (const struct workload *w, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  struct libcgw *l = bench_allocate (1, sizeof *l);

  entrant_open (&l->profile, &way_profile, w, sink, setup);
  l->p = way_profile_sums (l->profile.context);
  l->frames = bench_allocate (w->script.n, sizeof *l->frames);
  for (size_t i = 0; i < w->script.n; i++)
    l->frames[i] = l->profile.script.events[i].pos;
  *script = ((const struct stacks *)w)->added;
  return l;
}

static void
libcgw_close (void *context)
{
  struct libcgw *l = context;

  entrant_close (&l->profile);
  free (l->frames);
  free (l);
}

static bool
libcgw_begin (void *context)
{
  return way_profile.begin (((struct libcgw *)context)->profile.context);
}

static int
add_unwound (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  const struct libcgw *l = context;

  return (int)cgw_profile_stack (l->p, &l->frames[pos->instr * STACKS_DEPTH],
                                 STACKS_DEPTH, 1, cost, n);
}

static int
libcgw_add (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  const struct libcgw *l = context;

  stacks_unwind_next (pos, l->frames, sizeof *l->frames);
  return add_unwound (context, pos, cost, n);
}

static bool
libcgw_end (void *context)
{
  return way_profile.end (((struct libcgw *)context)->profile.context);
}

const struct contender stacks_libcgw = { .name = "libcgw",
                                         .open = libcgw_open,
                                         .close = libcgw_close,
                                         .begin = libcgw_begin,
                                         .cost = libcgw_add,
                                         .end = libcgw_end,
                                         .check = check_strict };

/* What the file is to say.  */

/* Whether an edge, or only the function that it enters, is also further out in
   the stack.  */
static bool
is_repeated (const struct bench_event *frames, size_t i, bool edge)
{
  const struct cgw_pos *from = &frames[i].pos;

  for (size_t k = i + 1; k < STACKS_DEPTH; k++)
    if (frames[k - 1].pos.fn.handle == frames[i - 1].pos.fn.handle
        && (!edge
            || (frames[k].pos.fn.handle == from->fn.handle
                && frames[k].pos.instr == from->instr
                && frames[k].pos.line == from->line)))
      return true;
  return false;
}

/* Appends what one stack comes to, slowly and simply: its self cost, and a
   call for each of its edges.  */
static void
expand (struct workload *w, const struct bench_event *frames, uint64_t cost)
{
  struct script *s = &w->script;

  s->events[s->n].pos = frames[0].pos;
  s->costs[s->n++] = cost;
  for (size_t i = STACKS_DEPTH - 1; i > 0; i--)
    {
      if (is_repeated (frames, i, true))
        continue;
      s->calls[s->n_calls].count = 1;
      s->calls[s->n_calls].to.fn = frames[i - 1].pos.fn;
      s->calls[s->n_calls].to.file = frames[i - 1].pos.file;
      s->events[s->n].pos = frames[i].pos;
      s->events[s->n].call = (uint32_t)++s->n_calls;
      s->costs[s->n++] = is_repeated (frames, i, false) ? 0 : cost;
    }
}

/* It borrows the names.  */
static void
make_truth (struct workload *w, const struct stacks *s)
{
  size_t n = s->added.n;

  *w = s->frames;
  w->borrowed = true;
  w->script = (struct script){ .n_events = 1 };
  w->script.events
      = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.events);
  w->script.calls = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.calls);
  w->script.costs = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.costs);
  for (size_t i = 0; i < n; i++)
    expand (w,
            &s->frames.script
                 .events[s->added.events[i].pos.instr * STACKS_DEPTH],
            s->added.costs[i]);
}

bool
check_stacks (const struct size *size, bool differ)
{
  struct sink sink = { .fd = -1 };
  struct workload truth;
  struct stacks s;
  bool ok = true;
  size_t n;

  for (int shape = 0; shape < STACKS_SHAPES; shape++)
    {
      stacks_make (&s, size->distinct, size->stacks,
                   (enum stacks_shape)shape);
      make_truth (&truth, &s);
      truth.script.calls[0].count += differ;
      for (size_t i = 0; i < N; i++)
        {
          struct entrant e;

          entrant_open (&e, stackers[i], &s.frames, &sink, NULL);
          ok &= entrant_check (&e, &truth, "stacks", stackers[i]->name, &n);
          entrant_close (&e);
        }
      workload_free (&truth);
      stacks_free (&s);
    }
  printf ("stacks: %d contenders, %d shapes\n", N, STACKS_SHAPES);
  return ok;
}

/* Time.  */

static void
measure_shape (const struct size *size, enum stacks_shape shape, size_t runs)
{
  const char *suffix = suffixes[shape];
  struct sink sink = { .fd = -1 };
  struct entrant e[N];
  struct quartiles q[N];
  struct stacks s;

  stacks_make (&s, size->distinct, size->stacks, shape);
  for (size_t i = 0; i < N; i++)
    entrant_open (&e[i], stackers[i], &s.frames, &sink, NULL);
  run_entrants (e, N, runs, q);
  printf ("  %zu distinct stacks of %d frames: %zu places in the call tree, "
          "%zu edges\n",
          s.n, STACKS_DEPTH, s.n_places, s.n_edges);
  for (size_t i = 0; i < N; i++)
    {
      printf ("  %-18s", stackers[i]->name);
      print_quartiles (&q[i]);
      putchar ('\n');
      entrant_close (&e[i]);
    }
  for (size_t i = 0; i < N; i++)
    print_figure ("profile_ns_stack_", stackers[i]->name, suffix, q[i].median);
  print_figure ("profile_stacks_times_as_fast", suffix, "",
                q[EXPANDED].median / q[LIBCGW].median);
  stacks_free (&s);
}

void
measure_stacks (const struct size *size)
{
  size_t runs = runs_wanted (7);

  printf ("\nns per stack, %zu added and the sums written, median (quartiles) "
          "of %zu runs\n",
          size->stacks, runs);
  for (int shape = 0; shape < STACKS_SHAPES; shape++)
    measure_shape (size, (enum stacks_shape)shape, runs);
}

/* Memory: each stack once.  */
void
measure_stacks_memory (const struct size *size)
{
  size_t n = 5 * size->distinct;
  double frames = (double)n * STACKS_DEPTH;

  for (int shape = 0; shape < STACKS_SHAPES; shape++)
    {
      struct heap heap = { 0 };
      struct setup setup = { .heap = &heap };
      struct sink sink = { .fd = -1 };
      struct entrant e;
      struct stacks s;

      stacks_make (&s, n, n, (enum stacks_shape)shape);
      entrant_open (&e, &stacks_libcgw, &s.frames, &sink, &setup);
      entrant_begin (&e);
      size_t before = heap.bytes;
      entrant_replay (&e, 0, n);
      double bytes = (double)(heap.bytes - before);
      entrant_close (&e);
      printf ("  frame of %zu distinct stacks %8.1f   (100 frames are %.1f "
              "places in the call tree,\n%58.1f edges)\n",
              n, bytes / frames, 100 * (double)s.n_places / frames,
              100 * (double)s.n_edges / frames);
      print_figure ("profile_bytes_per_frame", suffixes[shape], "",
                    bytes / frames);
      print_figure ("profile_bytes_per_place", suffixes[shape], "",
                    bytes / (double)s.n_places);
      stacks_free (&s);
    }
}

/* Instructions: a thousand known stacks.  */

struct counted
{
  int (*add) (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n);
  const struct entrant *e;
};

/* What the replay takes by itself.  */
static int
do_nothing (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  (void)context, (void)pos, (void)cost, (void)n;
  return 0;
}

static int
add_counted (void *context, size_t i)
{
  const struct counted *c = context;
  const struct script *s = &c->e->script;

  return c->add (c->e->context, &s->events[i].pos, &s->costs[i], 1);
}

void
count_stacks (void)
{
  struct sink sink = { .fd = -1 };
  struct entrant e;
  struct stacks s;

  stacks_make (&s, 1000, 11000, STACKS_PROGRAM);
  entrant_open (&e, &stacks_libcgw, &s.frames, &sink, NULL);
  struct counted c = { do_nothing, &e };
  count_steps ("nothing_stack", add_counted, &c, 1);
  c.add = add_unwound;
  count_steps ("stack", add_counted, &c, 1);
  entrant_close (&e);
  stacks_free (&s);
}
