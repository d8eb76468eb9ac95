/* test_profile_merge.c - merging: any order and any tree of merges gives the
   same bytes, also over several writers; what fails changes nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/heap.h"
#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MOST_PROFILES = 6,
  DEEPEST = 8,
  PLACES = 4
};

static struct cgw_pos
some_place (const struct world *world, uint64_t *seed)
{
  unsigned fn = (unsigned) below (seed, 7);
  struct cgw_file files[]
      = { { 0 }, world->files[fn_file (fn)], world->files[2] };

  return (struct cgw_pos){ .fn = world->fns[fn],
                           .file = files[below (seed, 3)],
                           .line = 1 + (uint32_t) below (seed, PLACES),
                           .instr = 16 * below (seed, PLACES) };
}

/* Adds one thing: a cost, a call or a stack.  */
static void
add_something (struct cgw_profile *p, const struct world *world,
               uint64_t *seed)
{
  uint64_t cost[COSTS] = { below (seed, 1000), below (seed, 10) };
  uint64_t count = 1 + below (seed, 4);
  struct cgw_pos frames[DEEPEST];
  size_t n = 2 + below (seed, DEEPEST - 1);
  enum cgw_status status;

  for (size_t i = 0; i < n; i++)
    frames[i] = some_place (world, seed);
  switch (below (seed, 4))
    {
    case 0:
      status = cgw_profile_cost (p, &frames[0], cost, COSTS);
      break;
    case 1:
      status = cgw_profile_call (p, &frames[0], &frames[1], count, cost,
                                 COSTS);
      break;
    default:
      status = cgw_profile_stack (p, frames, n, count, cost, COSTS);
    }
  cr_assert_eq (status, CGW_OK);
}

/* The same things for the same seed.  */
static void
fill (struct cgw_profile *p, const struct world *world, uint64_t seed)
{
  for (uint64_t i = below (&seed, 40); i > 0; i--)
    add_something (p, world, &seed);
}

/* A set of profiles is merged along a random tree; some hang together with
   others of their own writer.  */
static void
run (uint64_t seed)
{
  size_t n = 2 + below (&seed, MOST_PROFILES - 1), left = n;
  struct one profiles[MOST_PROFILES], all;
  struct cgw_profile *list[MOST_PROFILES];
  uint64_t sums[COSTS], expected[COSTS];
  uint64_t content = seed;

  open_one (&all, 0, NULL);
  for (size_t i = 0; i < n; i++)
    {
      open_one (&profiles[i], below (&seed, 1000), NULL);
      fill (profiles[i].p, &profiles[i].world, content + i);
      fill (all.p, &all.world, content + i);
      list[i] = profiles[i].p;
    }
  cr_assert_eq (cgw_profile_total (all.p, expected, COSTS), CGW_OK);
  while (left > 1)
    {
      size_t into = below (&seed, left), from = below (&seed, left - 1);

      from += from >= into;
      cr_assert_eq (cgw_profile_merge (list[into], list[from]), CGW_OK);
      list[from] = list[--left];
    }
  for (size_t i = 0; i < n; i++)
    if (profiles[i].p == list[0])
      {
        cr_assert_eq (cgw_profile_total (list[0], sums, COSTS), CGW_OK);
        cr_assert_arr_eq (sums, expected, sizeof sums);
        end_one (&profiles[i]);
        end_one (&all);
        cr_assert_str_eq (profiles[i].f.bytes, all.f.bytes);
      }
  for (size_t i = 0; i < n; i++)
    close_one (&profiles[i]);
  close_one (&all);
}

Test (profile_merge, trees)
{
  for (uint64_t seed = 1; seed <= (UNDER_SANITIZER ? 200 : 1000); seed++)
    run (seed * 7919);
}

/* Two profiles of one writer, in which names are the same handles.  */
Test (profile_merge, one_writer)
{
  struct one a, both;
  struct cgw_profile *b;

  open_one (&a, 3, NULL);
  open_one (&both, 5, NULL);
  b = new_profile (a.f.w, CGW_INSTR_LINE);
  fill (a.p, &a.world, 12);
  fill (b, &a.world, 34);
  fill (both.p, &both.world, 12);
  fill (both.p, &both.world, 34);
  cr_assert_eq (cgw_profile_merge (a.p, b), CGW_OK);
  end_one (&a);
  end_one (&both);
  cr_expect_str_eq (a.f.bytes, both.f.bytes);
  cgw_profile_free (b);
  close_one (&a);
  close_one (&both);
}

/* One call is refused, and explained.  */
static void
refuses (struct one *into, struct cgw_profile *from, const char *why)
{
  cr_expect_eq (cgw_profile_merge (into->p, from), CGW_EINVAL);
  cr_expect_str_eq (cgw_explain (into->f.w, CGW_EINVAL), why);
}

