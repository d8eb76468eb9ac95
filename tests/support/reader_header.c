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

bool
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
  return true;
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
  if (r->strict && r->stage != STAGE_TOTALS && needed)
    return reader_fail (r, "part %zu has no totals:", r->p->n_parts);
  return true;
}

/* The values of single keys.  */

/* bit: which key it is of those that come once.  */
static bool
whole_number (struct reader *r, struct reader_span value, unsigned bit,
              uint64_t *n)
{
  if (r->strict && (r->seen & bit))
    return reader_fail (r, "pid:, part: or thread: twice");
  r->seen |= bit;
  if (!reader_number (r, &value, n))
    return !r->strict;
  if (r->strict && value.at < value.end)
    return reader_fail (r, "text after the number");
  return true;
}

static char **
add_line (char **lines, size_t *n, struct reader_span text)
{
  lines = realloc (lines, (*n + 1) * sizeof *lines);
  if (!lines)
    abort ();
  lines[(*n)++] = reader_copy (text);
  return lines;
}

static bool
command (struct reader *r, struct reader_span value)
{
  if (r->strict && r->part->cmd)
    return reader_fail (r, "cmd: twice");
  free (r->part->cmd);
  r->part->cmd = reader_copy (value);
  return true;
}

static bool
positions_strict (struct reader *r, struct reader_span value)
{
  if (r->stage == STAGE_POSITIONS)
    return reader_fail (r, "positions: twice");
  if (reader_is (value, "line"))
    r->part->positions = PROFILE_LINE;
  else if (reader_is (value, "instr"))
    r->part->positions = PROFILE_INSTR;
  else if (reader_is (value, "instr line"))
    r->part->positions = PROFILE_INSTR | PROFILE_LINE;
  else
    return reader_fail (r, "positions: not line, instr or instr line");
  if (r->part->positions != r->p->parts[0].positions)
    return reader_fail (r, "positions: differ from the first part's");
  return true;
}

static bool
positions_lenient (struct reader *r, struct reader_span value)
{
  r->part->positions = 0;
  while (value.at < value.end)
    {
      struct reader_span word = value;
      while (value.at < value.end && *value.at != ' ')
        value.at++;
      word.end = value.at;
      reader_trim (&value);
      if (reader_is (word, "line"))
        r->part->positions |= PROFILE_LINE;
      else if (reader_is (word, "instr"))
        r->part->positions |= PROFILE_INSTR;
      else
        return reader_fail (r, "positions: that the readers do not know");
    }
  return true;
}

static bool
positions (struct reader *r, struct reader_span value)
{
  bool ok = r->strict ? positions_strict (r, value)
                      : positions_lenient (r, value);
  if (r->stage < STAGE_POSITIONS)
    r->stage = STAGE_POSITIONS;
  return ok;
}

static bool
events (struct reader *r, struct reader_span value)
{
  struct profile *p = r->p;
  if (r->strict && r->stage < STAGE_POSITIONS)
    return reader_fail (r, "events: before positions:");
  if (!reader_events (r, value))
    return false;
  if (p->n_parts > 1 && r->part->n_events != p->n_events)
    return reader_fail (r, "events: differ from the first part's");
  if (r->strict && !reader_same_events (r->part, &p->parts[0]))
    return reader_fail (r, "events: differ from the first part's");
  if (p->n_parts == 1)
    {
      p->n_events = r->part->n_events;
      profile_table_init (&p->costs, COST_KEYS, p->n_events);
      profile_table_init (&p->edges, EDGE_KEYS, EDGE_COST + p->n_events);
    }
  r->part->self = calloc (p->n_events, sizeof *r->part->self);
  if (!r->part->self)
    abort ();
  r->stage = STAGE_EVENTS;
  return true;
}

/* A line of sums.  Other writers' are kept as far as they are numbers.  */
static bool
sums (struct reader *r, struct reader_span value, uint64_t **to, size_t *n)
{
  size_t max = r->strict ? r->p->n_events : SIZE_MAX;
  if (!reader_numbers (r, &value, max, n) && r->strict)
    return false;
  if (r->strict && *n != r->p->n_events)
    return reader_fail (r, "fewer numbers than events");
  free (*to);
  *to = calloc (*n + 1, sizeof **to);
  if (!*to)
    abort ();
  if (*n)
    memcpy (*to, r->numbers, *n * sizeof **to);
  return true;
}

