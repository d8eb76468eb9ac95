/* tracer.c - the library's call tracer beside others: gprof's mcount, and one
   by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tracer.h"
#include "../counted.h"
#include "../replay.h"
#include "../runs.h"
#include "../ways.h"
#include "by_hand.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef BENCH_MCOUNT
#include <sys/gmon.h>

/* Of glibc, like monstartup, but in no header.  */
extern void moncontrol (int mode);
#endif

struct calls_program calls_program;
uint64_t calls_counter;
struct cgw_tracer *tracer;
int tracer_failed;

/* The workload's records: each function, and then its places.  */
enum
{
  PER_FN = 1 + CALLS_PLACES
};

static void
make_workload (struct workload *w)
{
  workload_empty (w, CALLS_FNS * PER_FN, 1, CALLS_FNS, CALLS_LEVELS);
  for (size_t i = 0; i < CALLS_FNS * PER_FN; i++)
    workload_add (w, i / PER_FN, 0x401000 + 16 * i, (uint32_t)(1 + 3 * i));
}

static void
make_program (const struct script *s)
{
  for (size_t i = 0; i < CALLS_FNS; i++)
    {
      const struct bench_event *e = &s->events[i * PER_FN];
      calls_program.fns[i] = e[0].pos;
      for (size_t k = 0; k < CALLS_PLACES; k++)
        calls_program.places[i][k] = e[1 + k].pos;
    }
}

/* The library, with a profile that is traced into.  */
struct traced
{
  struct workload w;
  struct sink sink;
  void *profile; /* way_profile's context */
};

static void
fail (const char *what)
{
  fprintf (stderr, "profile: tracer: %s failed\n", what);
  exit (1);
}

/* The function that is called from a place.  */
static const struct cgw_pos *
place_callee (size_t fn, size_t place)
{
  size_t next = (fn / CALLS_WIDTH + 1) % CALLS_LEVELS;

  return &calls_program.fns[next * CALLS_WIDTH + place];
}

static void
look_up_edges (void)
{
  for (size_t i = 0; i < CALLS_FNS; i++)
    for (size_t k = 0; k < CALLS_PLACES; k++)
      tracer_failed |= (int)cgw_tracer_edge (
          tracer, &calls_program.places[i][k], place_callee (i, k),
          &calls_program.edges[i * CALLS_PLACES + k]);
}

static void
begin (struct traced *d)
{
  struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;

  options.n_counters = 1;
  if (!way_profile.begin (d->profile)
      || cgw_tracer_new (&tracer, way_profile_sums (d->profile), &options)
             != CGW_OK)
    fail ("cgw_tracer_new");
  look_up_edges ();
}

static void
end (void)
{
  cgw_tracer_free (tracer);
  tracer = NULL;
  if (tracer_failed)
    fail ("a call");
}

static void
traced_open (struct traced *d, const struct cgw_options *options)
{
  d->sink = (struct sink){ .fd = -1 };
  make_workload (&d->w);
  struct script script = d->w.script;
  d->profile = way_profile_with (&d->w, &d->sink, &script, options);
  make_program (&script);
}

static void
traced_close (struct traced *d)
{
  way_profile.close (d->profile);
  sink_close (&d->sink);
  workload_free (&d->w);
}

/* The program's positions as the workload has them, with indices.  */

static size_t
fn_index (const struct cgw_pos *callee)
{
  return (size_t)(callee - calls_program.fns);
}

static const struct cgw_pos *
fn_position (const struct workload *w, const struct cgw_pos *callee)
{
  return &w->script.events[fn_index (callee) * PER_FN].pos;
}

static const struct cgw_pos *
place_position (const struct workload *w, const struct cgw_pos *at)
{
  size_t i = (size_t)(at - calls_program.places[0]);

  return &w->script.events[i / CALLS_PLACES * PER_FN + 1 + i % CALLS_PLACES]
              .pos;
}

/* What was traced by hand is what the file is to say: self costs are at the
   function's position, and the first call has no caller.  It borrows the
   names.  */
