/* reader_header.c - header lines of a part, summary:, totals:, and comments.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#include <stdlib.h>
#include <string.h>

static bool
starts_part (struct reader_span key)
{
  return reader_is (key, "pid") || reader_is (key, "part")
         || reader_is (key, "thread") || reader_is (key, "positions");
}

void
reader_begin_part (struct reader *r)
{
  struct profile *p = r->p;
  p->parts = profile_grow (p->parts, p->n_parts, &r->part_room,
                           sizeof *p->parts);
  r->part = &p->parts[p->n_parts++];
  memset (r->part, 0, sizeof *r->part);
  r->part->positions = r->strict ? 0 : PROFILE_LINE;
  r->stage = STAGE_HEADER;
  r->seen = 0;
  if (r->strict)
    {
      r->former_object = r->has_ob ? r->object : r->former_object;
      r->object = 0;
    }
  r->has_ob = false;
  r->has_fl = false;
  r->fn = READER_NO_FN;
  r->has_base = false;
  r->base = (struct reader_pos) { 0, 0 };
}

/* Whether some event's sum passed 2^64-1: then there are no totals.  */
static bool
overflowed (const struct profile_part *part)
{
  for (size_t i = 0; part->self && i < part->n_events; i++)
    if (part->self[i].overflow)
      return true;
  return false;
}

bool
reader_end_part (struct reader *r, bool last)
{
  if (r->stage < STAGE_EVENTS)
    return reader_fail (r, "part %zu has no events: line", r->p->n_parts);
  if (!reader_between_records (r, last ? "end of file" : "header line"))
    return false;
  bool needed = !overflowed (r->part)
                && !(last && (r->flags & READER_UNFINISHED));
  return reader_rule (r, r->stage == STAGE_TOTALS || !needed,
                      "part %zu has no totals:", r->p->n_parts);
}

/* The values of single keys.  */

/* bit: which key it is of those that come once.  */
static bool
whole_number (struct reader *r, struct reader_span value, unsigned bit,
              uint64_t *n)
{
  if (!reader_rule (r, !(r->seen & bit), "pid:, part: or thread: twice"))
    return false;
  r->seen |= bit;
  if (!reader_number (r, &value, n))
    return !r->strict;
  return reader_rule (r, value.at == value.end, "text after the number");
}

static bool
add_line (char ***lines, size_t *n, struct reader_span text)
{
  *lines = profile_resize (*lines, (*n + 1) * sizeof **lines);
  (*lines)[(*n)++] = reader_copy (text);
  return true;
}

static bool
command (struct reader *r, struct reader_span value)
{
  if (!reader_rule (r, !r->part->cmd, "cmd: twice"))
    return false;
  free (r->part->cmd);
  r->part->cmd = reader_copy (value);
  return true;
}

/* Words in any order, but strict files have what all readers know.  */
static bool
positions (struct reader *r, struct reader_span value)
{
  unsigned *known = &r->part->positions;
  bool once = r->stage != STAGE_POSITIONS;
  bool usual = reader_is (value, "line") || reader_is (value, "instr")
               || reader_is (value, "instr line");
  if (r->stage < STAGE_POSITIONS)
    r->stage = STAGE_POSITIONS;
  *known = 0;
  while (value.at < value.end)
    {
      struct reader_span word = value;
      while (value.at < value.end && *value.at != ' ')
        value.at++;
      word.end = value.at;
      reader_trim (&value);
      if (reader_is (word, "line"))
        *known |= PROFILE_LINE;
      else if (reader_is (word, "instr"))
        *known |= PROFILE_INSTR;
      else
        return reader_fail (r, "positions: not line, instr or instr line");
    }
  return reader_rule (r, once, "positions: twice")
         && reader_rule (r, usual, "positions: not line, instr or instr line")
         && reader_rule (r, *known == r->p->parts[0].positions,
                         "positions: differ from the first part's");
}

static bool
events (struct reader *r, struct reader_span value)
{
  struct profile *p = r->p;
  struct profile_part *part = r->part;
  if (!reader_rule (r, r->stage == STAGE_POSITIONS,
                    "events: before positions:")
      || !reader_events (r, value))
    return false;
  if (p->n_parts > 1
      && (part->n_events != p->n_events
          || (r->strict && !reader_same_events (part, &p->parts[0]))))
    return reader_fail (r, "events: differ from the first part's");
  if (p->n_parts == 1)
    {
      p->n_events = part->n_events;
      profile_table_init (&p->costs, COST_KEYS, p->n_events);
      profile_table_init (&p->edges, EDGE_KEYS, EDGE_COST + p->n_events);
    }
  part->self = profile_zeros (p->n_events, sizeof *part->self);
  r->stage = STAGE_EVENTS;
  return true;
}

