/* test_step_conclude.c - the end of a run: the accounts must be right, whatever
   the handlers did.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

static bool
act_is (enum action_name name)
{
  return t.action[0] == &actions[name] || t.action[1] == &actions[name];
}

static void
check_end (struct counts *c)
{
  expect_status ("cgw_get_stats at the end", counts_get (c, t.w), BIT (CGW_OK));
  ledger_check (&t.ledger, c);
}

/* A child's file with records of all kinds, from the beginning to the end, with
   no fault, by a writer of its own; unless the fork interrupted a call that
   adds a name.  */
void
write_new_file (void)
{
  struct cgw_options o = world_options ();
  struct counts c;
  struct cgw_part part = world_part ();
  struct cgw_writer *copy = t.w;
  enum cgw_status status;

  world_fill_disk (false);
  t.n_bytes = 0;
  t.defers = false;
  t.w = NULL;
  STEPPED (status = cgw_free (copy));
  expect_status ("cgw_free in a child", status, BIT (CGW_OK));
  o.flags &= ~(unsigned) CGW_REPLACE;
  status = cgw_new (&t.w, t.names, file_descriptor (CHILDS), &o);
  expect_status ("cgw_new in a child", status,
                 BIT (CGW_OK)
                   | (t.scene->traits & NAMES_CALL ? BIT (CGW_EBUSY) : 0));
  if (status == CGW_EBUSY)
    return;
  t.ledger = (struct ledger){ .n_events = N_EVENTS };
  t.seen = 0;
  t.inside = t.dead = t.finish_begun = t.finishing = t.salvaged = false;
  status = cgw_begin_part (t.w, &part);
  expect_status ("cgw_begin_part of a new file", status, BIT (CGW_OK));
  t.begun = status == CGW_OK;
  submit_all (AFTER);
  submit_all (OTHER);
  status = cgw_finish (t.w);
  expect_status ("cgw_finish of a new file", status, BIT (CGW_OK));
  check_end (&c);
  EXPECT (c.s.recorded == 2 * KINDS && c.s.lost == 0 && c.s.refused == 0,
          "a new file with %llu records, %llu lost, %llu refused",
          (unsigned long long) c.s.recorded, (unsigned long long) c.s.lost,
          (unsigned long long) c.s.refused);
  check_file (CHILDS, READER_STRICT, &c);
}

/* The statuses that cgw_finish may return now.  */
static unsigned
allowed_end (enum cgw_status error)
{
  return t.finishing ? BIT (CGW_EFINISHED) : BIT (error);
}

/* Whether the file ends with its totals.  */
static unsigned
end_flags (enum cgw_status status)
{
  return t.salvaged || status == CGW_EBUSY || t.scene->traits & FULL_DISK
             ? READER_UNFINISHED
             : READER_STRICT;
}

static void
end_file (void)
{
  struct counts c;
  enum cgw_status error, status;

  submit_all (AFTER);
  errno = MARKER;
  error = cgw_error (t.w, NULL);
  expect_status ("cgw_error", error, BIT (CGW_OK) | t.seen
                   | (t.scene->traits & OPENS ? BIT (CGW_EORDER) : 0));
  status = cgw_finish (t.w);
  expect_status ("the end", status, allowed_end (error));
  place_decoy ();
  if (status == CGW_EFINISHED || has_finished (status))
    {
      expect_status ("cgw_salvage after the end", cgw_salvage (t.w),
                     BIT (CGW_EFINISHED));
      expect_status ("cgw_finish after the end", cgw_finish (t.w),
                     BIT (CGW_EFINISHED));
      t.finishing = true;
      submit_all (AFTER);
    }
  expect_errno ("a call");
  check_end (&c);
  if (c.s.lost != 0)
    EXPECT (cgw_error (t.w, NULL) != CGW_OK,
            "%llu records were lost in silence", (unsigned long long) c.s.lost);
  if (!t.refused_unknown)
    EXPECT (c.s.refused == ledger_refused (&t.ledger), "%llu refused, not %llu",
            (unsigned long long) c.s.refused,
            (unsigned long long) ledger_refused (&t.ledger));
  if (t.begun || c.s.recorded != 0)
    check_file (t.file, end_flags (status), &c);
}

/* After a jump out of a call, a writer can only be salvaged and freed.  */
static void
salvage_file (void)
{
  enum cgw_status status;

  errno = MARKER;
  status = cgw_salvage (t.w);
  expect_errno ("cgw_salvage");
  expect_status ("cgw_salvage after a jump", status,
                 BIT (CGW_OK) | BIT (CGW_ELOST) | BIT (CGW_EFINISHED) | t.seen
                   | (t.scene->traits & OPENS ? BIT (CGW_EORDER) : 0));
  place_decoy ();
  expect_status ("cgw_salvage after the end", cgw_salvage (t.w),
                 BIT (CGW_EFINISHED));
  if (t.begun)
    check_file (t.file, READER_UNFINISHED, NULL);
}

void
conclude (enum cgw_status status)
{
  t.inside = t.defers = false;
  place_decoy ();
  if (t.left)
    ;
  else if (t.scene->check != NULL)
    t.scene->check (status);
  else
    expect_status (t.scene->function, status,
                   BIT (CGW_OK) | (t.finishing ? BIT (CGW_EFINISHED) : 0));
  if (t.w != NULL && !t.left)
    end_file ();
  else if (t.w != NULL && !act_is (LEAVE_FREE))
    salvage_file ();
  recorder_conclude ();
  place_decoy ();
  cgw_profile_free (t.profile);
  t.profile = NULL;
  cgw_free (t.w);
  t.w = NULL;
  if (t.scene->traits & REPLACES)
    check_replaced (t.left);
  check_decoy ();
}
