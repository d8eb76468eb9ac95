/* check_header.c - checks lines "key: value": the header, parts and totals.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/text.h"

#include <stdlib.h>
#include <string.h>

/* Parts.  */

static void
new_part (struct check *c)
{
  check_function_end (c);
  check_part_end (c);
  c->part++;
  c->part_events = c->part_positions = c->part_data = false;
  c->part_fl = false;
  c->position_in_part = false;
  memset (&c->sums, 0, sizeof c->sums);
  memset (c->base, 0, sizeof c->base);
}

/* A line that begins a part if there was events: in this one, as KCachegrind
   does it.  `rule` is broken if there was nothing else.  */
static void
part_line (struct check *c, enum rule rule)
{
  if (!c->part_events)
    return;
  c->new_part_line = c->part_data ? 0 : c->line;
  c->new_part_rule = rule;
  new_part (c);
}

void
check_body_begins (struct check *c)
{
  if (c->part_data)
    return;
  c->part_data = true;
  if (c->part == 0 && c->part_events && !c->summary_line)
    report (c->report, RULE_NO_SUMMARY, c->events_line);
  if (!c->part_events && !c->no_events_said)
    {
      c->no_events_said = true;
      if (!c->any_events)
        found (c, RULE_NO_EVENTS);
      else if (c->new_part_line)
        report (c->report, c->new_part_rule, c->new_part_line);
      else
        found (c, RULE_PART_WITHOUT_EVENTS);
    }
  if (!c->any_positions && c->part == 0 && c->part_events)
    report (c->report, RULE_POSITIONS_MISSING, c->events_line);
  if (c->part > 0 && !c->part_positions && !c->positions_default
      && !c->new_part_line)
    found (c, RULE_POSITIONS_NOT_REPEATED);
  c->new_part_line = 0;
}

void
check_part_end (struct check *c)
{
  if (c->summary_line == 0)
    return;
  for (unsigned i = 0; i < c->n_summary; i++)
    if (c->summary[i] < c->sums.of[i] && !c->sums.too_large)
      {
        report (c->report, RULE_SUMMARY_TOO_SMALL, c->summary_line);
        break;
      }
  c->summary_line = 0;
}

/* Lines of the header.  */

static void
check_version (struct check *c, const char *value)
{
  value = skip_blanks (value);
  if (strcmp (value, "1") != 0)
    found (c, RULE_VERSION_UNKNOWN);
  if (c->header_lines > 0)
    found (c, RULE_VERSION_NOT_FIRST);
  else if (c->blank_in_header)
    found (c, RULE_BLANK_BEFORE_VERSION);
  c->version_first = c->header_lines == 0;
}

static void
check_creator (struct check *c, const char *value)
{
  (void) value;
  if (c->header_lines > 1 || (c->header_lines == 1 && !c->version_first))
    found (c, RULE_CREATOR_NOT_SECOND);
  else if (c->blank_in_header)
    found (c, RULE_BLANK_BEFORE_VERSION);
}

/* pid:, part:  */
static void
check_part_line (struct check *c, const char *value)
{
  (void) value;
  part_line (c, RULE_PART_LINE_AFTER_EVENTS);
}

static void
check_thread (struct check *c, const char *value)
{
  check_part_line (c, value);
  if (!c->any_events)
    found (c, RULE_THREAD_LINE);
}

/* cmd:, desc:  */
static void
check_description (struct check *c, const char *value)
{
  (void) value;
  if (c->part_data)
    found (c, RULE_DESCRIPTION_BEFORE_PART);
  else if (c->part_events)
    found (c, RULE_DESCRIPTION_AFTER_EVENTS);
}

static void
check_positions (struct check *c, const char *value)
{
  static const char *const names[] = { [INSTR] = "instr", [BB] = "bb",
                                       [LINE] = "line" };
  bool had = c->any_positions, was_default = c->positions_default;
  const char *instr = strstr (value, "instr"), *line = strstr (value, "line");
  unsigned n = 0;

  part_line (c, RULE_POSITIONS_AFTER_EVENTS);
  for (unsigned i = 0; i < SUBPOSITIONS; i++)
    if (strstr (value, names[i]))
      c->positions[n++] = i;
  if (n > 0)
    c->n_positions = n;
  if (instr && line && instr > line)
    {
      c->positions[0] = LINE;
      c->positions[n - 1] = INSTR;
    }
  c->positions_default = n == 1 && c->positions[0] == LINE;
  c->any_positions = c->part_positions = true;
  if (strstr (value, "bb"))
    found (c, RULE_POSITIONS_BB);
  else if (instr && line && instr > line)
    found (c, RULE_POSITIONS_ORDER);
  if (instr && line)
    found (c, RULE_INSTR_AND_LINE);
  if (c->part > 0 && had && was_default != c->positions_default
      && !c->new_part_line)
    found (c, RULE_POSITIONS_CHANGE);
}

/* A bit for each event that KCachegrind computes from others by itself, or
   0.  */
static unsigned
computed_event (const char *name, size_t n)
{
  static const char *const names[] = { "L1m", "L2m", "LLm", "Bm", "CEst" };

  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen (names[i]) == n && memcmp (names[i], name, n) == 0)
      return 1U << i;
  return 0;
}

/* event: NAME [= FORMULA] [: LONG NAME]  */
static void
check_event (struct check *c, const char *value)
{
  const char *name = skip_blanks (value);
  size_t n = strcspn (name, " \t=:");
  const char *rest = skip_blanks (name + n);
  const char *hex;

  if (!is_identifier (name, n) || (*rest && *rest != '=' && *rest != ':'))
    found (c, RULE_EVENT_NOT_IDENTIFIER);
  if (*rest == ':')
    c->computed_named |= computed_event (name, n);
  hex = *rest == '=' ? strstr (rest, "0x") : NULL;
  if (hex && (hex[-1] == ' ' || hex[-1] == '=' || hex[-1] == '+'))
    found (c, RULE_FORMULA_HEX);
  if (c->part_events)
    found (c, RULE_EVENT_LINE_AFTER_EVENTS);
  else if (c->part == 0)
    found (c, RULE_EVENT_LINE);
}

