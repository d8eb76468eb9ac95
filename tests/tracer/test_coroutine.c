/* test_coroutine.c - coroutines that a function of another tracer resumes: what
   the random programs (model.h) do not say: a chain that is written before it
   ends, a long one, many functions, memory that fails.

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
  cr_assert_eq (cgw_tracer_resume (g.t[t], g.t[resumer], NULL, &g.now), CGW_OK,
                "%s", cgw_profile_explain (g.p));
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

/* A loop in main takes items from a generator, which calls a function for
   each.  The calls come from two lines of main.  */
Test (coroutine, generator_in_a_loop)
{
  struct cgw_pos other = { .line = 12 };

  start ();
  for (int i = 0; i < 6; i++)
    {
      g.now += 1;
      cr_assert_eq (
          cgw_tracer_resume (g.t[1], g.t[0], i < 3 ? NULL : &other, &g.now),
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

/* A coroutine that cannot be resumed is stopped; its costs are its
   resumer's.  */
Test (coroutine, refused)
{
  struct cgw_pos bad = { .fn = { 12345 } };

  start ();
  g.now += 1;
  cr_assert_eq (cgw_tracer_resume (g.t[1], g.t[0], &bad, &g.now), CGW_EHANDLE);
  cr_assert_eq (cgw_tracer_enter (g.t[1], NULL, &g.task, 0, &g.now),
                CGW_EORDER);
  cr_assert_eq (cgw_tracer_yield (g.t[1], &g.now), CGW_EORDER);
  /* Nor can one that runs, with as many calls that are missed.  */
  enter (2, &g.task, 0);
  cr_assert_eq (cgw_tracer_enter (g.t[2], NULL, &bad, 0, &g.now), CGW_EHANDLE);
  cr_assert_eq (cgw_tracer_resume (g.t[2], g.t[0], NULL, &g.now),
                CGW_EORDER);
  leave (0, 10);
  part_is ("fl=x.c\nfn=main\n10 11\n");
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
    cr_assert_eq (cgw_tracer_resume (chain[i], chain[i - 1], NULL, &g.now),
                  CGW_OK);
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
  cr_assert_eq (cgw_tracer_resume (chain[DEPTH], chain[0], NULL, &g.now),
                CGW_OK);
  cr_assert_eq (cgw_tracer_sync (g.t[0], &g.now), CGW_OK);
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
      cr_assert_eq (cgw_tracer_resume (chain[i], chain[i - 1], NULL, &g.now),
                    CGW_OK);
      cr_assert_eq (cgw_tracer_enter (chain[i], NULL, &g.task, 0, &g.now),
                    CGW_OK);
    }
  part_is ("fl=x.c\nfn=main\n10 1\ncfn=task\ncalls=1 20\n10 99999\n"
           "fn=task\n20 99999\ncfn=task\ncalls=99999 20\n20 0\n");
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
          status = cgw_tracer_resume (g.t[1], g.t[0], &at, &g.now);
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
  cr_expect_eq (cgw_tracer_resume (g.t[1], g.t[0], NULL, &g.now), CGW_ENOMEM);
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
