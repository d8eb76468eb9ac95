/* test_step_recorder.c - the scenes of recorders, whose handlers push, too.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

#include <string.h>

#define SLOTS 8
#define FRAMES 4
#define COSTS 2
#define MOST_SAMPLES 2000
#define ROOM 4096

static _Alignas (8) unsigned char memory[ROOM];

/* Of each sample: whether its push said that it was lost, and whether it was
   drained.  */
static bool lost[MOST_SAMPLES], drained[MOST_SAMPLES];
static unsigned n_samples;
static uint64_t n_drained;

static void
push_by (bool is_shared)
{
  const char *name
      = is_shared ? "cgw_recorder_push_shared" : "cgw_recorder_push";
  unsigned i = n_samples++;
  uint64_t frames[FRAMES], cost[COSTS] = { i, 7 };
  enum cgw_status status = CGW_OK;

  if (i >= MOST_SAMPLES)
    {
      n_samples--;
      return;
    }
  for (unsigned j = 0; j < FRAMES; j++)
    frames[j] = i + j;
  t.pushing++;
  errno = MARKER;
  if (is_shared)
    STEPPED (status = cgw_recorder_push_shared (t.recorder, SLOTS, FRAMES,
                                                COSTS, i ^ 0xff, frames,
                                                FRAMES, cost, COSTS));
  else
    STEPPED (status = cgw_recorder_push (t.recorder, i ^ 0xff, frames, FRAMES,
                                         cost, COSTS));
  expect_errno (name);
  t.pushing--;
  lost[i] = status != CGW_OK;
  t.pushed += status == CGW_OK;
  t.push_lost += status == CGW_ELOST;
  expect_status (name, status, BIT (CGW_OK) | BIT (CGW_ELOST));
}

void
push_sample (void)
{
  push_by (false);
}

/* A sample is whole, was pushed, and comes once.  */
static void
look_at (const struct cgw_sample *s)
{
  uint64_t i = s->tag ^ 0xff;

  if (i >= n_samples)
    {
      fail (__FILE__, __LINE__, "a sample that nobody pushed");
      return;
    }
  EXPECT (!drained[i] && !lost[i], "sample %llu was lost, or comes twice",
          (unsigned long long) i);
  EXPECT (s->n_frames == FRAMES && s->n_costs == COSTS && s->cost[0] == i
              && s->cost[1] == 7,
          "sample %llu is not as pushed", (unsigned long long) i);
  for (unsigned j = 0; j < FRAMES && j < s->n_frames; j++)
    EXPECT (s->frames[j] == i + j, "frame %u of sample %llu", j,
            (unsigned long long) i);
  drained[i] = true;
  n_drained++;
}

static void
take (void *context, const struct cgw_sample *s)
{
  bool stepping = trap_pause ();

  (void) context;
  look_at (s);
  trap_resume (stepping);
}

static void
prepare (void)
{
  memset (memory, 0xa5, sizeof memory);
  memset (lost, 0, sizeof lost);
  memset (drained, 0, sizeof drained);
  n_samples = 0;
  n_drained = 0;
  EXPECT (cgw_recorder_size (SLOTS, FRAMES, COSTS) <= sizeof memory,
          "a recorder takes more memory");
  t.recorder = cgw_recorder_init (memory, SLOTS, FRAMES, COSTS);
  for (int i = 0; i < t.scene->argument; i++)
    push_sample ();
}

static void
prepare_memory (void)
{
  prepare ();
  t.recorder = NULL;
  memset (memory, 0xa5, sizeof memory);
}

static enum cgw_status
call_init (void)
{
  struct cgw_recorder *r;

  errno = MARKER;
  STEPPED (r = cgw_recorder_init (memory, SLOTS, FRAMES, COSTS));
  expect_errno ("cgw_recorder_init");
  t.recorder = r;
  return r != NULL ? CGW_OK : CGW_EINVAL;
}

static enum cgw_status
call_push (void)
{
  push_sample ();
  return CGW_OK;
}

static enum cgw_status
call_push_shared (void)
{
  push_by (true);
  return CGW_OK;
}

