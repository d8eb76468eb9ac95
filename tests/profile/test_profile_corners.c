/* test_profile_corners.c - aggregation: what seldom happens, such as stacks
   that differ in the root alone, and names that do not fit into the memory
   behind those before.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_profile.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static const uint64_t costs[COSTS] = { 5, 7 };

static struct cgw_pos
at (const struct one *o, unsigned fn, uint32_t line)
{
  return written_line (o->world.fns[fn], line);
}

/* Function 0, called by function 1.  */
static enum cgw_status
add_stack (struct one *o, uint64_t count)
{
  const struct cgw_pos frames[] = { at (o, 0, 1), at (o, 1, 2) };

  return cgw_profile_stack (o->p, frames, 2, count, costs, COSTS);
}

/* No cost may be there before an event is signed, whatever it came from.  */
Test (profile_corners, signed_too_late)
{
  for (int i = 0; i < 3; i++)
    {
      struct cgw_pos from, to;
      struct one o;

      open_one (&o, 1, CGW_LINE);
      from = at (&o, 0, 1);
      to = at (&o, 1, 2);
      cr_assert_eq (cgw_profile_set_signed (o.p, 1), CGW_OK);
      cr_assert_eq (i == 0   ? cgw_profile_cost (o.p, &to, costs, COSTS)
                    : i == 1 ? cgw_profile_call (o.p, &from, &to, 1, costs,
                                                 COSTS)
                             : add_stack (&o, 1),
                    CGW_OK);
      cr_expect_eq (cgw_profile_set_signed (o.p, 0), CGW_EORDER);
      cgw_profile_clear (o.p);
      cr_expect_eq (cgw_profile_set_signed (o.p, 0), CGW_OK);
      close_one (&o);
    }
}

/* More costs than a sentence can show.  */
Test (profile_corners, very_many_costs)
{
  struct cgw_pos pos;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  pos = at (&o, 0, 1);
  cr_expect_eq (cgw_profile_cost (o.p, &pos, costs, SIZE_MAX), CGW_ECOSTS);
  cr_expect_not_null (strstr (cgw_profile_explain (o.p), "16777215"), "%s",
                      cgw_profile_explain (o.p));
  close_one (&o);
}

/* Names of a position for which there is memory: wrong ones add nothing, and
   the two handles of an unknown function are one.  */
Test (profile_corners, names_of_new_positions)
{
  struct cgw_pos pos;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  pos = (struct cgw_pos){ .line = 1 };
  cr_assert_eq (cgw_profile_cost (o.p, &pos, costs, COSTS), CGW_OK);
  pos = (struct cgw_pos){ .fn = { UINT32_MAX }, .line = 2 };
  cr_expect_eq (cgw_profile_cost (o.p, &pos, costs, COSTS), CGW_EHANDLE);
  pos = (struct cgw_pos){ .file = { UINT32_MAX }, .line = 2 };
  cr_expect_eq (cgw_profile_cost (o.p, &pos, costs, COSTS), CGW_EHANDLE);
  pos = (struct cgw_pos){
    .fn = cgw_add_fn (o.names, NULL, (struct cgw_file){ 0 },
                      (struct cgw_object){ 0 }),
    .line = 2
  };
  cr_assert_neq (pos.fn.handle, 0);
  cr_assert_eq (cgw_profile_cost (o.p, &pos, costs, COSTS), CGW_OK);
  pos.fn.handle = 0;
  cr_assert_eq (cgw_profile_cost (o.p, &pos, costs, COSTS), CGW_OK);
  body_is (&o, CGW_PLAIN_NAMES | CGW_ABSOLUTE,
           "ob=???\nfl=???\nfn=???\n1 5 7\n2 10 14\ntotals: 15 21\n");
}

/* How often that position calls function 1.  */
static uint64_t
calls_from (const struct one *o, unsigned fn, uint32_t line, uint64_t instr)
{
  struct profile_at from = at_line (fn, line), to = at_line (1, 0);
  const uint64_t *edge;

  from.instr = instr;
  edge = profile_edge (o->f.profile, &from, &to);
  return edge != NULL ? edge[EDGE_COUNT] : 0;
}

