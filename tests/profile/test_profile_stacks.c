/* test_profile_stacks.c - whole stacks: counts, a root function, expanding
   early and late.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <string.h>

enum
{
  DEEPEST = 12,
  STACKS = 3000
};

/* A stack of few distinct positions, so that stacks and edges repeat.  Some
   name the file that the function is in anyway, or another one.  */
static size_t
random_stack (const struct world *world, uint64_t *seed,
              struct cgw_pos frames[DEEPEST])
{
  size_t n = 1 + below (seed, DEEPEST);

  for (size_t i = 0; i < n; i++)
    {
      unsigned fn = (unsigned) below (seed, 5);
      struct cgw_file files[]
          = { { 0 }, world->files[fn_file (fn)], world->files[1] };

      frames[i] = (struct cgw_pos){ .fn = world->fns[fn],
                                    .file = files[below (seed, 3)],
                                    .line = 1 + (uint32_t) below (seed, 2),
                                    .instr = 64 * below (seed, 2) };
    }
  return n;
}

/* How the same stacks are added.  */
enum way
{
  REPEATED,   /* each as often as its count says */
  COUNTED,
  EXACT_FIRST, /* after calls whose sums are at their end, on another edge */
  EXACT_LAST,  /* before them */
  ROOT_FRAME,  /* with an outermost frame */
  ROOT         /* with cgw_profile_set_root */
};

static void
add_most (struct cgw_profile *p, const struct world *world)
{
  static const uint64_t most[COSTS] = { UINT64_MAX, UINT64_MAX - 5 };
  struct cgw_pos from = written_line (world->fns[20], 9);
  struct cgw_pos to = written_line (world->fns[21], 9);

  cr_assert_eq (cgw_profile_call (p, &from, &to, UINT64_MAX, most, COSTS),
                CGW_OK);
}

static void
add_stack (struct cgw_profile *p, const struct world *world, enum way way,
           uint64_t *seed)
{
  struct cgw_pos frames[DEEPEST + 1];
  size_t n = random_stack (world, seed, frames);
  uint64_t count = 1 + below (seed, 3);
  uint64_t each[COSTS] = { below (seed, 100), 1 };
  uint64_t all[COSTS] = { each[0] * count, each[1] * count };

  if (way == ROOT_FRAME)
    frames[n++] = (struct cgw_pos){ .fn = world->fns[22] };
  if (way != REPEATED)
    cr_assert_eq (cgw_profile_stack (p, frames, n, count, all, COSTS), CGW_OK);
  for (uint64_t i = 0; way == REPEATED && i < count; i++)
    cr_assert_eq (cgw_profile_stack (p, frames, n, 1, each, COSTS), CGW_OK);
}

/* The sums of edges pass no end, but those of all calls may: then they are
   checked edge by edge.  */
static void
same_in (enum way a, enum way b, unsigned positions)
{
  struct one o[2];

  for (int i = 0; i < 2; i++)
    {
      enum way way = i == 0 ? a : b;
      uint64_t seed = 7;

      open_one (&o[i], 1, positions);
      if (way == EXACT_FIRST)
        add_most (o[i].p, &o[i].world);
      if (way == ROOT)
        cr_assert_eq (cgw_profile_set_root (o[i].p, o[i].world.fns[22]),
                      CGW_OK);
      for (int k = 0; k < STACKS; k++)
        add_stack (o[i].p, &o[i].world, way, &seed);
      if (way == EXACT_LAST)
        add_most (o[i].p, &o[i].world);
    }
  same_files (&o[0], &o[1]);
}

Test (profile_stacks, counts)
{
  same_in (REPEATED, COUNTED, CGW_LINE);
  same_in (REPEATED, COUNTED, CGW_INSTR);
  same_in (REPEATED, COUNTED, CGW_INSTR_LINE);
}

Test (profile_stacks, early_and_late)
{
  same_in (EXACT_FIRST, EXACT_LAST, CGW_LINE);
  same_in (EXACT_FIRST, EXACT_LAST, CGW_INSTR_LINE);
}

Test (profile_stacks, root)
{
  same_in (ROOT_FRAME, ROOT, CGW_LINE);
  same_in (ROOT_FRAME, ROOT, CGW_INSTR_LINE);
}

/* A root that is set later, or another one, is for the stacks that follow; one
   that is refused changes none.  */
