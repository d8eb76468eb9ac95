/* test_step_conclude.c - which statuses calls may have, and the end of a run:
   the accounts must be right, whatever the handlers did.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

/* Statuses.  */

void
expect_status (const char *call, enum cgw_status status, unsigned mask)
{
  EXPECT (status >= CGW_OK && status <= CGW_EFORK && (mask & BIT (status)),
          "%s at level %d: %s", call, steps.level, cgw_strerror (status));
}

/* What a handler may be told while the call under step is under way.  Until
   that has got hold of the writer, and after it has let go, the writer is
   open or not as it was before, or will be.  */
static unsigned
allowed_inside (void)
{
  unsigned traits = t.scene->traits, mask = t.seen & BIT (CGW_EIO);

  if (t.begun && !t.finishing)
    mask |= BIT (CGW_OK);
  if (traits & OPENS && !t.finishing)
    mask |= BIT (CGW_OK) | BIT (CGW_EORDER);
  if (t.finishing || t.finish_begun || traits & FINISHES)
    mask |= BIT (CGW_EFINISHED);
  /* cgw_salvage loses what the call that it interrupted could not write.  */
  if (t.salvaged || (!t.finishing && (traits & SMALL_RING)))
    mask |= BIT (CGW_ELOST);
  return mask;
}

static unsigned
allowed_record (const struct cgw_writer *w)
{
  if (w == NULL)
    return BIT (CGW_EINVAL);
  if (t.dead)
    return BIT (CGW_EFORK);
  if (t.inside)
    return allowed_inside ();
  return t.finishing ? BIT (CGW_EFINISHED)
         : t.begun   ? BIT (CGW_OK)
                     : BIT (CGW_EORDER);
}

unsigned
allowed_now (void)
{
  if (t.w == NULL)
    return BIT (CGW_EINVAL);
  if (t.dead)
    return BIT (CGW_EFORK);
  if (t.finishing)
    return BIT (CGW_EFINISHED)
           | (t.inside ? BIT (CGW_EBUSY) : 0);
  return BIT (CGW_OK) | (t.seen & BIT (CGW_EIO))
         | (t.inside ? BIT (CGW_EBUSY) : 0)
         | (t.inside && (t.finish_begun || t.scene->traits & FINISHES)
                ? BIT (CGW_EFINISHED)
                : 0);
}

enum cgw_status
submit (enum kind kind, const struct cgw_pos *from, const struct cgw_pos *to)
{
  struct cgw_writer *w = t.w;
  unsigned allowed = allowed_record (w);
  enum cgw_status status = ledger_record (&t.ledger, w, kind, from, to);

  t.seen |= BIT (status);
  expect_status ("a record", status, allowed | allowed_record (w));
  return status;
}

void
submit_all (enum fn fn)
{
  struct cgw_pos here = { t.fn[fn], { 0 }, 70, 0 };
  struct cgw_pos there = { t.fn[OTHER], { 0 }, 7, 0 };
  struct cgw_pos inside = { t.fn[fn], { 0 }, 75, 0 };

  for (enum kind kind = 0; kind < KINDS; kind++)
    submit (kind, &here,
            kind == CALL || kind == BARE_CALL ? &there : &inside);
}

/* The end.  */

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
  STEPPED (cgw_free (copy));
  o.flags &= ~(unsigned) CGW_REPLACE;
  status = cgw_open_fd (&t.w, t.names, file_descriptor (CHILDS), &o);
  expect_status ("cgw_open_fd in a child", status,
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
