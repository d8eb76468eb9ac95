/* test_profile_signed.c - aggregation: costs below 0 in stacks, bounds, merges,
   and what the file says of them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#define MOST ((uint64_t) INT64_MAX)
#define LEAST ((uint64_t) INT64_MIN)
#define MINUS(n) (UINT64_C (0) - (n))

/* A profile whose event 0 is signed, and event 1 is not.  */
static void
open_signed (struct one *o, struct heap *heap)
{
  open_one_in (o, 1, CGW_LINE, heap);
  cr_assert_eq (cgw_profile_set_signed (o->p, 0), CGW_OK);
}

static struct cgw_pos
at (const struct one *o, unsigned fn, uint32_t line)
{
  return written_line (o->world.fns[fn], line);
}

/* Adds a stack of function 0, called by function 1.  */
static enum cgw_status
add_stack (struct one *o, uint32_t line, uint64_t count, uint64_t a,
           uint64_t b)
{
  const struct cgw_pos frames[] = { at (o, 0, line), at (o, 1, line) };

  return cgw_profile_stack (o->p, frames, 2, count, (uint64_t[]){ a, b }, 2);
}

static enum cgw_status
add_cost (struct one *o, uint32_t line, uint64_t a)
{
  const struct cgw_pos pos = at (o, 0, line);

  return cgw_profile_cost (o->p, &pos, &a, 1);
}

static enum cgw_status
add_call (struct one *o, uint32_t line, uint64_t count, uint64_t a, uint64_t b)
{
  const struct cgw_pos from = at (o, 1, line), to = at (o, 0, line);

  return cgw_profile_call (o->p, &from, &to, count, (uint64_t[]){ a, b }, 2);
}

static void
check_totals (const struct one *o, uint64_t a, uint64_t b)
{
  uint64_t totals[COSTS];

  cr_assert_eq (cgw_profile_total (o->p, totals, COSTS), CGW_OK);
  cr_expect_eq (totals[0], a);
  cr_expect_eq (totals[1], b);
}

/* The file's part begins with this comment.  */
static void
check_comment (const struct one *o, const char *comment)
{
  const struct profile_part *part = &o->f.profile->parts[0];

  cr_assert_geq (part->n_comments, 1);
  cr_expect_str_eq (part->comments[0], comment);
}

/* What stacks bring cancels out, in any order.  */
Test (profile_signed, stacks)
{
  struct one o;

  open_signed (&o, NULL);
  cr_assert_eq (add_stack (&o, 1, 1, 10, 1), CGW_OK);
  cr_assert_eq (add_stack (&o, 2, 1, MINUS (5), 1), CGW_OK);
  cr_assert_eq (add_stack (&o, 1, 1, MINUS (3), 1), CGW_OK);
  cr_assert_eq (add_stack (&o, 2, 2, 1, 1), CGW_OK);
  check_totals (&o, 3, 4);
  write_one (&o, 0);
  check_comment (&o,
                 "event Ir: 1 self cost below 0 was written as 0, -4 together;"
                 " 1 inclusive cost below 0 was written as 0, -4 together");
  cr_expect_eq (profile_total (o.f.profile, 0).value, 7);
  cr_expect_eq (profile_total (o.f.profile, 1).value, 4);
  close_one (&o);
}

/* Sums of amounts pass their bound long before the sums themselves do: from
   then on each edge is checked.  */
Test (profile_signed, beyond_the_bounds)
{
  struct one o;

  open_signed (&o, NULL);
  cr_assert_eq (add_stack (&o, 1, 1, MOST, 1), CGW_OK);
  for (int i = 0; i < 3; i++)
    {
      cr_assert_eq (add_stack (&o, 1, 1, LEAST, 1), CGW_OK);
      check_totals (&o, MINUS (1), 2 + 2 * (uint64_t) i);
      cr_assert_eq (add_stack (&o, 1, 1, LEAST, 1), CGW_EOVERFLOW);
      cr_assert_eq (add_stack (&o, 1, 1, MOST, 1), CGW_OK);
      check_totals (&o, MOST - 1, 3 + 2 * (uint64_t) i);
      cr_assert_eq (add_stack (&o, 1, 1, 2, 1), CGW_EOVERFLOW);
      cr_assert_eq (add_stack (&o, 1, 1, 1, 0), CGW_OK);
    }
  check_totals (&o, MOST, 7);
  close_one (&o);
}

