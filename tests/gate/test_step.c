/* test_step.c - records made by handlers that interrupt a call on the same
   writer at each of its instructions.

   The processor's trap flag gives a signal after every instruction of a call.
   At the chosen one the handler makes records of its own, and at depth 2 is
   itself interrupted by a handler that makes more.  Whatever the place: the
   file is whole, and every cost, call and jump is in it once, or counted as
   lost where the ring was too small.

   Each run takes one boundary.  make check tries some of each call, and all of
   them at once; with CGW_STRESS in the environment each boundary has its run.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/support.h"

#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__                       \
    && !defined __SANITIZE_THREAD__
#define CAN_STEP 1
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CAN_STEP
#endif
#endif

#ifdef CAN_STEP

#define FILE_MAX (1 << 18)
#define MOST_AT_ONCE 1000 /* handlers in one call */

enum kind { ONE_COST, COST, CALL, JUMP, COND_JUMP, KINDS };
enum scene { PLAIN, FLUSH, INLINED, NEW_NAME, PAGE, FULL_RING, SCENES };

static const char *const kind_names[]
    = { "one_cost", "cost", "call", "jump", "jcnd" };
static const char *const scene_names[]
    = { "plain", "flush", "inlined", "new_name", "page", "full_ring" };

/* Which functions there are; each level of handlers has its own, new to the
   file, and OTHER has costs before.  */
enum fn { MAIN, OTHER, FRESH, LEVEL_1, LEVEL_2, FNS };

static struct
{
  struct cgw_writer *w;
  struct cgw_fn fn[FNS];
  struct cgw_file inlined;
  enum scene scene;
  char bytes[FILE_MAX];
  size_t n;
  unsigned made[FNS]; /* costs and calls that the handlers made */
} t;

/* The steps of the interrupted call, and of the handler that is interrupted
   in turn; at which of them something happens (0: never).  */
static volatile unsigned long steps[2];
static unsigned long at[2];
static bool at_all;
static volatile int level;

static ssize_t
take (void *context, const void *bytes, size_t n)
{
  (void) context;
  if (n > FILE_MAX - t.n)
    return -1;
  memcpy (t.bytes + t.n, bytes, n);
  t.n += n;
  return (ssize_t) n;
}

/* From the next instruction on there is a SIGTRAP after each.  The red zone
   of the caller must survive the push.  */
