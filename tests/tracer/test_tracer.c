/* test_tracer.c - tracers: what neither the random programs nor the table of
   errors, tests/api/errors.def, say: a deep stack, addresses, refused calls,
   what is written while calls are open.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct cgw_event clock_event = { "Clock", NULL, NULL };

/* A tracer with one counter, and some functions.  */
struct traced
{
  struct heap heap;
  struct cgw_names *names;
  struct written f;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  struct cgw_pos a, b, c;
  uint64_t now;
};

static void
start (struct traced *t)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  t->heap = (struct heap){ 0 };
  t->names = make_names (&t->heap);
  o.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES;
  written_open_with (&t->f, t->names, &o);
  t->now = 1000;
  t->a = written_line (written_fn (t->names, NULL, "x.c", "a"), 10);
  t->b = written_line (written_fn (t->names, NULL, "x.c", "b"), 20);
  t->c = written_line (written_fn (t->names, NULL, "x.c", "c"), 30);
  cr_assert_eq (cgw_profile_new (&t->p, t->names, 1, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t->t, t->p, NULL), CGW_OK);
}

/* Frees all, the tracers with their profile.  */
static void
stop (struct traced *t)
{
  cgw_names_free (t->names);
  cgw_profile_free (t->p);
  written_free (&t->f);
}

/* Each event comes after so many ticks.  */

static enum cgw_status
enter (struct traced *t, const struct cgw_pos *callee, uint64_t ticks)
{
  t->now += ticks;
  return cgw_tracer_enter (t->t, NULL, callee, 0, &t->now);
}

static enum cgw_status
leave (struct traced *t, uint64_t ticks)
{
  t->now += ticks;
  return cgw_tracer_leave (t->t, &t->now);
}

/* Writes a part.  Returns it from behind its header.  */
static const char *
part_bytes_with (struct traced *t, unsigned positions)
{
  struct cgw_part part = written_part_of (&clock_event, 1);
  const char *fn;

  part.positions = positions;
  cr_assert_eq (cgw_profile_write (t->p, t->f.w, &part), CGW_OK);
  cr_assert_eq (cgw_flush (t->f.w), CGW_OK);
  for (fn = t->f.bytes; strstr (fn + 1, "events: Clock") != NULL;)
    fn = strstr (fn + 1, "events: Clock");
  fn = strstr (fn, "\nfl=");
  return fn != NULL ? fn + 1 : "";
}

static const char *
part_bytes (struct traced *t)
{
  return part_bytes_with (t, CGW_LINE);
}

/* What one interval wrote.  */
static void
part_is (struct traced *t, const char *body)
{
  cr_expect_str_eq (part_bytes (t), body);
}

/* The same with addresses, too.  */
static void
instr_part_is (struct traced *t, const char *body)
{
  cr_expect_str_eq (part_bytes_with (t, CGW_INSTR | CGW_LINE), body);
}

/* Whether two texts are the same but for empty lines.  */
static bool
same_lines (const char *a, const char *b)
{
  while (*a != 0 && *a == *b)
    {
      bool line_ends = *a == '\n';

      a++, b++;
      a += line_ends ? strspn (a, "\n") : 0;
      b += line_ends ? strspn (b, "\n") : 0;
    }
  return *a == *b;
}

static void
start_signed (struct traced *t, unsigned flags)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;

  start (t);
  o.flags = flags;
  cr_assert_eq (cgw_tracer_free (t->t), CGW_OK);
  cr_assert_eq (cgw_profile_set_signed (t->p, 0), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t->t, t->p, &o), CGW_OK);
}

/* The sums of a signed event, and its costs in calls, pass the ends of their
   range.  */
Test (tracer, signed_sums_wrap)
{
  const uint64_t quarter = UINT64_C (1) << 62;
  struct traced t;
  uint64_t total;

  start_signed (&t, 0);
  t.now = quarter;
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 0 - quarter), CGW_OK);
  cr_expect_eq (enter (&t, &t.c, quarter), CGW_OK);
  cr_expect_eq (leave (&t, quarter), CGW_OK);
  cr_expect_eq (leave (&t, quarter), CGW_OK);
  cr_expect_eq (leave (&t, quarter), CGW_OK);
  cr_expect_eq (cgw_profile_total (t.p, &total, 1), CGW_OK);
  cr_expect_eq (total, 3 * quarter);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_OK);
  stop (&t);
}