/* A sum of self costs at one position is checked, too: the totals may fit.  */
Test (profile_signed, one_position)
{
  struct one o;

  open_signed (&o, NULL);
  cr_assert_eq (add_stack (&o, 1, 1, MOST, 0), CGW_OK);
  cr_assert_eq (add_stack (&o, 2, 1, LEAST, 0), CGW_OK);
  cr_assert_eq (add_cost (&o, 1, 1), CGW_EOVERFLOW);
  cr_assert_eq (add_stack (&o, 1, 1, 1, 0), CGW_EOVERFLOW);
  cr_assert_eq (cgw_profile_stack (o.p, (struct cgw_pos[]){ at (&o, 0, 1) }, 1,
                                   1, (uint64_t[]){ 1 }, 1), CGW_EOVERFLOW);
  check_totals (&o, MINUS (1), 0);
  close_one (&o);
}

Test (profile_signed, counts_at_their_end)
{
  struct one o;

  open_signed (&o, NULL);
  cr_assert_eq (add_stack (&o, 1, UINT64_MAX - 1, MINUS (1), 1), CGW_OK);
  cr_assert_eq (add_stack (&o, 1, 2, MINUS (1), 1), CGW_EOVERFLOW);
  cr_assert_eq (add_stack (&o, 2, 2, MINUS (1), 1), CGW_OK);
  cr_assert_eq (add_stack (&o, 1, 1, 5, 1), CGW_OK);
  check_totals (&o, 3, 3);
  close_one (&o);
}

/* More frames than a stack can have are refused before they are read.  */
Test (profile_signed, too_many_frames)
{
  struct one o;
  struct cgw_pos frame;

  open_signed (&o, NULL);
  frame = at (&o, 0, 1);
  cr_assert_eq (cgw_profile_stack (o.p, &frame, UINT32_MAX, 1, NULL, 0),
                CGW_ENOMEM);
  check_totals (&o, 0, 0);
  close_one (&o);
}

/* Where amounts have a sum beyond 2^64-1, the comment says so.  */
Test (profile_signed, much_below_0)
{
  struct one o;

  open_signed (&o, NULL);
  for (uint32_t i = 0; i < 3; i++)
    cr_assert_eq (add_call (&o, i, 1, LEAST, 0), CGW_OK);
  check_totals (&o, 0, 0);
  write_one (&o, 0);
  check_comment (&o, "event Ir: 3 inclusive costs below 0 were written as 0, "
                     "-18446744073709551615 or less together");
  cr_expect (o.f.profile->parts[0].has_summary);
  close_one (&o);
}

/* The total fits, but what is written does not: the part has no summary, and
   the file's total is an error of the writer.  */
Test (profile_signed, too_much_above_0)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct one o;

  open_signed (&o, NULL);
  for (uint32_t i = 0; i < 3; i++)
    {
      cr_assert_eq (add_cost (&o, 1 + 2 * i, MOST), CGW_OK);
      cr_assert_eq (add_cost (&o, 2 + 2 * i, LEAST), CGW_OK);
    }
  check_totals (&o, MINUS (3), 0);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_end (&o.f, CGW_EOVERFLOW);
  cr_expect_not (o.f.profile->parts[0].has_summary);
  cr_expect (profile_total (o.f.profile, 0).overflow);
  close_one (&o);
}

/* Merging two profiles gives the sums of both, whether the amounts fit into the
   bounds or not.  */