static void
make_truth (struct workload *truth, const struct workload *w)
{
  struct script *s = &truth->script;

  *truth = *w;
  truth->borrowed = true;
  *s = (struct script){ .n_events = 1 };
  s->events = bench_allocate (2 * BY_HAND_EDGES, sizeof *s->events);
  s->calls = bench_allocate (BY_HAND_EDGES, sizeof *s->calls);
  s->costs = bench_allocate (2 * BY_HAND_EDGES, sizeof *s->costs);
  for (size_t i = 0; i < BY_HAND_EDGES; i++)
    {
      const struct by_hand_edge *e = &by_hand.edges[i];
      if (!e->callee)
        continue;
      s->events[s->n].pos = *fn_position (w, e->callee);
      s->costs[s->n++] = e->self;
      if (!e->at)
        continue;
      s->calls[s->n_calls].to = *fn_position (w, e->callee);
      s->calls[s->n_calls].count = e->count;
      s->events[s->n].pos = *place_position (w, e->at);
      s->events[s->n].call = (uint32_t)++s->n_calls;
      s->costs[s->n++] = e->inclusive;
    }
}

static bool
check_program (const char *name, uint64_t (*program) (uint64_t number),
               bool differ)
{
  struct cgw_options defaults = CGW_OPTIONS_INIT;
  struct workload truth;
  struct traced d;
  char why[512];
  size_t n;

  traced_open (&d, &defaults);
  d.sink.keep = true;
  begin (&d);
  program (1);
  end ();
  if (!way_profile.end (d.profile))
    fail ("writing");
  by_hand_begin ();
  calls_by_hand (1 + differ);
  make_truth (&truth, &d.w);
  const char *bytes = sink_bytes (&d.sink, &n);
  bool ok = check_strict (&truth, bytes, n, why, sizeof why);
  if (!ok)
    fprintf (stderr, "calls, %s: wrong: %s\n", name, why);
  workload_free (&truth);
  traced_close (&d);
  return ok;
}

bool
check_tracer (bool differ)
{
  bool ok = check_program ("libcgw", calls_libcgw, differ);

  ok &= check_program ("libcgw_edge", calls_libcgw_edge, differ);
  puts ("calls: 2 contenders");
  return ok;
}

/* Time.  The program by itself is measured, too, and subtracted.  */

enum
{
  PLAIN,
  LIBCGW,
  LIBCGW_EDGE,
  BY_HAND,
#ifdef BENCH_MCOUNT
  MCOUNT,
#endif
  N
};

static const struct
{
  const char *name;
  uint64_t (*run) (uint64_t number);
} programs[N] = {
  { "plain", calls_plain },
  { "libcgw", calls_libcgw },
  { "libcgw_edge", calls_libcgw_edge },
  { "by_hand", calls_by_hand },
#ifdef BENCH_MCOUNT
  { "mcount", calls_mcount },
#endif
};

#ifdef BENCH_MCOUNT
/* mcount counts from here on; the linker knows where the program is.  Nothing
   is written at the exit: that would need -pg for linking.  */
static void
start_mcount (void)
{
  extern char __executable_start, etext;

  monstartup ((u_long)&__executable_start, (u_long)&etext);
}
#endif

/* Nanoseconds per call.  */
static double
run (struct traced *d, size_t i)
{
  bool traced = i == LIBCGW || i == LIBCGW_EDGE;

  if (traced)
    begin (d);
  by_hand_begin ();
  double start = bench_time ();
  uint64_t sum = programs[i].run (1);
  double stop = bench_time ();
  if (traced)
    end ();
  if (sum != calls_plain (1))
    fail ("the program");
  return (stop - start) / CALLS_PER_RUN;
}

static void
print_times (double *ns[N], size_t runs)
{
  struct quartiles q[N];

  printf ("\nns per call, %d calls of %d edges, without the program's own; "
          "median (quartiles)\nof %zu runs\n",
          CALLS_PER_RUN, (CALLS_FNS - 2 * CALLS_WIDTH + 1) * CALLS_PLACES,
          runs);
  for (size_t i = 0; i < N; i++)
    {
      q[i] = quartiles (ns[i], runs);
      if (i == PLAIN)
        continue;
      printf ("  %-18s %8.1f (%6.1f -%6.1f)\n", programs[i].name,
              q[i].median - q[PLAIN].median, q[i].first - q[PLAIN].median,
              q[i].third - q[PLAIN].median);
    }
  for (size_t i = LIBCGW; i < N; i++)
    {
      double own = q[i].median - q[PLAIN].median;
      print_figure ("tracer_ns_call_", programs[i].name, "", own);
      if (i != LIBCGW)
        print_figure ("tracer_against_", programs[i].name, "",
                      (q[LIBCGW].median - q[PLAIN].median) / own);
    }
#ifndef BENCH_MCOUNT
  puts ("  (without mcount: this libc has none)");
#endif
}