/* What is taken of a profile while calls are open has whole inclusive costs:
   a script that ends by exit() leaves all its calls open.  */
static void
open_three (struct traced *t)
{
  start (t);
  cr_expect_eq (enter (t, &t->a, 0), CGW_OK);
  cr_expect_eq (enter (t, &t->b, 10), CGW_OK);
  cr_expect_eq (enter (t, &t->c, 90), CGW_OK);
  cr_expect_eq (leave (t, 900), CGW_OK);
}

static const char three_open[] = "fl=x.c\nfn=a\n10 10\ncfn=b\ncalls=1 20\n"
                                 "10 990\nfn=b\n20 90\ncfn=c\ncalls=1 30\n"
                                 "20 900\nfn=c\n30 900\n";

struct bytes
{
  unsigned char at[4096];
  size_t n;
};

static ssize_t
take_bytes (void *context, const void *bytes, size_t n)
{
  struct bytes *all = context;

  cr_assert_leq (n, sizeof all->at - all->n);
  memcpy (all->at + all->n, bytes, n);
  all->n += n;
  return (ssize_t) n;
}

Test (tracer, taken_with_open_calls)
{
  struct bytes packed = { .n = 0 };
  struct cgw_profile *open_ones;
  struct traced t;

  open_three (&t);
  part_is (&t, three_open);
  part_is (&t, three_open); /* once more: nothing is booked twice */
  stop (&t);
  open_three (&t);
  open_ones = t.p;
  cr_assert_eq (cgw_profile_new (&t.p, t.names, 1, CGW_LINE), CGW_OK);
  cr_expect_eq (cgw_profile_merge (t.p, open_ones), CGW_OK);
  part_is (&t, three_open);
  cgw_profile_free (open_ones);
  stop (&t);
  open_three (&t);
  cr_expect_eq (cgw_profile_pack (t.p, take_bytes, &packed), CGW_OK);
  cr_expect_eq (cgw_tracer_free (t.t), CGW_OK);
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_expect_eq (cgw_profile_unpack (t.p, packed.at, packed.n), CGW_OK);
  part_is (&t, three_open);
  stop (&t);
}

/* A tool that knows the line alone.  */
Test (tracer, running_function)
{
  struct cgw_pos at = { .line = 11 };
  struct traced t;

  start (&t);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  t.now += 1;
  cr_expect_eq (cgw_tracer_move (t.t, &at, &t.now), CGW_OK);
  at.line = 12;
  t.now += 2;
  for (int i = 0; i < 2; i++) /* an edge that is new, and one that is not */
    {
      cr_expect_eq (cgw_tracer_enter (t.t, &at, &t.b, 0, &t.now), CGW_OK);
      cr_expect_eq (leave (&t, 4), CGW_OK);
    }
  cr_expect_eq (cgw_tracer_move (t.t, &t.c, &t.now), CGW_OK);
  at.line = 31; /* of c, which is inlined */
  t.now += 8;
  cr_expect_eq (cgw_tracer_move (t.t, &at, &t.now), CGW_OK);
  t.now += 16;
  cr_expect_eq (leave (&t, 0), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 1\n11 2\ncfn=b\ncalls=2 20\n12 8\nfn=b\n"
               "20 8\nfn=c\n30 8\n31 16\n");
  stop (&t);
}

/* Stacks that the profile has when a tracer comes, or gets beside it.  */
Test (tracer, beside_stacks)
{
  struct cgw_tracer *second;
  struct cgw_pos stack[2];
  uint64_t cost = 100;
  struct traced t;

  start (&t);
  cr_expect_eq (cgw_tracer_free (t.t), CGW_OK);
  stack[0] = t.b;
  stack[1] = t.a;
  cr_expect_eq (cgw_profile_stack (t.p, stack, 2, 3, &cost, 1), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&second, t.p, NULL), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
  cr_expect_eq (cgw_profile_stack (t.p, stack, 2, 4, &cost, 1), CGW_OK);
  cr_expect_eq (leave (&t, 2), CGW_OK);
  cr_expect_eq (leave (&t, 4), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 5\ncfn=b\ncalls=8 20\n10 202\n"
               "fn=b\n20 202\n");
  stop (&t);
}

