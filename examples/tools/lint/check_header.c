/* check_header.c - checks lines "key: value": the header, parts and totals.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/text.h"

#include <string.h>

/* Parts.  */

static void
check_part_end (struct check *c)
{
  if (c->header.summary_line == 0)
    return;
  for (unsigned i = 0; i < c->header.n_summary; i++)
    if (c->header.summary[i] < c->records.sums[i] && !c->records.sum_too_large)
      {
        report_at (c, RULE_SUMMARY_TOO_SMALL, c->header.summary_line);
        break;
      }
  c->header.summary_line = 0;
}

static void
new_part (struct check *c)
{
  struct header *h = &c->header;

  check_function_end (c);
  check_part_end (c);
  check_records_part (c);
  h->part++;
  h->part_line = c->line;
  h->part_events = h->part_positions = h->part_data = false;
}

/* A line that begins a part if there was events: in this one, as KCachegrind
   does it.  `rule` is broken if there was nothing else.  */
static void
part_line (struct check *c, enum rule rule)
{
  if (!c->header.part_events)
    return;
  c->header.new_part_line = c->header.part_data ? 0 : c->line;
  c->header.new_part_rule = rule;
  new_part (c);
}

void
check_body_begins (struct check *c)
{
  struct header *h = &c->header;

  if (h->part_data)
    return;
  h->part_data = true;
  if (h->part == 0 && h->part_events && !h->summary_line)
    report_at (c, RULE_NO_SUMMARY, h->events_line);
  if (!h->part_events && !h->no_events_said)
    {
      h->no_events_said = true;
      if (!h->any_events)
        report (c, RULE_NO_EVENTS);
      else if (h->new_part_line)
        report_at (c, h->new_part_rule, h->new_part_line);
      else
        report (c, RULE_PART_WITHOUT_EVENTS);
    }
  if (!h->any_positions && h->part == 0 && h->part_events)
    report_at (c, RULE_POSITIONS_MISSING, h->events_line);
  if (h->part > 0 && !h->part_positions
      && !h->positions_default
      && !h->new_part_line)
    report (c, RULE_POSITIONS_NOT_REPEATED);
  h->new_part_line = 0;
}

/* Lines of the header.  */

static void
check_version (struct check *c, const char *value)
{
  struct header *h = &c->header;

  value = skip_blanks (value);
  if (strcmp (value, "1") != 0)
    report (c, RULE_VERSION_UNKNOWN);
  if (h->lines > 0)
    report (c, RULE_VERSION_NOT_FIRST);
  else if (h->has_blank)
    report (c, RULE_BLANK_BEFORE_VERSION);
  h->version_first = h->lines == 0;
}

static void
check_creator (struct check *c, const char *value)
{
  (void) value;
  if (c->header.lines > 1 || (c->header.lines == 1 && !c->header.version_first))
    report (c, RULE_CREATOR_NOT_SECOND);
  else if (c->header.has_blank)
    report (c, RULE_BLANK_BEFORE_VERSION);
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
  if (!c->header.any_events)
    report (c, RULE_THREAD_LINE);
}

/* cmd:, desc:  */
static void
check_description (struct check *c, const char *value)
{
  (void) value;
  if (c->header.part_data)
    report (c, RULE_DESCRIPTION_BEFORE_PART);
  else if (c->header.part_events)
    report (c, RULE_DESCRIPTION_AFTER_EVENTS);
}

static void
check_positions (struct check *c, const char *value)
{
  struct header *h = &c->header;
  static const char *const names[] = { [INSTR] = "instr", [BB] = "bb",
                                       [LINE] = "line" };
  bool had = h->any_positions, was_default = h->positions_default;
  const char *instr = strstr (value, "instr"), *line = strstr (value, "line");
  unsigned n = 0;

  part_line (c, RULE_POSITIONS_AFTER_EVENTS);
  for (unsigned i = 0; i < SUBPOSITIONS; i++)
    if (strstr (value, names[i]))
      h->positions[n++] = i;
  if (n > 0)
    h->n_positions = n;
  if (instr && line && instr > line)
    {
      h->positions[0] = LINE;
      h->positions[n - 1] = INSTR;
    }
  h->positions_default = n == 1 && h->positions[0] == LINE;
  h->any_positions = h->part_positions = true;
  if (strstr (value, "bb"))
    report (c, RULE_POSITIONS_BB);
  else if (instr && line && instr > line)
    report (c, RULE_POSITIONS_ORDER);
  if (instr && line)
    report (c, RULE_INSTR_AND_LINE);
  if (h->part > 0 && had && was_default != h->positions_default
      && !h->new_part_line)
    report (c, RULE_POSITIONS_CHANGE);
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
    report (c, RULE_EVENT_NOT_IDENTIFIER);
  if (*rest == ':')
    c->header.computed_named |= computed_event (name, n);
  else if (*rest == '=')
    check_formula (c, name, n, rest + 1);
  hex = *rest == '=' ? strstr (rest, "0x") : NULL;
  if (hex && (hex[-1] == ' ' || hex[-1] == '=' || hex[-1] == '+'))
    report (c, RULE_FORMULA_HEX);
  if (c->header.part_events)
    report (c, RULE_EVENT_LINE_AFTER_EVENTS);
  else if (c->header.part == 0)
    report (c, RULE_EVENT_LINE);
}

