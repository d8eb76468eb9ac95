/* reader_body.c - position specifications, calls, jumps and cost lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

/* Where the cost of the next lines happens.  */

static bool
object (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_OB) || !reader_name (r, IDS_OBJECT, value, &name))
    return false;
  r->object = name.name;
  r->has_ob = true;
  return true;
}

static bool
file (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_FL) || !reader_name (r, IDS_FILE, value, &name))
    return false;
  r->fl = r->active = name.name;
  r->has_fl = true;
  r->fi_since_fl = false;
  return true;
}

/* Readers differ in which file and object an fn= without them belongs to.  */
static bool
check_fn (struct reader *r)
{
  if (!r->strict)
    return true;
  if (!r->has_fl)
    return reader_fail (r, "fn= before the first fl= of the part");
  if (r->fi_since_fl)
    return reader_fail (r, "fn= after fi=/fe= without fl=");
  if (!r->has_ob && r->former_object)
    return reader_fail (r, "fn= without the ob= that the part before had");
  return true;
}

static bool
function (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_FN) || !check_fn (r)
      || !reader_name (r, IDS_FN, value, &name))
    return false;
  r->need_absolute = true;
  r->active = r->fl;
  return reader_bind_fn (r, name, r->object, r->fl, &r->fn);
}

static bool
inlined (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_FI) || !reader_name (r, IDS_FILE, value, &name))
    return false;
  r->active = name.name;
  /* In a file without fl=, it stands for that.  */
  if (!r->has_fl)
    r->fl = r->active;
  r->fi_since_fl = true;
  return true;
}

/* What is called.  */

static bool
called_object (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_COB) || !reader_name (r, IDS_OBJECT, value, &name))
    return false;
  r->cob = name.name;
  return r->has_cob = true;
}

static bool
called_file (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_CFI) || !reader_name (r, IDS_FILE, value, &name))
    return false;
  r->cfi = name.name;
  return r->has_cfi = true;
}

static bool
called_function (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_CFN))
    return false;
  if (r->strict && !r->has_cfi && r->active != r->fl)
    return reader_fail (r, "cfn= without cfi= while another file is active");
  if (!reader_name (r, IDS_FN, value, &name))
    return false;
  return reader_bind_fn (r, name, r->has_cob ? r->cob : r->object,
                         r->has_cfi ? r->cfi : r->active, &r->callee);
}

/* The rest of a calls= or jump line: the target.  Other writers write none,
   or more numbers than positions; no reader minds.  */
static bool
target (struct reader *r, struct reader_span *value)
{
  if (!r->strict)
    reader_trim (value);
  else if (value->at == value->end)
    return reader_fail (r, "no target position");
  else if (!reader_separator (r, value))
    return false;
  r->target = (struct reader_pos) { 0, 0 };
  if (value->at == value->end)
    return true;
  if (!reader_position (r, value, true, &r->target))
    return false;
  if (r->strict && value->at < value->end)
    return reader_fail (r, "text after the target position");
  return true;
}

static bool
calls (struct reader *r, struct reader_span value)
{
  if (!reader_step (r, SPEC_CALLS))
    return false;
  if (r->callee == READER_NO_FN)
    return reader_fail (r, "calls= before any cfn=");
  if (!r->strict)
    reader_trim (&value);
  if (!reader_number (r, &value, &r->count))
    return false;
  if (r->strict && !r->count && !(r->flags & READER_ALLOW_ZERO_CALLS))
    return reader_fail (r, "calls=0");
  r->pending = SPEC_CALLS;
  return target (r, &value);
}

/* Where a jump goes.  */

static bool
jump_file (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_JFI) || !reader_name (r, IDS_FILE, value, &name))
    return false;
  r->jfi = name.name;
  return r->has_jfi = true;
}

/* An id names its function whole; jfi= is then where in it the jump goes.  */
static bool
jump_function (struct reader *r, struct reader_span value)
{
  struct reader_name name;
  if (!reader_step (r, SPEC_JFN) || !reader_name (r, IDS_FN, value, &name))
    return false;
  r->has_jfn = true;
  r->jfn = reader_bound_fn (r, name);
  if (r->jfn == READER_NO_FN)
    return reader_bind_fn (r, name, r->object,
                           r->has_jfi ? r->jfi : r->active, &r->jfn);
  if (r->strict
      && profile_table_key (&r->p->fns, r->jfn)[FN_OBJECT] != r->object)
    return reader_fail (r, "jfn= of a function in another object");
  return true;
}

/* jump=EXECUTED and jcnd=FOLLOWED/EXECUTED.  */
static bool
jump (struct reader *r, struct reader_span value, bool conditional)
{
  if (!reader_step (r, SPEC_JUMP))
    return false;
  r->conditional = conditional;
  r->followed = 0;
  if (!r->strict)
    reader_trim (&value);
  if (conditional)
    {
      if (!reader_number (r, &value, &r->followed))
        return false;
      if (value.at == value.end || *value.at++ != '/')
        return reader_fail (r, "jcnd= not of the form FOLLOWED/EXECUTED");
    }
  if (!reader_number (r, &value, &r->count))
    return false;
  r->pending = SPEC_JUMP;
  return target (r, &value);
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
  r->has_cob = r->has_cfi = false;
}

static void
add_jump (struct reader *r)
{
  struct profile *p = r->p;
  uint64_t key[JUMP_KEYS]
    = { r->fn, r->active, r->base.instr, r->base.line,
        r->has_jfn ? r->jfn : r->fn, r->has_jfi ? r->jfi : r->active,
        r->target.instr, r->target.line, r->conditional };
  size_t row = profile_table_row (&p->jumps, key);
  p->jump_lines++;
  profile_table_add (&p->jumps, row, JUMP_EXECUTED, r->count);
  profile_table_add (&p->jumps, row, JUMP_FOLLOWED, r->followed);
  r->has_jfi = r->has_jfn = false;
}

/* How many costs a line of a strict file has.  */
static bool
check_costs (struct reader *r, size_t n)
{
  if (!r->strict)
    return true;
  if (!n)
    return reader_fail (r, "cost line without costs");
  if (r->flags & READER_KEEP_ZEROS)
    return n == r->p->n_events || reader_fail (r, "fewer costs than events");
  if (n > 1 && !r->numbers[n - 1])
    return reader_fail (r, "trailing zero cost");
  return true;
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
  if (!reader_step (r, SPEC_COST) || !need_fn (r)
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
  return reader_record_end (r);
}

/* Lines of the form KEY=VALUE.  */
bool
reader_spec_line (struct reader *r, struct reader_span key,
                  struct reader_span value)
{
  if (reader_is (key, "ob"))
    return object (r, value);
  if (reader_is (key, "fl"))
    return file (r, value);
  if (reader_is (key, "fn"))
    return function (r, value);
  if (reader_is (key, "fi") || reader_is (key, "fe"))
    return inlined (r, value);
  if (reader_is (key, "cob"))
    return called_object (r, value);
  if (reader_is (key, "cfi") || (!r->strict && reader_is (key, "cfl")))
    return called_file (r, value);
  if (reader_is (key, "cfn"))
    return called_function (r, value);
  if (reader_is (key, "calls"))
    return calls (r, value);
  if (reader_is (key, "jfi"))
    return jump_file (r, value);
  if (reader_is (key, "jfn"))
    return jump_function (r, value);
  if (reader_is (key, "jump") || reader_is (key, "jcnd"))
    return jump (r, value, reader_is (key, "jcnd"));
  if (r->strict)
    return reader_fail (r, "line that some reader does not know");
  r->p->ignored_lines++;
  return true;
}