/* The outermost frame of one stack is the root of another, or nearly so.  */
Test (profile_corners, root_or_frame)
{
  const struct { unsigned fn; uint32_t line; uint64_t instr; } outermost[]
      = { { 2, 0, 0 }, { 2, 9, 0 }, { 2, 0, 9 }, { 3, 0, 0 } };
  enum { N = sizeof outermost / sizeof *outermost };

  for (int i = 0; i < N; i++)
    for (int frame_first = 0; frame_first < 2; frame_first++)
      {
        struct cgw_pos frames[3];
        struct one o;

        open_one (&o, 1, CGW_INSTR_LINE);
        frames[0] = at (&o, 0, 1);
        frames[1] = at (&o, 1, 1);
        frames[2] = at (&o, outermost[i].fn, outermost[i].line);
        frames[2].instr = outermost[i].instr;
        for (int k = 0; k < 4; k++)
          {
            bool is_frame = k % 2 != frame_first;

            cr_assert_eq (cgw_profile_set_root (o.p,
                                                is_frame
                                                    ? (struct cgw_fn){ 0 }
                                                    : o.world.fns[2]),
                          CGW_OK);
            cr_assert_eq (cgw_profile_stack (o.p, frames, is_frame ? 3 : 2,
                                             is_frame ? 10 : 1, costs, COSTS),
                          CGW_OK);
          }
        write_one (&o, 0);
        cr_expect_eq (calls_from (&o, 2, 0, 0), i == 0 ? 22 : 2, "%d", i);
        cr_expect_eq (calls_from (&o, outermost[i].fn, outermost[i].line,
                                  outermost[i].instr),
                      i == 0 ? 22 : 20, "%d", i);
        close_one (&o);
      }
}

/* Stacks below a root that are turned into calls before they are written,
   because sums are near their end.  */
Test (profile_corners, root_of_expanded_stacks)
{
  const uint64_t most[COSTS] = { UINT64_MAX, 0 };
  struct profile_at root = at_line (2, 0), from = at_line (1, 2),
                    to = at_line (0, 1);
  struct cgw_pos a, b;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  a = at (&o, 3, 1);
  b = at (&o, 4, 1);
  cr_assert_eq (cgw_profile_set_root (o.p, o.world.fns[2]), CGW_OK);
  cr_assert_eq (add_stack (&o, 3), CGW_OK);
  cr_assert_eq (cgw_profile_call (o.p, &a, &b, 1, most, COSTS), CGW_OK);
  cr_assert_eq (add_stack (&o, 4), CGW_OK);
  write_one (&o, 0);
  cr_expect_eq (profile_edges (o.f.profile, &from, &to, EDGE_COUNT), 7);
  cr_expect_eq (profile_edges (o.f.profile, &root, &from, EDGE_COUNT), 7);
  close_one (&o);
}

/* A signed profile that had a tracer keeps stacks again.  */
Test (profile_corners, signed_and_traced)
{
  uint64_t totals[COSTS];
  struct cgw_tracer *t;
  struct one o;

  open_one (&o, 1, CGW_LINE);
  cr_assert_eq (cgw_profile_set_signed (o.p, 0), CGW_OK);
  cr_assert_eq (cgw_tracer_new (&t, o.p, NULL), CGW_OK);
  cr_assert_eq (add_stack (&o, 1), CGW_OK);
  cr_assert_eq (cgw_tracer_free (t), CGW_OK);
  cr_assert_eq (add_stack (&o, 2), CGW_OK);
  cr_assert_eq (cgw_profile_total (o.p, totals, COSTS), CGW_OK);
  cr_expect_eq (totals[0], 10);
  write_one (&o, 0);
  cr_expect_not_null (strstr (o.f.bytes, "calls=3 "));
  close_one (&o);
}

