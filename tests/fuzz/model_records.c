/* model_records.c - submit a record, and see that it is recorded, lost or
   refused as include/cgw.h says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <string.h>

static const char *const calls[]
    = { "cgw_cost", "cgw_call", "cgw_jump", "cgw_cond_jump" };

static bool
has_costs (const struct model_record *r)
{
  return r->kind == MODEL_COST || r->kind == MODEL_CALL;
}

bool
model_is_foreign (const struct model_writer *m, const struct model_pos *pos)
{
  return (pos->fn->handle != 0 && pos->fn->owner != m->names)
         || (pos->file != NULL && pos->file->owner != m->names);
}

/* Which statuses may refuse a record, as bits.  If several are right, the
   contract leaves open which one comes.  */
static unsigned
refusals (const struct model_writer *m, const struct model_record *r)
{
  bool lacks_to = r->kind != MODEL_COST && r->to == NULL;
  unsigned set = 0;

  if (m->state == MODEL_NO_FILE || m->state >= MODEL_FINISHING)
    return 1u << CGW_EFINISHED;
  if (m->state != MODEL_IN_PART)
    set |= 1u << CGW_EORDER;
  else if (has_costs (r) && r->n > model_n_events (m->shape))
    set |= 1u << CGW_ECOSTS;
  if (r->from == NULL || lacks_to
      || (has_costs (r) && r->cost == NULL && r->n != 0))
    return set | 1u << CGW_EINVAL;
  if (model_is_foreign (m, r->from)
      || (r->kind != MODEL_COST && model_is_foreign (m, r->to)))
    return set | 1u << CGW_EHANDLE
           | (r->kind == MODEL_CALL && r->count == 0 ? 1u << CGW_EINVAL : 0);
  if (r->kind == MODEL_CALL && r->count == 0
      && !(m->flags & CGW_ZERO_CALLS))
    set |= 1u << CGW_EINVAL;
  if ((r->kind == MODEL_JUMP || r->kind == MODEL_COND_JUMP)
      && strcmp (r->from->fn->object->text->written,
                 r->to->fn->object->text->written)
             != 0)
    set |= 1u << CGW_EINVAL;
  return set;
}

struct cgw_pos
model_position (const struct model_pos *pos)
{
  return (struct cgw_pos){ .fn = { pos->fn->handle },
                           .file = { pos->file ? pos->file->handle : 0 },
                           .line = pos->line,
                           .instr = pos->instr };
}

static enum cgw_status
submit (struct cgw_writer *w, const struct model_record *r)
{
  struct cgw_pos from, to;
  const struct cgw_pos *at = NULL, *target = NULL;

  if (r->from != NULL)
    from = model_position (r->from), at = &from;
  if (r->to != NULL)
    to = model_position (r->to), target = &to;
  switch (r->kind)
    {
    case MODEL_COST:
      return cgw_cost (w, at, r->cost, r->n);
    case MODEL_CALL:
      return cgw_call (w, at, target, r->count, r->cost, r->n);
    case MODEL_JUMP:
      return cgw_jump (w, at, target, r->count);
    default:
      return cgw_cond_jump (w, at, target, r->followed, r->count);
    }
}

/* The costs count for the totals of the part, recorded or lost.  */
static void
add_costs (struct model_part *part, const struct model_record *r)
{
  for (size_t i = 0; r->kind == MODEL_COST && i < r->n; i++)
    {
      part->overflow |= r->cost[i] > UINT64_MAX - part->sum[i];
      part->sum[i] += r->cost[i];
    }
}

static void
add_lost (struct model_writer *m, const struct model_record *r)
{
  struct model_part *part = &m->part[m->n_parts - 1];

  part->lost++;
  m->lost++;
  for (size_t i = 0; r->kind == MODEL_COST && i < r->n; i++)
    {
      part->lost_overflow |= r->cost[i] > UINT64_MAX - part->lost_cost[i];
      part->lost_cost[i] += r->cost[i];
      m->lost_cost[i] += r->cost[i];
    }
}

static void
add_entry (struct model_writer *m, const struct model_record *r)
{
  struct model_entry *e = &m->entry[m->n_entries++];

  *e = (struct model_entry){ .kind = r->kind,
                             .from = *r->from,
                             .count = r->count,
                             .followed = r->followed,
                             .part = m->n_parts - 1 };
  if (r->to != NULL)
    e->to = *r->to;
  for (size_t i = 0; has_costs (r) && i < r->n; i++)
    e->cost[i] = r->cost[i];
}

bool
model_is_silent (const struct model_writer *m, const struct model_record *r)
{
  return (m->flags & CGW_CACHEGRIND) && r->kind != MODEL_COST;
}

void
model_note_record (struct model_writer *m, const struct model_record *r,
                   enum cgw_status status)
{
  add_costs (&m->part[m->n_parts - 1], r);
  if (status == CGW_OK)
    add_entry (m, r);
  else
    {
      add_lost (m, r);
      model_keep (m, status == CGW_EAGAIN ? CGW_ELOST : status);
    }
}

void
model_submit (struct model_writer *m, const struct model_record *r)
{
  unsigned set = refusals (m, r);
  enum cgw_status status;
  const char *call = calls[r->kind];

  if (m->n_entries == MODEL_ENTRIES)
    return;
  model_before (m);
  status = submit (m->w, r);
  if (set != 0)
    {
      if (!(set >> status & 1))
        fuzz_fail ("%s: %d is none of %#x", call, status, set);
      m->refused++;
      if (status != CGW_EFINISHED)
        model_keep (m, status);
      model_after (m, call);
      return;
    }
  if (model_is_silent (m, r))
    model_expect (m, call, status, CGW_OK);
  else
    model_expect_room (m, call, status, true);
  model_note_record (m, r, status);
  model_after (m, call);
  if (status == CGW_OK && !model_is_silent (m, r))
    m->entry[m->n_entries - 1].end = m->written + m->buffered;
}