/* So many callers of one function that their calls take places from each
   other.  */
Test (tracer, many_callers)
{
  enum { CALLERS = 1000, ROUNDS = 3 };
  static struct cgw_pos callers[CALLERS];
  static char expected[CALLERS * 64];
  struct cgw_pos here = { .line = 7 };
  char name[8];
  struct traced t;
  size_t n;

  start (&t);
  for (int i = 0; i < CALLERS; i++)
    {
      snprintf (name, sizeof name, "f%03d", i);
      callers[i] = written_line (written_fn (t.names, NULL, "x.c", name), 20);
    }
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < CALLERS; i++)
      {
        cr_assert_eq (enter (&t, &callers[i], 0), CGW_OK);
        cr_assert_eq (cgw_tracer_enter (t.t, &here, &t.a, 0, &t.now), CGW_OK);
        cr_assert_eq (leave (&t, 1), CGW_OK);
        cr_assert_eq (leave (&t, 1), CGW_OK);
      }
  n = (size_t) sprintf (expected, "fl=x.c\nfn=a\n10 %d\n", CALLERS * ROUNDS);
  for (int i = 0; i < CALLERS; i++)
    n += (size_t) sprintf (expected + n,
                           "fn=f%03d\ncfn=a\ncalls=3 10\n7 3\n20 3\n", i);
  cr_expect (same_lines (part_bytes (&t), expected));
  stop (&t);
}

/* Without tracers, clearing forgets the recent calls, too.  */
Test (tracer, cleared_between)
{
  struct traced t;

  start (&t);
  for (int i = 0; i < 3; i++)
    {
      cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
      for (int k = 0; k < 3; k++)
        {
          cr_expect_eq (enter (&t, i == 1 ? &t.b : &t.c, 0), CGW_OK);
          cr_expect_eq (leave (&t, 1), CGW_OK);
        }
      cr_expect_eq (leave (&t, 0), CGW_OK);
      part_is (&t, i == 1 ? "fl=x.c\nfn=a\ncfn=b\ncalls=3 20\n10 3\nfn=b\n"
                            "20 3\n"
                          : "fl=x.c\nfn=a\ncfn=c\ncalls=3 30\n10 3\nfn=c\n"
                            "30 3\n");
      cr_assert_eq (cgw_tracer_free (t.t), CGW_OK);
      cr_assert_eq (cgw_profile_clear (t.p), CGW_OK);
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
    }
  stop (&t);
}

/* Edges that were looked up: of another profile, and of entries that are no
   more.  */
Test (tracer, edges)
{
  struct cgw_edge edge, none = { 1, 1 }, other;
  struct cgw_pos bad = { .fn = { 12345 } };
  struct traced t, u;

  start (&t);
  start (&u);
  cr_assert_eq (cgw_tracer_edge (t.t, &t.a, &t.b, &edge), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (u.t, &u.a, &u.b, &other), CGW_OK);
  cr_expect_eq (cgw_tracer_edge (t.t, &t.a, &bad, &none), CGW_EHANDLE);
  cr_expect_eq (none.handle, 0);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      t.now++;
      cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 7, &t.now), CGW_OK);
      cr_expect_eq (cgw_tracer_tag (t.t, 2), 7);
      cr_expect_eq (leave (&t, 1), CGW_OK);
    }
  cr_expect_eq (cgw_tracer_enter_edge (t.t, none, 7, &t.now), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 7, &t.now), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_enter_edge (t.t, other, 7, &t.now), CGW_EHANDLE);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  other = (struct cgw_edge){ edge.handle + 1, edge.begin };
  cr_expect_eq (cgw_tracer_enter_edge (t.t, other, 7, &t.now), CGW_EHANDLE);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  other = (struct cgw_edge){ edge.handle, edge.begin + 9 };
  cr_expect_eq (cgw_tracer_enter_edge (t.t, other, 7, &t.now), CGW_EHANDLE);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 7\ncfn=b\ncalls=3 20\n10 3\n"
               "fn=b\n20 3\n");
  cr_expect_eq (cgw_tracer_free (t.t), CGW_OK);
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 7, &t.now), CGW_EHANDLE);
  stop (&t);
  stop (&u);
}

