/* test_profile_signed.c - aggregation: costs below 0 in stacks, merges,
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

/* The file's part has this description alone.  */
static void
check_desc (const struct one *o, const char *desc)
{
  const struct profile_part *part = &o->f.profile->parts[0];

  cr_assert_eq (part->n_desc, 1);
  cr_expect_str_eq (part->desc[0], desc);
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
  check_desc (&o,
                 "event Ir: 1 self cost below 0 was written as 0, -4 together;"
                 " 1 inclusive cost below 0 was written as 0, -4 together");
  cr_expect_eq (profile_total (o.f.profile, 0).value, 7);
  cr_expect_eq (profile_total (o.f.profile, 1).value, 4);
  close_one (&o);
}

/* More frames than a stack can have are refused before they are read.  */
Test (profile_signed, too_many_frames)
{
  const size_t many[] = { UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 8 };
  struct one o;
  struct cgw_pos frame;

  open_signed (&o, NULL);
  frame = at (&o, 0, 1);
  for (size_t i = 0; i < sizeof many / sizeof *many; i++)
    cr_assert_eq (cgw_profile_stack (o.p, &frame, many[i], 1, NULL, 0),
                  CGW_ENOMEM);
  check_totals (&o, 0, 0);
  close_one (&o);
}

/* Where amounts have a sum beyond 2^64-1, the description says so.  */
Test (profile_signed, much_below_0)
{
  struct one o;

  open_signed (&o, NULL);
  for (uint32_t i = 0; i < 3; i++)
    cr_assert_eq (add_call (&o, i, 1, LEAST, 0), CGW_OK);
  check_totals (&o, 0, 0);
  write_one (&o, 0);
  check_desc (&o, "event Ir: 3 inclusive costs below 0 were written as 0, "
                     "-18446744073709551615 or less together");
  cr_expect (o.f.profile->parts[0].has_summary);
  close_one (&o);
}

/* The total fits, but what is written does not: the summary stops at 2^64-1, and
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
  cr_expect_eq (o.f.profile->parts[0].summary[0], UINT64_MAX);
  cr_expect (profile_total (o.f.profile, 0).overflow);
  close_one (&o);
}

/* Memory.  Without it nothing changes.  */

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

Test (profile_signed, memory)
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
      status = merge_new_stacks (&o);
      failed = heap.failed != 0;
      cr_assert_eq (status, failed ? CGW_ENOMEM : CGW_OK, "allocation %zu: %s",
                    n, cgw_strerror (status));
      heap.fail_at = 0;
      if (failed)
        cr_assert_eq (merge_new_stacks (&o), CGW_OK);
      check_totals (&o, MOST, 1);
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
  check_desc (&o,
                 "event Ir: 1 self cost below 0 was written as 0, -2 together;"
                 " 1 inclusive cost below 0 was written as 0, -2 together");
  cr_expect_eq (profile_total (o.f.profile, 1).value, 1);
  close_one (&o);
  return failed;
}

Test (profile_signed, memory_of_descriptions)
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
