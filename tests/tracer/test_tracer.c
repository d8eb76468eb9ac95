/* test_tracer.c - tracers: what neither the random programs nor the table of
   errors, tests/api/errors.def, say: a deep stack, intervals, refused calls.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cgw_event clock_event = { "Clock", NULL, NULL };

/* A tracer with one counter, and some functions.  */
struct traced
{
  struct cgw_names *names;
  struct written f;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  struct cgw_pos a, b, c;
  uint64_t now;
};

static void
start_in (struct traced *t, struct heap *heap)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  t->names = make_names (heap);
  o.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES;
  written_open_with (&t->f, t->names, &o);
  t->now = 1000;
  t->a = written_line (written_fn (t->names, NULL, "x.c", "a"), 10);
  t->b = written_line (written_fn (t->names, NULL, "x.c", "b"), 20);
  t->c = written_line (written_fn (t->names, NULL, "x.c", "c"), 30);
  cr_assert_eq (cgw_profile_new (&t->p, t->names, 1, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t->t, t->p, NULL), CGW_OK);
}

static void
start (struct traced *t)
{
  start_in (t, NULL);
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

static void
write_part_with (struct traced *t, unsigned positions)
{
  struct cgw_part part = written_part_of (&clock_event, 1);

  part.positions = positions;
  cr_assert_eq (cgw_profile_write (t->p, t->f.w, &part), CGW_OK);
}

static void
write_part (struct traced *t)
{
  write_part_with (t, CGW_LINE);
}

/* Writes a part.  Returns it from behind its header.  */
static const char *
part_bytes_with (struct traced *t, unsigned positions)
{
  const char *fn;

  write_part_with (t, positions);
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

/* A line in the running function, when there is none.  */
Test (tracer, outermost_call_at_a_line)
{
  for (int has_root = 0; has_root < 2; has_root++)
    {
      struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
      const struct cgw_pos at = { .line = 7 };
      struct traced t;

      start (&t);
      if (has_root)
        o.root = written_fn (t.names, NULL, "x.c", "(root)");
      cr_assert_eq (cgw_tracer_free (t.t), CGW_OK);
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, &o), CGW_OK);
      for (int i = 0; i < 2; i++)
        {
          cr_expect_eq (cgw_tracer_enter (t.t, &at, &t.a, 0, &t.now), CGW_OK);
          cr_expect_eq (leave (&t, 50), CGW_OK);
        }
      part_is (&t, has_root ? "fl=x.c\nfn=(root)\ncfn=a\ncalls=2 10\n0 100\n"
                              "fn=a\n10 100\n"
                            : "fl=x.c\nfn=a\n10 100\n");
      stop (&t);
    }
}

/* A part of a profile with one signed event, from behind events:.  */
static void
signed_part_is (struct traced *t, const char *body)
{
  const char *events;

  write_part (t);
  cr_assert_eq (cgw_finish (t->f.w), CGW_OK);
  events = strstr (t->f.bytes, "events: Clock\n");
  cr_assert_not_null (events);
  cr_expect_str_eq (strchr (events, '\n') + 1, body);
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

/* A function allocates three times 1 MB and frees most of it.  What only grows
   would be 3,010,872.  */
Test (tracer, net_memory)
{
  enum { ALLOCATED = 1003624, FREED = 1003528 };
  struct cgw_pos line = { .line = 21 };
  struct traced t;
  uint64_t total;

  start_signed (&t, 0);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 0), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      t.now += ALLOCATED;
      cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
      t.now -= FREED;
      cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
    }
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.c, 0), CGW_OK);
  line.fn = t.c.fn;
  for (int i = 0; i < 3; i++) /* another line frees more */
    {
      t.now += ALLOCATED;
      cr_expect_eq (cgw_tracer_move (t.t, &line, &t.now), CGW_OK);
      t.now -= ALLOCATED + 1;
      cr_expect_eq (cgw_tracer_move (t.t, &t.c, &t.now), CGW_OK);
    }
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (cgw_profile_total (t.p, &total, 1), CGW_OK);
  cr_expect_eq (total, 288 - 3);
  signed_part_is (&t, "summary: 3011160\n"
                      "# event Clock: 1 self cost below 0 was written as 0, "
                      "-3010875 together; 1 inclusive cost below 0 was "
                      "written as 0, -3 together\n"
                      "fl=x.c\nfn=a\ncfn=b\ncalls=1 20\n10 288\ncfn=c\n"
                      "calls=1 30\n10 0\nfn=b\n20 288\nfn=c\n30 3010872\n"
                      "totals: 3011160\n");
  stop (&t);
}

