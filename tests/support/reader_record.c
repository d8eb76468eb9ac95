/* reader_record.c - which lines may follow which inside a record.

   A record is what the writer commits at once: position specifications, a
   call or jump line if there is one, and the cost line that ends it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#define PAGE 4096

static const char *const spec_text[] = {
  "a record", "ob=", "fl=", "fn=", "fi=/fe=", "cob=", "cfi=", "cfn=", "calls=",
  "jfi=", "jfn=", "jump=/jcnd=", "cost line"
};

#define AFTER(spec) (1u << SPEC_##spec)

/* After which lines a line may come.  */
static const unsigned may_follow[] = {
  [SPEC_OB] = AFTER (NONE),
  [SPEC_FL] = AFTER (NONE) | AFTER (OB),
  [SPEC_FN] = AFTER (NONE) | AFTER (OB) | AFTER (FL),
  [SPEC_FI] = AFTER (NONE) | AFTER (FN),
  [SPEC_COB] = AFTER (NONE) | AFTER (FN) | AFTER (FI),
  [SPEC_CFI] = AFTER (NONE) | AFTER (FN) | AFTER (FI) | AFTER (COB),
  [SPEC_CFN] = AFTER (NONE) | AFTER (FN) | AFTER (FI) | AFTER (COB)
               | AFTER (CFI),
  [SPEC_CALLS] = AFTER (CFN),
  [SPEC_JFI] = AFTER (NONE) | AFTER (FN) | AFTER (FI),
  [SPEC_JFN] = AFTER (NONE) | AFTER (FN) | AFTER (FI) | AFTER (JFI),
  [SPEC_JUMP] = AFTER (NONE) | AFTER (FN) | AFTER (FI) | AFTER (JFI)
                | AFTER (JFN),
  [SPEC_COST] = AFTER (NONE) | AFTER (FN) | AFTER (FI) | AFTER (CALLS)
                | AFTER (JUMP)
};

static bool
check_step (struct reader *r, enum reader_spec spec)
{
  const char *what = spec_text[spec];
  if (r->stage == STAGE_TOTALS)
    return reader_fail (r, "%s after totals:", what);
  if (!(may_follow[spec] & 1u << r->last))
    {
      if (r->last == SPEC_NONE)
        return reader_fail (r, "%s at the start of a record", what);
      return reader_fail (r, "%s directly after %s", what,
                          spec_text[r->last]);
    }
  if (spec >= SPEC_FI && r->fn == READER_NO_FN)
    return reader_fail (r, "%s before the first fn= of the part", what);
  return true;
}

/* What other writers may not do either: all readers stumble over it.  */
static bool
check_pending (struct reader *r, enum reader_spec spec)
{
  if (spec == SPEC_COST || r->pending == SPEC_NONE)
    return true;
  if (r->pending == SPEC_JUMP)
    return reader_fail (r, "jump without its source line");
  if (spec == SPEC_CALLS || spec == SPEC_JUMP)
    return reader_fail (r, "calls= without its cost line");
  return true;
}

/* Goes on to a line of a record.  */
bool
reader_step (struct reader *r, enum reader_spec spec)
{
  if (r->stage < STAGE_EVENTS)
    return reader_fail (r, "%s before events:", spec_text[spec]);
  if (!r->strict)
    return check_pending (r, spec);
  if (!check_step (r, spec))
    return false;
  if (r->last == SPEC_NONE)
    r->record = r->text.at;
  r->last = spec;
  r->stage = STAGE_BODY;
  return true;
}

/* Ends a record with the current line, its cost line.  */
bool
reader_record_end (struct reader *r)
{
  if (!r->strict)
    return true;
  r->last = SPEC_NONE;
  size_t from = (size_t) (r->record - r->bytes);
  size_t to = (size_t) (r->text.end - r->bytes); /* its newline */
  if (r->flags & READER_NO_PAD || to + 1 - from >= PAGE)
    return true;
  if (from / PAGE != to / PAGE)
    return reader_fail (r, "record straddles a multiple of %d bytes", PAGE);
  return true;
}

/* For lines that may not come inside a record.  */
bool
reader_between_records (struct reader *r, const char *what)
{
  if (r->last == SPEC_NONE)
    return true;
  return reader_fail (r, "%s directly after %s", what, spec_text[r->last]);
}