/* Calls that differ in one word of a position, so that they have one site by
   turns: a line and an address whose sum is the same, half an address, and what
   is of the callee.  */
Test (tracer, calls_of_one_site)
{
  enum { CALLS = 6 };
  static const char *const bodies[CALLS] = {
    [1] = "fl=x.c\nfn=a\ncfn=b\ncalls=6 0x200 20\n0xff 11 60\ncfn=b\n"
          "calls=6 0x200 20\n0x100 10 6\nfn=b\n0x200 20 66\n",
    [2] = "fl=x.c\nfn=a\ncfn=b\ncalls=6 0x200 20\n0x100 10 6\ncfn=b\n"
          "calls=6 0x200 20\n0x100000100 10 60\nfn=b\n0x200 20 66\n",
    [3] = "fl=x.c\nfn=a\ncfn=b\ncalls=12 0x200 20\n0x100 10 66\nfn=b\n"
          "0x200 20 6\nfi=y.h\n0x200 20 60\n",
    [4] = "fl=x.c\nfn=a\ncfn=b\ncalls=12 0x200 20\n0x100 10 66\nfn=b\n"
          "0x200 20 6\n0x200 21 60\n",
    [5] = "fl=x.c\nfn=a\ncfn=b\ncalls=12 0x200 20\n0x100 10 66\nfn=b\n"
          "0x200 20 6\n0x201 20 60\n",
  };

  for (int i = 1; i < CALLS; i++)
    {
      struct cgw_pos at[2], callee[2];
      struct traced t;

      start (&t);
      cgw_profile_free (t.p);
      cr_assert_eq (cgw_profile_new (&t.p, t.names, 1, CGW_INSTR | CGW_LINE),
                    CGW_OK);
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
      t.a.instr = 0x100;
      t.b.instr = 0x200;
      at[0] = at[1] = t.a;
      callee[0] = callee[1] = t.b;
      at[1].line += i == 1;
      at[1].instr += i == 1 ? UINT64_C (0) - 1
                     : i == 2 ? UINT64_C (1) << 32 : 0;
      if (i == 3)
        callee[1].file = cgw_add_file (t.names, "y.h");
      callee[1].line += i == 4;
      callee[1].instr += i == 5;
      for (int k = 0; k < 12; k++)
        {
          int other = k / 3 % 2;

          cr_expect_eq (cgw_tracer_enter (t.t, &at[other], &callee[other], 0,
                                          &t.now),
                        CGW_OK);
          cr_expect_eq (leave (&t, other ? 10 : 1), CGW_OK);
        }
      instr_part_is (&t, bodies[i]);
      stop (&t);
    }
}