static void
measure_time (void)
{
  struct cgw_options defaults = CGW_OPTIONS_INIT;
  size_t runs = runs_wanted (11);
  struct traced d;
  double *ns[N];

  traced_open (&d, &defaults);
#ifdef BENCH_MCOUNT
  start_mcount ();
#endif
  for (size_t i = 0; i < N; i++)
    ns[i] = bench_allocate (runs, sizeof (double));
  /* They take turns, and each round begins with another one; round 0 warms
     up.  */
  for (size_t r = 0; r <= runs; r++)
    for (size_t k = 0; k < N; k++)
      {
        size_t i = (k + r) % N;
        double time = run (&d, i);
        if (r > 0)
          ns[i][r - 1] = time;
      }
#ifdef BENCH_MCOUNT
  moncontrol (0);
#endif
  print_times (ns, runs);
  for (size_t i = 0; i < N; i++)
    free (ns[i]);
  traced_close (&d);
}

/* Goes down the levels' first functions, over and over, and up.  */

enum way
{
  BY_POSITIONS,
  BY_EDGE,
  NOT_AT_ALL /* to know what the benchmark itself takes */
};

/* A call that does nothing.  */
__attribute__ ((noinline)) static enum cgw_status
do_nothing (struct cgw_tracer *t, const struct cgw_pos *at,
            const struct cgw_pos *callee, uint64_t tag,
            const uint64_t *counter)
{
  __asm__ volatile(""
                   :
                   : "r"(t), "r"(at), "r"(callee), "r"(tag), "r"(counter));
  return CGW_OK;
}

static void
go_down (size_t levels, enum way way)
{
  for (size_t i = 0; i < levels; i++)
    {
      size_t fn = i % CALLS_LEVELS * CALLS_WIDTH;
      const struct cgw_pos *at = &calls_program.places[fn][0];
      if (way == BY_POSITIONS)
        tracer_enter (at, place_callee (fn, 0));
      else if (way == BY_EDGE)
        tracer_enter_edge (at, NULL);
      else
        tracer_failed |= (int)do_nothing (tracer, at, place_callee (fn, 0), 0,
                                          &calls_counter);
    }
}

static void
come_up (size_t levels, enum way way)
{
  for (size_t i = 0; i < levels; i++)
    if (way != NOT_AT_ALL)
      tracer_leave ();
    else
      tracer_failed |= (int)do_nothing (tracer, NULL, NULL, 0, &calls_counter);
}

static void
measure_depth (size_t levels)
{
  size_t used = 0;
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct traced d;

  options.allocate = counted_allocate;
  options.allocate_context = &used;
  traced_open (&d, &options);
  begin (&d);
  go_down (100, BY_POSITIONS); /* then the edges are known */
  come_up (100, BY_POSITIONS);
  size_t before = used;
  go_down (levels, BY_POSITIONS);
  double bytes = (double)(used - before) / (double)levels;
  come_up (levels, BY_POSITIONS);
  end ();
  traced_close (&d);
  printf ("\nbytes in use per level of %zu: %.1f\n", levels, bytes);
  print_figure ("tracer_bytes_per_level", "", "", bytes);
}

void
measure_tracer (size_t levels)
{
  measure_time ();
  measure_depth (levels);
}

/* Replays for valgrind.  */

/* Not inlined: valgrind counts between its beginning and its end.  No function
   recurs, so each call books an inclusive cost.  */
__attribute__ ((noinline)) int profile_replay_calls (size_t n, enum way way);

int
profile_replay_calls (size_t n, enum way way)
{
  for (size_t i = 0; i < n; i += CALLS_LEVELS)
    {
      go_down (CALLS_LEVELS, way);
      come_up (CALLS_LEVELS, way);
    }
  return tracer_failed;
}

/* The first replay makes all known.  Then two lengths: their difference is
   free of what comes once.  */
void
count_tracer (void)
{
  static const size_t lengths[] = { 1000, 1000, 11000 };
  static const char *const names[] = { "pair", "edge_pair", "nothing_pair" };
  struct cgw_options defaults = CGW_OPTIONS_INIT;
  struct traced d;

  traced_open (&d, &defaults);
  begin (&d);
  for (size_t i = 0; i < 3; i++)
    for (size_t way = 0; way < 3; way++)
      if (profile_replay_calls (lengths[i], way) == 0)
        printf ("replay %zu %s\n", lengths[i], names[way]);
  end ();
  traced_close (&d);
}