/* The tool counts self costs itself.  */
Test (tracer, calls_only)
{
  const uint64_t self = 7;
  struct traced t;
  uint64_t total;

  start_signed (&t, CGW_CALLS_ONLY);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 100), CGW_OK);
  cr_expect_eq (cgw_profile_cost (t.p, &t.b, &self, 1), CGW_OK);
  cr_expect_eq (leave (&t, 7), CGW_OK);
  cr_expect_eq (leave (&t, 100), CGW_OK);
  cr_expect_eq (cgw_profile_total (t.p, &total, 1), CGW_OK);
  cr_expect_eq (total, 7);
  signed_part_is (&t, "summary: 7\nfl=x.c\nfn=a\ncfn=b\ncalls=1 20\n10 7\n"
                      "fn=b\n20 7\ntotals: 7\n");
  stop (&t);
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

/* One interval after the other, while calls are open.  */
Test (tracer, intervals)
{
  struct traced t;

  start (&t);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
  t.now += 2;
  cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 1\ncfn=b\ncalls=1 20\n10 2\nfn=b\n"
               "20 2\n");
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_expect_eq (enter (&t, &t.c, 4), CGW_OK);
  cr_expect_eq (leave (&t, 8), CGW_OK);
  t.now += 16;
  cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  /* The call of b is open in this interval, too.  */
  part_is (&t, "fl=x.c\nfn=a\ncfn=b\ncalls=1 20\n10 28\nfn=b\n"
               "20 20\ncfn=c\ncalls=1 30\n20 8\nfn=c\n30 8\n");
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_expect_eq (leave (&t, 32), CGW_OK);
  cr_expect_eq (leave (&t, 64), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 64\ncfn=b\ncalls=1 20\n10 32\nfn=b\n"
               "20 32\n");
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

Test (tracer, written_with_open_calls)
{
  struct traced t;

  open_three (&t);
  part_is (&t, three_open);
  part_is (&t, three_open); /* once more: nothing is booked twice */
  stop (&t);
}

Test (tracer, merged_with_open_calls)
{
  struct cgw_profile *open_ones;
  struct traced t;

  open_three (&t);
  open_ones = t.p;
  cr_assert_eq (cgw_profile_new (&t.p, t.names, 1, CGW_LINE), CGW_OK);
  cr_expect_eq (cgw_profile_merge (t.p, open_ones), CGW_OK);
  part_is (&t, three_open);
  cgw_profile_free (open_ones);
  stop (&t);
}

static ssize_t
take_bytes (void *context, const void *bytes, size_t n)
{
  struct bytes
  {
    unsigned char at[4096];
    size_t n;
  } *all = context;

  cr_assert_leq (n, sizeof all->at - all->n);
  memcpy (all->at + all->n, bytes, n);
  all->n += n;
  return (ssize_t) n;
}

Test (tracer, packed_with_open_calls)
{
  struct
  {
    unsigned char at[4096];
    size_t n;
  } packed = { .n = 0 };
  struct traced t;

  open_three (&t);
  cr_expect_eq (cgw_profile_pack (t.p, take_bytes, &packed), CGW_OK);
  cr_expect_eq (cgw_tracer_free (t.t), CGW_OK);
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  cr_expect_eq (cgw_profile_unpack (t.p, packed.at, packed.n), CGW_OK);
  part_is (&t, three_open);
  stop (&t);
}

/* Some tracers are freed before their profile, in any order, and others with
   it; all with open calls.  */