/* Known calls, and runs, where a counter is not the only event.  */
Test (tracer, known_calls_of_three_events)
{
  const struct cgw_event events[]
      = { clock_event, { "Bytes", NULL, NULL }, { "Blocks", NULL, NULL } };
  struct cgw_part part = written_part_of (events, 3);
  const uint64_t cost[] = { 7, 2 }, each[] = { 100, 50 };
  struct traced t;

  start (&t);
  cgw_profile_free (t.p);
  cr_assert_eq (cgw_profile_new (&t.p, t.names, 3, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
  for (int i = 0; i < 4; i++)
    {
      cr_expect_eq (cgw_tracer_enter (t.t, &t.a, &t.b, 0, &t.now), CGW_OK);
      cr_expect_eq (cgw_tracer_cost (t.t, NULL, cost, 2), CGW_OK);
      cr_expect_eq (cgw_tracer_block (t.t, &t.b, 1, each, 2, &t.now), CGW_OK);
      cr_expect_eq (leave (&t, 1), CGW_OK);
    }
  cr_assert_eq (cgw_profile_write (t.p, t.f.w, &part), CGW_OK);
  cr_assert_eq (cgw_flush (t.f.w), CGW_OK);
  cr_expect_not_null (strstr (t.f.bytes, "\nfl=x.c\nfn=a\ncfn=b\ncalls=4 20\n"
                                         "10 4 428 208\nfn=b\n"
                                         "20 4 428 208\n"),
                      "%s", t.f.bytes);
  stop (&t);
}

/* Known calls whose function has no count in this tracer yet, and whose number
   is at its end.  */
Test (tracer, known_calls_that_do_not_fit)
{
  enum { FUNCTIONS = 500 };
  struct cgw_tracer *other;
  struct cgw_pos far = { .line = 1 };
  struct traced t;
  char name[8];

  start (&t);
  cr_assert_eq (cgw_tracer_new (&other, t.p, NULL), CGW_OK);
  for (int i = 0; i < FUNCTIONS; i++)
    {
      snprintf (name, sizeof name, "f%03d", i);
      far.fn = written_fn (t.names, NULL, "x.c", name);
    }
  for (int i = 0; i < 3; i++)
    {
      cr_expect_eq (cgw_tracer_enter (t.t, &t.a, &far, 0, &t.now), CGW_OK);
      cr_expect_eq (leave (&t, 1), CGW_OK);
    }
  cr_expect_eq (cgw_tracer_enter (other, &t.a, &far, 0, &t.now), CGW_OK);
  t.now++;
  cr_expect_eq (cgw_tracer_leave (other, &t.now), CGW_OK);
  cr_assert_eq (cgw_profile_call (t.p, &t.a, &far, UINT64_MAX - 5, NULL, 0),
                CGW_OK);
  cr_expect_eq (cgw_tracer_enter (t.t, &t.a, &far, 0, &t.now), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (t.t, &t.a, &far, 0, &t.now), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\ncfn=f499\ncalls=18446744073709551615 1\n"
               "10 6\nfn=f499\n1 6\n");
  stop (&t);
}

/* The function that is called may be unknown.  */
Test (tracer, unknown_callee)
{
  struct cgw_pos unknown = { .line = 5 };
  struct traced t;

  start (&t);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  for (int i = 0; i < 2; i++)
    {
      cr_expect_eq (enter (&t, &unknown, 1), CGW_OK);
      cr_expect_eq (leave (&t, 10), CGW_OK);
    }
  part_is (&t, "fl=???\nfn=???\n5 20\nfl=x.c\nfn=a\n10 2\ncfi=???\n"
               "cfn=???\ncalls=2 5\n10 20\n");
  stop (&t);
}

/* Places that differ in their addresses only are one behind the other in a
   run.  */
Test (tracer, run_along_addresses)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_pos at[3];
  uint64_t cost = 1;
  struct traced t;

  start (&t);
  cgw_profile_free (t.p);
  cr_assert_eq (cgw_profile_new (&t.p, t.names, 1, CGW_INSTR | CGW_LINE),
                CGW_OK);
  o.n_counters = 0;
  cr_assert_eq (cgw_tracer_new (&t.t, t.p, &o), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      at[i] = t.a;
      at[i].instr = 0x100 + (uint64_t) (i % 2);
    }
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, &at[0], 0, NULL), CGW_OK);
  for (int i = 0; i < 3; i++)
    cr_expect_eq (cgw_tracer_block (t.t, at, 3, &cost, 1, NULL), CGW_OK);
  instr_part_is (&t, "fl=x.c\nfn=a\n0x100 10 6\n0x101 10 3\n");
  stop (&t);
}

/* What happens below a call that was refused costs its caller, at the position
   where that is.  */
