/* measure_stacks.c - whole stacks: the library, and each expanded when it is
   added, one beside the other.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../replay.h"
#include "../runs.h"
#include "profile.h"
#include "stacker.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
  LIBCGW,
  EXPANDED,
  N
};

static const struct stacker *const stackers[N]
    = { &stacker_libcgw, &stacker_expanded };

/* As figures end.  */
static const char *const suffixes[STACKS_SHAPES] = { "", "_own_places" };

static const struct cgw_options defaults = CGW_OPTIONS_INIT;

/* Adds the stacks and writes the sums; nanoseconds per stack.  */
static double
run (const struct stacker *k, void *context, const uint32_t *order, size_t n)
{
  bool ok = k->begin (context);
  double start = bench_time ();
  ok = ok && profile_replay_stacks (k->add, context, order, n) == 0
       && k->end (context);
  double end = bench_time ();

  if (!ok)
    {
      fprintf (stderr, "profile: %s failed\n", k->name);
      exit (1);
    }
  return (end - start) / (double)n;
}

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

/* What the file is to say.  It borrows the names.  */
static void
make_truth (struct workload *w, const struct stacks *s, const uint32_t *order,
            size_t n)
{
  *w = s->frames;
  w->borrowed = true;
  w->script = (struct script){ .n_events = 1 };
  w->script.events
      = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.events);
  w->script.calls = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.calls);
  w->script.costs = bench_allocate (n * STACKS_DEPTH, sizeof *w->script.costs);
  for (size_t i = 0; i < n; i++)
    expand (w, &s->frames.script.events[order[i] * STACKS_DEPTH],
            stack_cost (i));
}

static bool
check_stacker (const struct stacker *k, const struct stacks *s,
               const uint32_t *order, size_t n, const struct workload *truth)
{
  struct sink sink = { .fd = -1, .keep = true };
  void *context = k->open (s, &sink, &defaults);
  char why[512];
  size_t size;

  run (k, context, order, n);
  const char *bytes = sink_bytes (&sink, &size);
  bool ok = check_strict (truth, bytes, size, why, sizeof why);
  if (!ok)
    fprintf (stderr, "stacks, %s: wrong: %s\n", k->name, why);
  k->close (context);
  sink_close (&sink);
  return ok;
}

static bool
check_shape (const struct size *size, enum stacks_shape shape, bool differ)
{
  struct stacks s;
  struct workload truth;
  bool ok = true;

  stacks_make (&s, size->distinct, shape);
  uint32_t *order = stacks_order (&s, size->stacks);
  make_truth (&truth, &s, order, size->stacks);
  truth.script.calls[0].count += differ;
  for (size_t i = 0; i < N; i++)
    ok &= check_stacker (stackers[i], &s, order, size->stacks, &truth);
  free (order);
  workload_free (&truth);
  stacks_free (&s);
  return ok;
}

bool
check_stacks (const struct size *size, bool differ)
{
  bool ok = true;

  for (int shape = 0; shape < STACKS_SHAPES; shape++)
    ok &= check_shape (size, (enum stacks_shape)shape, differ);
  printf ("stacks: %d contenders, %d shapes\n", N, STACKS_SHAPES);
  return ok;
}

/* They take turns, and each round begins with another one; round 0 warms
   up.  */
static void
run_rounds (void *contexts[N], const uint32_t *order, size_t n, size_t runs,
            double *ns[N])
{
  for (size_t i = 0; i <= runs; i++)
    for (size_t j = 0; j < N; j++)
      {
        size_t k = (i + j) % N;
        double time = run (stackers[k], contexts[k], order, n);
        if (i > 0)
          ns[k][i - 1] = time;
      }
}

static void
print_times (const struct stacks *s, double *ns[N], size_t runs,
             const char *suffix)
{
  struct quartiles q[N];

  printf ("  %zu distinct stacks of %d frames: %zu places in the call tree, "
          "%zu edges\n",
          s->n, STACKS_DEPTH, s->n_places, s->n_edges);
  for (size_t i = 0; i < N; i++)
    {
      q[i] = quartiles (ns[i], runs);
      printf ("  %-18s %8.1f (%6.1f -%6.1f)\n", stackers[i]->name, q[i].median,
              q[i].first, q[i].third);
    }
  for (size_t i = 0; i < N; i++)
    print_figure ("profile_ns_stack_", stackers[i]->name, suffix, q[i].median);
  print_figure ("profile_stacks_times_as_fast", suffix, "",
                q[EXPANDED].median / q[LIBCGW].median);
}

static void
measure_shape (const struct size *size, enum stacks_shape shape, size_t runs)
{
  struct sink sink = { .fd = -1 };
  void *contexts[N];
  double *ns[N];
  struct stacks s;

  stacks_make (&s, size->distinct, shape);
  uint32_t *order = stacks_order (&s, size->stacks);
  for (size_t i = 0; i < N; i++)
    {
      contexts[i] = stackers[i]->open (&s, &sink, &defaults);
      ns[i] = bench_allocate (runs, sizeof (double));
    }
  run_rounds (contexts, order, size->stacks, runs, ns);
  print_times (&s, ns, runs, suffixes[shape]);
  for (size_t i = 0; i < N; i++)
    {
      stackers[i]->close (contexts[i]);
      free (ns[i]);
    }
  free (order);
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