static inline __attribute__ ((always_inline)) void
trap_on (void)
{
  __asm__ volatile ("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
                    "orq $0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                    ::: "cc", "memory");
}

static inline __attribute__ ((always_inline)) void
trap_off (void)
{
  __asm__ volatile ("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
                    "andq $~0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
                    ::: "cc", "memory");
}

static const uint64_t costs[2] = { 3, 1000005 };

/* What a handler does: a cost line and a call.  */
static void
make_records (enum fn fn)
{
  struct cgw_pos here = { t.fn[fn], { 0 }, 70, 0 };
  struct cgw_pos there = { t.fn[OTHER], { 0 }, 7, 0 };

  for (int i = 0; i < (t.scene == FULL_RING ? 2 : 1); i++)
    {
      cgw_cost (t.w, &here, costs, 2);
      cgw_call (t.w, &here, &there, 2, costs, 2);
      t.made[fn]++;
    }
}

static void
on_trap (int number)
{
  int here = level;
  unsigned long step = ++steps[here];

  (void) number;
  if (step != at[here]
      && !(at_all && here == 0 && t.made[LEVEL_1] < MOST_AT_ONCE))
    return;
  level = here + 1;
  if (here == 0 && at[1] != 0)
    {
      trap_on ();
      make_records (LEVEL_1);
      trap_off ();
    }
  else
    make_records (LEVEL_1 + here);
  level = here;
}

static void
open_writer (enum scene scene)
{
  static const struct cgw_event events[] = { { "A", 0, 0 }, { "B", 0, 0 } };
  static const char *const names[]
      = { "main", "other", "fresh", "level_1", "level_2" };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_part part = CGW_PART_INIT;

  memset (&t, 0, sizeof t);
  t.scene = scene;
  o.write = take;
  o.buffer_size = scene == FLUSH ? 1 : 0;
  o.parking_slots = scene == FULL_RING ? 2 : 4096;
  part.events = events;
  part.n_events = 2;
  cr_assert_eq (cgw_new (&t.w, -1, &o), CGW_OK);
  t.inlined = cgw_add_file (t.w, "inlined.h");
  for (int i = 0; i < FNS; i++)
    {
      char file[] = "0.c";
      file[0] = (char) ('0' + i);
      t.fn[i] = cgw_add_fn (t.w, names[i], cgw_add_file (t.w, file),
                            cgw_add_object (t.w, "object"));
    }
  cr_assert_eq (cgw_begin_part (t.w, &part), CGW_OK);
}

/* Whether the next record, of 8 bytes or more, would straddle a page.  */
static bool
near_page (void)
{
  struct cgw_stats s = CGW_STATS_INIT;

  cgw_stats (t.w, &s);
  return (s.written + s.buffered) % 4096 > 4088;
}

/* Costs before the call that is interrupted; returns how many.  */
static unsigned
prepare (void)
{
  struct cgw_pos main_line = { t.fn[MAIN], { 0 }, 10, 0 };
  struct cgw_pos other_line = { t.fn[OTHER], { 0 }, 20, 0 };
  unsigned n = 1;

  cgw_cost (t.w, &other_line, costs, 2);
  cgw_cost (t.w, &main_line, costs, 2);
  for (; t.scene == PAGE && !near_page (); n++)
    cgw_cost (t.w, &main_line, costs, 2);
  return n;
}

static enum cgw_status
make_call (enum kind kind)
{
  struct cgw_pos from = { t.fn[t.scene == NEW_NAME ? FRESH : MAIN], { 0 }, 11,
                          0 };
  struct cgw_pos to = { t.fn[kind == CALL ? OTHER : MAIN], { 0 }, 12, 0 };

  if (t.scene == INLINED)
    from.file = t.inlined;
  switch (kind)
    {
    case ONE_COST:
      return cgw_cost (t.w, &from, costs, 1);
    case COST:
      return cgw_cost (t.w, &from, costs, 2);
    case CALL:
      return cgw_call (t.w, &from, &to, 4, costs, 2);
    case JUMP:
      return cgw_jump (t.w, &from, &to, 9);
    default:
      return cgw_cond_jump (t.w, &from, &to, 3, 9);
    }
}

static uint64_t
cell (const struct profile *p, enum fn fn, const char *name,
      const char *source, uint64_t line)
{
  char file[] = "0.c";

  file[0] = (char) ('0' + fn);
  return profile_cost (p, "object", file, name, source ? source : file, 0,
                       line, 0);
}

/* The costs of the handlers' functions, together.  */
static uint64_t
handlers_cost (const struct profile *p)
{
  return cell (p, LEVEL_1, "level_1", NULL, 70)
         + cell (p, LEVEL_2, "level_2", NULL, 70);
}

/* Reads the file and checks that all is there once.  */
static void
check_file (enum kind kind, unsigned n_main, const struct cgw_stats *s,
            const char *what)
{
  char error[200];
  struct profile *p
      = profile_read (t.bytes, t.n, READER_STRICT, error, sizeof error);
  unsigned made = t.made[LEVEL_1] + t.made[LEVEL_2];
  bool fresh = t.scene == NEW_NAME;

  cr_assert (p != NULL, "%s: %s\n%.*s", what, error, (int) t.n, t.bytes);
  cr_expect_eq (cell (p, MAIN, "main", NULL, 10), 3 * n_main, "%s", what);
  cr_expect_eq (cell (p, OTHER, "other", NULL, 20), 3, "%s", what);
  cr_expect_eq (cell (p, fresh ? FRESH : MAIN, fresh ? "fresh" : "main",
                      t.scene == INLINED ? "inlined.h" : NULL, 11),
                kind <= COST ? 3 : 0, "%s", what);
  cr_expect_eq (s->recorded + s->lost, 1 + 1 + n_main + 2 * made, "%s", what);
  cr_expect_eq (s->recorded,
                p->cost_lines + p->calls + p->jump_lines - (s->lost != 0),
                "%s", what);
  cr_expect_eq (handlers_cost (p) + s->lost_costs[0], 3 * made, "%s", what);
  cr_expect_eq (profile_total (p, 0).value,
                s->recorded_costs[0] + s->lost_costs[0], "%s", what);
  if (t.scene != FULL_RING)
    {
      cr_expect_eq (s->lost, 0, "%s: %llu lost", what,
                    (unsigned long long) s->lost);
      cr_expect_eq (p->calls, made + (kind == CALL), "%s", what);
      cr_expect_eq (p->jump_lines, kind == JUMP || kind == COND_JUMP, "%s",
                    what);
    }
  profile_free (p);
}

/* One run; the steps of the call are in steps[0] afterwards.  */
static void
run (enum kind kind, enum scene scene, unsigned long first,
     unsigned long second)
{
  struct cgw_stats s = CGW_STATS_INIT;
  uint64_t recorded[2], lost[2];
  enum cgw_status status;
  char what[100];
  unsigned n_main;

  snprintf (what, sizeof what, "%s, %s, boundaries %lu and %lu",
            kind_names[kind], scene_names[scene], first, second);
  open_writer (scene);
  n_main = prepare ();
  steps[0] = steps[1] = 0;
  at[0] = first;
  at[1] = second;
  trap_on ();
  status = make_call (kind);
  trap_off ();
  cr_expect_eq (status, CGW_OK, "%s: %s", what, cgw_strerror (status));
  status = cgw_finish (t.w);
  s.n_costs = 2;
  s.recorded_costs = recorded;
  s.lost_costs = lost;
  cgw_stats (t.w, &s);
  cr_expect_eq (status, s.lost != 0 ? CGW_ELOST : CGW_OK, "%s", what);
  check_file (kind, n_main, &s, what);
  cgw_free (t.w);
}

static void
catch_traps (void)
{
  struct sigaction action = { .sa_handler = on_trap,
                              .sa_flags = SA_NODEFER | SA_RESTART };

  sigaction (SIGTRAP, &action, NULL);
}

/* Every boundary of a call, or every stride-th; at depth 2 the handler is
   interrupted at a boundary that moves along.  Returns how many runs.  */
static unsigned long
sweep (enum kind kind, enum scene scene, bool nested, unsigned long stride)
{
  unsigned long n, tried = 0, inner = 0;

  /* The first run has more steps: this program's calls are bound lazily.  */
  run (kind, scene, 0, 0);
  run (kind, scene, 0, 0);
  n = steps[0];
  for (unsigned long i = 1 + (stride > 1 ? kind + scene : 0); i <= n;
       i += stride, tried++)
    {
      run (kind, scene, i, nested ? 1 + inner : 0);
      cr_expect (t.made[LEVEL_1] != 0, "boundary %lu of %lu missed", i, n);
      /* 61 has no divisor in common with the steps of a handler.  */
      inner = steps[1] != 0 ? (inner + 61) % steps[1] : 0;
    }
  return tried;
}

static unsigned long
sweep_all (bool nested, unsigned long stride)
{
  unsigned long tried = 0;

  catch_traps ();
  for (enum kind kind = 0; kind < KINDS; kind++)
    for (enum scene scene = 0; scene < SCENES; scene++)
      {
        /* A usual line: few instructions, and the most frequent ones.  */
        bool usual = kind <= COST && scene == PLAIN;
        tried += sweep (kind, scene, nested,
                        usual && stride > 9 ? 9 : stride);
      }
  return tried;
}

/* A handler that does not come back.  */

static sigjmp_buf out;

static void
jump_out (int number)
{
  (void) number;
  if (++steps[0] == at[0])
    siglongjmp (out, 1);
}

/* Interrupts a call by a jump at that boundary.  Before it, another record is
   parked that waits for the call's end in vain.  False: the call has fewer
   steps.  */
static bool
leave (enum kind kind, enum scene scene, unsigned long boundary)
{
  struct cgw_stats s = CGW_STATS_INIT;
  enum cgw_status status;
  struct profile *p;
  char what[100], error[200];
  volatile bool left = true;
  volatile unsigned n_main;

  snprintf (what, sizeof what, "%s, %s, left at boundary %lu",
            kind_names[kind], scene_names[scene], boundary);
  open_writer (scene);
  n_main = prepare ();
  steps[0] = 0;
  at[0] = boundary;
  if (sigsetjmp (out, 1) == 0)
    {
      trap_on ();
      make_call (kind);
      trap_off ();
      left = false;
    }
  make_records (LEVEL_1);
  status = cgw_finish (t.w);
  cr_expect (status == CGW_OK || (left && status == CGW_EBUSY), "%s: %s",
             what, cgw_strerror (status));
  cr_expect_eq (cgw_finish (t.w), CGW_EFINISHED, "%s", what);
  cr_expect_eq (cgw_stats (t.w, &s), CGW_OK, "%s", what);
  p = profile_read (t.bytes, t.n,
                    status == CGW_OK ? 0 : READER_UNFINISHED, error,
                    sizeof error);
  cr_assert (p != NULL, "%s: %s\n%.*s", what, error, (int) t.n, t.bytes);
  /* Inside write(2) nobody knows how much is out: the flush scene.  */
  if (scene != FLUSH)
    {
      cr_expect_eq (cell (p, MAIN, "main", NULL, 10), 3 * n_main, "%s", what);
      cr_expect_eq (cell (p, OTHER, "other", NULL, 20), 3, "%s", what);
      cr_expect_eq (s.lost, status == CGW_OK ? 0 : 2, "%s", what);
    }
  profile_free (p);
  cgw_free (t.w);
  return left;
}

static unsigned long
stride (unsigned long short_form)
{
  return getenv ("CGW_STRESS") != NULL ? 1 : short_form;
}

Test (step, one_boundary_each)
{
  unsigned long tried = sweep_all (false, stride (127));

  print_figure ("boundaries_tried", tried);
}

Test (step, one_boundary_each_in_a_handler_too)
{
  unsigned long tried = sweep_all (true, stride (151));

  print_figure ("boundaries_tried_at_depth_2", tried);
}

/* A handler at each boundary of one call.  What it leaves is written by the
   call itself, in many more steps, which bring more handlers: so there is a
   bound.  */
Test (step, all_boundaries_at_once)
{
  catch_traps ();
  for (enum kind kind = 0; kind < KINDS; kind++)
    for (enum scene scene = 0; scene < SCENES; scene++)
      {
        at_all = true;
        run (kind, scene, 0, 0);
        at_all = false;
        cr_expect_gt (t.made[LEVEL_1], 100);
      }
}

Test (step, longjmp_out_of_a_call)
{
  struct sigaction action = { .sa_handler = jump_out };
  unsigned long tried = 0;

  sigaction (SIGTRAP, &action, NULL);
  for (enum kind kind = 0; kind < KINDS; kind++)
    for (enum scene scene = 0; scene < FULL_RING; scene++)
      for (unsigned long i = 1 + kind + scene; leave (kind, scene, i);
           i += stride (53))
        tried++;
  print_figure ("boundaries_left_by_longjmp", tried);
}

#else

Test (step, not_on_this_build)
{
  cr_skip_test ("needs x86-64 without sanitizers");
}

#endif