/* A stack below a root function is kept once, also if it came by merging.  */
Test (profile_merge, stacks_below_a_root)
{
  struct heap heap = { 0 };
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct written f;
  struct cgw_profile *a, *b;
  struct cgw_pos at = { .line = 1 };
  uint64_t cost[COSTS] = { 1, 2 };
  size_t bytes;

  o.allocate = heap_allocate;
  o.allocate_context = &heap;
  a = new_profile (written_open (&f, &o), CGW_INSTR_LINE);
  b = new_profile (f.w, CGW_INSTR_LINE);
  at.fn = written_fn (f.w, NULL, NULL, "leaf");
  for (int i = 0; i < 2; i++)
    {
      struct cgw_profile *p = i == 0 ? a : b;
      cr_assert_eq (cgw_profile_set_root (p, written_fn (f.w, NULL, NULL,
                                                         "root")), CGW_OK);
      cr_assert_eq (cgw_profile_stack (p, &at, 1, 1, cost, COSTS), CGW_OK);
    }
  bytes = heap.bytes;
  cr_assert_eq (cgw_profile_merge (a, b), CGW_OK);
  cr_expect_eq (heap.bytes, bytes);
  cgw_profile_free (a);
  cgw_profile_free (b);
  written_free (&f);
}

Test (profile_merge, arguments)
{
  struct cgw_part part = two_events (CGW_INSTR_LINE);
  struct one a, b;
  struct cgw_profile *line, *one;

  open_one (&a, 3, NULL);
  open_one (&b, 5, NULL);
  line = new_profile (a.f.w, CGW_LINE);
  cr_assert_eq (cgw_profile_new (&one, a.f.w, 1, CGW_INSTR_LINE), CGW_OK);
  cr_expect_eq (cgw_profile_merge (NULL, b.p), CGW_EINVAL);
  refuses (&a, NULL, "cgw_profile_merge: from is NULL");
  refuses (&a, a.p, "cgw_profile_merge: into and from are the same profile");
  refuses (&a, line, "cgw_profile_merge: the profiles have different "
                     "positions");
  refuses (&a, one, "cgw_profile_merge: the profiles have 2 and 1 events");
  /* What was not merged is missing in the file.  */
  cr_assert_eq (cgw_profile_write (a.p, &part), CGW_OK);
  cr_expect_eq (cgw_finish (a.f.w), CGW_EINVAL);
  cgw_profile_free (line);
  cgw_profile_free (one);
  close_one (&a);
  close_one (&b);
}

/* What is left of the earlier intervals of a tracer is not merged.  */
Test (profile_merge, stale)
{
  struct one a, b;
  struct cgw_tracer *t;
  uint64_t now[COSTS] = { 1, 1 };
  struct cgw_pos at;

  open_one (&a, 3, NULL);
  open_one (&b, 5, NULL);
  at = (struct cgw_pos){ b.world.fns[1], { 0 }, 1, 1 };
  cr_assert_eq (cgw_tracer_new (&t, b.p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 0, now), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 0, now), CGW_OK);
  cr_assert_eq (cgw_tracer_end (t, now), CGW_OK);
  cgw_profile_clear (b.p);
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  end_one (&a);
  cr_expect_null (strstr (a.f.bytes, "fn="));
  cgw_tracer_free (t);
  close_one (&a);
  close_one (&b);
}

/* Calls that happened 0 times: for a writer that takes them, and no other.  */
Test (profile_merge, zero_calls)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  const uint64_t costs[COSTS] = { 5, 7 };
  struct one a, b, plain;
  struct cgw_pos from, to;

  o.flags = CGW_ZERO_CALLS;
  open_one (&a, 3, &o);
  open_one (&b, 5, &o);
  open_one (&plain, 7, NULL);
  from = (struct cgw_pos){ b.world.fns[1], { 0 }, 1, 1 };
  to = (struct cgw_pos){ b.world.fns[2], { 0 }, 2, 2 };
  cr_assert_eq (cgw_profile_call (b.p, &from, &to, 0, costs, COSTS), CGW_OK);
  cr_expect_eq (cgw_profile_merge (plain.p, b.p), CGW_EINVAL);
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  cr_assert_eq (cgw_profile_call (b.p, &from, &to, 3, costs, COSTS), CGW_OK);
  end_one (&a);
  end_one (&b);
  cr_expect_not_null (strstr (a.f.bytes, "\ncalls=0 0x2 2\n0x1 1 5 7\n"));
  cr_expect_not_null (strstr (b.f.bytes, "\ncalls=3 0x2 2\n0x1 1 10 14\n"));
  close_one (&a);
  close_one (&b);
  close_one (&plain);
}

/* Failures.  */

/* Fills two profiles and merges them, with or without failures in between;
   stops when there are none left.  */
