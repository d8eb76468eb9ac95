/* test_step_ledger.c - records of a run, and which statuses they may have.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "test_step.h"

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
  if (t.salvaged || (!t.finishing && (traits & SMALL_RING || steps.all)))
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