Test (tracer, inside_a_refused_call)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_pos lines[] = { { .line = 15 }, { .line = 16 } };
  struct cgw_pos bad = { .fn = { 12345 } };
  struct cgw_tracer *made;
  uint64_t cost = 5;
  struct traced t;

  start (&t);
  lines[0].fn = t.c.fn;
  o.n_counters = 0;
  cr_assert_eq (cgw_tracer_new (&made, t.p, &o), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &t.a, 0, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &bad, 0, NULL), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_block (made, lines, 2, &cost, 1, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_move (made, &t.b, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (made, NULL), CGW_OK);
  /* A tracer without counters needs none.  */
  cr_expect_eq (cgw_tracer_stop (made, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_EORDER);
  cr_expect_eq (cgw_tracer_start (made, NULL), CGW_OK);
  cost = 100;
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_unwind (made, 0, NULL), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 115\n");
  stop (&t);
}

/* A call that is refused keeps its place: its leave ends no other.  */
Test (tracer, refused_calls)
{
  struct cgw_pos bad = { .fn = { 12345 } };
  struct traced t;

  start (&t);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &bad, 1), CGW_EHANDLE);
  cr_expect_eq (enter (&t, &t.b, 2), CGW_OK); /* inside: not counted */
  cr_expect_eq (cgw_tracer_depth (t.t), 3);
  cr_expect_eq (cgw_tracer_tag (t.t, 3), 0);
  cr_expect_eq (leave (&t, 4), CGW_OK);
  cr_expect_eq (leave (&t, 8), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (t.t, &bad, &t.b, 0, &t.now), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_tail (t.t, &t.c, 0, &t.now), CGW_OK);
  cr_expect_eq (leave (&t, 16), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 32), CGW_OK);
  cr_expect_eq (cgw_tracer_tail (t.t, &bad, 0, &t.now), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_move (t.t, &bad, &t.now), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_depth (t.t), 2);
  cr_expect_eq (leave (&t, 64), CGW_OK);
  cr_expect_eq (leave (&t, 128), CGW_OK);
  cr_expect_eq (leave (&t, 0), CGW_EDEPTH);
  part_is (&t, "fl=x.c\nfn=a\n10 255\ncfn=b\ncalls=1 20\n10 0\n");
  cr_expect_eq (cgw_error (t.f.w, NULL), CGW_EHANDLE);
  stop (&t);
}

Test (tracer, deep)
{
  enum { DEPTH = 1000000 };
  struct traced t;
  uint64_t sum;

  start (&t);
  for (unsigned i = 0; i < DEPTH; i++)
    cr_assert_eq (enter (&t, i % 2 ? &t.a : &t.b, 1), CGW_OK);
  cr_assert_eq (cgw_tracer_depth (t.t), DEPTH);
  t.now++;
  cr_assert_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  cr_assert_eq (cgw_tracer_unwind (t.t, DEPTH / 2, &t.now), CGW_OK);
  cr_assert_eq (cgw_tracer_unwind (t.t, 0, &t.now), CGW_OK);
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, DEPTH);
  part_is (&t, "fl=x.c\nfn=a\n10 500000\ncfn=b\ncalls=499999 20\n10 0\n"
               "fn=b\n20 500000\ncfn=a\ncalls=500000 10\n20 999999\n");
  stop (&t);
}

/* A tracer that knows its first call already, from another one, and whose first
   event is no call.  */
Test (tracer, deep_in_known_calls)
{
  enum { DEPTH = 100 };
  struct traced t;
  uint64_t sum;

  start (&t);
  for (unsigned tracer = 0; tracer < 2; tracer++)
    {
      cr_assert_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
      for (unsigned i = 0; i < DEPTH; i++, t.now++)
        cr_assert_eq (cgw_tracer_enter (t.t, &t.a, &t.a, 0, &t.now), CGW_OK);
      cr_assert_eq (cgw_tracer_unwind (t.t, 0, &t.now), CGW_OK);
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
    }
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, 2 * DEPTH);
  stop (&t);
}

/* The only call to line 20.  */
struct one_call
{
  unsigned n;
  uint64_t count, cost;
};

static enum cgw_status
take_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
           uint64_t count, const uint64_t *cost, size_t n)
{
  struct one_call *call = context;

  (void) from;
  if (to->line == 20 && n == 1)
    *call = (struct one_call){ call->n + 1, count, cost[0] };
  return CGW_OK;
}

/* The first call of a function, whose index is far behind the others, when the
   call has only n allocations: the calls above go on, and get its costs, and the
   next one is counted and has its target.  Returns whether it failed.  */