/* Whether the events are those of the first part, which they become if it has
   none yet.  */
static bool
has_first_events (struct header *h, const uint32_t *events)
{
  unsigned n = h->n_events < EVENTS ? h->n_events : EVENTS;

  if (!h->any_events)
    {
      memcpy (h->first_events, events, n * sizeof *events);
      h->n_first_events = h->n_events;
    }
  return h->n_events == h->n_first_events
         && memcmp (h->first_events, events, n * sizeof *events) == 0;
}

void
check_events (struct check *c, const char *value)
{
  struct header *h = &c->header;
  uint32_t events[EVENTS];
  const char *p = skip_blanks (value);
  size_t n;
  bool blanks = p > value + 1;
  bool twice = false, computed = false;

  h->n_events = 0;
  for (; *p; p += n, p = skip_blanks (p))
    {
      n = strcspn (p, " \t");
      uint32_t event = intern (&h->event_names, p, n);
      blanks |= p[n] == ' ' && (p[n + 1] == ' ' || p[n + 1] == '\0');
      computed |= (computed_event (p, n) & h->computed_named) != 0;
      for (unsigned i = 0; i < h->n_events && i < EVENTS; i++)
        twice |= events[i] == event;
      if (h->n_events < EVENTS)
        events[h->n_events] = event;
      h->n_events++;
    }
  if (strchr (value, '\t'))
    report (c, RULE_EVENTS_TAB);
  else if (blanks)
    report (c, RULE_EVENTS_BLANKS);
  if (twice)
    report (c, RULE_EVENT_TWICE);
  if (computed)
    report (c, RULE_EVENT_KNOWN_FORMULA);
  if (h->n_events > EVENTS)
    report (c, RULE_TOO_MANY_EVENTS);
  if (!has_first_events (h, events) && h->part > 0)
    report (c, RULE_EVENTS_CHANGE);
  if (!h->any_events)
    check_formulas_begin (c);
  h->any_events = true;
}

static void
check_events_line (struct check *c, const char *value)
{
  part_line (c, RULE_PART_LINE_AFTER_EVENTS);
  if (*value != ' ' && *value != '\t' && *value)
    report (c, RULE_EVENTS_WITHOUT_BLANK);
  check_events (c, value);
  if (c->header.part > 0)
    report (c, RULE_SEVERAL_PARTS);
  c->header.part_events = true;
  c->header.events_line = c->line;
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
  if (n < c->header.n_events && n < EVENTS)
    report (c, RULE_TOTALS_FEWER);
}

/* summary: is "equal or larger" to the part's costs, and may be known before
   them: it is compared at the part's end.  */
static void
check_summary (struct check *c, const char *value)
{
  struct header *h = &c->header;

  if (!h->part_events)
    {
      report (c, RULE_SUMMARY_BEFORE_EVENTS);
      return;
    }
  h->any_totals = true;
  if (!read_totals (value, h->summary, &h->n_summary))
    {
      report (c, RULE_TOTALS_MALFORMED);
      return;
    }
  check_number (c, h->n_summary);
  h->summary_line = c->line;
}

static void
check_totals (struct check *c, const char *value)
{
  uint64_t totals[EVENTS];
  unsigned n;

  check_lonely_cfn (c);
  c->header.any_totals = true;
  if (!read_totals (value, totals, &n))
    {
      report (c, RULE_TOTALS_MALFORMED);
      return;
    }
  check_number (c, n);
  if (!c->records.sum_too_large
      && memcmp (totals, c->records.sums, n * sizeof *totals) != 0)
    report (c, RULE_TOTALS_WRONG);
}

/* What is behind the colon of a line of the header.  */
static void
check_value (struct check *c, const char *text, const char *value)
{
  bool blank = *value == ' ' || *value == '\t' || *value == '\0';
  bool events = after (text, "events:") != NULL;

  if (!blank && !events && !after (text, "version:"))
    report (c, RULE_KEY_WITHOUT_BLANK);
  /* These end Qt Creator's header whatever is behind them.  */
  if (after (text, "event:") || after (text, "thread:")
      || after (text, "totals:"))
    return;
  if (*value != ' ' && (blank || !events) && c->header.part == 0
      && !c->header.part_data)
    report (c, RULE_KEY_WITHOUT_ONE_BLANK);
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
      c->header.lines++;
      return true;
    }
  if (c->header.part_data)
    return false;
  report (c, RULE_HEADER_KEY_UNKNOWN);
  c->header.lines++;
  return true;
}

void
check_header_blank (struct check *c)
{
  if (!c->header.any_events)
    c->header.has_blank = true;
}

void
check_header_end (struct check *c)
{
  const struct header *h = &c->header;

  check_part_end (c);
  if (!h->any_events && !h->no_events_said)
    report_at (c, RULE_NO_EVENTS, 0);
  if (h->any_events && !h->any_totals)
    report (c, RULE_NO_TOTALS);
}
