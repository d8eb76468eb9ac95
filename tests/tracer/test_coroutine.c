/* test_coroutine.c - coroutines that a function of another tracer resumes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "../support/written.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct cgw_event clock_event = { "Clock", NULL, NULL };

enum { TRACERS = 4 };

/* Tracers with one counter.  The first one is that of main.  */
static struct
{
  struct heap heap;
  struct cgw_names *names;
  struct written f;
  struct cgw_profile *p;
  struct cgw_tracer *t[TRACERS];
  struct cgw_pos main, task, step, leaf;
  uint64_t now;
} g;

static struct cgw_tracer *
make_tracer (void)
{
  struct cgw_tracer *t;

  cr_assert_eq (cgw_tracer_new (&t, g.p, NULL), CGW_OK);
  return t;
}

static void
start (void)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_pos *const places[] = { &g.main, &g.task, &g.step, &g.leaf };
  static const char *const names[] = { "main", "task", "step", "leaf" };

  memset (&g, 0, sizeof g);
  g.names = make_names (&g.heap);
  o.flags = CGW_ABSOLUTE | CGW_PLAIN_NAMES;
  written_open_with (&g.f, g.names, &o);
  for (uint32_t i = 0; i < 4; i++)
    *places[i] = written_line (written_fn (g.names, NULL, "x.c", names[i]),
                               10 * (i + 1));
  cr_assert_eq (cgw_profile_new (&g.p, g.names, 1, CGW_LINE), CGW_OK);
  for (int i = 0; i < TRACERS; i++)
    g.t[i] = make_tracer ();
  cr_assert_eq (cgw_tracer_enter (g.t[0], NULL, &g.main, 0, &g.now), CGW_OK);
}

static void
stop (void)
{
  cgw_names_free (g.names);
  cgw_profile_free (g.p);
  written_free (&g.f);
  cr_expect_eq (g.heap.live, 0, "%zu blocks leak", g.heap.live);
}

/* Events, each after so many ticks.  */

static void
enter (int t, const struct cgw_pos *callee, uint64_t ticks)
{
  g.now += ticks;
  cr_assert_eq (cgw_tracer_enter (g.t[t], NULL, callee, 0, &g.now), CGW_OK);
}

static void
leave (int t, uint64_t ticks)
{
  g.now += ticks;
  cr_assert_eq (cgw_tracer_leave (g.t[t], &g.now), CGW_OK);
}

static void
resume (int t, int resumer, uint64_t ticks)
{
  g.now += ticks;
  cr_assert_eq (cgw_tracer_resume_from (g.t[t], g.t[resumer], NULL, &g.now),
                CGW_OK, "%s", cgw_profile_explain (g.p));
}

static void
yield (int t, uint64_t ticks)
{
  g.now += ticks;
  cr_assert_eq (cgw_tracer_yield (g.t[t], &g.now), CGW_OK, "%s",
                cgw_profile_explain (g.p));
}

/* Write a part, and compare it from behind its header.  */
static void
part_is (const char *body)
{
  struct cgw_part part = written_part_of (&clock_event, 1);
  const char *header, *at;

  cr_assert_eq (cgw_profile_write (g.p, g.f.w, &part), CGW_OK);
  cr_assert_eq (cgw_flush (g.f.w), CGW_OK);
  header = g.f.bytes;
  for (const char *h = header; (h = strstr (h, "events: ")) != NULL; h++)
    header = h;
  at = strstr (header, "fl=");
  cr_expect_str_eq (at != NULL ? at : "", body);
}

/* The task runs twice for 100, and main in between for 10.  */
Test (coroutine, suspended)
{
  start ();
  for (int i = 0; i < 2; i++)
    {
      enter (0, &g.step, 0);
      resume (1, 0, 0);
      if (i == 0)
        enter (1, &g.task, 0);
      yield (1, 100);
      leave (0, 0);
      g.now += 10;
    }
  leave (0, 0);
  part_is ("fl=x.c\nfn=main\n10 20\ncfn=step\ncalls=2 30\n10 200\nfn=step\n"
           "cfn=task\ncalls=2 20\n30 200\nfn=task\n20 200\n");
  stop ();
}

/* A loop in main takes items from a generator, which calls a function for
   each.  The calls come from two lines of main.  */