static bool
call_without_memory (unsigned depth, bool is_far, size_t n)
{
  struct cgw_visitor v = CGW_VISITOR_INIT;
  struct one_call call = { 0, 0, 0 };
  struct traced t;
  uint64_t sum;
  bool failed;

  start (&t);
  for (int i = 0; i < 1000 && is_far; i++)
    {
      char name[16];

      snprintf (name, sizeof name, "f%d", i);
      t.b.fn = written_fn (t.names, NULL, "x.c", name);
    }
  for (unsigned i = 0; i < depth; i++)
    cr_assert_eq (enter (&t, &t.a, 1), CGW_OK);
  heap_limit (&t.heap, n);
  failed = enter (&t, &t.b, 1) != CGW_OK;
  t.heap.fail_at = 0;
  cr_assert_eq (leave (&t, 1), CGW_OK);
  cr_assert_eq (cgw_tracer_depth (t.t), depth);
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_assert (!failed || sum == (depth != 0 ? depth + 1 : 0),
             "depth %u, %zu allocations: %" PRIu64, depth, n, sum);
  cr_assert_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_assert_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  cr_assert_eq (enter (&t, &t.b, 1), CGW_OK);
  for (unsigned i = 0; i <= depth; i++)
    cr_assert_eq (leave (&t, 1), CGW_OK);
  v.call = take_call;
  v.context = &call;
  cr_assert_eq (cgw_profile_visit (t.p, &v), CGW_OK);
  cr_assert (call.n == (depth != 0) && call.count == call.n
                 && call.cost == call.n,
             "depth %u, %zu allocations: %u calls, count %" PRIu64, depth, n,
             call.n, call.count);
  stop (&t);
  return failed;
}

Test (tracer, first_call_without_memory_at_each_depth)
{
  size_t n_failed = 0;

  for (unsigned depth = 0; depth < 70; depth++)
    for (int is_far = 0; is_far < 2; is_far++)
      for (size_t n = 0; call_without_memory (depth, is_far, n); n++)
        n_failed++;
  cr_assert_gt (n_failed, 70);
}

/* All bits of its handle are set, as in what stands for no position inside.  */
Test (tracer, a_foreign_handle_is_not_no_position)
{
  struct cgw_pos foreign = { .fn = { UINT32_MAX } };
  struct traced t;

  start (&t);
  cr_assert_eq (enter (&t, &t.a, 1), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (enter (&t, &t.b, 1), CGW_OK);
      cr_assert_eq (leave (&t, 1), CGW_OK);
    }
  cr_assert_eq (cgw_tracer_enter (t.t, &foreign, &t.b, 0, &t.now),
                CGW_EHANDLE);
  stop (&t);
}

/* What is written books the open calls first: costs of edges may pass their
   end then.  */
Test (tracer, inclusive_overflow_of_open_calls)
{
  const uint64_t most = UINT64_MAX - 10;
  struct traced t;

  start (&t);
  cr_assert_eq (cgw_profile_call (t.p, &t.a, &t.b, 1, &most, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (t.p, &t.b, &t.c, 1, &most, 1), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.c, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 11), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\ncfn=b\ncalls=2 20\n10 18446744073709551615\n"
               "fn=b\ncfn=c\ncalls=2 30\n20 18446744073709551615\nfn=c\n"
               "30 11\ncfn=a\ncalls=1 10\n30 0\n");
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (cgw_tracer_depth (t.t), 4);
  stop (&t);
}

/* A counter that sinks, on an edge that was looked up, and is the only event;
   also where the tool counts self costs itself.  */
Test (tracer, signed_edge_of_one_event)
{
  for (int calls_only = 0; calls_only < 2; calls_only++)
    {
      const uint64_t self = 7;
      struct cgw_edge edge;
      struct traced t;
      uint64_t total;

      start_signed (&t, calls_only ? CGW_CALLS_ONLY : 0);
      cr_assert_eq (cgw_tracer_edge (t.t, &t.a, &t.b, &edge), CGW_OK);
      cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
      for (int i = 0; i < 3; i++)
        {
          cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 0, &t.now), CGW_OK);
          cr_expect_eq (leave (&t, UINT64_C (0) - 5), CGW_OK);
        }
      cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 0, &t.now), CGW_OK);
      cr_expect_eq (leave (&t, 15 + self), CGW_OK);
      cr_expect_eq (leave (&t, 1), CGW_OK);
      if (calls_only)
        cr_expect_eq (cgw_profile_cost (t.p, &t.b, &self, 1), CGW_OK);
      cr_expect_eq (cgw_profile_total (t.p, &total, 1), CGW_OK);
      cr_expect_eq (total, calls_only ? self : self + 1);
      part_is (&t, calls_only ? "fl=x.c\nfn=a\ncfn=b\ncalls=4 20\n10 7\n"
                                "fn=b\n20 7\n"
                              : "fl=x.c\nfn=a\n10 1\ncfn=b\ncalls=4 20\n"
                                "10 7\nfn=b\n20 7\n");
      stop (&t);
    }
}
