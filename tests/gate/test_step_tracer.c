/* test_step_tracer.c - the scenes of tracers.  A handler leaves the tracer and
   its profile alone, but not their writer.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

static struct cgw_tracer *tracer, *coroutine;
static struct cgw_edge edge;
static uint64_t counters[N_EVENTS];

static void
make_profile (void)
{
  expect_status ("cgw_profile_new",
                 cgw_profile_new (&t.profile, t.names, N_EVENTS, CGW_LINE),
                 BIT (CGW_OK));
}

/* Three calls are open.  */
static void
prepare (void)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;

  submit_all (OTHER);
  make_profile ();
  expect_status ("cgw_tracer_new", cgw_tracer_new (&tracer, t.profile, &o),
                 BIT (CGW_OK));
  counters[0] = 1;
  for (unsigned i = 0; i < 3; i++)
    expect_status ("cgw_tracer_enter",
                   cgw_tracer_enter (tracer, NULL, &t.at[i], i, counters),
                   BIT (CGW_OK));
  counters[0]++;
}

static void
prepare_edge (void)
{
  prepare ();
  cgw_tracer_edge (tracer, &t.at[2], &t.at[4], &edge);
}

static void
prepare_paused (void)
{
  prepare ();
  cgw_tracer_pause (tracer, counters);
}

/* A coroutine with an open call, which is suspended or runs.  */
static void
prepare_suspended (void)
{
  prepare ();
  cgw_tracer_new (&coroutine, t.profile, NULL);
  cgw_tracer_enter (coroutine, NULL, &t.at[4], 0, counters);
  cgw_tracer_pause (coroutine, counters);
}

static void
prepare_resumed (void)
{
  prepare_suspended ();
  expect_status ("cgw_tracer_resume_from",
                 cgw_tracer_resume_from (coroutine, tracer, NULL, counters),
                 BIT (CGW_OK));
  counters[0]++;
}

static void
prepare_cleared (void)
{
  prepare ();
  cgw_profile_clear (t.profile);
}

static struct cgw_profile *merged;

static void
prepare_merged (void)
{
  prepare ();
  cgw_profile_new (&merged, t.names, N_EVENTS, CGW_LINE);
}

static ssize_t
take_all (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes;
  return (ssize_t) n;
}

static const uint64_t one = 1;

CALL (enter, cgw_tracer_enter, tracer, NULL, &t.at[7], 9, counters)
CALL (edge, cgw_tracer_edge, tracer, &t.at[7], &t.at[7], &edge)
CALL (enter_edge, cgw_tracer_enter_edge, tracer, edge, 9, counters)
CALL (leave, cgw_tracer_leave, tracer, counters)
CALL (tail, cgw_tracer_tail, tracer, &t.at[7], 9, counters)
CALL (move, cgw_tracer_move, tracer, &t.at[7], counters)
CALL (run, cgw_tracer_run, tracer, &t.at[7], 1, &one, 1, counters)
CALL (cost, cgw_tracer_cost, tracer, &t.at[7], &one, 1)
CALL (unwind, cgw_tracer_unwind, tracer, 1, counters)
CALL (unwind_tag, cgw_tracer_unwind_tag, tracer, 0, counters)
CALL (pause, cgw_tracer_pause, tracer, counters)
CALL (resume, cgw_tracer_resume, tracer, counters)
CALL (resume_from, cgw_tracer_resume_from, coroutine, tracer, &t.at[7],
      counters)
CALL (yield, cgw_tracer_yield, coroutine, counters)
CALL (sync, cgw_tracer_sync, tracer, counters)
CALL (end, cgw_tracer_end, tracer, counters)
/* These book what the tracer's open calls have cost.  */
CALL (pack, cgw_profile_pack, t.profile, take_all, NULL)
CALL (merge, cgw_profile_merge, merged, t.profile)
CALL (new, cgw_tracer_new, &tracer, t.profile, NULL)

static enum cgw_status
call_free (void)
{
  enum cgw_status status;

  errno = MARKER;
  STEPPED (status = cgw_tracer_free (tracer));
  expect_errno ("cgw_tracer_free");
  tracer = NULL;
  return status;
}

CALL_AS (depth, cgw_tracer_depth, size_t, cgw_tracer_depth (tracer),
         result == 3 ? CGW_OK : CGW_EDEPTH)
CALL_AS (tag, cgw_tracer_tag, uint64_t, cgw_tracer_tag (tracer, 3),
         result == 2 ? CGW_OK : CGW_EDEPTH)

static void
check (enum cgw_status status)
{
  expect_status (t.scene->function, status, BIT (CGW_OK));
  cgw_tracer_free (tracer);
  tracer = NULL;
}

static void
check_merge (enum cgw_status status)
{
  check (status);
  cgw_profile_free (merged);
  merged = NULL;
}

#define SCENE(name, function, prepare, call) \
  { name, function, 0, 0, prepare, call, check }

const struct scene tracer_scenes[] = {
  SCENE ("tracer new", "cgw_tracer_new", make_profile, call_new),
  SCENE ("tracer free", "cgw_tracer_free", prepare, call_free),
  SCENE ("tracer enter", "cgw_tracer_enter", prepare, call_enter),
  SCENE ("tracer enter cleared", "cgw_tracer_enter", prepare_cleared,
         call_enter),
  SCENE ("tracer edge", "cgw_tracer_edge", prepare, call_edge),
  SCENE ("tracer enter edge", "cgw_tracer_enter_edge", prepare_edge,
         call_enter_edge),
  SCENE ("tracer leave", "cgw_tracer_leave", prepare, call_leave),
  SCENE ("tracer tail", "cgw_tracer_tail", prepare, call_tail),
  SCENE ("tracer move", "cgw_tracer_move", prepare, call_move),
  SCENE ("tracer run", "cgw_tracer_run", prepare, call_run),
  SCENE ("tracer cost", "cgw_tracer_cost", prepare, call_cost),
  SCENE ("tracer unwind", "cgw_tracer_unwind", prepare, call_unwind),
  SCENE ("tracer unwind to a tag", "cgw_tracer_unwind_tag", prepare,
         call_unwind_tag),
  SCENE ("tracer depth", "cgw_tracer_depth", prepare, call_depth),
  SCENE ("tracer tag", "cgw_tracer_tag", prepare, call_tag),
  SCENE ("tracer pause", "cgw_tracer_pause", prepare, call_pause),
  SCENE ("tracer resume", "cgw_tracer_resume", prepare_paused, call_resume),
  SCENE ("tracer resume from", "cgw_tracer_resume_from", prepare_suspended,
         call_resume_from),
  SCENE ("tracer yield", "cgw_tracer_yield", prepare_resumed, call_yield),
  SCENE ("tracer free resumer", "cgw_tracer_free", prepare_resumed, call_free),
  SCENE ("tracer sync", "cgw_tracer_sync", prepare, call_sync),
  SCENE ("tracer end", "cgw_tracer_end", prepare, call_end),
  SCENE ("profile pack traced", "cgw_profile_pack", prepare, call_pack),
  { "profile merge traced", "cgw_profile_merge", 0, 0, prepare_merged,
    call_merge, check_merge },
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
