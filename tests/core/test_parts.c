/* test_parts.c - the parts of a file: their totals, sums that overflow, and
   what they must have in common.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/written.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* Readers wrap, or go to floating point: no totals are better than wrong ones.
   An overflow concerns its own part.  */
Test (parts, totals_of_the_part_after_an_overflow)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A", CGW_LINE);
  struct cgw_fn fn = written_fn (f.names, NULL, "f", "m");

  written_cost (w, written_line (fn, 1), UINT64_MAX);
  written_cost (w, written_line (fn, 1), UINT64_MAX);
  cr_assert_eq (cgw_error (w, NULL), CGW_OK, "known when the part ends");
  cr_assert_eq (written_part (w, "A", CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_error (w, NULL), CGW_EOVERFLOW);
  written_cost (w, written_line (fn, 1), 3);
  written_end (&f, CGW_EOVERFLOW);
  cr_assert_str_eq (written_body (&f),
                    "fl=(1) f\nfn=(1) m\n1 18446744073709551615\n"
                    "* 18446744073709551615\n"
                    "part: 2\npositions: line\nevents: A\n"
                    "fl=(1) f\nfn=(1) m\n1 3\ntotals: 3\n");
  written_free (&f);
}

/* callgrind_annotate takes the first part's for all.  Names that are made of the
   same letters are not the same.  */
Test (parts, later_parts_have_the_same_events_and_positions)
{
  static const struct
  {
    const char *first, *events;
    unsigned positions;
    enum cgw_status status;
  } second[] = {
    { "A B", "A B", CGW_LINE, CGW_OK },
    { "A B", "A B", 0, CGW_OK },
    { "A B", "A", CGW_LINE, CGW_EINVAL },
    { "A B", "A B C", CGW_LINE, CGW_EINVAL },
    { "A B", "B A", CGW_LINE, CGW_EINVAL },
    { "A B", "A C", CGW_LINE, CGW_EINVAL },
    { "A B", "A BB", CGW_LINE, CGW_EINVAL },
    { "A B", "AB", CGW_LINE, CGW_EINVAL },
    { "A B", "A B", CGW_INSTR, CGW_EINVAL },
    { "A B", "A B", CGW_INSTR_LINE, CGW_EINVAL },
    { "AXC", "A C", CGW_LINE, CGW_EINVAL },
    { "AXC", "AX", CGW_LINE, CGW_EINVAL },
    { "AXC", "AXCD", CGW_LINE, CGW_EINVAL },
    { "AXC", "AX C", CGW_LINE, CGW_EINVAL },
    { "AXC", "A XC", CGW_LINE, CGW_EINVAL },
  };

  for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
    {
      struct written f;
      struct cgw_writer *w = written_begin (&f, 0, second[i].first, CGW_LINE);
      enum cgw_status status = written_part (w, second[i].events,
                                             second[i].positions);
      cr_expect_eq (status, second[i].status, "%s", second[i].events);
      written_end (&f, status);
      written_free (&f);
    }
}

/* Sums near the largest number, by lines that are written without a look at
   them: from 2^63 on there must be one.  */

static const uint64_t half = UINT64_C (1) << 63;

static void
many_costs_of_1 (struct cgw_writer *w, struct cgw_pos pos, int n)
{
  for (int i = 0; i < n; i++)
    cr_assert_eq (cgw_cost (w, &pos, (uint64_t[]){ 1, 1, 1 }, 3), CGW_OK);
}

/* A file whose event of three has these costs in the first and the last line,
   and n of 1 between; the others have 1 in all lines, so that no zeros are
   left out behind it.  */
static void
sum_near_the_largest (int event, uint64_t first, int n, uint64_t last,
                      enum cgw_status status)
{
  struct written f;
  struct cgw_writer *w = written_begin (&f, 0, "A B C", CGW_LINE);
  struct cgw_pos pos = { .line = 1 };
  uint64_t costs[3] = { 1, 1, 1 };

  costs[event] = first;
  cr_assert_eq (cgw_cost (w, &pos, costs, 3), CGW_OK);
  many_costs_of_1 (w, pos, n);
  costs[event] = last;
  cr_assert_eq (cgw_cost (w, &pos, costs, 3), CGW_OK);
  written_end (&f, status);
  cr_expect_eq (f.profile->parts[0].has_totals, status == CGW_OK);
  if (status == CGW_OK)
    for (int i = 0; i < 3; i++)
      cr_expect_eq (f.profile->parts[0].totals[i],
                    (uint64_t) n + (i == event ? first + last : 2));
  written_free (&f);
}