Test (profile_stacks, several_roots)
{
  uint64_t cost[COSTS] = { 1, 0 };
  struct one o;
  struct cgw_pos at;

  open_one (&o, 1, CGW_LINE);
  at = written_line (o.world.fns[0], 3);
  cr_assert_eq (cgw_profile_stack (o.p, &at, 1, 1, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (o.p, o.world.fns[1]), CGW_OK);
  cr_assert_eq (cgw_profile_stack (o.p, &at, 1, 10, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (o.p, o.world.fns[2]), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (o.p, (struct cgw_fn){ 12345 }),
                CGW_EHANDLE);
  cr_assert_eq (cgw_profile_stack (o.p, &at, 1, 100, cost, 1), CGW_OK);
  write_one (&o, 0);
  cr_expect_eq (o.f.profile->edges.n, 2);
  cr_expect_not_null (strstr (o.f.bytes, "calls=10 0\n0 1\n"));
  cr_expect_not_null (strstr (o.f.bytes, "calls=100 0\n0 1\n"));
  close_one (&o);
}

Test (profile_stacks, totals)
{
  uint64_t cost[COSTS] = { 5, 6 }, sums[COSTS + 1];
  struct one o;
  struct cgw_pos at[2];

  open_one (&o, 1, CGW_LINE);
  for (int i = 0; i < 2; i++)
    at[i] = written_line (o.world.fns[i], 1);
  cr_assert_eq (cgw_profile_total (o.p, sums, COSTS), CGW_OK);
  cr_expect_eq (sums[0] | sums[1], 0);
  cr_assert_eq (cgw_profile_cost (o.p, at, cost, 2), CGW_OK);
  cr_assert_eq (cgw_profile_stack (o.p, at, 2, 3, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (o.p, &at[1], at, 1, cost, 2), CGW_OK);
  cr_assert_eq (cgw_profile_total (o.p, sums, COSTS + 1), CGW_OK);
  cr_expect_eq (sums[0], 10);
  cr_expect_eq (sums[1], 6);
  cr_expect_eq (sums[2], 0);
  cr_assert_eq (cgw_profile_clear (o.p), CGW_OK);
  cr_assert_eq (cgw_profile_total (o.p, sums, COSTS), CGW_OK);
  cr_expect_eq (sums[0] | sums[1], 0);
  close_one (&o);
}

/* A random call tree below a root: each node as one, or its calls one by one,
   as a tracer sees them.  Both must be the same profile, with recursion,
   too.  */

struct tree
{
  struct one *o;
  struct cgw_tracer *t; /* NULL: nodes */
  uint64_t seed;
  struct cgw_pos frames[DEEPEST]; /* the outermost first */
};

static void
add_node (const struct tree *tree, size_t depth, uint64_t count,
          const uint64_t *cost)
{
  struct cgw_pos frames[DEEPEST];

  for (size_t i = 0; i < depth; i++)
    frames[i] = tree->frames[depth - 1 - i];
  cr_assert_eq (cgw_profile_node (tree->o->p, frames, depth, count, cost,
                                  COSTS),
                CGW_OK);
}

static void
enter_node (const struct tree *tree, size_t depth)
{
  const struct cgw_pos callee = { .fn = tree->frames[depth - 1].fn };

  cr_assert_eq (cgw_tracer_enter (tree->t,
                                  depth > 1 ? &tree->frames[depth - 2] : NULL,
                                  &callee, 0, NULL),
                CGW_OK);
}

static void
add_tree (struct tree *tree, size_t depth)
{
  struct cgw_pos *at = &tree->frames[depth - 1];
  uint64_t count = 1 + below (&tree->seed, 4);
  uint64_t cost[COSTS] = { below (&tree->seed, 100), 1 };

  *at = (struct cgw_pos){ .fn = tree->o->world.fns[below (&tree->seed, 4)],
                          .line = 1 + (uint32_t) below (&tree->seed, 9) };
  if (tree->t == NULL)
    add_node (tree, depth, count, cost);
  else
    {
      for (uint64_t i = 1; i < count; i++)
        {
          enter_node (tree, depth);
          cr_assert_eq (cgw_tracer_leave (tree->t, NULL), CGW_OK);
        }
      enter_node (tree, depth);
      cr_assert_eq (cgw_tracer_cost (tree->t, at, cost, COSTS), CGW_OK);
    }
  for (uint64_t n = depth < DEEPEST ? below (&tree->seed, 3) : 0; n > 0; n--)
    {
      at->line = 1 + (uint32_t) below (&tree->seed, 9);
      add_tree (tree, depth + 1);
    }
  if (tree->t != NULL)
    cr_assert_eq (cgw_tracer_leave (tree->t, NULL), CGW_OK);
}

Test (profile_stacks, nodes)
{
  struct one o[2];

  for (int i = 0; i < 2; i++)
    {
      struct cgw_tracer_options options = CGW_TRACER_OPTIONS_INIT;
      struct tree tree = { .o = &o[i], .seed = 5 };

      open_one (&o[i], 1, CGW_LINE);
      options.n_counters = 0;
      cr_assert_eq (cgw_profile_set_root (o[i].p, o[i].world.fns[9]), CGW_OK);
      if (i == 1)
        cr_assert_eq (cgw_tracer_new (&tree.t, o[i].p, &options), CGW_OK);
      for (int k = 0; k < 50; k++)
        add_tree (&tree, 1);
    }
  same_files (&o[0], &o[1]);
}

/* Without a count anywhere, the file has one call; with any, only these.  */
Test (profile_stacks, count_is_unknown)
{
  uint64_t cost[COSTS] = { 5, 6 };
  struct cgw_pos at[3];
  struct one o;

  open_one (&o, 1, CGW_LINE);
  for (int i = 0; i < 3; i++)
    at[i] = written_line (o.world.fns[i], 1);
  cr_assert_eq (cgw_profile_node (o.p, at, 3, 0, cost, 2), CGW_OK);
  cr_assert_eq (cgw_profile_stack (o.p, at, 3, 0, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_node (o.p, at + 1, 2, 7, NULL, 0), CGW_OK);
  write_one (&o, 0);
  cr_expect_eq (o.f.profile->edges.n, 2);
  cr_expect_not_null (strstr (o.f.bytes, "calls=1 0\n1 10 6\n"));
  cr_expect_not_null (strstr (o.f.bytes, "calls=7 0\n1 10 6\n"));
  close_one (&o);
}

/* Stacks that differ in one frame, whichever that is: each is found again, and
   so takes no more memory.  */
Test (profile_stacks, alike)
{
  enum { DEPTH = 30, LINES = 40, ROUNDS = 3 };
  uint64_t cost[COSTS] = { 1, 0 };
  struct heap heap = { 0 };
  struct cgw_pos at[DEPTH];
  size_t bytes = 0;
  struct one o;

  open_one_in (&o, 1, CGW_LINE, &heap);
  for (int i = 0; i < DEPTH; i++)
    at[i] = written_line (o.world.fns[i], 1);
  for (int round = 0; round < ROUNDS; round++)
    {
      for (int i = 0; i < DEPTH * LINES; i++)
        {
          struct cgw_pos *frame = &at[i % DEPTH];

          frame->line = 2 + (uint32_t) (i / DEPTH);
          cr_assert_eq (cgw_profile_stack (o.p, at, DEPTH, 1, cost, 1),
                        CGW_OK);
          frame->line = 1;
        }
      cr_expect (round == 0 || heap.bytes == bytes, "%zu bytes after %zu",
                 heap.bytes, bytes);
      bytes = heap.bytes;
    }
  write_one (&o, 0);
  /* A leaf has no call.  */
  cr_expect_eq (o.f.profile->edges.n, (DEPTH - 1) * (LINES + 1));
  close_one (&o);
}

static enum cgw_status
count_right_costs (void *context, const struct cgw_pos *at,
                   const uint64_t *cost, size_t n)
{
  int *right = context;

  (void) at;
  for (size_t i = 0; i < n; i++)
    *right += cost[i] == i + 1;
  return CGW_OK;
}

/* A new stack's costs begin at 0, all of them.  */
Test (profile_stacks, many_events)
{
  enum { MANY = 20 };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  const struct cgw_pos at = { .line = 1 };
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_profile *p;
  uint64_t cost[MANY];
  int right = 0;

  for (size_t i = 0; i < MANY; i++)
    cost[i] = i + 1;
  cr_assert_eq (cgw_profile_new (&p, names, MANY, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, &at, 1, 1, cost, MANY), CGW_OK);
  visitor.cost = count_right_costs;
  visitor.context = &right;
  cr_assert_eq (cgw_profile_visit (p, &visitor), CGW_OK);
  cr_expect_eq (right, MANY);
  cgw_profile_free (p);
  cgw_names_free (names);
}

static enum cgw_status
count_stacks (void *context, const struct cgw_pos *frames, size_t n_frames,
              uint64_t count, const uint64_t *cost, size_t n)
{
  int *stacks = context;

  (void) frames;
  (void) cost;
  cr_expect (n_frames == 1 && count == 2 && n == COSTS);
  ++*stacks;
  return CGW_OK;
}

/* Each is still found after the table grew, the first one, too.  */
Test (profile_stacks, added_again)
{
  enum { LINES = 1000 };
  struct cgw_visitor visitor = CGW_VISITOR_INIT;
  int stacks = 0;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  for (int round = 0; round < 2; round++)
    for (uint32_t line = 1; line <= LINES; line++)
      {
        struct cgw_pos at = written_line (o.world.fns[0], line);

        cr_assert_eq (cgw_profile_stack (o.p, &at, 1, 1, NULL, 0), CGW_OK);
      }
  visitor.stack = count_stacks;
  visitor.context = &stacks;
  cr_assert_eq (cgw_profile_visit (o.p, &visitor), CGW_OK);
  cr_expect_eq (stacks, LINES);
  close_one (&o);
}
