/* test_tracer_handlers.c - a traced handler comes after each instruction of
   each event: no cost is booked twice or lost, and the stack stays balanced.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../gate/step.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#ifdef CAN_STEP

static const struct cgw_event clock_event = { "Clock", NULL, NULL };

static struct
{
  struct written f;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  struct cgw_pos main, a, b, handler;
  _Atomic uint64_t now;
  enum cgw_status status;     /* of the event */
  enum cgw_status handler_in; /* of the handler's events */
  enum cgw_status handler_out;
  bool visited;
} g;

/* The clock goes on by one for each reading, also by a handler that interrupts
   another one.  */
static uint64_t
tick (void)
{
  return atomic_fetch_add (&g.now, 1) + 1;
}

static void
start (void)
{
  struct cgw_pos *const places[] = { &g.main, &g.a, &g.b, &g.handler };
  static const char *const names[] = { "main", "a", "b", "handler" };

  written_open (&g.f, NULL);
  for (size_t i = 0; i < 4; i++)
    *places[i] = written_line (written_fn (g.f.names, NULL, "x.c", names[i]),
                               (uint32_t) (10 * i));
  g.now = 0;
  g.visited = false;
  cr_assert_eq (cgw_profile_new (&g.p, g.f.names, 1, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (g.p, written_fn (g.f.names, NULL, "x.c",
                                                       "root")), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&g.t, g.p, NULL), CGW_OK);
  for (int i = 0; i < 2; i++)
    {
      uint64_t now = tick ();
      cr_assert_eq (cgw_tracer_enter (g.t, NULL, i == 0 ? &g.main : &g.a, 0,
                                      &now), CGW_OK);
    }
}

/* The events.  Each reads the clock first, as a tool does.  */

static void
enter_new (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_enter (g.t, NULL, &g.b, 0, &now);
}

static void
leave (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_leave (g.t, &now);
}

static void
tail (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_tail (g.t, &g.b, 0, &now);
}

static void
move (void *unused)
{
  struct cgw_pos there = { g.a.fn, { 0 }, 77, 0 };
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_move (g.t, &there, &now);
}

static void
unwind (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_unwind (g.t, 0, &now);
}

static void
sync (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.status = cgw_tracer_sync (g.t, &now);
}

static const struct
{
  const char *name;
  void (*event) (void *);
  int deeper; /* by how many calls, from 2 */
} events[] = {
  { "enter", enter_new, 1 }, { "leave", leave, -1 }, { "tail", tail, 0 },
  { "move", move, 0 },       { "unwind", unwind, -2 },
  { "sync", sync, 0 },
};

/* A handler that is traced.  */
static void
handler (void *unused)
{
  uint64_t now = tick ();

  (void) unused;
  g.handler_in = cgw_tracer_enter (g.t, NULL, &g.handler, 0, &now);
  now = tick ();
  g.handler_out = cgw_tracer_leave (g.t, &now);
  g.visited = true;
}

/* The inclusive costs of all calls from root.  */
static uint64_t
from_root (void)
{
  const struct profile_at root = { .file = "x.c", .fn = "root" };
  const struct profile_at to[] = { { .file = "x.c", .fn = "main" },
                                   { .file = "x.c", .fn = "handler",
                                     .line = 30 } };
  uint64_t sum = 0;

  for (size_t i = 0; i < 2; i++)
    {
      const uint64_t *values = profile_edge (g.f.profile, &root, &to[i]);
      sum += values != NULL ? values[1] : 0;
    }
  return sum;
}

static void
check (size_t i, unsigned long at)
{
  struct cgw_part part = written_part_of (&clock_event, 1);
  uint64_t now, sum;

  cr_assert (g.status == CGW_OK || g.status == CGW_EBACKWARDS, "%s %lu: %d",
             events[i].name, at, g.status);
  cr_assert_eq (cgw_tracer_depth (g.t), (size_t) (2 + events[i].deeper),
                "%s %lu", events[i].name, at);
  if (g.visited)
    cr_assert (g.handler_in == g.handler_out
               && (g.handler_in == CGW_OK || g.handler_in == CGW_EBUSY));
  /* Without an open call, what passes up to the handler is not booked.  */
  if (events[i].deeper != -2)
    {
      now = tick ();
      cr_assert_eq (cgw_tracer_unwind (g.t, 0, &now), CGW_OK);
    }
  cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
  if (events[i].deeper != -2)
    cr_assert_eq (sum, g.now - 1, "%s %lu", events[i].name, at);
  else
    cr_assert (sum >= 2 && sum <= g.now - 1, "%s %lu: %llu of %llu",
               events[i].name, at, (unsigned long long) sum,
               (unsigned long long) g.now);
  cr_assert_eq (cgw_tracer_free (g.t), CGW_OK);
  cr_assert_eq (cgw_profile_write (g.p, g.f.w, &part), CGW_OK);
  cgw_profile_free (g.p);
  written_end (&g.f, CGW_OK); /* no cost is missing, even after CGW_EBUSY */
  cr_assert_eq (from_root (), sum, "%s %lu", events[i].name, at);
  written_free (&g.f);
}

#endif /* CAN_STEP */

Test (tracer_handlers, each_instruction)
{
  STEP_OR_SKIP ();
#ifdef CAN_STEP
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    {
      unsigned long stride = step_stride (3);

      for (unsigned long at = step_first (stride, events[i].name);;
           at += stride)
        {
          start ();
          step (at, events[i].event, handler, NULL);
          check (i, at);
          if (!g.visited)
            break;
        }
    }
#endif
}