Test (coroutine, generator_in_a_loop)
{
  struct cgw_pos other = { .line = 12 };

  start ();
  for (int i = 0; i < 6; i++)
    {
      g.now += 1;
      cr_assert_eq (cgw_tracer_resume_from (g.t[1], g.t[0],
                                            i < 3 ? NULL : &other, &g.now),
                    CGW_OK);
      if (i == 0)
        enter (1, &g.task, 0);
      enter (1, &g.leaf, 10);
      leave (1, 100);
      if (i == 5)
        leave (1, 0);
      yield (1, 0);
    }
  leave (0, 1000);
  part_is ("fl=x.c\nfn=leaf\n40 600\nfn=main\n10 1006\ncfn=task\n"
           "calls=3 20\n10 330\ncfn=task\ncalls=3 20\n12 330\nfn=task\n"
           "20 60\ncfn=leaf\ncalls=6 40\n20 600\n");
  stop ();
}

/* A generator for each node of a tree takes the items of its subtrees from
   generators of the same function: only the outermost one has inclusive
   cost.  */

static struct cgw_tracer *
walk_begin (struct cgw_tracer *resumer, struct cgw_tracer *t)
{
  cr_assert_eq (cgw_tracer_resume_from (t, resumer, NULL, &g.now), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &g.task, 0, &g.now), CGW_OK);
  return t;
}

/* The items of a subtree of this height, each of which passes up through the
   `n` generators of the path.  Each resumption of one costs 1.  */
static void
walk (struct cgw_tracer **path, size_t n, int height)
{
  struct cgw_tracer *own = path[n - 1];

  for (int child = 0; height > 0 && child < 2; child++)
    {
      path[n] = walk_begin (own, make_tracer ());
      walk (path, n + 1, height - 1);
      cr_assert_eq (cgw_tracer_leave (path[n], &g.now), CGW_OK);
      cr_assert_eq (cgw_tracer_yield (path[n], &g.now), CGW_OK);
      cr_assert_eq (cgw_tracer_free (path[n]), CGW_OK);
    }
  for (size_t i = n; i-- > 1;)
    {
      g.now++;
      cr_assert_eq (cgw_tracer_yield (path[i], &g.now), CGW_OK);
    }
  for (size_t i = 1; i < n; i++)
    cr_assert_eq (cgw_tracer_resume_from (path[i], path[i - 1], NULL, &g.now),
                  CGW_OK);
}

Test (coroutine, tree_walk)
{
  struct cgw_tracer *path[10] = { NULL };
  uint64_t sum;

  start ();
  path[0] = g.t[0];
  path[1] = walk_begin (path[0], g.t[1]);
  walk (path, 2, 4);
  leave (1, 0);
  yield (1, 0);
  leave (0, 7);
  cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
  /* 31 nodes, of which the 16 of depth 5 pass 5 generators, and so on.  */
  cr_expect_eq (sum, 16 * 5 + 8 * 4 + 4 * 3 + 2 * 2 + 1 + 7);
  part_is ("fl=x.c\nfn=main\n10 7\ncfn=task\ncalls=32 20\n10 129\nfn=task\n"
           "20 129\ncfn=task\ncalls=128 20\n20 0\n");
  stop ();
}

/* Main resumes a task, which resumes a step, which resumes a leaf; what is
   written in between has all costs so far.  */
static const char chain_of_four[]
    = "fl=x.c\nfn=leaf\n40 1000\nfn=main\n10 1\ncfn=task\ncalls=1 20\n"
      "10 1110\nfn=step\n30 100\ncfn=leaf\ncalls=1 40\n30 1000\nfn=task\n"
      "20 10\ncfn=step\ncalls=1 30\n20 1100\n";

static void
start_chain (void)
{
  start ();
  resume (1, 0, 1);
  enter (1, &g.task, 0);
  resume (2, 1, 10);
  enter (2, &g.step, 0);
  resume (3, 2, 100);
  enter (3, &g.leaf, 0);
  g.now += 1000;
}

static void
sync (int t)
{
  cr_assert_eq (cgw_tracer_sync (g.t[t], &g.now), CGW_OK);
}

Test (coroutine, chain)
{
  for (int t = 0; t < 4; t++)
    {
      start_chain ();
      sync (t);
      part_is (chain_of_four);
      part_is (chain_of_four);
      cr_expect_eq (cgw_tracer_leave (g.t[2], &g.now), CGW_EORDER);
      cr_expect_eq (cgw_tracer_yield (g.t[2], &g.now), CGW_EORDER);
      leave (3, 0);
      yield (3, 0);
      leave (2, 0);
      yield (2, 0);
      leave (1, 0);
      yield (1, 0);
      leave (0, 0);
      part_is (chain_of_four);
      stop ();
    }
}

