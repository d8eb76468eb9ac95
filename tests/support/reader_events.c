/* reader_events.c - event types: the events: line and event: lines.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "reader_state.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 200

static bool
is_letter (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_name_char (char c)
{
  return is_letter (c) || (c >= '0' && c <= '9');
}

/* Takes the identifier at the start of text, which is all that KCachegrind
   reads of a name in an event: line.  */
static bool
take_name (struct reader_span *text, struct reader_span *name)
{
  name->at = text->at;
  if (text->at == text->end || !is_letter (*text->at))
    return false;
  while (text->at < text->end && is_name_char (*text->at))
    text->at++;
  name->end = text->at;
  return true;
}

/* Takes word from the start of text.  */
static bool
take (struct reader_span *text, const char *word)
{
  size_t n = strlen (word);
  if ((size_t) (text->end - text->at) < n || memcmp (text->at, word, n))
    return false;
  text->at += n;
  return true;
}

static bool
same_text (const char *a, const char *b)
{
  return a && b ? !strcmp (a, b) : a == b;
}

static struct profile_event *
find_event (struct profile_event *events, size_t n, struct reader_span name)
{
  for (size_t i = 0; i < n; i++)
    if (reader_is (name, events[i].name))
      return &events[i];
  return NULL;
}

static struct profile_event *
add_event (struct profile_event **events, size_t *n, struct reader_span name)
{
  *events = profile_resize (*events, (*n + 1) * sizeof **events);
  (*events)[*n] = (struct profile_event) { reader_copy (name), NULL, NULL };
  return &(*events)[(*n)++];
}

/* What event: lines say, once the events are known.  */

/* A decimal coefficient, if there is one, and what separates it.  */
static bool
take_coefficient (struct reader *r, struct reader_span *text)
{
  uint64_t n;
  if (text->at == text->end || *text->at < '0' || *text->at > '9')
    return true;
  if (!reader_number (r, text, &n))
    return false;
  if (!take (text, " * ") && !take (text, "*") && !take (text, " "))
    return reader_fail (r, "event: coefficient without an event");
  return true;
}

/* Terms of known events, joined by "+" or "-".  */
static bool
check_formula (struct reader *r, struct reader_span text)
{
  const struct profile_part *part = r->part;
  do
    {
      struct reader_span name;
      if (!take_coefficient (r, &text))
        return false;
      if (!take_name (&text, &name))
        return reader_fail (r, "event: formula not made of events, + and -");
      if (!find_event (part->events, part->n_events, name)
          && !find_event (part->derived, part->n_derived, name))
        return reader_fail (r, "event: formula names an unknown event");
    }
  while (take (&text, " + ") || take (&text, "+") || take (&text, " - ")
         || take (&text, "-"));
  if (text.at < text.end)
    return reader_fail (r, "event: formula not made of events, + and -");
  return true;
}

/* Puts an event: line where it belongs.  */
static bool
settle_event_line (struct reader *r, const struct reader_event_line *line)
{
  struct profile_part *part = r->part;
  bool derived = line->formula.at;
  struct profile_event *event
    = find_event (part->events, part->n_events, line->name);
  if (!reader_rule (r, !derived || !event,
                    "event: formula for an event with costs")
      || !reader_rule (r, derived || event,
                       "event: name that is not in events:")
      || (r->strict && derived && !check_formula (r, line->formula)))
    return false;
  if (derived)
    {
      event = add_event (&part->derived, &part->n_derived, line->name);
      event->formula = reader_copy (line->formula);
    }
  if (event && line->text.at)
    {
      free (event->long_name);
      event->long_name = reader_copy (line->text);
    }
  return true;
}

static bool
settle_event_lines (struct reader *r)
{
  uint64_t here = r->line;
  for (size_t i = 0; i < r->n_event_lines; i++)
    {
      r->line = r->event_lines[i].line;
      if (!settle_event_line (r, &r->event_lines[i]))
        return false;
    }
  r->line = here;
  r->n_event_lines = 0;
  return true;
}