static enum cgw_status
call_drain (void)
{
  uint64_t before = n_drained;
  size_t n;

  errno = MARKER;
  STEPPED (n = cgw_recorder_drain (t.recorder, take, NULL));
  expect_errno ("cgw_recorder_drain");
  EXPECT (n == n_drained - before, "%zu drained, not %llu", n,
          (unsigned long long) (n_drained - before));
  return CGW_OK;
}

static enum cgw_status
call_drain_shared (void)
{
  uint64_t before = n_drained;
  size_t n;

  errno = MARKER;
  STEPPED (n = cgw_recorder_drain_shared (t.recorder, SLOTS, FRAMES, COSTS,
                                          take, NULL));
  expect_errno ("cgw_recorder_drain_shared");
  EXPECT (n == n_drained - before, "%zu drained, not %llu", n,
          (unsigned long long) (n_drained - before));
  return CGW_OK;
}

CALL (get_stats, cgw_recorder_get_stats, t.recorder,
      &(struct cgw_recorder_stats) CGW_RECORDER_STATS_INIT)

/* All that was pushed is drained in the end.  A push that was left may be
   counted, and keep its place; a drain that was left may hand its last sample
   out again, which is not looked at.  */
void
recorder_conclude (void)
{
  uint64_t lost_costs[COSTS] = { 0 };
  struct cgw_recorder_stats s = CGW_RECORDER_STATS_INIT;

  if (t.recorder == NULL
      || (t.left && strstr (t.scene->function, "_drain") != NULL))
    return;
  cgw_recorder_drain (t.recorder, take, NULL);
  /* The other places go on.  */
  for (int i = 0; i < SLOTS - LEVELS; i++)
    {
      uint64_t before = t.pushed;
      push_sample ();
      EXPECT (t.pushed == before + 1, "an empty recorder takes nothing");
    }
  cgw_recorder_drain (t.recorder, take, NULL);
  s.n_costs = COSTS;
  s.lost_costs = lost_costs;
  cgw_recorder_get_stats (t.recorder, &s);
  EXPECT (s.recorded >= t.pushed && s.recorded <= t.pushed + t.pushing,
          "%llu samples recorded, not %llu", (unsigned long long) s.recorded,
          (unsigned long long) t.pushed);
  EXPECT (s.drained == n_drained, "%llu samples drained, not %llu",
          (unsigned long long) s.drained, (unsigned long long) n_drained);
  EXPECT (n_drained >= t.pushed, "%llu of %llu samples came",
          (unsigned long long) n_drained, (unsigned long long) t.pushed);
  EXPECT (s.lost >= t.push_lost && s.lost <= t.push_lost + t.pushing,
          "%llu samples lost, not %llu", (unsigned long long) s.lost,
          (unsigned long long) t.push_lost);
  if (t.pushing == 0)
    EXPECT (s.cut == 0 && lost_costs[1] == 7 * s.lost, "lost costs");
}

#define SCENE(name, function, n, prepare, call)                               \
  { name, function, 0, n, prepare, call, NULL }

const struct scene recorder_scenes[] = {
  SCENE ("recorder init", "cgw_recorder_init", 0, prepare_memory, call_init),
  SCENE ("push", "cgw_recorder_push", 1, prepare, call_push),
  SCENE ("push last", "cgw_recorder_push", SLOTS - 1, prepare, call_push),
  SCENE ("push full", "cgw_recorder_push", SLOTS, prepare, call_push),
  SCENE ("push shared", "cgw_recorder_push_shared", SLOTS - 1, prepare,
         call_push_shared),
  SCENE ("drain", "cgw_recorder_drain", 3, prepare, call_drain),
  SCENE ("drain full", "cgw_recorder_drain", SLOTS, prepare, call_drain),
  SCENE ("drain shared", "cgw_recorder_drain_shared", 3, prepare,
         call_drain_shared),
  SCENE ("recorder stats", "cgw_recorder_get_stats", 2, prepare,
         call_get_stats),
  { NULL, NULL, 0, 0, NULL, NULL, NULL }
};
