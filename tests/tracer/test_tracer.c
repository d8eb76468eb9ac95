/* test_tracer.c - tracers: what the random programs do not say: a deep stack,
   intervals, refusals, handlers.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cgw_event clock_event = { "Clock", NULL, NULL };

/* A tracer with one counter, and some functions.  */
struct traced
{
  struct written f;
  struct cgw_profile *p;
  struct cgw_tracer *t;
  struct cgw_pos a, b, c;
  uint64_t now;
};

static void
start (struct traced *t, const struct cgw_options *theirs)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_writer *w;

  if (theirs != NULL)
    o = *theirs;
  o.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES;
  w = written_open (&t->f, &o);
  t->now = 1000;
  t->a = written_line (written_fn (w, NULL, "x.c", "a"), 10);
  t->b = written_line (written_fn (w, NULL, "x.c", "b"), 20);
  t->c = written_line (written_fn (w, NULL, "x.c", "c"), 30);
  cr_assert_eq (cgw_profile_new (&t->p, w, 1, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t->t, t->p, NULL), CGW_OK);
}

static void
stop (struct traced *t)
{
  cgw_tracer_free (t->t);
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
write_part (struct traced *t)
{
  struct cgw_part part = written_part_of (&clock_event, 1);

  cr_assert_eq (cgw_profile_write (t->p, &part), CGW_OK);
}

/* What one interval wrote, behind its header.  */
static void
part_is (struct traced *t, const char *body)
{
  const char *fn;

  write_part (t);
  cr_assert_eq (cgw_flush (t->f.w), CGW_OK);
  for (fn = t->f.bytes; strstr (fn + 1, "events: Clock") != NULL;)
    fn = strstr (fn + 1, "events: Clock");
  fn = strstr (fn, "\nfl=");
  cr_expect_str_eq (fn != NULL ? fn + 1 : "", body);
}

Test (tracer, calls)
{
  struct traced t;

  start (&t, NULL);
  cr_expect_eq (enter (&t, &t.a, 100), CGW_OK); /* nothing before counts */
  cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
  cr_expect_eq (leave (&t, 2), CGW_OK);
  t.now += 4;
  t.a.line = 12;
  cr_expect_eq (cgw_tracer_move (t.t, &t.a, &t.now), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 8), CGW_OK);
  cr_expect_eq (leave (&t, 16), CGW_OK);
  cr_expect_eq (leave (&t, 32), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 5\ncfn=b\ncalls=1 20\n10 2\n12 40\n"
               "cfn=b\ncalls=1 20\n12 16\nfn=b\n20 18\n");
  stop (&t);
}

/* One interval after the other, while calls are open.  */
Test (tracer, intervals)
{
  struct traced t;

  start (&t, NULL);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
  t.now += 2;
  cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 1\ncfn=b\ncalls=1 20\n10 2\nfn=b\n"
               "20 2\n");
  cgw_profile_clear (t.p);
  cr_expect_eq (enter (&t, &t.c, 4), CGW_OK);
  cr_expect_eq (leave (&t, 8), CGW_OK);
  t.now += 16;
  cr_expect_eq (cgw_tracer_sync (t.t, &t.now), CGW_OK);
  /* The call of b is open in this interval, too.  */
  part_is (&t, "fl=x.c\nfn=a\ncfn=b\ncalls=1 20\n10 28\nfn=b\n"
               "20 20\ncfn=c\ncalls=1 30\n20 8\nfn=c\n30 8\n");
  cgw_profile_clear (t.p);
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
  start (t, NULL);
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
  cr_assert_eq (cgw_profile_new (&t.p, t.f.w, 1, CGW_LINE), CGW_OK);
  cr_expect_eq (cgw_profile_merge (t.p, open_ones), CGW_OK);
  part_is (&t, three_open);
  cgw_tracer_free (t.t);
  t.t = NULL;
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
  cgw_tracer_free (t.t);
  t.t = NULL;
  cgw_profile_clear (t.p);
  cr_expect_eq (cgw_profile_unpack (t.p, packed.at, packed.n), CGW_OK);
  part_is (&t, three_open);
  stop (&t);
}

