/* tracer.c - the library's call tracer beside others: gprof's mcount, and one
   by hand.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "tracer.h"
#include "../ways.h"
#include "by_hand.h"
#include "profile.h"

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
  struct entrant e; /* of way_profile */
};

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
  entrant_begin (&d->e);
  if (cgw_tracer_new (&tracer, way_profile_sums (d->e.context), NULL)
      != CGW_OK)
    bench_fail ("cgw_tracer_new");
  look_up_edges ();
}

static void
end (void)
{
  tracer_failed |= (int)cgw_tracer_free (tracer);
  tracer = NULL;
  if (tracer_failed)
    bench_fail ("the tracer");
}

static void
traced_open (struct traced *d, const struct setup *setup)
{
  d->sink = (struct sink){ .fd = -1 };
  make_workload (&d->w);
  entrant_open (&d->e, &way_profile, &d->w, &d->sink, setup);
  make_program (&d->e.script);
}

static void
traced_close (struct traced *d)
{
  entrant_close (&d->e);
  sink_forget (&d->sink);
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
  struct workload truth;
  struct traced d;
  char why[512];
  size_t n;

  traced_open (&d, NULL);
  d.sink.keep = true;
  begin (&d);
  program (1);
  end ();
  entrant_end (&d.e);
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
static void
run (void *context, size_t i, double *values)
{
  bool traced = i == LIBCGW || i == LIBCGW_EDGE;

  if (traced)
    begin (context);
  by_hand_begin ();
  double start = bench_time ();
  uint64_t sum = programs[i].run (1);
  values[0] = (bench_time () - start) / CALLS_PER_RUN;
  if (traced)
    end ();
  if (sum != calls_plain (1))
    bench_fail ("the program");
}

static void
print_times (struct quartiles q[N], size_t runs)
{
  double plain = q[PLAIN].median;

  printf ("\nns per call, %d calls of %d edges, without the program's own; "
          "median (quartiles)\nof %zu runs\n",
          CALLS_PER_RUN, (CALLS_FNS - 2 * CALLS_WIDTH + 1) * CALLS_PLACES,
          runs);
  for (size_t i = LIBCGW; i < N; i++)
    {
      q[i].median -= plain;
      q[i].first -= plain;
      q[i].third -= plain;
      printf ("  %-18s", programs[i].name);
      print_quartiles (&q[i]);
      putchar ('\n');
    }
  for (size_t i = LIBCGW; i < N; i++)
    {
      print_figure ("tracer_ns_call_", programs[i].name, "", q[i].median);
      if (i != LIBCGW)
        print_figure ("tracer_against_", programs[i].name, "",
                      q[LIBCGW].median / q[i].median);
    }
#ifndef BENCH_MCOUNT
  puts ("  (without mcount: this libc has none)");
#endif
}

void
measure_tracer (void)
{
  size_t runs = runs_wanted (11);
  struct quartiles q[N];
  struct traced d;

  traced_open (&d, NULL);
#ifdef BENCH_MCOUNT
  start_mcount ();
#endif
  run_rounds (N, 1, runs, run, &d, q);
#ifdef BENCH_MCOUNT
  moncontrol (0);
#endif
  print_times (q, runs);
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

void
measure_tracer_memory (size_t levels)
{
  struct heap heap = { 0 };
  struct setup setup = { .heap = &heap };
  struct traced d;

  traced_open (&d, &setup);
  begin (&d);
  go_down (100, BY_POSITIONS); /* then the edges are known */
  come_up (100, BY_POSITIONS);
  size_t before = heap.bytes;
  go_down (levels, BY_POSITIONS);
  double bytes = (double)(heap.bytes - before) / (double)levels;
  come_up (levels, BY_POSITIONS);
  end ();
  traced_close (&d);
  printf ("\nbytes in use per level of %zu: %.1f\n", levels, bytes);
  print_figure ("tracer_bytes_per_level", "", "", bytes);
}

/* Instructions.  */

/* Down and up again.  No function recurs, so each call adds an inclusive
   cost.  */
static int
replay_calls (void *context, size_t i)
{
  const enum way *way = context;

  (void)i;
  go_down (CALLS_LEVELS, *way);
  come_up (CALLS_LEVELS, *way);
  return tracer_failed;
}

void
count_tracer (void)
{
  static const char *const names[] = { "pair", "edge_pair", "nothing_pair" };
  struct traced d;

  traced_open (&d, NULL);
  begin (&d);
  for (enum way way = BY_POSITIONS; way <= NOT_AT_ALL; way++)
    count_steps (names[way], replay_calls, &way, CALLS_LEVELS);
  end ();
  traced_close (&d);
}