/* A line of sums.  Other writers' are kept as far as they are numbers.  */
static bool
sums (struct reader *r, struct reader_span value, uint64_t **to, size_t *n)
{
  size_t max = r->strict ? r->p->n_events : SIZE_MAX;
  if ((!reader_numbers (r, &value, max, n) && r->strict)
      || !reader_rule (r, *n == r->p->n_events, "fewer numbers than events"))
    return false;
  free (*to);
  *to = profile_zeros (*n, sizeof **to);
  if (*n)
    memcpy (*to, r->numbers, *n * sizeof **to);
  return true;
}

static bool
summary (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (!reader_rule (r, r->stage == STAGE_EVENTS,
                    "summary: not directly after events:")
      || !sums (r, value, &part->summary, &part->n_summary))
    return false;
  if (r->strict)
    r->stage = STAGE_SUMMARY;
  return part->has_summary = true;
}

static bool
totals (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (!reader_rule (r, r->stage >= STAGE_EVENTS && r->stage < STAGE_TOTALS,
                    "totals: not at the end of a part")
      || !reader_between_records (r, "totals:")
      || !sums (r, value, &part->totals, &part->n_totals))
    return false;
  for (size_t i = 0; r->strict && i < part->n_events; i++)
    if (part->self[i].overflow)
      return reader_fail (r, "totals: of a sum past 2^64-1");
    else if (part->self[i].value != part->totals[i])
      return reader_fail (r, "totals: not the sum of the cost lines");
  if (r->strict)
    r->stage = STAGE_TOTALS;
  return part->has_totals = true;
}

/* One blank after the colon; only cmd: and desc: may be empty.  */
static bool
check_value (struct reader *r, struct reader_span key,
             struct reader_span *value)
{
  bool may_be_empty = reader_is (key, "cmd") || reader_is (key, "desc");
  size_t n = (size_t) (value->end - value->at);
  if (!reader_rule (r, n || may_be_empty, "header line without a value")
      || !reader_rule (r, !n || value->at[0] == ' ',
                       "no blank after the colon")
      || !reader_rule (r, n < 2 || value->at[1] != ' ',
                       "more than one blank between fields"))
    return false;
  reader_trim (value);
  return true;
}

/* Begins a later part where a line says so.  */
static bool
turn_part (struct reader *r, struct reader_span key)
{
  if (r->stage < STAGE_EVENTS)
    return true;
  bool starts = starts_part (key) || (!r->strict && reader_is (key, "events"));
  if (!reader_rule (r, starts, "header line after events:")
      || (r->strict && !reader_end_part (r, false)))
    return false;
  if (starts)
    reader_begin_part (r);
  return true;
}

bool
reader_header_line (struct reader *r, struct reader_span key,
                    struct reader_span value)
{
  struct profile_part *part;
  if (!check_value (r, key, &value))
    return false;
  if (reader_is (key, "summary"))
    return summary (r, value);
  if (reader_is (key, "totals"))
    return totals (r, value);
  /* The others must come before events:.  */
  if (!turn_part (r, key))
    return false;
  part = r->part;
  if (reader_is (key, "pid"))
    return whole_number (r, value, 1u, &part->pid);
  if (reader_is (key, "part"))
    return whole_number (r, value, 2u, &part->part);
  if (reader_is (key, "thread"))
    return whole_number (r, value, 4u, &part->thread);
  if (reader_is (key, "cmd"))
    return command (r, value);
  if (reader_is (key, "desc"))
    return add_line (&part->desc, &part->n_desc, value);
  if (reader_is (key, "positions"))
    return positions (r, value);
  if (reader_is (key, "event"))
    return reader_event_line (r, value);
  if (reader_is (key, "events"))
    return events (r, value);
  return reader_rule (r, false, "header key that some reader does not know");
}

bool
reader_comment (struct reader *r, struct reader_span text)
{
  if (!reader_between_records (r, "comment")
      || !reader_rule (r, r->stage != STAGE_TOTALS, "comment after totals:"))
    return false;
  text.at++;
  if (text.at < text.end && *text.at == ' ')
    text.at++;
  return add_line (&r->part->comments, &r->part->n_comments, text);
}