Test (parts, totals_of_many_costs_near_the_largest_number)
{
  for (int event = 0; event < 3; event++)
    {
      sum_near_the_largest (event, half, 3000, 0, CGW_OK);
      sum_near_the_largest (event, half - 10, 3000, 0, CGW_OK);
      sum_near_the_largest (event, half - 10, 3000, half - 2991, CGW_OK);
      sum_near_the_largest (event, half - 10, 3000, half - 2990,
                            CGW_EOVERFLOW);
      sum_near_the_largest (event, UINT64_MAX - 3000, 3000, 0, CGW_OK);
      sum_near_the_largest (event, UINT64_MAX - 2999, 3000, 0, CGW_EOVERFLOW);
      sum_near_the_largest (event, UINT64_MAX, 1, 0, CGW_EOVERFLOW);
      sum_near_the_largest (event, UINT64_MAX - 9, 3000, 0, CGW_EOVERFLOW);
    }
}

/* A writer whose buffer has room for one record only.  */
static struct cgw_writer *
open_unbuffered (struct written *f)
{
  struct cgw_options o = CGW_OPTIONS_INIT;

  o.buffer_size = 1;
  return written_open (f, &o);
}

/* Begin a part and lose a cost line in it.  */
static void
lose_cost (struct written *f, struct cgw_writer *w, const char *events,
           const uint64_t *cost, size_t n)
{
  struct cgw_pos pos = { .line = 1 };

  cr_assert_eq (written_part (w, events, CGW_LINE), CGW_OK);
  cr_assert_eq (cgw_comment (w, "full"), CGW_OK);
  f->fail = EAGAIN;
  cr_assert_eq (cgw_cost (w, &pos, cost, n), CGW_EAGAIN);
  f->fail = 0;
}

/* What a part lost has its cost line when the first event lost nothing, too:
   else its sums are not what was handed over.  */
Test (parts, lost_costs_of_a_later_event_only)
{
  struct written f;
  struct cgw_writer *w = open_unbuffered (&f);

  lose_cost (&f, w, "A B C", (uint64_t[]){ 0, 5, 0 }, 3);
  written_end (&f, CGW_ELOST);
  cr_expect_str_eq (written_body (&f),
                    "# full\n"
                    "# cgw: lost 1 record\nfl=(1) ???\nfn=(1) [lost]\n"
                    "0 0 5\ntotals: 0 5 0\n");
  written_free (&f);
}

/* A call or a jump between two costs does not make the library forget that a
   sum is near its end.  */
Test (parts, overflow_after_a_call_or_a_jump)
{
  for (int jump = 0; jump < 2; jump++)
    {
      struct written f;
      struct cgw_writer *w = written_begin (&f, 0, "A", CGW_LINE);
      struct cgw_pos pos
          = written_line (written_fn (f.names, NULL, "f", "m"), 1);

      written_cost (w, pos, UINT64_MAX);
      cr_assert_eq (jump ? cgw_jump (w, &pos, &pos, 1)
                         : cgw_call (w, &pos, &pos, 1, (uint64_t[]){ 5 }, 1),
                    CGW_OK);
      written_cost (w, pos, 5);
      written_end (&f, CGW_EOVERFLOW);
      cr_expect_null (strstr (written_body (&f), "totals:"));
      written_free (&f);
    }
}

/* What two parts lost is not one sum.  */
Test (parts, lost_costs_of_each_part)
{
  static const uint64_t cost[] = { UINT64_C (1) << 63 };
  struct written f;
  struct cgw_writer *w = open_unbuffered (&f);

  for (int part = 0; part < 2; part++)
    lose_cost (&f, w, "A", cost, 1);
  written_end (&f, CGW_ELOST);
  cr_expect_not_null (strstr (written_body (&f),
                              "totals: 9223372036854775808\npart: 2\n"));
  cr_expect_str_eq (f.bytes + f.n - strlen ("totals: 9223372036854775808\n"),
                    "totals: 9223372036854775808\n");
  written_free (&f);
}