/* A tracer that is freed, and others that are not.  */
Test (tracer, freed_with_open_calls)
{
  struct cgw_tracer *others[3];
  struct traced t;

  start (&t, NULL);
  cgw_tracer_free (t.t);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
      others[i] = t.t;
      cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
      cr_expect_eq (enter (&t, &t.b, 1), CGW_OK);
      cr_expect_eq (enter (&t, &t.c, 2), CGW_OK);
      cr_expect_eq (leave (&t, 4), CGW_OK);
    }
  cgw_tracer_free (others[1]);
  t.t = NULL;
  part_is (&t, "fl=x.c\nfn=a\n10 3\ncfn=b\ncalls=3 20\n10 18\nfn=b\n20 6\n"
               "cfn=c\ncalls=3 30\n20 12\nfn=c\n30 12\n");
  cgw_tracer_free (others[2]);
  cgw_tracer_free (others[0]);
  part_is (&t, "fl=x.c\nfn=a\n10 3\ncfn=b\ncalls=3 20\n10 18\nfn=b\n20 6\n"
               "cfn=c\ncalls=3 30\n20 12\nfn=c\n30 12\n");
  stop (&t);
}

/* A tool that knows the line alone.  */
Test (tracer, running_function)
{
  struct cgw_pos at = { .line = 11 };
  struct traced t;

  start (&t, NULL);
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
  cgw_profile_clear (t.p);
  /* Outside of all calls nothing runs.  */
  cr_expect_eq (cgw_tracer_enter (t.t, &at, &t.b, 0, &t.now), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_OK);
  part_is (&t, "fl=???\nfn=???\ncfi=x.c\ncfn=b\ncalls=1 20\n31 1\nfl=x.c\n"
               "fn=b\n20 1\n");
  stop (&t);
}

/* Errors of events that no file lacks.  */
Test (tracer, keeps_first_error)
{
  uint64_t difference = 10;
  struct traced t;

  cr_expect_eq (cgw_tracer_error (NULL), CGW_EINVAL);
  start (&t, NULL);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (cgw_tracer_error (t.t), CGW_OK);
  cr_expect_eq (cgw_tracer_leave (t.t, &difference), CGW_EBACKWARDS);
  cr_expect_eq (leave (&t, 0), CGW_EDEPTH);
  cr_expect_eq (cgw_tracer_error (t.t), CGW_EBACKWARDS);
  write_part (&t);
  cr_expect_eq (cgw_finish (t.f.w), CGW_OK);
  stop (&t);
}

/* The sentence of an earlier call with the same status explains none.  */
Test (tracer, explains_no_other_call)
{
  struct cgw_profile *none;
  struct traced t;

  start (&t, NULL);
  cr_expect_eq (cgw_profile_new (&none, t.f.w, 0, 0), CGW_EINVAL);
  cr_expect_neq (strstr (cgw_explain (t.f.w, CGW_EINVAL), "n_events"), NULL);
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, NULL, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (strstr (cgw_explain (t.f.w, CGW_EINVAL), "n_events"), NULL);
  stop (&t);
}

/* An event that was not counted is missing in the file.  */
Test (tracer, missing_counters)
{
  struct traced t;

  start (&t, NULL);
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, &t.a, 0, NULL), CGW_EINVAL);
  write_part (&t);
  cr_expect_eq (cgw_finish (t.f.w), CGW_EINVAL);
  stop (&t);
}

/* Stacks that the profile has when a tracer comes, or gets beside it.  */
Test (tracer, beside_stacks)
{
  struct cgw_tracer *second;
  struct cgw_pos stack[2];
  uint64_t cost = 100;
  struct traced t;

  start (&t, NULL);
  cgw_tracer_free (t.t);
  t.t = NULL;
  cgw_profile_clear (t.p); /* it never had a tracer */
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
  cgw_tracer_free (second);
  stop (&t);
}

/* Edges that were looked up: of another profile, and of entries that are no
   more.  */