static void
merge_with_failures (struct one *a, struct heap *heap, bool fail)
{
  struct cgw_options o = CGW_OPTIONS_INIT;
  enum cgw_status status = CGW_ENOMEM;
  struct one b;

  o.allocate = heap_allocate;
  o.allocate_context = heap;
  open_one (a, 3, &o);
  open_one (&b, 5, &o);
  for (uint64_t i = 0; i < 8; i++)
    {
      fill (a->p, &a->world, 100 + i);
      fill (b.p, &b.world, 200 + i);
    }
  for (size_t n = 1; fail && status == CGW_ENOMEM; n++)
    {
      uint64_t before[COSTS], after[COSTS];

      cr_assert_eq (cgw_profile_total (a->p, before, COSTS), CGW_OK);
      heap->fail_at = heap->calls + n;
      status = cgw_profile_merge (a->p, b.p);
      heap->fail_at = 0;
      cr_assert_eq (cgw_profile_total (a->p, after, COSTS), CGW_OK);
      cr_assert (status == CGW_OK || memcmp (before, after, sizeof after) == 0);
      cr_assert (status == CGW_OK || status == CGW_ENOMEM);
      cr_assert (n > 3 || status == CGW_ENOMEM);
    }
  if (!fail)
    cr_assert_eq (cgw_profile_merge (a->p, b.p), CGW_OK);
  close_one (&b);
}

Test (profile_merge, no_memory)
{
  struct cgw_part part = two_events (CGW_INSTR_LINE);
  struct heap heaps[2] = { { 0 }, { 0 } };
  struct one failed, plain;

  merge_with_failures (&failed, &heaps[0], true);
  merge_with_failures (&plain, &heaps[1], false);
  cr_assert_eq (cgw_profile_write (failed.p, &part), CGW_OK);
  cr_assert_eq (cgw_finish (failed.f.w), CGW_ENOMEM);
  end_one (&plain);
  cr_expect_str_eq (failed.f.bytes, plain.f.bytes);
  close_one (&failed);
  close_one (&plain);
  cr_expect_eq (heaps[0].live + heaps[1].live, 0, "blocks leak");
}

/* A sum that would overflow: the totals', an edge's, a count.  */
static void
overflow_of (uint64_t self, uint64_t called, uint64_t count)
{
  struct cgw_part part = two_events (CGW_INSTR_LINE);
  struct one a, b, c;

  open_one (&a, 3, NULL);
  open_one (&b, 5, NULL);
  open_one (&c, 9, NULL);
  for (int i = 0; i < 3; i++)
    {
      struct one *o = i == 0 ? &a : i == 1 ? &b : &c;
      struct cgw_pos at[] = { { o->world.fns[1], { 0 }, 1, 1 },
                              { o->world.fns[2], { 0 }, 2, 2 } };
      struct cgw_pos target = { o->world.fns[2], { 0 }, i == 1 ? 1 : 7, 0 };

      fill (o->p, &o->world, i == 1 ? 77 : 55);
      cr_assert_eq (cgw_profile_cost (o->p, at, &self, 1), CGW_OK);
      cr_assert_eq (cgw_profile_call (o->p, at, &target, count, &called, 1),
                    CGW_OK);
    }
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_EOVERFLOW);
  cr_assert_eq (cgw_profile_write (a.p, &part), CGW_OK);
  cr_assert_eq (cgw_finish (a.f.w), CGW_EOVERFLOW);
  end_one (&c);
  cr_expect_str_eq (a.f.bytes, c.f.bytes);
  close_one (&a);
  close_one (&b);
  close_one (&c);
}

Test (profile_merge, overflow)
{
  overflow_of (UINT64_MAX / 2 + 1, 0, 1);
  overflow_of (0, UINT64_MAX / 2 + 1, 1);
  overflow_of (0, 0, UINT64_MAX / 2 + 1);
}

/* Sums that only seem to overflow, because they are of different edges.  */
Test (profile_merge, no_overflow)
{
  static const uint64_t most[COSTS] = { UINT64_MAX, UINT64_MAX };
  struct one a, b, all;

  open_one (&a, 3, NULL);
  open_one (&b, 5, NULL);
  open_one (&all, 9, NULL);
  for (int i = 0; i < 4; i++)
    {
      struct one *o = i == 0 ? &a : i == 1 ? &b : &all;
      struct cgw_pos at = { o->world.fns[9], { 0 }, 1 + (uint32_t) i % 2, 0 };

      fill (o->p, &o->world, i % 2 == 0 ? 77 : 55);
      cr_assert_eq (cgw_profile_call (o->p, &at, &at, UINT64_MAX, most, COSTS),
                    CGW_OK);
    }
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  end_one (&a);
  end_one (&all);
  cr_expect_str_eq (a.f.bytes, all.f.bytes);
  close_one (&a);
  close_one (&b);
  close_one (&all);
}