static void
check_merge (enum cgw_status (*fill) (struct one *o), uint64_t a, uint64_t b)
{
  struct one o, from;

  open_signed (&o, NULL);
  open_signed (&from, NULL);
  cr_assert_eq (add_stack (&o, 1, 1, MINUS (1), 1), CGW_OK);
  cr_assert_eq (fill (&from), CGW_OK);
  cr_assert_eq (cgw_profile_merge (o.p, from.p), CGW_OK);
  check_totals (&o, a - 1, b + 1);
  close_one (&from);
  close_one (&o);
}

static enum cgw_status
fill_stacks (struct one *o)
{
  enum cgw_status status = add_stack (o, 1, 1, MINUS (7), 2);

  return status != CGW_OK ? status : add_stack (o, 2, 3, 4, 5);
}

static enum cgw_status
fill_self (struct one *o)
{
  enum cgw_status status = add_cost (o, 1, MOST);

  return status != CGW_OK ? status : add_cost (o, 2, LEAST + 2);
}

static enum cgw_status
fill_costs_of_calls (struct one *o)
{
  enum cgw_status status = add_call (o, 1, 1, MOST, 0);

  return status != CGW_OK ? status : add_call (o, 2, 1, LEAST, 0);
}

static enum cgw_status
fill_unsigned_costs_of_calls (struct one *o)
{
  enum cgw_status status = add_call (o, 2, 1, 0, UINT64_MAX);

  return status != CGW_OK ? status : add_call (o, 3, 1, 0, UINT64_MAX);
}

static enum cgw_status
fill_counts (struct one *o)
{
  enum cgw_status status = add_call (o, 1, UINT64_MAX - 1, 0, 0);

  return status != CGW_OK ? status : add_call (o, 2, UINT64_MAX, 0, 0);
}

Test (profile_signed, merge)
{
  check_merge (fill_stacks, MINUS (3), 7);
  check_merge (fill_self, 1, 0);
  check_merge (fill_costs_of_calls, 0, 0);
  check_merge (fill_unsigned_costs_of_calls, 0, 0);
  check_merge (fill_counts, 0, 0);
}

/* Memory.  Where amounts pass the bound, stacks become edges, which needs
   memory: without it nothing changes.  */

static enum cgw_status
self_beyond (struct one *o)
{
  return add_cost (o, 3, LEAST);
}

static enum cgw_status
call_beyond (struct one *o)
{
  return add_call (o, 3, 1, LEAST, 0);
}

static enum cgw_status
stack_beyond (struct one *o)
{
  return add_stack (o, 3, 1, LEAST, 0);
}

static enum cgw_status
merge_beyond (struct one *o)
{
  struct one from;
  enum cgw_status status;

  open_signed (&from, NULL);
  cr_assert_eq (add_stack (&from, 3, 1, LEAST, 0), CGW_OK);
  status = cgw_profile_merge (o->p, from.p);
  close_one (&from);
  return status;
}

/* Stacks of functions that `o` does not have yet.  */
static enum cgw_status
merge_new_stacks (struct one *o)
{
  struct one from;
  enum cgw_status status;

  open_signed (&from, NULL);
  for (uint32_t i = 0; i < 40; i++)
    {
      char name[] = { 'f', (char) ('A' + i), 0 };
      struct cgw_fn fn = written_fn (from.names, name, name, name);
      struct cgw_pos frames[40];

      for (uint32_t k = 0; k < 40; k++)
        frames[k] = written_line (fn, k);
      cr_assert_eq (cgw_profile_stack (from.p, frames, 40, 1, NULL, 0),
                    CGW_OK);
    }
  status = cgw_profile_merge (o->p, from.p);
  close_one (&from);
  return status;
}

static void
check_memory (enum cgw_status (*beyond) (struct one *o), uint64_t total)
{
  bool failed = true;

  for (size_t n = 0; failed; n++)
    {
      struct heap heap = { 0 };
      enum cgw_status status;
      struct one o;

      open_signed (&o, &heap);
      cr_assert_eq (add_stack (&o, 1, 1, MOST, 1), CGW_OK);
      heap_limit (&heap, n);
      status = beyond (&o);
      failed = heap.failed != 0;
      cr_assert_eq (status, failed ? CGW_ENOMEM : CGW_OK, "allocation %zu: %s",
                    n, cgw_strerror (status));
      check_totals (&o, failed ? MOST : total, 1);
      heap.fail_at = 0;
      if (failed)
        cr_assert_eq (beyond (&o), CGW_OK);
      check_totals (&o, total, 1);
      cr_assert (failed || n > 0, "no allocation failed");
      close_one (&o);
    }
}