/* The task yields in the middle of nothing else, and takes the step with it
   when it is resumed.  */
Test (coroutine, middle_of_a_chain)
{
  start_chain ();
  yield (3, 0);
  yield (2, 0);
  yield (1, 0);
  enter (0, &g.step, 0);
  resume (2, 0, 1); /* by another one than before */
  yield (2, 10000);
  leave (0, 0);
  leave (0, 0);
  part_is ("fl=x.c\nfn=leaf\n40 1000\nfn=main\n10 1\ncfn=step\ncalls=1 30\n"
           "10 10001\ncfn=task\ncalls=1 20\n10 1110\nfn=step\n30 10101\n"
           "cfn=leaf\ncalls=1 40\n30 1000\ncfn=step\ncalls=1 30\n30 0\n"
           "fn=task\n20 10\ncfn=step\ncalls=1 30\n20 1100\n");
  stop ();
}

/* A new interval begins in the middle of a chain.  */
Test (coroutine, intervals)
{
  start_chain ();
  sync (3);
  part_is (chain_of_four);
  cr_assert_eq (cgw_profile_clear (g.p), CGW_OK);
  yield (3, 5);
  yield (2, 50);
  cr_assert_eq (cgw_profile_clear (g.p), CGW_OK);
  yield (1, 500);
  leave (0, 5000);
  /* Neither step nor leaf is called in the last one.  */
  part_is ("fl=x.c\nfn=main\n10 5000\ncfn=task\ncalls=1 20\n10 500\n"
           "fn=task\n20 500\n");
  stop ();
}

/* A packed profile has the costs of the chain, too.  */
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