/* event: lines.  */

/* NAME, NAME = FORMULA, NAME : LONG, or all three, with single blanks.  */
static bool
split_strict (struct reader *r, struct reader_span value,
              struct reader_event_line *line)
{
  if (!take_name (&value, &line->name))
    return reader_fail (r, "event: name is no identifier");
  if (value.at == value.end)
    return reader_fail (r, "event: without long name or formula");
  if (take (&value, " = "))
    {
      const char *colon
        = memchr (value.at, ':', (size_t) (value.end - value.at));
      line->formula
        = (struct reader_span) { value.at, colon ? colon : value.end };
      if (!colon)
        return true;
      if (colon > value.at && colon[-1] == ' ')
        line->formula.end--;
      value.at = line->formula.end;
    }
  if (!take (&value, " : ") || value.at == value.end || *value.at == ' ')
    return reader_fail (r, "event: not of the form NAME = FORMULA : TEXT");
  line->text = value;
  return true;
}

static void
split_lenient (struct reader_span value, struct reader_event_line *line)
{
  size_t n = (size_t) (value.end - value.at);
  const char *colon = memchr (value.at, ':', n);
  const char *end = colon ? colon : value.end;
  const char *equal = memchr (value.at, '=', (size_t) (end - value.at));
  line->name = (struct reader_span) { value.at, equal ? equal : end };
  if (equal)
    line->formula = (struct reader_span) { equal + 1, end };
  if (colon)
    line->text = (struct reader_span) { colon + 1, value.end };
  reader_trim (&line->name);
  reader_trim (&line->formula);
  reader_trim (&line->text);
}

bool
reader_event_line (struct reader *r, struct reader_span value)
{
  struct reader_event_line line = { .line = r->line };
  if (!r->strict)
    split_lenient (value, &line);
  else if (!split_strict (r, value, &line))
    return false;
  for (size_t i = 0; i < r->n_event_lines; i++)
    {
      struct reader_span other = r->event_lines[i].name;
      size_t n = (size_t) (other.end - other.at);
      if (!reader_rule (r, n != (size_t) (line.name.end - line.name.at)
                             || memcmp (other.at, line.name.at, n),
                        "two event: lines for one name"))
        return false;
    }
  r->event_lines = profile_grow (r->event_lines, r->n_event_lines,
                                 &r->event_line_room, sizeof line);
  r->event_lines[r->n_event_lines++] = line;
  return r->stage < STAGE_EVENTS || settle_event_lines (r);
}

/* The events: line.  */

/* A name is anything up to a blank.  */
bool
reader_events (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (value.at == value.end)
    return reader_fail (r, "events: without events");
  while (value.at < value.end)
    {
      struct reader_span name = value;
      while (value.at < value.end && *value.at != ' ' && *value.at != '\t')
        value.at++;
      name.end = value.at;
      if ((value.at < value.end && !reader_separator (r, &value))
          || !reader_rule (r, part->n_events < EVENTS_MAX,
                           "more than %d events", EVENTS_MAX)
          || !reader_rule (r,
                           !find_event (part->events, part->n_events, name),
                           "the same event twice"))
        return false;
      add_event (&part->events, &part->n_events, name);
    }
  return settle_event_lines (r);
}

/* Parts.  */

static bool
same_list (const struct profile_event *a, size_t n_a,
           const struct profile_event *b, size_t n_b)
{
  for (size_t i = 0; n_a == n_b && i < n_a; i++)
    if (!same_text (a[i].name, b[i].name)
        || !same_text (a[i].formula, b[i].formula))
      return false;
  return n_a == n_b;
}

bool
reader_same_events (const struct profile_part *a, const struct profile_part *b)
{
  return same_list (a->events, a->n_events, b->events, b->n_events)
         && same_list (a->derived, a->n_derived, b->derived, b->n_derived);
}