Test (profile_signed, memory)
{
  check_memory (self_beyond, MINUS (1));
  check_memory (call_beyond, MOST);
  check_memory (stack_beyond, MINUS (1));
  check_memory (merge_beyond, MINUS (1));
  check_memory (merge_new_stacks, MOST);
}

/* A tracer needs edges, too; without memory there is none.  */
Test (profile_signed, memory_of_a_tracer)
{
  bool failed = true;

  for (size_t n = 0; failed; n++)
    {
      struct heap heap = { 0 };
      struct cgw_tracer *t;
      enum cgw_status status;
      struct one o;

      open_signed (&o, &heap);
      cr_assert_eq (add_stack (&o, 1, 1, MINUS (2), 1), CGW_OK);
      heap_limit (&heap, n);
      status = cgw_tracer_new (&t, o.p, NULL);
      failed = heap.failed != 0;
      cr_assert_eq (status, failed ? CGW_ENOMEM : CGW_OK);
      cr_assert_eq (t == NULL, failed);
      heap.fail_at = 0;
      check_totals (&o, MINUS (2), 1);
      if (t != NULL)
        cr_assert_eq (cgw_tracer_free (t), CGW_OK);
      cr_assert (failed || n > 0, "no allocation failed");
      close_one (&o);
    }
}

/* Writes it without memory beyond the n-th allocation.  Returns whether one
   failed: then the part is missing, and a second try succeeds.  */
static bool
write_without_memory (size_t n)
{
  struct cgw_part part = two_events (CGW_LINE);
  struct heap heap = { 0 };
  enum cgw_status status;
  struct one o;
  bool failed;

  open_signed (&o, &heap);
  cr_assert_eq (add_stack (&o, 1, 1, MINUS (2), 1), CGW_OK);
  written_open_with (&o.f, o.names, NULL);
  heap_limit (&heap, n);
  status = cgw_profile_write (o.p, o.f.w, &part);
  failed = heap.failed != 0;
  cr_assert_eq (status, failed ? CGW_ENOMEM : CGW_OK, "allocation %zu: %s", n,
                cgw_strerror (status));
  heap.fail_at = 0;
  if (failed)
    cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_end (&o.f, failed ? CGW_ENOMEM : CGW_OK);
  check_comment (&o,
                 "event Ir: 1 self cost below 0 was written as 0, -2 together;"
                 " 1 inclusive cost below 0 was written as 0, -2 together");
  cr_expect_eq (profile_total (o.f.profile, 1).value, 1);
  close_one (&o);
  return failed;
}

Test (profile_signed, memory_of_comments)
{
  size_t n = 0;

  while (write_without_memory (n))
    n++;
  cr_expect_gt (n, 3);
}

/* A summary of the caller's own stays.  */
Test (profile_signed, own_summary)
{
  struct cgw_part part = two_events (CGW_LINE);
  const uint64_t summary[] = { 5, 6 };
  struct one o;

  open_signed (&o, NULL);
  cr_assert_eq (add_cost (&o, 1, MINUS (2)), CGW_OK);
  cr_assert_eq (add_cost (&o, 2, 5), CGW_OK);
  written_open_with (&o.f, o.names, NULL);
  part.summary = summary;
  part.n_summary = 2;
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK);
  written_end (&o.f, CGW_OK);
  cr_assert_eq (o.f.profile->parts[0].n_summary, 2);
  cr_expect_eq (o.f.profile->parts[0].summary[0], 5);
  cr_expect_eq (o.f.profile->parts[0].summary[1], 6);
  close_one (&o);
}