void
check_events (struct check *c, const char *value)
{
  uint64_t seen[EVENTS];
  const char *p = skip_blanks (value);
  uint64_t all = 0;
  size_t n;
  bool blanks = p > value + 1;
  bool twice = false, computed = false;

  c->n_events = 0;
  for (; *p; p += n, p = skip_blanks (p))
    {
      uint64_t event;
      n = strcspn (p, " \t");
      event = map_hash (p, n);
      all = all * 31 + event;
      blanks |= p[n] == ' ' && (p[n + 1] == ' ' || p[n + 1] == '\0');
      computed |= (computed_event (p, n) & c->computed_named) != 0;
      for (unsigned i = 0; i < c->n_events && i < EVENTS; i++)
        twice |= seen[i] == event;
      if (c->n_events < EVENTS)
        seen[c->n_events] = event;
      c->n_events++;
    }
  if (strchr (value, '\t'))
    found (c, RULE_EVENTS_TAB);
  else if (blanks)
    found (c, RULE_EVENTS_BLANKS);
  if (twice)
    found (c, RULE_EVENT_TWICE);
  if (computed)
    found (c, RULE_EVENT_KNOWN_FORMULA);
  if (c->n_events > EVENTS)
    found (c, RULE_TOO_MANY_EVENTS);
  if (c->part > 0 && c->any_events && all != c->events_hash)
    found (c, RULE_EVENTS_CHANGE);
  if (!c->any_events)
    c->events_hash = all;
}

static void
check_events_line (struct check *c, const char *value)
{
  part_line (c, RULE_PART_LINE_AFTER_EVENTS);
  if (*value != ' ' && *value != '\t' && *value)
    found (c, RULE_EVENTS_WITHOUT_BLANK);
  check_events (c, value);
  if (c->part > 0)
    found (c, RULE_SEVERAL_PARTS);
  c->any_events = c->part_events = true;
  c->events_line = c->line;
}

/* Totals.  */

bool
read_totals (const char *value, uint64_t *numbers, unsigned *n)
{
  const char *p = skip_blanks (value);

  for (*n = 0; *p; p = skip_blanks (p))
    {
      uint64_t number = 0;
      size_t digits = strspn (p, "0123456789");
      if (digits == 0 || (p[digits] && p[digits] != ' ' && p[digits] != '\t'))
        return false;
      for (; digits > 0; digits--, p++)
        number = number * 10 + (uint64_t) (*p - '0');
      if (*n < EVENTS)
        numbers[(*n)++] = number;
    }
  return *n > 0;
}

/* Are there less numbers than events?  */
static void
check_number (struct check *c, unsigned n)
{
  if (n < c->n_events && n < EVENTS)
    found (c, RULE_TOTALS_FEWER);
}

/* summary: is "equal or larger" to the part's costs, and may be known before
   them: it is compared at the part's end.  */
static void
check_summary (struct check *c, const char *value)
{
  if (!c->part_events)
    {
      found (c, RULE_SUMMARY_BEFORE_EVENTS);
      return;
    }
  c->any_totals = true;
  if (!read_totals (value, c->summary, &c->n_summary))
    {
      found (c, RULE_TOTALS_MALFORMED);
      return;
    }
  check_number (c, c->n_summary);
  c->summary_line = c->line;
}

static void
check_totals (struct check *c, const char *value)
{
  uint64_t totals[EVENTS];
  unsigned n;

  check_lonely_cfn (c);
  c->any_totals = true;
  if (!read_totals (value, totals, &n))
    {
      found (c, RULE_TOTALS_MALFORMED);
      return;
    }
  check_number (c, n);
  if (!c->sums.too_large
      && memcmp (totals, c->sums.of, n * sizeof *totals) != 0)
    found (c, RULE_TOTALS_WRONG);
}

/* What is behind the colon of a line of the header.  */
static void
check_value (struct check *c, const char *text, const char *value)
{
  bool blank = *value == ' ' || *value == '\t' || *value == '\0';
  bool events = after (text, "events:") != NULL;

  if (!blank && !events && !after (text, "version:"))
    found (c, RULE_KEY_WITHOUT_BLANK);
  /* These end Qt Creator's header whatever is behind them.  */
  if (after (text, "event:") || after (text, "thread:")
      || after (text, "totals:"))
    return;
  if (*value != ' ' && (blank || !events) && c->part == 0 && !c->part_data)
    found (c, RULE_KEY_WITHOUT_ONE_BLANK);
}

bool
check_header (struct check *c, const char *text)
{
  static const struct
  {
    const char *key;
    void (*check) (struct check *c, const char *value);
  } keys[] = {
    { "version:", check_version },
    { "creator:", check_creator },
    { "pid:", check_part_line },
    { "part:", check_part_line },
    { "thread:", check_thread },
    { "cmd:", check_description },
    { "desc:", check_description },
    { "positions:", check_positions },
    { "event:", check_event },
    { "events:", check_events_line },
    { "summary:", check_summary },
    { "totals:", check_totals },
  };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    {
      const char *value = after (text, keys[i].key);
      if (!value)
        continue;
      check_value (c, text, value);
      keys[i].check (c, value);
      c->header_lines++;
      return true;
    }
  if (c->part_data)
    return false;
  found (c, RULE_HEADER_KEY_UNKNOWN);
  c->header_lines++;
  return true;
}