Test (tracer, freed_with_open_calls)
{
  static const char body[]
      = "fl=x.c\nfn=a\n10 3\ncfn=b\ncalls=3 20\n10 18\nfn=b\n20 6\n"
        "cfn=c\ncalls=3 30\n20 12\nfn=c\n30 12\n";
  struct heap heap = { 0 };
  struct cgw_tracer *tracers[3];
  struct traced t;

  start_in (&t, &heap);
  cr_expect_eq (cgw_tracer_free (t.t), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
      tracers[i] = t.t;
      cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
      cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
      cr_expect_eq (enter (&t, &t.c, 2), CGW_OK);
      cr_expect_eq (leave (&t, 4), CGW_OK);
    }
  cr_expect_eq (cgw_tracer_free (tracers[1]), CGW_OK);
  part_is (&t, body);
  cr_expect_eq (cgw_tracer_free (tracers[2]), CGW_OK);
  part_is (&t, body);
  stop (&t);
  cr_expect_eq (heap.live, 0, "%zu blocks leak", heap.live);
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

/* The first error of any kind is that of the tracer, and the first that left
   something out that of the profile.  */
Test (tracer, first_errors)
{
  uint64_t difference = 10;
  struct traced t;
  const char *why;

  start (&t);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (t.t, &difference), CGW_EBACKWARDS);
  cr_expect_eq (leave (&t, 0), CGW_EDEPTH);
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, NULL, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_leave (t.t, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_profile_error (t.p, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_tracer_enter: callee is NULL");
  stop (&t);
}

/* A tool that passes differences is told so, though its file lacks nothing.  */
Test (tracer, differences)
{
  struct traced t;

  start (&t);
  cgw_tracer_enter (t.t, NULL, &t.a, 0, &(uint64_t){ 0 });
  cgw_tracer_leave (t.t, &(uint64_t){ 5 });
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, &t.a, 0, &(uint64_t){ 0 }),
                CGW_EBACKWARDS);
  cr_expect_str_eq (cgw_profile_explain (t.p),
                    "cgw_tracer_enter: counters[0] is 0, below its last value "
                    "5, in \"???\"; counters are running totals, not "
                    "differences");
  write_part (&t);
  cr_expect_eq (cgw_finish (t.f.w), CGW_OK);
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

/* Tracers of a profile share what they know of recent calls.  The positions of
   these calls have no function, so the calling frame decides.  */
Test (tracer, same_arguments)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_pos here = { .line = 7 }, late;
  struct cgw_tracer *of_b, *of_c;
  struct traced t;

  start (&t);
  late = written_line (t.a.fn, 15);
  o.root = t.b.fn;
  cr_assert_eq (cgw_tracer_new (&of_b, t.p, &o), CGW_OK);
  o.root = t.c.fn;
  cr_assert_eq (cgw_tracer_new (&of_c, t.p, &o), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      struct cgw_tracer *const roots[] = { of_b, of_c, of_b };
      const struct cgw_pos *const begins[] = { &t.a, &t.a, &late };
      const struct cgw_pos *const callers[] = { &t.b, &t.c };

      for (int k = 0; k < 3; k++)
        {
          t.now++;
          cr_expect_eq (cgw_tracer_enter (roots[k], &here, begins[k], 0,
                                          &t.now),
                        CGW_OK);
          t.now += 2;
          cr_expect_eq (cgw_tracer_leave (roots[k], &t.now), CGW_OK);
        }
      for (int k = 0; k < 2; k++)
        {
          cr_expect_eq (enter (&t, callers[k], 1), CGW_OK);
          cr_expect_eq (cgw_tracer_enter (t.t, &here, &t.a, 0, &t.now),
                        CGW_OK);
          cr_expect_eq (leave (&t, 10), CGW_OK);
          cr_expect_eq (leave (&t, 100), CGW_OK);
        }
    }
  part_is (&t, "fl=x.c\nfn=a\n10 72\n15 6\n"
               "fn=b\ncfn=a\ncalls=6 10\n0 12\ncfn=a\ncalls=3 10\n7 30\n"
               "20 300\n"
               "fn=c\ncfn=a\ncalls=3 10\n0 6\ncfn=a\ncalls=3 10\n7 30\n"
               "30 300\n");
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

/* The same with one caller, of so many lines.  */
Test (tracer, many_lines)
{
  enum { LINES = 1000, ROUNDS = 3 };
  static char expected[LINES * 64];
  struct traced t;
  size_t n;

  start (&t);
  for (int round = 0; round < ROUNDS; round++)
    for (uint32_t i = 1; i <= LINES; i++)
      {
        t.b.line = i;
        cr_assert_eq (cgw_tracer_enter (t.t, &t.b, &t.a, 0, &t.now), CGW_OK);
        cr_assert_eq (leave (&t, 1), CGW_OK);
      }
  n = (size_t) sprintf (expected, "fl=x.c\nfn=a\n10 %d\nfn=b\n",
                        LINES * ROUNDS);
  for (int i = 1; i <= LINES; i++)
    n += (size_t) sprintf (expected + n, "cfn=a\ncalls=3 10\n%d 3\n", i);
  cr_expect (same_lines (part_bytes (&t), expected));
  stop (&t);
}

/* Known calls find room in a tracer that never had one.  */
Test (tracer, known_from_the_first)
{
  struct cgw_tracer *other;
  struct traced t;

  start (&t);
  for (int i = 0; i < 3; i++)
    cr_expect_eq (cgw_tracer_enter (t.t, &t.a, &t.a, 0, &t.now), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&other, t.p, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (other, &t.now), CGW_EDEPTH);
  for (int i = 0; i < 100; i++)
    cr_expect_eq (cgw_tracer_enter (other, &t.a, &t.a, 0, &t.now), CGW_OK);
  t.now++;
  cr_expect_eq (cgw_tracer_end (other, &t.now), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 1\ncfn=a\ncalls=103 10\n10 1\n");
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
      cr_expect_eq (cgw_tracer_run (t.t, &t.b, 1, each, 2, &t.now), CGW_OK);
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
    cr_expect_eq (cgw_tracer_run (t.t, at, 3, &cost, 1, NULL), CGW_OK);
  instr_part_is (&t, "fl=x.c\nfn=a\n0x100 10 6\n0x101 10 3\n");
  stop (&t);
}

/* A tracer without counters, and one that is paused, need none, and look at
   none.  */
Test (tracer, no_counters)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_tracer *made;
  uint64_t cost = 5, other = 1000;
  struct traced t;

  start (&t);
  o.n_counters = 0;
  cr_assert_eq (cgw_tracer_new (&made, t.p, &o), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &t.a, 0, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &t.b, 0, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_pause (made, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_EORDER);
  cr_expect_eq (cgw_tracer_resume (made, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (made, &other), CGW_OK);
  cr_expect_eq (cgw_tracer_end (made, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_free (made), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 0), CGW_OK);
  t.now += 3;
  cr_expect_eq (cgw_tracer_pause (t.t, &t.now), CGW_OK);
  cr_expect_eq (cgw_tracer_sync (t.t, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_end (t.t, NULL), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\ncfn=b\ncalls=1 20\n10 5\nfn=b\n20 8\n");
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
  cr_expect_eq (cgw_tracer_run (made, lines, 2, &cost, 1, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_move (made, &t.b, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (made, NULL), CGW_OK);
  cost = 100;
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
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
  cr_assert_eq (cgw_tracer_end (t.t, &t.now), CGW_OK);
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, DEPTH);
  part_is (&t, "fl=x.c\nfn=a\n10 500000\ncfn=b\ncalls=499999 20\n10 0\n"
               "fn=b\n20 500000\ncfn=a\ncalls=500000 10\n20 999999\n");
  stop (&t);
}

/* Sums at their end.  */
Test (tracer, overflow)
{
  struct traced t;
  uint64_t most = UINT64_MAX - 10, sum;

  start (&t);
  cr_assert_eq (cgw_profile_cost (t.p, &t.c, &most, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (t.p, &t.a, &t.b, UINT64_MAX, &most, 1),
                CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 10), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (cgw_profile_clear (t.p), CGW_OK);
  /* Calls that are open are counted again, up to the end of their sums.  */
  cr_assert_eq (cgw_profile_call (t.p, &t.a, &t.b, UINT64_MAX, &most, 1),
                CGW_OK);
  cr_assert_eq (cgw_profile_cost (t.p, &t.c, &most, 1), CGW_OK);
  cr_expect_eq (leave (&t, 10), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, UINT64_MAX);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  part_is (&t, "fl=x.c\nfn=a\n10 1\ncfn=b\ncalls=18446744073709551615 20\n"
               "10 18446744073709551615\nfn=b\n20 10\n"
               "fn=c\n30 18446744073709551605\n");
  stop (&t);
}

/* Calls on edges whose costs are near their end.  */
static void
open_near_the_end (struct traced *t)
{
  const uint64_t most = UINT64_MAX - 10;

  start (t);
  cr_assert_eq (cgw_profile_call (t->p, &t->a, &t->b, 1, &most, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (t->p, &t->b, &t->c, 1, &most, 1), CGW_OK);
  cr_expect_eq (enter (t, &t->a, 0), CGW_OK);
  cr_expect_eq (enter (t, &t->b, 0), CGW_OK);
  cr_expect_eq (enter (t, &t->c, 0), CGW_OK);
}

static const char near_the_end[]
    = "fl=x.c\nfn=a\ncfn=b\ncalls=2 20\n10 18446744073709551615\nfn=b\n"
      "cfn=c\ncalls=2 30\n20 18446744073709551615\nfn=c\n30 11\ncfn=a\n"
      "calls=1 10\n30 0\n";

Test (tracer, inclusive_overflow)
{
  struct traced t;

  open_near_the_end (&t);
  cr_expect_eq (enter (&t, &t.a, 11), CGW_OK);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (leave (&t, 0), CGW_OK);
  part_is (&t, near_the_end);
  stop (&t);
}

/* What is written books the open calls first.  */
Test (tracer, inclusive_overflow_of_open_calls)
{
  struct traced t;

  open_near_the_end (&t);
  cr_expect_eq (enter (&t, &t.a, 11), CGW_OK);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_OK);
  part_is (&t, near_the_end);
  cr_expect_eq (cgw_profile_error (t.p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (cgw_tracer_depth (t.t), 4);
  stop (&t);
}

/* Several counters, of which one sinks, on an edge that was looked up.  */
Test (tracer, signed_edge)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_profile *p;
  struct cgw_tracer *tracer;
  struct cgw_edge edge;
  struct traced t;
  uint64_t now[2] = { 100, 0 }, sums[2];

  start (&t);
  cr_assert_eq (cgw_profile_new (&p, t.names, 2, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_profile_set_signed (p, 0), CGW_OK);
  o.n_counters = 2;
  cr_assert_eq (cgw_tracer_new (&tracer, p, &o), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (tracer, &t.a, &t.b, &edge), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (tracer, NULL, &t.a, 0, now), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      now[0] -= 30;
      now[1] += 5;
      cr_expect_eq (cgw_tracer_enter_edge (tracer, edge, 0, now), CGW_OK);
      now[0] += 10;
      now[1] += 2;
      cr_expect_eq (cgw_tracer_leave (tracer, now), CGW_OK);
    }
  cr_expect_eq (cgw_tracer_leave (tracer, now), CGW_OK);
  cr_expect_eq (cgw_profile_total (p, sums, 2), CGW_OK);
  cr_expect_eq (sums[0], UINT64_C (0) - 60);
  cr_expect_eq (sums[1], 21);
  /* One of its sums is at its end: the other one grows.  */
  cr_expect_eq (cgw_profile_call (p, &t.a, &t.b, 1,
                                  (uint64_t[]){ 0, UINT64_MAX - 6 }, 2),
                CGW_OK);
  cr_expect_eq (cgw_tracer_enter_edge (tracer, edge, 0, now), CGW_OK);
  now[0] -= 1;
  now[1] += 1;
  cr_expect_eq (cgw_tracer_leave (tracer, now), CGW_OK);
  cr_expect_eq (cgw_profile_error (p, NULL), CGW_EOVERFLOW);
  cr_expect_eq (cgw_profile_total (p, sums, 2), CGW_OK);
  cr_expect_eq (sums[0], UINT64_C (0) - 61);
  cr_expect_eq (sums[1], 22);
  cr_expect_eq (cgw_tracer_enter_edge (tracer, edge, 0, NULL), CGW_EINVAL);
  cgw_profile_free (p);
  stop (&t);
}

/* The same with one event, which is the counter.  */
Test (tracer, signed_edge_of_one_event)
{
  struct cgw_edge edge;
  struct traced t;
  uint64_t total;

  start_signed (&t, 0);
  cr_assert_eq (cgw_tracer_edge (t.t, &t.a, &t.b, &edge), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 0, &t.now), CGW_OK);
      cr_expect_eq (leave (&t, UINT64_C (0) - 5), CGW_OK);
    }
  cr_expect_eq (leave (&t, 1), CGW_OK);
  cr_expect_eq (cgw_profile_total (t.p, &total, 1), CGW_OK);
  cr_expect_eq (total, UINT64_C (0) - 14);
  stop (&t);
}
