/* check_cachegrind.c - checks a line of a cachegrind file: desc: lines, cmd:,
   events:, blocks of fl=, fn= and counts, summary:.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include <string.h>

static void
check_key_value (struct check *c, const char *value)
{
  if (*value == '\0')
    report (c, RULE_CACHEGRIND_EMPTY_KEY);
  else if (*value != ' ' && *value != '\t')
    report (c, RULE_CACHEGRIND_HEADER);
}

/* A line of the header.  Any but the next one is wrong, and skipped.  */
static void
check_header_line (struct check *c, const char *text)
{
  struct cachegrind *g = &c->cachegrind;
  const char *value;

  if (g->stage == IN_DESC && (value = after (text, "desc:")) != NULL)
    {
      g->any_desc = true;
      check_key_value (c, value);
    }
  else if (g->stage == IN_DESC && (value = after (text, "cmd:")) != NULL)
    {
      g->stage = IN_CMD;
      check_key_value (c, value);
      if (!g->any_desc)
        report (c, RULE_CACHEGRIND_NO_DESC);
    }
  else if ((value = after (text, "events:")) != NULL)
    {
      if (g->stage == IN_DESC)
        report (c, RULE_CACHEGRIND_HEADER);
      if (*value != ' ')
        report (c, RULE_EVENTS_WITHOUT_BLANK);
      g->stage = IN_BODY;
      check_events (c, value);
    }
  else
    report (c, RULE_CACHEGRIND_HEADER);
}

static void
check_name (struct check *c, enum id_table table, const char *value)
{
  if (*value == '\0')
    report_empty_name (c, table);
  if (value[0] == '(' && value[1] >= '0' && value[1] <= '9')
    report (c, RULE_NAME_LOOKS_LIKE_ID);
}

static void
check_counts (struct check *c, const char *text)
{
  uint64_t costs[EVENTS];
  size_t digits = strspn (text, "0123456789");
  unsigned n;

  if (!c->cachegrind.any_fn)
    report (c, RULE_RECORD_BEFORE_FN);
  else if (!c->cachegrind.fn_after_fl)
    report (c, RULE_CACHEGRIND_FL_WITHOUT_FN);
  if (digits == 0 || (text[digits] && !strchr (" \t", text[digits])))
    {
      report (c, RULE_CACHEGRIND_POSITION);
      return;
    }
  n = check_costs (c, skip_blanks (text + digits), costs);
  if (n < c->header.n_events && n < EVENTS)
    report (c, RULE_CACHEGRIND_COSTS_MISSING);
  add_costs (c, costs, n);
}

static void
check_last_line (struct check *c, const char *value)
{
  uint64_t totals[EVENTS];
  unsigned n;

  c->cachegrind.stage = AT_END;
  if (c->records.sum_too_large)
    return;
  for (unsigned i = 0; i < c->header.n_events && i < EVENTS; i++)
    if (c->records.sums[i] > INT64_MAX)
      {
        report (c, RULE_CACHEGRIND_SUM_TOO_LARGE);
        break;
      }
  if (!read_totals (value, totals, &n)
      || (n != c->header.n_events && n < EVENTS)
      || memcmp (totals, c->records.sums, n * sizeof *totals) != 0)
    report (c, RULE_CACHEGRIND_SUMMARY_WRONG);
}

static void
check_body (struct check *c, const char *text)
{
  const char *value;

  if (*text == '\0' || *text == '#')
    report (c, RULE_CACHEGRIND_BLANK_LINE);
  else if ((value = after (text, "fl=")) != NULL)
    {
      check_name (c, FILES, value);
      if (strchr (value, ':'))
        report (c, RULE_FILE_WITH_COLON);
      c->cachegrind.any_fl = true;
      c->cachegrind.fn_after_fl = false;
    }
  else if ((value = after (text, "fn=")) != NULL)
    {
      check_name (c, FUNCTIONS, value);
      if (!c->cachegrind.any_fl)
        report (c, RULE_CACHEGRIND_FN_WITHOUT_FL);
      c->cachegrind.any_fn = c->cachegrind.fn_after_fl = true;
    }
  else if ((value = after (text, "summary:")) != NULL)
    check_last_line (c, value);
  else if (is_cost_line (text))
    check_counts (c, text);
  else
    report (c, RULE_CACHEGRIND_LINE);
}

static void
check_behind_summary (struct check *c, const char *text)
{
  report (c, RULE_CACHEGRIND_AFTER_SUMMARY);
  if (is_cost_line (text) || after (text, "summary:"))
    report (c, RULE_CACHEGRIND_COSTS_AFTER_SUMMARY);
  else if (*text && *text != '#' && !after (text, "fl=")
           && !after (text, "fn="))
    report (c, RULE_CACHEGRIND_LINE);
}

void
check_cachegrind_line (struct check *c, char *text, size_t length)
{
  check_bytes (c, text, length);
  if (c->cachegrind.stage == AT_END)
    check_behind_summary (c, text);
  else if (c->cachegrind.stage == IN_BODY)
    check_body (c, text);
  else
    check_header_line (c, text);
}

void
check_cachegrind_end (struct check *c)
{
  if (!c->header.any_events)
    report_at (c, RULE_NO_EVENTS, 0);
  else if (c->cachegrind.stage != AT_END)
    report (c, RULE_CACHEGRIND_NO_SUMMARY);
  check_start_end (c);
}