Test (coroutine, packed)
{
  struct
  {
    unsigned char at[4096];
    size_t n;
  } packed = { .n = 0 };

  start_chain ();
  sync (0);
  cr_assert_eq (cgw_profile_pack (g.p, take_bytes, &packed), CGW_OK);
  cgw_profile_free (g.p);
  cr_assert_eq (cgw_profile_new (&g.p, g.names, 1, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_profile_unpack (g.p, packed.at, packed.n), CGW_OK);
  part_is (chain_of_four);
  stop ();
}

/* An exception leaves the coroutine, and main catches it.  */
Test (coroutine, exception)
{
  start ();
  enter (0, &g.step, 1);
  resume (1, 0, 10);
  enter (1, &g.task, 0);
  enter (1, &g.leaf, 100);
  g.now += 1000;
  cr_assert_eq (cgw_tracer_unwind (g.t[1], 0, &g.now), CGW_OK);
  yield (1, 0);
  cr_assert_eq (cgw_tracer_unwind (g.t[0], 1, &g.now), CGW_OK);
  leave (0, 10000);
  part_is ("fl=x.c\nfn=leaf\n40 1000\nfn=main\n10 10001\ncfn=step\n"
           "calls=1 30\n10 1110\nfn=step\n30 10\ncfn=task\ncalls=1 20\n"
           "30 1100\nfn=task\n20 100\ncfn=leaf\ncalls=1 40\n20 1000\n");
  stop ();
}

/* Ending any of the chain ends what runs in it.  Then the resumer runs.  */
Test (coroutine, ended)
{
  static const char *const rest[]
      = { "fl=x.c\nfn=main\n10 1\n", "fl=x.c\nfn=main\n10 70001\n",
          "fl=x.c\nfn=task\n20 70010\n", "fl=x.c\nfn=step\n30 70100\n" };

  for (int t = 0; t < 4; t++)
    {
      struct cgw_part part = written_part_of (&clock_event, 1);

      start_chain ();
      cr_assert_eq (cgw_tracer_end (g.t[t], &g.now), CGW_OK);
      cr_expect_eq (cgw_tracer_depth (g.t[t]), 0);
      g.now += 70000;
      cr_assert_eq (cgw_tracer_sync (g.t[0], &g.now), CGW_OK);
      cr_assert_eq (cgw_profile_write (g.p, g.f.w, &part), CGW_OK);
      cr_assert_eq (cgw_flush (g.f.w), CGW_OK);
      cr_expect_not_null (strstr (g.f.bytes, strchr (rest[t], '\n') + 1),
                          "%d: %s", t, g.f.bytes);
      stop ();
    }
}

/* In each order: what is freed yields, and so does what runs in it.  */
Test (coroutine, freed)
{
  for (int order = 0; order < 24; order++)
    {
      struct cgw_tracer *left[4];
      int code = order;

      start_chain ();
      sync (0);
      memcpy (left, g.t, sizeof left);
      for (int n = 4; n > 0; code /= n, n--)
        {
          cr_assert_eq (cgw_tracer_free (left[code % n]), CGW_OK);
          left[code % n] = left[n - 1];
          part_is (chain_of_four);
        }
      stop ();
    }
}

/* When a coroutine is freed, its resumer goes on.  */
Test (coroutine, freed_innermost)
{
  start_chain ();
  sync (0);
  cr_assert_eq (cgw_tracer_free (g.t[3]), CGW_OK);
  yield (2, 70000);
  cr_assert_eq (cgw_tracer_free (g.t[2]), CGW_OK);
  yield (1, 0);
  leave (0, 0);
  part_is ("fl=x.c\nfn=leaf\n40 1000\nfn=main\n10 1\ncfn=task\ncalls=1 20\n"
           "10 71110\nfn=step\n30 70100\ncfn=leaf\ncalls=1 40\n30 1000\n"
           "fn=task\n20 10\ncfn=step\ncalls=1 30\n20 71100\n");
  stop ();
}

/* Before its first call, and behind its last one, a coroutine costs its
   resumer.  */
Test (coroutine, without_calls)
{
  struct cgw_pos line = { .line = 15 };
  struct cgw_edge edge;

  start ();
  cr_assert_eq (cgw_tracer_edge (g.t[0], &g.step, &g.leaf, &edge), CGW_OK);
  cr_assert_eq (cgw_tracer_resume_from (g.t[1], g.t[0], &line, &g.now),
                CGW_OK);
  resume (2, 1, 1); /* by a coroutine that has no call */
  enter (2, &g.task, 10);
  leave (2, 100);
  g.now += 1000;
  cr_assert_eq (cgw_tracer_enter_edge (g.t[2], edge, 0, &g.now), CGW_OK);
  leave (2, 10000);
  cr_assert_eq (cgw_tracer_leave (g.t[2], &g.now), CGW_EDEPTH);
  yield (2, 100000);
  yield (1, 0);
  leave (0, 0);
  part_is ("fl=x.c\nfn=leaf\n40 10000\nfn=main\n10 101011\ncfn=task\n"
           "calls=1 20\n15 100\nfn=step\ncfn=leaf\ncalls=1 40\n30 10000\n"
           "fn=task\n20 100\n");
  stop ();
}

/* Costs of calls that pass the end of their sums when a coroutine yields.  No
   sum of self costs is near its end.  */

static void
load (const struct cgw_pos *from, const struct cgw_pos *to)
{
  const uint64_t most = UINT64_MAX - 5;

  cr_assert_eq (cgw_profile_call (g.p, from, to, 1, &most, 1), CGW_OK);
}

static void
total_is (uint64_t expected)
{
  uint64_t sum;

  cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, expected, "%llu", (unsigned long long) sum);
}

Test (coroutine, inclusive_overflow)
{
  start ();
  load (&g.task, &g.step);
  load (&g.step, &g.leaf);
  resume (1, 0, 1);
  enter (1, &g.task, 0);
  enter (1, &g.step, 0);
  enter (1, &g.leaf, 0);
  cr_expect_eq (cgw_profile_error (g.p, NULL), CGW_OK);
  yield (1, 10);
  cr_expect_eq (cgw_profile_error (g.p, NULL), CGW_EOVERFLOW);
  leave (0, 100);
  cr_assert_eq (cgw_tracer_enter (g.t[0], NULL, &g.main, 0, &g.now), CGW_OK);
  resume (1, 0, 0);
  leave (1, 4);
  leave (1, 0);
  yield (1, 0);
  leave (0, 0);
  total_is (115);
  stop ();
}

/* Before its first call, a coroutine's costs are its resumer's, up to the end
   of their range.  */
Test (coroutine, overflow_without_calls)
{
  const uint64_t most = UINT64_MAX - 5;

  start ();
  resume (1, 0, 1);
  cr_assert_eq (cgw_profile_cost (g.p, &g.leaf, &most, 1), CGW_OK);
  enter (1, &g.task, 5);
  cr_expect_eq (cgw_profile_error (g.p, NULL), CGW_EOVERFLOW);
  leave (1, 4);
  yield (1, 0);
  leave (0, 0);
  total_is (UINT64_MAX);
  stop ();
}