static bool
summary (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (r->strict && r->stage != STAGE_EVENTS)
    return reader_fail (r, "summary: not directly after events:");
  if (!sums (r, value, &part->summary, &part->n_summary))
    return false;
  part->has_summary = true;
  if (r->strict)
    r->stage = STAGE_SUMMARY;
  return true;
}

static bool
totals (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (r->strict && (r->stage < STAGE_EVENTS || r->stage == STAGE_TOTALS))
    return reader_fail (r, "totals: not at the end of a part");
  if (!reader_between_records (r, "totals:")
      || !sums (r, value, &part->totals, &part->n_totals))
    return false;
  part->has_totals = true;
  for (size_t i = 0; r->strict && i < part->n_events; i++)
    if (part->self[i].overflow)
      return reader_fail (r, "totals: of a sum past 2^64-1");
    else if (part->self[i].value != part->totals[i])
      return reader_fail (r, "totals: not the sum of the cost lines");
  if (r->strict)
    r->stage = STAGE_TOTALS;
  return true;
}

/* Lines that must come before events:.  */
static bool
description (struct reader *r, struct reader_span key,
             struct reader_span value, bool *known)
{
  struct profile_part *part = r->part;
  *known = true;
  if (reader_is (key, "pid"))
    return whole_number (r, value, 1u, &part->pid);
  if (reader_is (key, "part"))
    return whole_number (r, value, 2u, &part->part);
  if (reader_is (key, "thread"))
    return whole_number (r, value, 4u, &part->thread);
  if (reader_is (key, "cmd"))
    return command (r, value);
  if (reader_is (key, "desc"))
    {
      part->desc = add_line (part->desc, &part->n_desc, value);
      return true;
    }
  if (reader_is (key, "positions"))
    return positions (r, value);
  if (reader_is (key, "event"))
    return reader_event_line (r, value);
  if (reader_is (key, "events"))
    return events (r, value);
  *known = false;
  return true;
}

/* One blank after the colon; only cmd: and desc: may be empty.  */
static bool
check_value (struct reader *r, struct reader_span key,
             struct reader_span *value)
{
  if (!r->strict)
    {
      reader_trim (value);
      return true;
    }
  if (value->at == value->end)
    return reader_is (key, "cmd") || reader_is (key, "desc")
           || reader_fail (r, "header line without a value");
  if (*value->at++ != ' ')
    return reader_fail (r, "no blank after the colon");
  if (*value->at == ' ')
    return reader_fail (r, "more than one blank between fields");
  return true;
}

/* Begins a later part where a line says so.  */
static bool
turn_part (struct reader *r, struct reader_span key)
{
  bool after = r->stage >= STAGE_EVENTS;
  if (r->strict)
    {
      if (after && !starts_part (key))
        return reader_fail (r, "header line after events:");
      return !after || (reader_end_part (r, false) && reader_begin_part (r));
    }
  if (after && (starts_part (key) || reader_is (key, "events")))
    return reader_begin_part (r);
  return true;
}

bool
reader_header_line (struct reader *r, struct reader_span key,
                    struct reader_span value)
{
  if (!check_value (r, key, &value))
    return false;
  if (reader_is (key, "summary"))
    return summary (r, value);
  if (reader_is (key, "totals"))
    return totals (r, value);
  if (!turn_part (r, key))
    return false;

  bool known;
  if (!description (r, key, value, &known))
    return false;
  if (!known && r->strict)
    return reader_fail (r, "header key that some reader does not know");
  if (!known && !reader_is (key, "version") && !reader_is (key, "creator"))
    r->p->ignored_lines++;
  return true;
}

bool
reader_comment (struct reader *r, struct reader_span text)
{
  r->p->comment_lines++;
  if (!reader_between_records (r, "comment"))
    return false;
  if (r->strict && r->stage == STAGE_TOTALS)
    return reader_fail (r, "comment after totals:");
  text.at++;
  if (text.at < text.end && *text.at == ' ')
    text.at++;
  r->part->comments = add_line (r->part->comments, &r->part->n_comments, text);
  return true;
}