/* Merging names each of which needs memory, which is not there: nothing was
   merged.  Later it is, and stacks that were added in vain are no stacks.  */
Test (profile_corners, merge_of_long_names)
{
  enum { LONG = 100000, NAMES = 8 };
  static char long_name[LONG + 1];
  size_t failures = 0;

  memset (long_name, 'n', LONG);
  for (size_t n = 0; failures == n; n++)
    {
      struct heap heap = { 0 };
      struct cgw_pos pos[NAMES];
      struct one into, from, third;
      enum cgw_status status;

      open_one_in (&into, 1, CGW_LINE, &heap);
      open_one (&from, 2, CGW_LINE);
      open_one (&third, 3, CGW_LINE);
      for (int i = 0; i < NAMES; i++)
        {
          long_name[0] = (char) ('a' + i);
          pos[i] = at (&from, (unsigned) i, 1);
          pos[i].file = cgw_add_file (from.names, long_name);
        }
      /* Calls, and then stacks, each with a new name.  */
      for (int i = 0; i < 4; i += 2)
        cr_assert_eq (cgw_profile_call (from.p, &pos[i], &pos[i + 1], 1, costs,
                                        COSTS),
                      CGW_OK);
      for (int i = 4; i < NAMES; i += 2)
        cr_assert_eq (cgw_profile_stack (from.p, &pos[i], 2, 1, costs, COSTS),
                      CGW_OK);
      heap_limit (&heap, n);
      status = cgw_profile_merge (into.p, from.p);
      failures += status != CGW_OK;
      cr_assert (status == CGW_OK || status == CGW_ENOMEM);
      heap.fail_at = 0;
      cr_assert_eq (cgw_profile_merge (third.p, into.p), CGW_OK);
      write_one (&third, 0);
      cr_expect_eq (third.f.profile->edges.n, status == CGW_OK ? 4 : 0,
                    "%zu: %zu edges", n, third.f.profile->edges.n);
      close_one (&into);
      close_one (&from);
      close_one (&third);
      cr_expect_eq (heap.live, 0);
    }
  cr_expect_gt (failures, NAMES);
}

/* Signed events among those with formulas: both are described, behind what the
   caller describes.  */
Test (profile_corners, signed_beside_formulas)
{
  const struct cgw_event events[]
      = { { "Net", NULL, NULL },
          { "Sum", NULL, "2 Net" },
          { "Count", NULL, NULL } };
  const uint64_t below[COSTS]
      = { UINT64_C (0) - 5, UINT64_C (0) - 7 };
  struct cgw_part part = written_part_of (events, 3);
  const char *const desc[] = { "Trigger: test", "Timerange: all" };
  struct cgw_pos pos;
  struct one o;

  part.desc = desc;
  part.n_desc = 2;
  open_one (&o, 1, CGW_LINE);
  pos = at (&o, 0, 1);
  cr_assert_eq (cgw_profile_set_signed (o.p, 0), CGW_OK);
  cr_assert_eq (cgw_profile_set_signed (o.p, 1), CGW_OK);
  cr_assert_eq (cgw_profile_cost (o.p, &pos, below, COSTS), CGW_OK);
  written_open_with (&o.f, o.names, NULL);
  cr_assert_eq (cgw_profile_write (o.p, o.f.w, &part), CGW_OK, "%s",
                cgw_explain (o.f.w));
  written_end (&o.f, CGW_OK);
  cr_assert_eq (o.f.profile->parts[0].n_desc, 4);
  cr_expect_str_eq (o.f.profile->parts[0].desc[0], "Trigger: test");
  cr_expect_str_eq (o.f.profile->parts[0].desc[1], "Timerange: all");
  cr_expect_str_eq (o.f.profile->parts[0].desc[2],
                    "event Net: 1 self cost below 0 was written as 0, -5 "
                    "together");
  cr_expect_str_eq (o.f.profile->parts[0].desc[3],
                    "event Count: 1 self cost below 0 was written as 0, -7 "
                    "together");
  close_one (&o);
}
