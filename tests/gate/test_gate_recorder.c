/* test_gate_recorder.c - a recorder's push that is held up at each of its
   instructions while others push a lap and drain: afterwards there is room.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "gate.h"

#include <stdlib.h>
#include <string.h>

TestSuite (gate_recorder, .timeout = 60);

#define SLOTS 8
#define FRAMES 2

static struct
{
  struct cgw_recorder *r;
  uint64_t next; /* the tag of the next sample */
  uint64_t pushed, lost;
  uint64_t drained;
  bool seen[1 << 12]; /* tags that were drained */
  bool twice, unordered;
  uint64_t last; /* of the present drain */
  unsigned rooms; /* pushes that found room, of the last lap */
} t;

static void
count (enum cgw_status status)
{
  t.pushed++;
  t.lost += status == CGW_ELOST;
}

static enum cgw_status
push_sample (uint64_t tag)
{
  uint64_t frames[FRAMES] = { tag, tag + 1 };
  uint64_t cost = 1;

  return cgw_recorder_push (t.r, tag, frames, FRAMES, &cost, 1);
}

static enum cgw_status
push (void)
{
  enum cgw_status status = push_sample (t.next++);

  count (status);
  return status;
}

/* The sample that was held up has the first tag, and may come late.  */
static void
take (void *context, const struct cgw_sample *s)
{
  uint64_t held_up = *(uint64_t *) context;

  t.twice |= t.seen[s->tag];
  t.seen[s->tag] = true;
  if (s->tag != held_up)
    {
      t.unordered |= s->tag < t.last;
      t.last = s->tag;
    }
}

static uint64_t held_up;

static void
drain (void)
{
  t.last = 0;
  t.drained += cgw_recorder_drain (t.r, take, &held_up);
}

static void
push_a_lap (void)
{
  t.rooms = 0;
  for (int i = 0; i < SLOTS; i++)
    t.rooms += push () == CGW_OK;
}

static void
lap_and_drain (void *context)
{
  (void) context;
  push_a_lap ();
  drain ();
}

static void
drain_lap_and_drain (void *context)
{
  (void) context;
  drain ();
  push_a_lap ();
  push_a_lap ();
  drain ();
}

/* The push that is held up: its tag is taken and its status counted outside
   of what is interrupted.  */

static enum cgw_status held_up_status;

static void
call_push (void *context)
{
  (void) context;
  held_up_status = push_sample (held_up);
}

static void
step_push (unsigned long at, void (*meanwhile) (void *))
{
  held_up = t.next++;
  step (at, call_push, meanwhile, NULL);
  count (held_up_status);
}

static unsigned long
instructions (void)
{
  held_up = t.next++;
  return step (STEP_NEVER, call_push, NULL, NULL);
}

static void
start (void)
{
  free (t.r);
  memset (&t, 0, sizeof t);
  t.r = cgw_recorder_init (malloc (cgw_recorder_size (SLOTS, FRAMES, 1)),
                           SLOTS, FRAMES, 1);
  cr_assert_not_null (t.r);
  /* The ring is in its second lap.  */
  for (int i = 0; i < 3; i++)
    push ();
  held_up = ~UINT64_C (0);
  drain ();
}

static void
check_counts (const char *what)
{
  struct cgw_recorder_stats s = CGW_RECORDER_STATS_INIT;

  cr_assert_eq (cgw_recorder_get_stats (t.r, &s), CGW_OK);
  cr_assert_eq (s.recorded + s.lost, t.pushed, "%s: %llu + %llu, not %llu",
                what, (unsigned long long) s.recorded,
                (unsigned long long) s.lost, (unsigned long long) t.pushed);
  cr_assert_eq (s.lost, t.lost, "%s", what);
  cr_assert_eq (s.drained, t.drained, "%s", what);
  cr_assert (!t.twice, "%s: a sample came twice", what);
  cr_assert (!t.unordered, "%s: a newer sample came first", what);
}

/* There is room for a whole lap, again and again, and all of it comes out. */
static void
check_room (unsigned least, const char *what)
{
  for (int i = 0; i < 3; i++)
    {
      push_a_lap ();
      cr_assert_geq (t.rooms, least, "%s: room for %u of %d", what, t.rooms,
                     SLOTS);
      drain ();
    }
  check_counts (what);
}

/* The sample that was held up still waits: its slot is taken, all others are
   free.  */
static void
hold_up (void (*meanwhile) (void *), const char *name)
{
  unsigned long n;

  STEP_OR_SKIP ();
  start ();
  n = instructions ();
  for (unsigned long at = 1; at <= n; at += step_stride (1))
    {
      const char *what = gate_what (name, at);

      start ();
      step_push (at, meanwhile);
      push_a_lap ();
      cr_assert_geq (t.rooms, SLOTS - 1, "%s: room for %u of %d", what,
                     t.rooms, SLOTS - 1);
      drain ();
      check_room (SLOTS, what);
      cr_assert_eq (t.drained + t.lost, t.pushed, "%s", what);
    }
}

Test (gate_recorder, a_push_held_up_for_a_lap)
{
  hold_up (lap_and_drain, "a lap and a drain inside a push");
}

Test (gate_recorder, a_push_held_up_for_two_laps)
{
  hold_up (drain_lap_and_drain, "two laps and drains inside a push");
}

/* Others find room while the push is held up, too: all slots but its own.  */

static unsigned least_room;

static void
laps_inside (void *context)
{
  (void) context;
  for (int i = 0; i < 4; i++)
    {
      push_a_lap ();
      if (t.rooms < least_room)
        least_room = t.rooms;
      drain ();
    }
}

Test (gate_recorder, others_go_on_meanwhile)
{
  unsigned long n;

  STEP_OR_SKIP ();
  start ();
  n = instructions ();
  for (unsigned long at = 1; at <= n; at += step_stride (1))
    {
      const char *what = gate_what ("laps inside a push", at);

      start ();
      least_room = SLOTS;
      step_push (at, laps_inside);
      cr_assert_geq (least_room, SLOTS - 1, "%s: room for %u", what,
                     least_room);
      drain ();
      check_room (SLOTS, what);
    }
}

/* A push that never ends costs one slot, wherever it was left.  */
Test (gate_recorder, a_push_that_never_ends)
{
  STEP_OR_SKIP ();
  for (unsigned long at = 1;; at += step_stride (1))
    {
      const char *what = gate_what ("a push that was left", at);
      bool left;

      start ();
      held_up = t.next++;
      left = step_and_leave (at, call_push, laps_inside, NULL);
      for (int i = 0; i < 3; i++)
        {
          push_a_lap ();
          cr_assert_geq (t.rooms, SLOTS - 1, "%s: room for %u", what, t.rooms);
          drain ();
        }
      cr_assert (!t.twice && !t.unordered, "%s", what);
      if (!left)
        break;
    }
}
