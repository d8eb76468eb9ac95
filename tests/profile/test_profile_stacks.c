/* test_profile_stacks.c - whole stacks: counts, a root function, expanding
   early and late; who may add.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
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

/* Writes the stacks.  */
static void
write_in (struct written *f, enum way way, unsigned positions)
{
  struct cgw_part part = two_events (positions);
  struct cgw_profile *p = new_profile (written_open (f, NULL), positions);
  struct world world;
  uint64_t seed = 7;

  add_world (&world, f->w, 1);
  if (way == EXACT_FIRST)
    add_most (p, &world);
  if (way == ROOT)
    cr_assert_eq (cgw_profile_set_root (p, world.fns[22]), CGW_OK);
  for (int i = 0; i < STACKS; i++)
    add_stack (p, &world, way, &seed);
  if (way == EXACT_LAST)
    add_most (p, &world);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cgw_profile_free (p);
  cr_assert_eq (cgw_finish (f->w), CGW_OK);
}

/* The sums of edges pass no end, but those of all calls may: then they are
   checked edge by edge.  */
static void
same_in (enum way a, enum way b, unsigned positions)
{
  struct written f[2];

  write_in (&f[0], a, positions);
  write_in (&f[1], b, positions);
  cr_expect (f[0].n > 1000);
  cr_expect_str_eq (f[0].bytes, f[1].bytes);
  written_free (&f[0]);
  written_free (&f[1]);
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

/* A root that is set later, or another one, is for the stacks that follow.  */
Test (profile_stacks, several_roots)
{
  struct cgw_part part = two_events (CGW_LINE);
  uint64_t cost[COSTS] = { 1, 0 };
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);
  struct cgw_fn leaf = written_fn (f.w, NULL, NULL, "leaf");
  struct cgw_fn one = written_fn (f.w, NULL, NULL, "one");
  struct cgw_fn two = written_fn (f.w, NULL, NULL, "two");
  struct cgw_pos at = written_line (leaf, 3);

  cr_assert_eq (cgw_profile_stack (p, &at, 1, 1, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (p, one), CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, &at, 1, 10, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (p, two), CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, &at, 1, 100, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_set_root (p, (struct cgw_fn){ 12345 }),
                CGW_EHANDLE);
  cr_assert_eq (cgw_profile_set_root (NULL, one), CGW_EINVAL);
  cr_assert_eq (cgw_profile_write (p, &part), CGW_OK);
  cgw_profile_free (p);
  written_end (&f, CGW_OK);
  cr_expect_eq (f.profile->edges.n, 2);
  cr_expect_not_null (strstr (f.bytes, "calls=10 0\n0 1\n"));
  cr_expect_not_null (strstr (f.bytes, "calls=100 0\n0 1\n"));
  written_free (&f);
}

Test (profile_stacks, totals)
{
  uint64_t cost[COSTS] = { 5, 6 }, sums[COSTS + 1];
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);
  struct cgw_pos at[] = { written_line (written_fn (f.w, NULL, NULL, "a"), 1),
                          written_line (written_fn (f.w, NULL, NULL, "b"), 1) };

  cr_assert_eq (cgw_profile_total (p, sums, COSTS), CGW_OK);
  cr_expect_eq (sums[0] | sums[1], 0);
  cr_assert_eq (cgw_profile_cost (p, at, cost, 2), CGW_OK);
  cr_assert_eq (cgw_profile_stack (p, at, 2, 3, cost, 1), CGW_OK);
  cr_assert_eq (cgw_profile_call (p, &at[1], at, 1, cost, 2), CGW_OK);
  cr_assert_eq (cgw_profile_total (p, sums, COSTS + 1), CGW_OK);
  cr_expect_eq (sums[0], 10);
  cr_expect_eq (sums[1], 6);
  cr_expect_eq (sums[2], 0);
  cr_expect_eq (cgw_profile_total (p, NULL, 0), CGW_OK);
  cr_expect_eq (cgw_profile_total (p, NULL, 1), CGW_EINVAL);
  cr_expect_eq (cgw_profile_total (NULL, sums, 1), CGW_EINVAL);
  cgw_profile_clear (p);
  cr_assert_eq (cgw_profile_total (p, sums, COSTS), CGW_OK);
  cr_expect_eq (sums[0] | sums[1], 0);
  cgw_profile_free (p);
  written_free (&f);
}

Test (profile_stacks, no_count)
{
  struct written f;
  struct cgw_profile *p = new_profile (written_open (&f, NULL), CGW_LINE);
  struct cgw_pos at = { { 0 }, { 0 }, 1, 0 };

  cr_expect_eq (cgw_profile_stack (p, &at, 1, 0, NULL, 0), CGW_EINVAL);
  cgw_profile_free (p);
  written_free (&f);
}

