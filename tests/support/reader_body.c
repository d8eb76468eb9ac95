/* reader_body.c - records: position specifications, calls, jumps, cost lines.

   A record is what the writer commits at once: position specifications, a
   call or jump line if there is one, and the cost line that ends it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#define PAGE 4096

/* Which lines may follow which inside a record.  */

static const char *const spec_text[] = {
  "a record", "ob=", "fl=", "fn=", "fi=/fe=", "cob=", "cfi=", "cfn=", "calls=",
  "jfi=", "jfn=", "jump=/jcnd=", "cost line"
};

#define AFTER(spec) (1u << SPEC_##spec)
#define AFTER_FN (AFTER (NONE) | AFTER (FN) | AFTER (FI))

/* After which lines a line may come.  */
static const unsigned may_follow[] = {
  [SPEC_OB] = AFTER (NONE),
  [SPEC_FL] = AFTER (NONE) | AFTER (OB),
  [SPEC_FN] = AFTER (NONE) | AFTER (OB) | AFTER (FL),
  [SPEC_FI] = AFTER (NONE) | AFTER (FN),
  [SPEC_COB] = AFTER_FN,
  [SPEC_CFI] = AFTER_FN | AFTER (COB),
  [SPEC_CFN] = AFTER_FN | AFTER (COB) | AFTER (CFI),
  [SPEC_CALLS] = AFTER (CFN),
  [SPEC_JFI] = AFTER_FN,
  [SPEC_JFN] = AFTER_FN | AFTER (JFI),
  [SPEC_JUMP] = AFTER_FN | AFTER (JFI) | AFTER (JFN),
  [SPEC_COST] = AFTER_FN | AFTER (CALLS) | AFTER (JUMP)
};

