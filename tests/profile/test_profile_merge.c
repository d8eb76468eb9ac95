/* test_profile_merge.c - merging: any order and any tree of merges gives the
   same bytes, with one names object or several; what fails changes nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

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

/* Opens one that has things of that seed.  */
static void
open_filled (struct one *o, uint64_t order, uint64_t seed)
{
  open_one (o, order, CGW_INSTR_LINE);
  fill (o->p, &o->world, seed);
}

/* A set of profiles is merged along a random tree.  Each has names of its own,
   or those of the one before.  */
static void
run (uint64_t seed)
{
  size_t n = 2 + below (&seed, MOST_PROFILES - 1), left = n;
  struct one profiles[MOST_PROFILES], all, *list[MOST_PROFILES];
  uint64_t sums[COSTS], expected[COSTS];
  uint64_t content = seed;

  open_one (&all, 0, CGW_INSTR_LINE);
  for (size_t i = 0; i < n; i++)
    {
      list[i] = &profiles[i];
      if (i == 0 || below (&seed, 2) == 0)
        open_one (list[i], below (&seed, 1000), CGW_INSTR_LINE);
      else
        open_one_beside (list[i], list[i - 1]);
      fill (list[i]->p, &list[i]->world, content + i);
      fill (all.p, &all.world, content + i);
    }
  cr_assert_eq (cgw_profile_total (all.p, expected, COSTS), CGW_OK);
  while (left > 1)
    {
      size_t into = below (&seed, left), from = below (&seed, left - 1);

      from += from >= into;
      cr_assert_eq (cgw_profile_merge (list[into]->p, list[from]->p), CGW_OK);
      list[from] = list[--left];
    }
  cr_assert_eq (cgw_profile_total (list[0]->p, sums, COSTS), CGW_OK);
  cr_assert_arr_eq (sums, expected, sizeof sums);
  write_one (list[0], 0);
  write_one (&all, 0);
  cr_assert_str_eq (list[0]->f.bytes, all.f.bytes);
  for (size_t i = 0; i < n; i++)
    close_one (&profiles[i]);
  close_one (&all);
}

Test (profile_merge, trees)
{
  for (uint64_t seed = 1; seed <= (SANITIZED ? 200 : 1000); seed++)
    run (seed * 7919);
}

/* A stack below a root function is kept once, also if it came by merging.  (The
   first merge leaves memory that merging needs.)  */
Test (profile_merge, stacks_below_a_root)
{
  struct heap heap = { 0 };
  struct one ones[3];
  uint64_t cost[COSTS] = { 1, 2 };
  size_t bytes;

  open_one_in (&ones[0], 3, CGW_INSTR_LINE, &heap);
  for (int i = 0; i < 3; i++)
    {
      struct cgw_pos at = { .fn = ones[0].world.fns[i == 1], .line = 1 };

      if (i > 0)
        open_one_beside (&ones[i], &ones[0]);
      cr_assert_eq (cgw_profile_set_root (ones[i].p, ones[0].world.fns[2]),
                    CGW_OK);
      cr_assert_eq (cgw_profile_stack (ones[i].p, &at, 1, 1, cost, COSTS),
                    CGW_OK);
    }
  cr_assert_eq (cgw_profile_merge (ones[0].p, ones[1].p), CGW_OK);
  bytes = heap.bytes;
  cr_assert_eq (cgw_profile_merge (ones[0].p, ones[2].p), CGW_OK);
  cr_expect_eq (heap.bytes, bytes);
  for (int i = 0; i < 3; i++)
    close_one (&ones[i]);
}