/* A resumer that was not traced when it was called.  */
Test (coroutine, from_nowhere)
{
  start ();
  leave (0, 1);
  resume (1, 0, 10);
  enter (1, &g.task, 100);
  yield (1, 1000);
  resume (1, 0, 10000);
  leave (1, 100000);
  cr_assert_eq (cgw_tracer_cost (g.t[1], NULL, NULL, 0), CGW_EDEPTH);
  yield (1, 0);
  part_is ("fl=x.c\nfn=main\n10 1\nfn=task\n20 101000\n");
  stop ();
}

/* A coroutine that cannot be resumed is paused; its costs are its
   resumer's.  */
Test (coroutine, refused)
{
  struct cgw_pos bad = { .fn = { 12345 } };

  start ();
  g.now += 1;
  cr_assert_eq (cgw_tracer_resume_from (g.t[1], g.t[0], &bad, &g.now),
                CGW_EHANDLE);
  cr_assert_eq (cgw_tracer_enter (g.t[1], NULL, &g.task, 0, &g.now),
                CGW_EORDER);
  cr_assert_eq (cgw_tracer_yield (g.t[1], &g.now), CGW_EORDER);
  leave (0, 10);
  part_is ("fl=x.c\nfn=main\n10 11\n");
  stop ();
}

/* A pause in a coroutine stops its resumers, too; if it ends then, they stay
   paused.  */
Test (coroutine, paused)
{
  start_chain ();
  cr_assert_eq (cgw_tracer_pause (g.t[3], &g.now), CGW_OK);
  g.now += 77777;
  cr_assert_eq (cgw_tracer_yield (g.t[3], &g.now), CGW_EORDER);
  cr_assert_eq (cgw_tracer_resume (g.t[3], &g.now), CGW_OK);
  cr_assert_eq (cgw_tracer_pause (g.t[3], &g.now), CGW_OK);
  cr_assert_eq (cgw_tracer_end (g.t[2], NULL), CGW_OK);
  g.now += 77777;
  cr_assert_eq (cgw_tracer_leave (g.t[1], &g.now), CGW_EORDER);
  cr_assert_eq (cgw_tracer_resume (g.t[1], &g.now), CGW_OK);
  yield (1, 0);
  leave (0, 0);
  part_is (chain_of_four);
  stop ();
}

/* A paused tracer that was no coroutine becomes one: nothing is lost, or
   counted twice.  */
Test (coroutine, late)
{
  start ();
  enter (1, &g.task, 0);
  enter (1, &g.leaf, 1);
  g.now += 10;
  cr_assert_eq (cgw_tracer_pause (g.t[1], &g.now), CGW_OK);
  cr_assert_eq (cgw_tracer_sync (g.t[0], &g.now), CGW_OK);
  resume (1, 0, 0);
  yield (1, 100);
  cr_assert_eq (cgw_tracer_resume (g.t[1], &g.now), CGW_OK);
  leave (1, 1000);
  leave (1, 10000);
  cr_assert_eq (cgw_tracer_end (g.t[0], &g.now), CGW_OK);
  part_is ("fl=x.c\nfn=leaf\n40 1110\nfn=main\n10 11011\ncfn=task\n"
           "calls=1 20\n10 100\nfn=task\n20 10001\ncfn=leaf\ncalls=1 40\n"
           "20 1110\n");
  stop ();
}

/* Each coroutine enters functions that none before had, so that the counts of
   all must grow; then they yield in turn.  */