Test (tracer, edges)
{
  struct cgw_edge edge, none = { 0, 0 }, other;
  struct cgw_pos bad = { .fn = { 12345 } };
  struct traced t, u;

  start (&t, NULL);
  start (&u, NULL);
  cr_assert_eq (cgw_tracer_edge (t.t, &t.a, &t.b, &edge), CGW_OK);
  cr_assert_eq (cgw_tracer_edge (u.t, &u.a, &u.b, &other), CGW_OK);
  cr_expect_eq (cgw_tracer_edge (t.t, NULL, &t.b, &none), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_edge (t.t, &t.a, NULL, &none), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_edge (t.t, &t.a, &t.b, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_edge (NULL, &t.a, &t.b, &none), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_edge (t.t, &t.a, &bad, &none), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_edge (t.t, &bad, &t.b, &none), CGW_EHANDLE);
  cr_expect_eq (none.handle, 0);
  cr_expect_eq (cgw_tracer_enter_edge (t.t, none, 0, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_enter_edge (NULL, edge, 0, &t.now), CGW_EINVAL);
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
  cr_expect_eq (leave (&t, 1), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 7\ncfn=b\ncalls=3 20\n10 3\n"
               "fn=b\n20 3\n");
  cgw_tracer_free (t.t);
  cgw_profile_clear (t.p);
  cr_assert_eq (cgw_tracer_new (&t.t, t.p, NULL), CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (cgw_tracer_enter_edge (t.t, edge, 7, &t.now), CGW_EHANDLE);
  stop (&t);
  stop (&u);
}

Test (tracer, arguments)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_tracer *made = (void *) 1;
  uint64_t cost[2] = { 1, 1 };
  struct cgw_pos bad = { .fn = { 12345 } };
  struct traced t;

  start (&t, NULL);
  cr_expect_eq (cgw_tracer_new (NULL, t.p, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_new (&made, NULL, NULL), CGW_EINVAL);
  cr_expect_null (made);
  o.n_counters = 2;
  cr_expect_eq (cgw_tracer_new (&made, t.p, &o), CGW_EINVAL);
  cr_expect_str_eq (cgw_explain (t.f.w, CGW_EINVAL),
                    "options.n_counters is 2, but the profile has 1 events");
  o.n_counters = 0;
  o.flags = 1;
  cr_expect_eq (cgw_tracer_new (&made, t.p, &o), CGW_EINVAL);
  cr_expect_str_eq (cgw_explain (t.f.w, CGW_EINVAL),
                    "options.flags has 0x1, which libcgw " CGW_VERSION_STRING
                    " does not know");
  o.flags = 0;
  o.root = bad.fn;
  cr_expect_eq (cgw_tracer_new (&made, t.p, &o), CGW_EHANDLE);
  cr_expect_eq (cgw_tracer_enter (NULL, NULL, &t.a, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, NULL, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_enter (t.t, NULL, &t.a, 0, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_leave (NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_leave (t.t, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_tail (NULL, &t.a, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_tail (t.t, NULL, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_move (t.t, NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_cost (NULL, &t.a, cost, 0), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_cost (t.t, &t.a, NULL, 1), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_cost (t.t, &t.a, cost, 1), CGW_ECOSTS);
  cr_expect_eq (cgw_tracer_unwind (NULL, 0, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_pause (NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_resume (NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_sync (NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_end (NULL, &t.now), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_depth (NULL), 0);
  cr_expect_eq (cgw_tracer_tag (NULL, 1), 0);
  cgw_tracer_free (NULL);
  /* None has the reason of another call.  */
  cr_assert_eq (cgw_get_stats (t.f.w, NULL), CGW_EINVAL);
  cr_expect_eq (cgw_tracer_leave (t.t, NULL), CGW_EINVAL);
  cr_expect_not_null (strstr (cgw_explain (t.f.w, CGW_EINVAL), "counters"));
  cr_assert_eq (cgw_comment (t.f.w, "x"), CGW_EORDER);
  cr_expect_eq (cgw_tracer_resume (t.t, &t.now), CGW_EORDER);
  cr_expect_not_null (strstr (cgw_explain (t.f.w, CGW_EORDER), "not paused"));
  cr_expect_eq (cgw_profile_total (t.p, cost, 1), CGW_OK);
  cr_expect_eq (cost[0], 0);
  stop (&t);
}

/* A tracer without counters, and one that is paused, need none.  */
Test (tracer, no_counters)
{
  struct cgw_tracer_options o = CGW_TRACER_OPTIONS_INIT;
  struct cgw_tracer *made;
  uint64_t cost = 5;
  struct traced t;

  start (&t, NULL);
  o.n_counters = 0;
  cr_assert_eq (cgw_tracer_new (&made, t.p, &o), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &t.a, 0, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_enter (made, NULL, &t.b, 0, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_cost (made, NULL, &cost, 1), CGW_OK);
  cr_expect_eq (cgw_tracer_end (made, NULL), CGW_OK);
  cgw_tracer_free (made);
  cr_expect_eq (enter (&t, &t.b, 0), CGW_OK);
  t.now += 3;
  cr_expect_eq (cgw_tracer_pause (t.t, &t.now), CGW_OK);
  cr_expect_eq (cgw_tracer_sync (t.t, NULL), CGW_OK);
  cr_expect_eq (cgw_tracer_end (t.t, NULL), CGW_OK);
  part_is (&t, "fl=x.c\nfn=a\n10 0\ncfn=b\ncalls=1 20\n10 5\nfn=b\n"
               "20 8\n");
  stop (&t);
}

/* A call that is refused keeps its place: its leave ends no other.  */
Test (tracer, refused_calls)
{
  struct cgw_pos bad = { .fn = { 12345 } };
  struct traced t;

  start (&t, NULL);
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
  part_is (&t, "fl=x.c\nfn=a\n10 255\ncfn=b\ncalls=1 20\n10 0\nfn=b\n"
               "20 0\n");
  cr_expect_eq (cgw_error (t.f.w), CGW_EHANDLE);
  stop (&t);
}

/* Memory that fails at each allocation in turn: the costs are all there.  */

Test (tracer, no_memory)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct heap heap = { 0 };

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  for (unsigned n = 1; n < 60; n++)
    {
      struct traced t;
      uint64_t sum;

      start (&t, &o);
      heap.fail_at = heap.calls + n;
      for (unsigned i = 0; i < 200; i++)
        {
          struct cgw_pos pos = { t.a.fn, { 0 }, i, 0 };
          enum cgw_status status = enter (&t, i % 3 == 0 ? &pos : &t.b, 1);
          cr_assert (status == CGW_OK || status == CGW_ENOMEM);
        }
      cr_assert_eq (cgw_tracer_depth (t.t), 200);
      for (unsigned i = 0; i < 200; i++)
        cr_assert_eq (leave (&t, 1), CGW_OK);
      cr_assert_eq (leave (&t, 1), CGW_EDEPTH);
      heap.fail_at = 0;
      cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
      /* Before the first call is open, nothing is booked.  */
      cr_assert (sum == 399 || n < 8, "%u: %llu", n,
                 (unsigned long long) sum);
      stop (&t);
      cr_assert_eq (heap.live, 0, "%zu blocks leak", heap.live);
    }
}

Test (tracer, deep)
{
  enum { DEPTH = 1000000 };
  struct traced t;
  uint64_t sum;

  start (&t, NULL);
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

  start (&t, NULL);
  cr_assert_eq (cgw_profile_cost (t.p, &t.c, &most, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (t.p, &t.a, &t.b, UINT64_MAX, &most, 1),
                CGW_OK);
  cr_expect_eq (enter (&t, &t.a, 0), CGW_OK);
  cr_expect_eq (enter (&t, &t.b, 11), CGW_EOVERFLOW);
  cr_expect_eq (cgw_tracer_depth (t.t), 2);
  cr_expect_eq (leave (&t, 10), CGW_OK);
  cr_expect_eq (leave (&t, 1), CGW_EOVERFLOW);
  cr_assert_eq (cgw_profile_total (t.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, UINT64_MAX);
  stop (&t);
}

/* What a call returned, and what explains it.  */
static void
expect_why (struct traced *t, enum cgw_status got, enum cgw_status status,
            const char *why)
{
  cr_expect_eq (got, status, "%s: %s", why, cgw_strerror (got));
  cr_expect_not_null (strstr (cgw_explain (t->f.w, status), why),
                      "\"%s\", not \"%s\"", cgw_explain (t->f.w, status),
                      why);
}

/* A sentence names the argument for which a profile refuses an addition.  */
Test (tracer, profile_says_why)
{
  const struct cgw_pos foreign = { .fn = { 12345 } };
  const struct cgw_pos foreign_file = { .file = { 12345 } };
  const uint64_t cost[2] = { 1, 1 };
  struct traced t;

  start (&t, NULL);
#define COST(pos, cost, n) cgw_profile_cost (t.p, pos, cost, n)
  expect_why (&t, COST (NULL, cost, 1), CGW_EINVAL,
              "cgw_profile_cost: pos is NULL");
  expect_why (&t, COST (&t.a, NULL, 1), CGW_EINVAL, "costs are NULL");
  expect_why (&t, COST (&t.a, cost, 2), CGW_ECOSTS, "n is more than");
  expect_why (&t, COST (&foreign, cost, 1), CGW_EHANDLE,
              "cgw_profile_cost: pos->fn or pos->file");
  expect_why (&t, COST (&foreign_file, cost, 1), CGW_EHANDLE,
              "cgw_profile_cost: pos->fn or pos->file");
#define CALL(from, to, count, cost, n) \
  cgw_profile_call (t.p, from, to, count, cost, n)
  expect_why (&t, CALL (NULL, &t.b, 1, cost, 1), CGW_EINVAL,
              "cgw_profile_call: from is NULL");
  expect_why (&t, CALL (&t.a, NULL, 1, cost, 1), CGW_EINVAL,
              "cgw_profile_call: to is NULL");
  expect_why (&t, CALL (&t.a, &t.b, 0, cost, 1), CGW_EINVAL,
              "cgw_profile_call: count is 0");
  expect_why (&t, CALL (&t.a, &t.b, 1, NULL, 1), CGW_EINVAL,
              "costs are NULL");
  expect_why (&t, CALL (&t.a, &t.b, 1, cost, 2), CGW_ECOSTS, "n is more than");
  expect_why (&t, CALL (&foreign, &t.b, 1, cost, 1), CGW_EHANDLE,
              "cgw_profile_call: from->fn");
  expect_why (&t, CALL (&t.a, &foreign, 1, cost, 1), CGW_EHANDLE,
              "cgw_profile_call: to->fn");
#define STACK(frames, n_frames, count, cost, n) \
  cgw_profile_stack (t.p, frames, n_frames, count, cost, n)
  expect_why (&t, STACK (NULL, 1, 1, cost, 1), CGW_EINVAL,
              "cgw_profile_stack: frames is NULL");
  expect_why (&t, STACK (&t.a, 0, 1, cost, 1), CGW_EINVAL, "n_frames is 0");
  expect_why (&t, STACK (&t.a, 1, 0, cost, 1), CGW_EINVAL,
              "cgw_profile_stack: count is 0");
  expect_why (&t, STACK (&t.a, 1, 1, NULL, 1), CGW_EINVAL, "costs are NULL");
  expect_why (&t, STACK (&t.a, 1, 1, cost, 2), CGW_ECOSTS, "n is more than");
  expect_why (&t, STACK (&foreign, 1, 1, cost, 1), CGW_EHANDLE,
              "cgw_profile_stack: a frame's fn or file");
  expect_why (&t, cgw_profile_set_root (t.p, foreign.fn), CGW_EHANDLE,
              "cgw_profile_set_root: root is");
  /* Nothing explains what a status says alone; nor does the last sentence.  */
  cr_assert_eq (COST (&t.a, &(uint64_t){ UINT64_MAX }, 1), CGW_OK);
  cr_expect_eq (COST (&t.a, cost, 1), CGW_EOVERFLOW);
  cr_expect_str_eq (cgw_explain (t.f.w, CGW_EOVERFLOW),
                    cgw_strerror (CGW_EOVERFLOW));
  /* The file lacks the first.  */
  write_part (&t);
  expect_why (&t, cgw_finish (t.f.w), CGW_EINVAL,
              "an addition to a profile was refused: cgw_profile_cost: pos is "
              "NULL");
  stop (&t);
}

Test (tracer, tracer_says_why)
{
  static const char null[] = "array that it needs is NULL";
  static const char counters[] = "options.n_counters is not 0";
  static const char bad[] = "is a handle of another writer";
  static const char paused[] = "it is paused";
  const struct cgw_pos foreign = { .fn = { 12345 } };
  const uint64_t cost[1] = { 1 };
  struct cgw_edge edge;
  struct traced t;

  start (&t, NULL);
  cr_assert_eq (enter (&t, &t.a, 1), CGW_OK);
#define REFUSED(call, status, why) \
  expect_why (&t, cgw_tracer_##call, status, why)
  REFUSED (enter (t.t, NULL, NULL, 0, &t.now), CGW_EINVAL, null);
  REFUSED (enter (t.t, NULL, &t.b, 0, NULL), CGW_EINVAL, counters);
  REFUSED (tail (t.t, NULL, 0, &t.now), CGW_EINVAL, null);
  REFUSED (tail (t.t, &t.b, 0, NULL), CGW_EINVAL, counters);
  REFUSED (move (t.t, NULL, &t.now), CGW_EINVAL, null);
  REFUSED (move (t.t, &t.b, NULL), CGW_EINVAL, counters);
  REFUSED (cost (t.t, &t.a, NULL, 1), CGW_EINVAL, null);
  REFUSED (cost (t.t, &t.a, cost, 1), CGW_ECOSTS, "cgw_tracer_cost: n is");
  REFUSED (edge (t.t, NULL, &t.b, &edge), CGW_EINVAL, null);
  REFUSED (edge (t.t, &t.a, &t.b, NULL), CGW_EINVAL, null);
  REFUSED (edge (t.t, &t.a, &foreign, &edge), CGW_EHANDLE, bad);
  REFUSED (leave (t.t, NULL), CGW_EINVAL, counters);
  REFUSED (unwind (t.t, 0, NULL), CGW_EINVAL, counters);
  REFUSED (sync (t.t, NULL), CGW_EINVAL, counters);
  REFUSED (end (t.t, NULL), CGW_EINVAL, counters);
  REFUSED (pause (t.t, NULL), CGW_EINVAL, counters);
  REFUSED (resume (t.t, NULL), CGW_EINVAL, counters);
  REFUSED (move (t.t, &foreign, &t.now), CGW_EHANDLE, bad);
  REFUSED (enter (t.t, NULL, &foreign, 0, &t.now), CGW_EHANDLE, bad);
  cr_assert_eq (leave (&t, 1), CGW_OK);
  REFUSED (tail (t.t, &foreign, 0, &t.now), CGW_EHANDLE, bad);
  edge = (struct cgw_edge){ 0, 0 };
  REFUSED (enter_edge (t.t, edge, 0, &t.now), CGW_EHANDLE, "the edge is");
  REFUSED (resume (t.t, &t.now), CGW_EORDER, "cgw_tracer_resume: the tracer");
  cr_assert_eq (cgw_tracer_pause (t.t, &t.now), CGW_OK);
  REFUSED (enter (t.t, NULL, &t.b, 0, &t.now), CGW_EORDER, paused);
  REFUSED (tail (t.t, &t.b, 0, &t.now), CGW_EORDER, paused);
  REFUSED (move (t.t, &t.b, &t.now), CGW_EORDER, paused);
  REFUSED (leave (t.t, &t.now), CGW_EORDER, paused);
  REFUSED (unwind (t.t, 0, &t.now), CGW_EORDER, paused);
  REFUSED (pause (t.t, &t.now), CGW_EORDER, paused);
  REFUSED (cost (t.t, &t.a, cost, 0), CGW_EORDER, paused);
  cr_assert_eq (cgw_tracer_end (t.t, NULL), CGW_OK);
  write_part (&t);
  expect_why (&t, cgw_finish (t.f.w), CGW_EINVAL,
              "an addition to a profile was refused: a tracer's event: a "
              "position");
  stop (&t);
}