/* Who may add.  */

static struct
{
  struct cgw_profile *p;
  unsigned refused;
} within;

/* An allocator that comes while the profile is inside a call, as a handler
   does.  */
static void *
allocate_within (void *context, void *p, size_t n)
{
  struct cgw_pos at = { { 0 }, { 0 }, 1, 0 };
  struct cgw_profile *profile = within.p;

  (void) context;
  within.p = NULL;
  if (profile != NULL)
    {
      struct cgw_part part = two_events (CGW_LINE);
      uint64_t sum;

      cr_expect_eq (cgw_profile_cost (profile, &at, &(uint64_t){ 1 }, 1),
                    CGW_EBUSY);
      cr_expect_eq (cgw_profile_call (profile, &at, &at, 1, NULL, 0),
                    CGW_EBUSY);
      cr_expect_eq (cgw_profile_stack (profile, &at, 1, 1, NULL, 0),
                    CGW_EBUSY);
      cr_expect_eq (cgw_profile_set_root (profile, at.fn), CGW_EBUSY);
      cr_expect_eq (cgw_profile_write (profile, &part), CGW_EBUSY);
      cr_expect_eq (cgw_profile_total (profile, &sum, 1), CGW_EBUSY);
      cgw_profile_clear (profile);
      within.refused++;
    }
  if (n != 0)
    return realloc (p, n);
  free (p);
  return NULL;
}

Test (profile_stacks, inside_a_call)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_pos at = { { 0 }, { 0 }, 1, 0 };
  struct cgw_profile *p;
  uint64_t one = 1, sum;
  struct written f;

  o.allocate = allocate_within;
  p = new_profile (written_open (&f, &o), CGW_LINE);
  within.p = p;
  cr_expect_eq (cgw_profile_cost (p, &at, &one, 1), CGW_OK);
  within.p = p;
  cr_expect_eq (cgw_profile_call (p, &at, &at, 1, &one, 1), CGW_OK);
  within.p = p;
  cr_expect_eq (cgw_profile_stack (p, &at, 1, 1, &one, 1), CGW_OK);
  cr_expect_eq (within.refused, 3);
  cr_expect_eq (cgw_profile_total (p, &sum, 1), CGW_OK);
  cr_expect_eq (sum, 2);
  cr_expect_eq (cgw_profile_write (p, &part), CGW_OK);
  cgw_profile_free (p);
  written_end (&f, CGW_EBUSY); /* what was refused is missing */
  written_free (&f);
}

static struct
{
  sem_t entered;
  sem_t added;
} hook;

/* Stays in the writer until the profile has been fed.  */
static ssize_t
write_slowly (void *context, const void *bytes, size_t n)
{
  (void) context, (void) bytes;
  sem_post (&hook.entered);
  sem_wait (&hook.added);
  return (ssize_t) n;
}

static void *
flush (void *w)
{
  cr_expect_eq (cgw_flush (w), CGW_OK);
  return NULL;
}

/* Adding does not wait for a writer in which another thread is.  */
Test (profile_stacks, writer_is_held)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct cgw_options o = CGW_OPTIONS_INIT;
  struct cgw_pos at[] = { { { 0 }, { 0 }, 1, 0 }, { { 0 }, { 0 }, 2, 0 } };
  struct cgw_profile *p;
  struct cgw_writer *w;
  uint64_t one = 1;
  pthread_t thread;

  o.write = write_slowly;
  o.flags = CGW_THREADS;
  sem_init (&hook.entered, 0, 0);
  sem_init (&hook.added, 0, 1); /* for the first part's header */
  cr_assert_eq (cgw_new (&w, -1, &o), CGW_OK);
  p = new_profile (w, CGW_LINE);
  cr_assert_eq (cgw_begin_part (w, &part), CGW_OK);
  sem_wait (&hook.entered);
  cr_assert_eq (cgw_cost (w, at, &one, 1), CGW_OK);
  cr_assert_eq (pthread_create (&thread, NULL, flush, w), 0);
  sem_wait (&hook.entered);
  cr_expect_eq (cgw_profile_cost (p, at, &one, 1), CGW_OK);
  cr_expect_eq (cgw_profile_call (p, at, at, 1, &one, 1), CGW_OK);
  cr_expect_eq (cgw_profile_stack (p, at, 2, 1, &one, 1), CGW_OK);
  sem_post (&hook.added);
  cr_assert_eq (pthread_join (thread, NULL), 0);
  cgw_profile_free (p);
  cgw_free (w);
}