Test (coroutine, many_functions)
{
  enum { FNS = 2000, DEPTH = 10 };
  struct cgw_tracer *chain[DEPTH + 1];
  char name[16];
  uint64_t sum;

  start ();
  chain[0] = g.t[0];
  for (int i = 1; i <= DEPTH; i++)
    chain[i] = make_tracer ();
  for (int i = 1; i <= DEPTH; i++)
    cr_assert_eq (cgw_tracer_resume_from (chain[i], chain[i - 1], NULL,
                                          &g.now), CGW_OK);
  for (int i = 0; i < FNS; i++)
    {
      struct cgw_pos pos = { .line = 1 };

      snprintf (name, sizeof name, "f%d", i);
      pos.fn = written_fn (g.names, NULL, "x.c", name);
      g.now++;
      cr_assert_eq (cgw_tracer_enter (chain[DEPTH], NULL, &pos, 0, &g.now),
                    CGW_OK);
    }
  for (int i = DEPTH; i > 0; i--)
    {
      cr_assert_eq (cgw_tracer_yield (chain[i], &g.now), CGW_OK);
      cr_assert_eq (cgw_tracer_enter (chain[i - 1], NULL,
                                      &(struct cgw_pos){
                                        .fn = written_fn (g.names, NULL,
                                                          "x.c", name) },
                                      0, &g.now), CGW_OK);
    }
  cr_assert_eq (cgw_tracer_resume_from (chain[DEPTH], chain[0], NULL, &g.now),
                CGW_OK);
  cr_assert_eq (cgw_tracer_end (g.t[0], &g.now), CGW_OK);
  cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, FNS);
  stop ();
}

/* A chain as long as memory is.  */
Test (coroutine, deep)
{
  enum { DEPTH = 100000 };
  static struct cgw_tracer *chain[DEPTH + 1];

  start ();
  chain[0] = g.t[0];
  for (int i = 1; i <= DEPTH; i++)
    {
      chain[i] = make_tracer ();
      g.now++;
      cr_assert_eq (cgw_tracer_resume_from (chain[i], chain[i - 1], NULL,
                                            &g.now), CGW_OK);
      cr_assert_eq (cgw_tracer_enter (chain[i], NULL, &g.task, 0, &g.now),
                    CGW_OK);
    }
  part_is ("fl=x.c\nfn=main\n10 1\ncfn=task\ncalls=1 20\n10 99999\n"
           "fn=task\n20 99999\ncfn=task\ncalls=99999 20\n20 0\n");
  cr_assert_eq (cgw_tracer_end (chain[0], &g.now), CGW_OK);
  stop ();
}

/* Memory that fails at each allocation in turn: a coroutine that cannot be
   resumed costs its resumer.  */
Test (coroutine, no_memory)
{
  for (unsigned n = 1; n < 40; n++)
    {
      uint64_t sum;

      start ();
      for (unsigned i = 0; i < 200; i++)
        written_fn (g.names, NULL, "x.c", (char[]){ (char) (65 + i / 26),
                                                    (char) (65 + i % 26), 0 });
      g.heap.fail_at = g.heap.calls + n;
      for (unsigned i = 0; i < 200; i++)
        {
          struct cgw_pos at = { .line = i };
          struct cgw_pos callee = { .fn = { g.leaf.fn.handle + i } };
          enum cgw_status status;

          g.now++;
          status = cgw_tracer_resume_from (g.t[1], g.t[0], &at, &g.now);
          cr_assert (status == CGW_OK || status == CGW_ENOMEM);
          g.now++;
          if (status == CGW_OK)
            cgw_tracer_enter (g.t[1], NULL, &callee, 0, &g.now);
          g.now++;
          if (status == CGW_OK)
            cr_assert_eq (cgw_tracer_yield (g.t[1], &g.now), CGW_OK);
        }
      g.heap.fail_at = 0;
      leave (0, 1);
      cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
      cr_assert_eq (sum, 601, "%u: %llu", n, (unsigned long long) sum);
      stop ();
    }
}

/* A coroutine that has run functions of its own cannot be resumed if there is
   no memory to count them in its resumer.  */
Test (coroutine, no_memory_to_resume)
{
  struct cgw_pos far = { .line = 1 };
  uint64_t sum;
  char name[16];

  start ();
  for (int i = 0; i < 2000; i++)
    {
      snprintf (name, sizeof name, "f%d", i);
      far.fn = written_fn (g.names, NULL, "x.c", name);
    }
  enter (1, &far, 0);
  leave (1, 1);
  heap_limit (&g.heap, 0);
  cr_expect_eq (cgw_tracer_resume_from (g.t[1], g.t[0], NULL, &g.now),
                CGW_ENOMEM);
  cr_expect_gt (g.heap.failed, 0);
  g.heap.fail_at = 0;
  resume (1, 0, 2);
  enter (1, &far, 4);
  leave (1, 8);
  yield (1, 16);
  leave (0, 32);
  cr_assert_eq (cgw_profile_total (g.p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, 1 + 1 + 2 + 4 + 8 + 16 + 32);
  stop ();
}
