/* check.c - checks a line of a callgrind file: what kind of line is it?

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include <string.h>

/* KCachegrind looks at this many bytes to recognize a profile.  */
enum { RECOGNIZED_IN = 2047 };

void
check_begin (struct check *c, struct report *report, const char *here)
{
  const struct table ids = { .key_size = sizeof (uint64_t),
                             .entry_size = sizeof (struct definition) };

  *c = (struct check){
    .report = report,
    .header = { .positions = { LINE }, .n_positions = 1,
                .positions_default = true },
    .names = { .here = here,
               .ids = { ids, ids, ids },
               .functions = { .key_size = sizeof (struct function_key),
                              .entry_size = sizeof (struct function) },
               .fn = NO_FUNCTION,
               .callee = NO_FUNCTION },
  };
  check_graph_begin (&c->graph);
}

void
check_free (struct check *c)
{
  intern_free (&c->header.event_names);
  intern_free (&c->names.texts);
  for (int i = 0; i < TABLES; i++)
    table_free (&c->names.ids[i]);
  table_free (&c->names.functions);
  intern_free (&c->names.alike);
  check_graph_free (&c->graph);
  check_formulas_free (&c->formulas);
}

/* Bytes.  */

/* The length of the UTF-8 character at s, or 0.  */
static size_t
utf8_length (const unsigned char *s)
{
  static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t n = *s < 0x80   ? 1
             : *s < 0xc0 ? 0
             : *s < 0xe0 ? 2
             : *s < 0xf0 ? 3
             : *s < 0xf8 ? 4
                         : 0;
  uint32_t code = n < 2 ? *s : *s & (0x7fU >> n);

  for (size_t i = 1; i < n; i++)
    {
      if ((s[i] & 0xc0) != 0x80) /* so is the null at the end */
        return 0;
      code = code << 6 | (s[i] & 0x3f);
    }
  if (n == 0 || code < least[n] || code > 0x10ffff
      || (code >= 0xd800 && code <= 0xdfff))
    return 0;
  return n;
}

static bool
is_control (char c)
{
  return ((unsigned char) c < ' ' && c != '\t' && c != '\r') || c == 0x7f;
}

static void
check_characters (struct check *c, const char *text)
{
  bool invalid = false, control = false;
  size_t n;

  for (const char *p = text; *p; p += n ? n : 1)
    {
      n = utf8_length ((const unsigned char *) p);
      invalid |= n == 0;
      control |= is_control (*p);
    }
  if (invalid)
    report (c, RULE_INVALID_UTF8);
  if (control)
    report (c, RULE_CONTROL_CHARACTER);
  if (strchr (text, '\r'))
    report (c, RULE_CR_INSIDE);
  if (strstr (text, "\xe2\x80\xa8") || strstr (text, "\xe2\x80\xa9"))
    report (c, RULE_LINE_SEPARATOR);
}

/* KCachegrind's way to recognize a profile.  It looks at the first "events:"
   and "creator:" only.  */
static void
check_start (struct check *c, const char *text)
{
  static const char marker[] = "# callgrind format";
  const char *events = strstr (text, "events:");
  const char *creator = strstr (text, "creator:");
  struct start *s = &c->start;

  if (c->line == 1 && strcmp (text, marker) == 0)
    s->recognized = true;
  if (s->recognized || s->offset >= RECOGNIZED_IN)
    return;
  if (events && !s->events_begin_line && !s->misplaced_events
      && s->offset + (uint64_t) (events - text) + 7 <= RECOGNIZED_IN)
    *(events == text ? &s->events_begin_line : &s->misplaced_events) = true;
  if (creator && !s->creator_begins_line && !s->misplaced_creator
      && s->offset + (uint64_t) (creator - text) + 8 <= RECOGNIZED_IN)
    *(creator == text ? &s->creator_begins_line : &s->misplaced_creator)
      = true;
}

void
check_bytes (struct check *c, const char *text, size_t length)
{
  if (c->line == 1 && after (text, "\xef\xbb\xbf"))
    report (c, RULE_BYTE_ORDER_MARK);
  check_characters (c, text);
  check_start (c, text);
  c->start.offset += length + 1;
}

void
check_start_end (struct check *c)
{
  if (!c->start.recognized && !c->start.events_begin_line
      && (c->start.misplaced_events || !c->start.creator_begins_line))
    report_at (c, RULE_UNRECOGNIZED_START, 0);
}

/* Lines.  */

/* Whether a line begins with a key such as "event:" or "fn=": letters, and
   then the character.  */
static bool
has_key (const char *text, char end)
{
  size_t n = strspn (text, "abcdefghijklmnopqrstuvwxyz");

  return n > 0 && text[n] == end;
}

static void
check_blank_line (struct check *c)
{
  if (c->records.awaited == CALL_COST)
    report (c, RULE_BLANK_AFTER_CALLS);
  check_header_blank (c);
}

static void
check_comment (struct check *c)
{
  if (c->records.awaited == CALL_COST)
    report (c, RULE_COMMENT_AFTER_CALLS);
}

/* A line of a known kind; false for any other.  */
static bool
check_body_line (struct check *c, const char *text)
{
  if (has_key (text, ':'))
    {
      check_awaited (c);
      return check_header (c, text);
    }
  if (!has_key (text, '='))
    return false;
  check_awaited (c);
  check_body_begins (c);
  return check_name_line (c, text) || check_call_or_jump (c, text);
}

void
check_line (struct check *c, char *text, size_t length)
{
  const char *start;

  check_bytes (c, text, length);
  if (c->line == 1 && after (text, "\xef\xbb\xbf"))
    text += 3;
  if (*text == '\0')
    {
      check_blank_line (c);
      return;
    }
  if (*text == '#')
    {
      check_comment (c);
      return;
    }
  start = skip_blanks (text);
  if (start != text)
    report (c, *start ? RULE_LEADING_BLANK : RULE_BLANKS_ONLY);
  if (*start == '\0' || *start == '#')
    return;
  if (is_cost_line (start))
    {
      check_body_begins (c);
      check_cost_line (c, start);
    }
  else if (!check_body_line (c, start))
    {
      check_awaited (c);
      report (c, RULE_UNKNOWN_LINE);
    }
}

void
check_end (struct check *c)
{
  check_awaited (c);
  check_names_end (c);
  check_records_end (c);
  check_graph_end (c);
  check_formulas_end (c);
  check_header_end (c);
  check_start_end (c);
}