/* What is left of the earlier intervals of a tracer is not merged.  */
Test (profile_merge, stale)
{
  struct one a, b;
  struct cgw_tracer *t;
  uint64_t now[COSTS] = { 1, 1 };
  struct cgw_pos at;

  open_one (&a, 3, CGW_INSTR_LINE);
  open_one (&b, 5, CGW_INSTR_LINE);
  at = (struct cgw_pos){ b.world.fns[1], { 0 }, 1, 1 };
  cr_assert_eq (cgw_tracer_new (&t, b.p, NULL), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 0, now), CGW_OK);
  cr_assert_eq (cgw_tracer_enter (t, NULL, &at, 0, now), CGW_OK);
  cr_assert_eq (cgw_tracer_unwind (t, 0, now), CGW_OK);
  cr_assert_eq (cgw_profile_clear (b.p), CGW_OK);
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  write_one (&a, 0);
  cr_expect_null (strstr (a.f.bytes, "fn="));
  close_one (&a);
  close_one (&b);
}

/* A number of calls that is unknown, 0, and one that is known.  */
Test (profile_merge, zero_calls)
{
  const uint64_t costs[COSTS] = { 5, 7 };
  struct one a, b;
  struct cgw_pos from, to;

  open_one (&a, 3, CGW_INSTR_LINE);
  open_one (&b, 5, CGW_INSTR_LINE);
  from = (struct cgw_pos){ b.world.fns[1], { 0 }, 1, 1 };
  to = (struct cgw_pos){ b.world.fns[2], { 0 }, 2, 2 };
  cr_assert_eq (cgw_profile_call (b.p, &from, &to, 0, costs, COSTS), CGW_OK);
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  cr_assert_eq (cgw_profile_call (b.p, &from, &to, 3, costs, COSTS), CGW_OK);
  write_one (&a, CGW_ZERO_CALLS);
  write_one (&b, 0);
  cr_expect_not_null (strstr (a.f.bytes, "\ncalls=0 0x2 2\n0x1 1 5 7\n"));
  cr_expect_not_null (strstr (b.f.bytes, "\ncalls=3 0x2 2\n0x1 1 10 14\n"));
  close_one (&a);
  close_one (&b);
}

/* What `from` lacks, `into` lacks, too; but the first error of its own stays
   first.  */
Test (profile_merge, errors)
{
  struct one into, from;
  const char *why;

  open_filled (&into, 1, 12);
  open_filled (&from, 2, 34);
  cr_assert_eq (cgw_profile_cost (from.p, NULL, NULL, 0), CGW_EINVAL);
  cr_assert_eq (cgw_profile_merge (into.p, from.p), CGW_OK);
  cr_expect_eq (cgw_profile_error (into.p, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_profile_cost: pos is NULL");
  cr_expect_str_eq (cgw_profile_explain (into.p), "no call has failed");
  cr_assert_eq (cgw_profile_clear (from.p), CGW_OK);
  cr_assert_eq (cgw_profile_stack (from.p, NULL, 1, 1, NULL, 0), CGW_EINVAL);
  cr_assert_eq (cgw_profile_merge (into.p, from.p), CGW_OK);
  cr_expect_eq (cgw_profile_error (into.p, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_profile_cost: pos is NULL");
  cr_expect_eq (cgw_profile_error (from.p, &why), CGW_EINVAL);
  cr_expect_str_eq (why, "cgw_profile_stack: frames is NULL");
  close_one (&into);
  close_one (&from);
}

/* Failures.  */

/* Sums that only seem to overflow, because they are of different edges.  */
Test (profile_merge, no_overflow)
{
  static const uint64_t most[COSTS] = { UINT64_MAX, UINT64_MAX };
  struct one a, b, all;

  open_one (&a, 3, CGW_INSTR_LINE);
  open_one (&b, 5, CGW_INSTR_LINE);
  open_one (&all, 9, CGW_INSTR_LINE);
  for (int i = 0; i < 4; i++)
    {
      struct one *o = i == 0 ? &a : i == 1 ? &b : &all;
      struct cgw_pos at = { o->world.fns[9], { 0 }, 1 + (uint32_t) i % 2, 0 };

      fill (o->p, &o->world, i % 2 == 0 ? 77 : 55);
      cr_assert_eq (cgw_profile_call (o->p, &at, &at, UINT64_MAX, most, COSTS),
                    CGW_OK);
    }
  cr_assert_eq (cgw_profile_merge (a.p, b.p), CGW_OK);
  same_files (&a, &all);
  close_one (&b);
}
