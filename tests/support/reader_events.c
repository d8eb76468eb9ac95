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

static size_t
find_event (const struct profile_event *events, size_t n,
            struct reader_span name)
{
  for (size_t i = 0; i < n; i++)
    if (reader_is (name, events[i].name))
      return i;
  return PROFILE_NO_ROW;
}

/* What event: lines say, once the events are known.  */

void
reader_drop_event_lines (struct reader *r)
{
  for (size_t i = 0; i < r->n_event_lines; i++)
    {
      free (r->event_lines[i].event.name);
      free (r->event_lines[i].event.long_name);
      free (r->event_lines[i].event.formula);
    }
  r->n_event_lines = 0;
}

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
check_formula (struct reader *r, const char *formula)
{
  const struct profile_part *part = r->part;
  struct reader_span text = { formula, formula + strlen (formula) };
  do
    {
      struct reader_span name;
      if (!take_coefficient (r, &text))
        return false;
      if (!take_name (&text, &name))
        return reader_fail (r, "event: formula not made of events, + and -");
      if (find_event (part->events, part->n_events, name) == PROFILE_NO_ROW
          && find_event (part->derived, part->n_derived, name)
                 == PROFILE_NO_ROW)
        return reader_fail (r, "event: formula names an unknown event");
    }
  while (take (&text, " + ") || take (&text, "+") || take (&text, " - ")
         || take (&text, "-"));
  if (text.at < text.end)
    return reader_fail (r, "event: formula not made of events, + and -");
  return true;
}

static struct profile_event *
add_event (struct profile_event **events, size_t *n)
{
  *events = realloc (*events, (*n + 1) * sizeof **events);
  if (!*events)
    abort ();
  (*events)[*n] = (struct profile_event) { NULL, NULL, NULL };
  return &(*events)[(*n)++];
}

/* Moves the strings of an event.  */
static void
move_event (struct profile_event *to, struct profile_event *from)
{
  free (to->name);
  free (to->long_name);
  *to = *from;
  *from = (struct profile_event) { NULL, NULL, NULL };
}

/* Puts an event: line where it belongs.  */
static bool
settle_event_line (struct reader *r, struct profile_event *event)
{
  struct profile_part *part = r->part;
  struct reader_span name
    = { event->name, event->name + strlen (event->name) };
  size_t i = find_event (part->events, part->n_events, name);
  if (r->strict && event->formula && i != PROFILE_NO_ROW)
    return reader_fail (r, "event: formula for an event with costs");
  if (r->strict && !event->formula && i == PROFILE_NO_ROW)
    return reader_fail (r, "event: name that is not in events:");
  if (r->strict && event->formula && !check_formula (r, event->formula))
    return false;
  if (event->formula)
    move_event (add_event (&part->derived, &part->n_derived), event);
  else if (i != PROFILE_NO_ROW)
    move_event (&part->events[i], event);
  return true;
}

static bool
settle_event_lines (struct reader *r)
{
  uint64_t here = r->line;
  for (size_t i = 0; i < r->n_event_lines; i++)
    {
      r->line = r->event_lines[i].line;
      if (!settle_event_line (r, &r->event_lines[i].event))
        return false;
    }
  r->line = here;
  reader_drop_event_lines (r);
  return true;
}

/* event: lines.  */

/* NAME, NAME = FORMULA, NAME : LONG, or all three, with single blanks.  */
static bool
split_strict (struct reader *r, struct reader_span value,
              struct reader_span *name, struct reader_span *formula,
              struct reader_span *long_name)
{
  if (!take_name (&value, name))
    return reader_fail (r, "event: name is no identifier");
  if (value.at == value.end)
    return reader_fail (r, "event: without long name or formula");
  if (take (&value, " = "))
    {
      formula->at = value.at;
      while (value.at < value.end && *value.at != ':')
        value.at++;
      bool more = value.at < value.end;
      formula->end = value.at;
      if (more && formula->end > formula->at && formula->end[-1] == ' ')
        formula->end--;
      if (!more)
        return true;
      value.at = formula->end;
    }
  if (!take (&value, " : ") || value.at == value.end || *value.at == ' ')
    return reader_fail (r, "event: not of the form NAME = FORMULA : TEXT");
  *long_name = value;
  return true;
}

static void
split_lenient (struct reader_span value, struct reader_span *name,
               struct reader_span *formula, struct reader_span *long_name)
{
  size_t n = (size_t) (value.end - value.at);
  const char *colon = memchr (value.at, ':', n);
  const char *end = colon ? colon : value.end;
  const char *equal = memchr (value.at, '=', (size_t) (end - value.at));
  *name = (struct reader_span) { value.at, equal ? equal : end };
  if (equal)
    *formula = (struct reader_span) { equal + 1, end };
  if (colon)
    *long_name = (struct reader_span) { colon + 1, value.end };
  reader_trim (name);
  reader_trim (formula);
  reader_trim (long_name);
}

bool
reader_event_line (struct reader *r, struct reader_span value)
{
  struct reader_span name = { NULL, NULL };
  struct reader_span formula = { NULL, NULL };
  struct reader_span text = { NULL, NULL };
  if (!r->strict)
    split_lenient (value, &name, &formula, &text);
  else if (!split_strict (r, value, &name, &formula, &text))
    return false;
  for (size_t i = 0; r->strict && i < r->n_event_lines; i++)
    if (reader_is (name, r->event_lines[i].event.name))
      return reader_fail (r, "two event: lines for one name");

  r->event_lines = profile_grow (r->event_lines, r->n_event_lines,
                                 &r->event_line_room, sizeof *r->event_lines);
  r->event_lines[r->n_event_lines++] = (struct reader_event_line) {
    { reader_copy (name), text.at ? reader_copy (text) : NULL,
      formula.at ? reader_copy (formula) : NULL },
    r->line
  };
  return r->stage < STAGE_EVENTS || settle_event_lines (r);
}

/* The events: line.  */

/* The next name of the events: line: anything up to a blank.  */
static bool
event_name (struct reader *r, struct reader_span *value,
            struct reader_span *name)
{
  name->at = value->at;
  while (value->at < value->end && *value->at != ' ' && *value->at != '\t')
    value->at++;
  name->end = value->at;
  if (name->at == name->end)
    return reader_fail (r, "more than one blank between fields");
  return value->at == value->end || reader_separator (r, value);
}

bool
reader_events (struct reader *r, struct reader_span value)
{
  struct profile_part *part = r->part;
  if (value.at == value.end)
    return reader_fail (r, "events: without events");
  while (value.at < value.end)
    {
      struct reader_span name;
      if (!event_name (r, &value, &name))
        return false;
      if (r->strict && part->n_events == EVENTS_MAX)
        return reader_fail (r, "more than %d events", EVENTS_MAX);
      if (r->strict
          && find_event (part->events, part->n_events, name)
                 != PROFILE_NO_ROW)
        return reader_fail (r, "the same event twice");
      add_event (&part->events, &part->n_events)->name = reader_copy (name);
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