static bool
check_step (struct reader *r, enum reader_spec spec)
{
  const char *what = spec_text[spec];
  bool follows = may_follow[spec] & 1u << r->last;
  return reader_rule (r, r->stage != STAGE_TOTALS, "%s after totals:", what)
         && reader_rule (r, follows, "%s directly after %s", what,
                         spec_text[r->last])
         && reader_rule (r, spec < SPEC_FI || r->fn != READER_NO_FN,
                         "%s before the first fn= of the part", what);
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
static bool
step (struct reader *r, enum reader_spec spec)
{
  if (r->stage < STAGE_EVENTS)
    return reader_fail (r, "%s before events:", spec_text[spec]);
  if (!check_step (r, spec) || !check_pending (r, spec))
    return false;
  if (r->last == SPEC_NONE)
    r->record = r->text.at;
  r->last = spec;
  if (r->strict)
    r->stage = STAGE_BODY;
  return true;
}

/* Ends a record with the current line, its cost line.  */
static bool
record_end (struct reader *r)
{
  size_t from = (size_t) (r->record - r->bytes);
  size_t to = (size_t) (r->text.end - r->bytes); /* its newline */
  r->last = SPEC_NONE;
  return reader_rule (r, r->flags & READER_NO_PAD || to + 1 - from >= PAGE
                         || from / PAGE == to / PAGE,
                      "record straddles a multiple of %d bytes", PAGE);
}

bool
reader_between_records (struct reader *r, const char *what)
{
  return reader_rule (r, r->last == SPEC_NONE, "%s directly after %s", what,
                      spec_text[r->last]);
}

/* Lines of a name.  */

/* Readers differ in which file and object an fn= without them belongs to, and
   in the file of a cfn= without one.  */
static bool
check_place (struct reader *r, enum reader_spec spec)
{
  if (spec == SPEC_CFN)
    return reader_rule (r, r->cfi.is_set || r->active == r->fl,
                        "cfn= without cfi= while another file is active");
  if (spec != SPEC_FN)
    return true;
  return reader_rule (r, r->has_fl, "fn= before the first fl= of the part")
         && reader_rule (r, !r->fi_since_fl, "fn= after fi=/fe= without fl=")
         && reader_rule (r, r->has_ob || !r->former_object,
                         "fn= without the ob= that the part before had");
}

static uint32_t
chosen (struct reader_choice choice, uint32_t otherwise)
{
  return choice.is_set ? choice.name : otherwise;
}

/* An id names its function whole; jfi= is then where in it the jump goes.  */
static bool
jump_function (struct reader *r, struct reader_name name)
{
  uint32_t fn = reader_bound_fn (r, name);
  r->jfn.is_set = true;
  if (fn == READER_NO_FN)
    return reader_bind_fn (r, name, r->object, chosen (r->jfi, r->active),
                           &r->jfn.name);
  r->jfn.name = fn;
  return reader_rule (
    r, profile_table_key (&r->p->fns, fn)[FN_OBJECT] == r->object,
    "jfn= of a function in another object");
}

static bool
name_line (struct reader *r, enum reader_spec spec, struct reader_name name)
{
  struct reader_choice choice = { true, name.name };
  switch (spec)
    {
    case SPEC_OB:
      r->object = name.name;
      r->has_ob = true;
      return true;
    case SPEC_FL:
      r->fl = r->active = name.name;
      r->has_fl = true;
      r->fi_since_fl = false;
      return true;
    case SPEC_FN:
      r->need_absolute = true;
      r->active = r->fl;
      return reader_bind_fn (r, name, r->object, r->fl, &r->fn);
    case SPEC_FI:
      r->active = name.name;
      /* In a file without fl=, it stands for that.  */
      if (!r->has_fl)
        r->fl = r->active;
      r->fi_since_fl = true;
      return true;
    case SPEC_COB:
      r->cob = choice;
      return true;
    case SPEC_CFI:
      r->cfi = choice;
      return true;
    case SPEC_CFN:
      return reader_bind_fn (r, name, chosen (r->cob, r->object),
                             chosen (r->cfi, r->active), &r->callee);
    case SPEC_JFI:
      r->jfi = choice;
      return true;
    default:
      return jump_function (r, name);
    }
}

/* Lines of numbers.  */

/* The rest of a calls= or jump line: the target.  Other writers write none,
   or more numbers than positions; no reader minds.  */
static bool
target (struct reader *r, struct reader_span *value)
{
  if (!r->strict)
    reader_trim (value);
  r->target = (struct reader_pos) { 0, 0 };
  if (!reader_rule (r, value->at < value->end, "no target position")
      || (r->strict && !reader_separator (r, value)))
    return false;
  return value->at == value->end
         || (reader_position (r, value, true, &r->target)
             && reader_rule (r, value->at == value->end,
                             "text after the target position"));
}

static bool
calls (struct reader *r, struct reader_span value)
{
  if (r->callee == READER_NO_FN)
    return reader_fail (r, "calls= before any cfn=");
  r->pending = SPEC_CALLS;
  return reader_number (r, &value, &r->count)
         && reader_rule (r, r->count || r->flags & READER_ALLOW_ZERO_CALLS,
                         "calls=0")
         && target (r, &value);
}

/* jump=EXECUTED and jcnd=FOLLOWED/EXECUTED.  */
static bool
jump (struct reader *r, struct reader_span value, bool conditional)
{
  r->pending = SPEC_JUMP;
  r->conditional = conditional;
  r->followed = 0;
  if (conditional)
    {
      if (!reader_number (r, &value, &r->followed))
        return false;
      if (value.at == value.end || *value.at++ != '/')
        return reader_fail (r, "jcnd= not of the form FOLLOWED/EXECUTED");
    }
  return reader_number (r, &value, &r->count) && target (r, &value);
}

/* Lines of the form KEY=VALUE.  */
bool
reader_spec_line (struct reader *r, struct reader_span key,
                  struct reader_span value)
{
  static const struct
  {
    const char *key;
    enum reader_spec spec;
    enum reader_ids ids;
    bool lenient;
  } lines[] = {
    { "ob", SPEC_OB, IDS_OBJECT, false },
    { "fl", SPEC_FL, IDS_FILE, false },
    { "fn", SPEC_FN, IDS_FN, false },
    { "fi", SPEC_FI, IDS_FILE, false },
    { "fe", SPEC_FI, IDS_FILE, false },
    { "cob", SPEC_COB, IDS_OBJECT, false },
    { "cfi", SPEC_CFI, IDS_FILE, false },
    { "cfl", SPEC_CFI, IDS_FILE, true },
    { "cfn", SPEC_CFN, IDS_FN, false },
    { "calls", SPEC_CALLS, IDS_TABLES, false },
    { "jfi", SPEC_JFI, IDS_FILE, false },
    { "jfn", SPEC_JFN, IDS_FN, false },
    { "jump", SPEC_JUMP, IDS_TABLES, false },
    { "jcnd", SPEC_JUMP, IDS_TABLES, false },
  };
  struct reader_name name;
  size_t i = 0;
  size_t n = sizeof lines / sizeof *lines;
  while (i < n && !reader_is (key, lines[i].key))
    i++;
  if (i == n || (r->strict && lines[i].lenient))
    return reader_other_line (r);
  if (!step (r, lines[i].spec))
    return false;
  if (lines[i].ids != IDS_TABLES)
    return check_place (r, lines[i].spec)
           && reader_name (r, lines[i].ids, value, &name)
           && name_line (r, lines[i].spec, name);
  if (!r->strict)
    reader_trim (&value);
  return lines[i].spec == SPEC_CALLS ? calls (r, value)
                                     : jump (r, value, reader_is (key, "jcnd"));
}

/* Cost lines.  */

static void
add_self (struct reader *r, size_t n)
{
  struct profile *p = r->p;
  uint64_t key[COST_KEYS] = { r->fn, r->active, r->base.instr, r->base.line };
  size_t row = profile_table_row (&p->costs, key);
  p->cost_lines++;
  for (size_t i = 0; i < n; i++)
    {
      struct profile_sum *sum = &r->part->self[i];
      profile_table_add (&p->costs, row, i, r->numbers[i]);
      sum->overflow |= r->numbers[i] > UINT64_MAX - sum->value;
      sum->value += r->numbers[i];
    }
}

static void
add_call (struct reader *r, size_t n)
{
  struct profile *p = r->p;
  uint64_t key[EDGE_KEYS]
    = { r->fn, r->active, r->base.instr, r->base.line,
        r->callee, r->target.instr, r->target.line };
  size_t row = profile_table_row (&p->edges, key);
  p->calls++;
  profile_table_add (&p->edges, row, EDGE_COUNT, r->count);
  for (size_t i = 0; i < n; i++)
    profile_table_add (&p->edges, row, EDGE_COST + i, r->numbers[i]);
  r->cob.is_set = r->cfi.is_set = false;
}

static void
add_jump (struct reader *r)
{
  struct profile *p = r->p;
  uint64_t key[JUMP_KEYS]
    = { r->fn, r->active, r->base.instr, r->base.line,
        chosen (r->jfn, r->fn), chosen (r->jfi, r->active),
        r->target.instr, r->target.line, r->conditional };
  size_t row = profile_table_row (&p->jumps, key);
  p->jump_lines++;
  profile_table_add (&p->jumps, row, JUMP_EXECUTED, r->count);
  profile_table_add (&p->jumps, row, JUMP_FOLLOWED, r->followed);
  r->jfi.is_set = r->jfn.is_set = false;
}

/* How many costs a line of a strict file has.  */
static bool
check_costs (struct reader *r, size_t n)
{
  bool all = r->flags & READER_KEEP_ZEROS;
  return reader_rule (r, n, "cost line without costs")
         && reader_rule (r, !all || n == r->p->n_events,
                         "fewer costs than events")
         && reader_rule (r, all || n < 2 || r->numbers[n - 1],
                         "trailing zero cost");
}

/* Cost before any fn= is an unknown function's.  */
static bool
need_fn (struct reader *r)
{
  struct reader_name unknown = { 0, 0 };
  return r->fn != READER_NO_FN
         || reader_bind_fn (r, unknown, r->object, r->fl, &r->fn);
}

bool
reader_cost_line (struct reader *r)
{
  struct reader_span text = r->text;
  struct reader_pos pos;
  size_t n;
  if (!step (r, SPEC_COST) || !need_fn (r)
      || !reader_position (r, &text, false, &pos)
      || (text.at < text.end && !reader_separator (r, &text))
      || !reader_numbers (r, &text, r->p->n_events, &n))
    return false;
  r->base = pos;
  r->has_base = true;
  r->need_absolute = false;

  if (r->pending == SPEC_JUMP && n)
    return reader_fail (r, "costs on the source line of a jump");
  if (r->pending != SPEC_JUMP && !check_costs (r, n))
    return false;
  if (r->pending == SPEC_JUMP)
    add_jump (r);
  else if (r->pending == SPEC_CALLS)
    add_call (r, n);
  else
    add_self (r, n);
  r->pending = SPEC_NONE;
  return record_end (r);
}
