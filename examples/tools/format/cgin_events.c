/* cgin_events.c - the event types of a callgrind file.

   A name such as "Time_(10ns)" is kept, because readers take the unit from it.
   If the event has a long name or is part of a formula, event: lines need an
   identifier.  Then other characters are removed, and the original name becomes
   the long name if there is none.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgin_impl.h"

#include "../base/memory.h"
#include "../base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Copies the allowed characters of text to name.  */
static void
clean_name (char *name, const char *text)
{
  for (char *start = name; *text; text++)
    if (is_in_identifier (*text, name == start))
      *name++ = *text;
  *name = '\0';
}

/* Finds an event by its original name of n bytes; adds it if need be.  */
static bool
find_event (struct cgin *in, const char *text, size_t n, bool add,
            size_t *index)
{
  struct cgin_header *h = &in->header;

  for (*index = 0; *index < h->n_events; ++*index)
    {
      const char *original = h->events[*index].original;
      if (strncmp (original, text, n) == 0 && original[n] == '\0')
        return true;
    }
  if (!add)
    return false;
  if (h->n_events == CGIN_EVENTS)
    return cgin_fail (in, "too many event types");
  h->events[h->n_events++]
    = (struct cgin_event) { .original = make_text ("%.*s", (int) n, text) };
  return true;
}

static void
replace (char **place, const char *text, size_t n)
{
  free (*place);
  *place = make_text ("%.*s", (int) n, text);
}

static size_t
trimmed_length (const char *start, const char *end)
{
  while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return (size_t) (end - start);
}

/* "Name", "Name : long name", "Name = formula" or "Name = formula : long". */
bool
cgin_event (struct cgin *in, char *value)
{
  size_t length = strcspn (value, " \t:=");
  const char *p = cgin_skip_blanks (value + length);
  size_t index;

  if (length == 0)
    return cgin_fail (in, "event: without a name");
  if (!find_event (in, value, length, true, &index))
    return false;
  struct cgin_event *event = &in->header.events[index];
  if (*p == '=')
    {
      p = cgin_skip_blanks (p + 1);
      const char *end = p + strcspn (p, ":");
      replace (&event->formula, p, trimmed_length (p, end));
      p = end;
    }
  if (*p == ':')
    {
      p = cgin_skip_blanks (p + 1);
      replace (&event->long_name, p, strlen (p));
      return true;
    }
  return *p == '\0' || cgin_fail_at (in, "bad event: line", value);
}

/* One name of an events: line.  */
static bool
list_event (struct cgin *in, const char *name, size_t length)
{
  struct cgin_header *h = &in->header;
  size_t index;

  if (!find_event (in, name, length, true, &index))
    return false;
  if (h->events[index].listed)
    return cgin_fail_at (in, "event listed twice", name);
  if (h->n_listed == CGW_EVENTS_MAX)
    return cgin_fail (in, "too many event types");
  h->events[index].listed = true;
  h->listed[h->n_listed++] = index;
  return true;
}

bool
cgin_events (struct cgin *in, char *value)
{
  struct cgin_header *h = &in->header;

  for (size_t i = 0; i < h->n_events; i++)
    h->events[i].listed = false;
  h->n_listed = 0;
  for (const char *p = value; *p; p = cgin_skip_blanks (p))
    {
      size_t length = strcspn (p, " \t");
      if (!list_event (in, p, length))
        return false;
      p += length;
    }
  return h->n_listed > 0 || cgin_fail (in, "events: names no events");
}

static bool
is_taken (const struct cgin_header *h, const char *name)
{
  for (size_t i = 0; i < h->n_events; i++)
    if (h->events[i].name && strcmp (h->events[i].name, name) == 0)
      return true;
  return false;
}

static bool
has_formula (const struct cgin_header *h)
{
  for (size_t i = 0; i < h->n_events; i++)
    if (h->events[i].formula)
      return true;
  return false;
}

/* Whether an event may keep its name, which is no identifier: then it gets no
   event: line.  */
static bool
may_keep_name (const struct cgin_header *h, const struct cgin_event *event)
{
  for (const char *c = event->original; *c; c++)
    if (*c <= ' ' || *c > '~')
      return false;
  return !event->long_name && !has_formula (h);
}

/* Gives an event its name; one that is taken gets a number.  */
static void
name_event (const struct cgin_header *h, struct cgin_event *event)
{
  size_t size = strlen (event->original) + sizeof "Event" + 20;
  char *name;

  if (may_keep_name (h, event) && !is_taken (h, event->original))
    {
      event->name = copy_text (event->original);
      return;
    }
  name = resize (NULL, size, 1);
  clean_name (name, event->original);
  if (!*name)
    strcpy (name, "Event");
  char *end = name + strlen (name);
  for (unsigned i = 2; is_taken (h, name); i++)
    snprintf (end, size - (size_t) (end - name), "%u", i);
  event->name = name;
  if (!event->long_name && strcmp (name, event->original) != 0)
    event->long_name = copy_text (event->original);
}

/* Good names first, so that they stay as they are.  */
static void
name_events (struct cgin_header *h)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < h->n_events; i++)
      {
        struct cgin_event *event = &h->events[i];
        if (!event->name && (pass == 1
             || is_identifier (event->original, strlen (event->original))))
          name_event (h, event);
      }
}

/* One term of a formula, "Ir", "10 Ir" or "10 * Ir", appended to terms.
   *known: its event is placed already.  */
static bool
put_term (struct cgin *in, const char **p, FILE *terms, bool *known)
{
  uint64_t factor;
  size_t length, index;

  if (is_digit (**p))
    {
      if (!cgin_number (in, p, &factor))
        return false;
      fprintf (terms, "%llu ", (unsigned long long) factor);
      *p = cgin_skip_blanks (*p);
      if (**p == '*')
        *p = cgin_skip_blanks (*p + 1);
    }
  length = strcspn (*p, " \t+-");
  if (length == 0
      || !find_event (in, *p, length, false, &index))
    return cgin_fail_at (in, "bad formula at", *p);
  *known &= in->header.events[index].placed;
  fputs (in->header.events[index].name, terms);
  *p = cgin_skip_blanks (*p + length);
  return true;
}

/* Writes the formula of an event in the names of the list.  */
static bool
put_terms (struct cgin *in, const struct cgin_event *event, FILE *terms,
           bool *known)
{
  const char *p = event->formula;

  *known = true;
  for (;;)
    {
      if (!put_term (in, &p, terms, known))
        return false;
      if (*p == '\0')
        return true;
      if (*p != '+' && *p != '-')
        return cgin_fail_at (in, "bad formula at", p);
      fprintf (terms, " %c ", *p);
      p = cgin_skip_blanks (p + 1);
    }
}

static bool
make_terms (struct cgin *in, struct cgin_event *event, bool *known)
{
  char *text = NULL;
  size_t size;
  FILE *terms = open_memstream (&text, &size);

  if (!terms)
    no_memory ();
  bool ok = put_terms (in, event, terms, known);
  if (fclose (terms) != 0)
    no_memory ();
  free (event->terms);
  event->terms = text;
  return ok;
}

static void
place (struct cgin_event *event, const char *terms, struct cgw_event *list,
       size_t *n)
{
  event->placed = true;
  list[(*n)++] = (struct cgw_event) { event->name, event->long_name, terms };
}

/* Adds the derived events whose formulas are in terms of those in the list
   already, again and again: in a file they may stand in any order.  */
static bool
list_derived (struct cgin *in, struct cgw_event *list, size_t *n)
{
  struct cgin_header *h = &in->header;
  struct cgin_event *waiting;
  size_t before;

  do
    {
      before = *n;
      waiting = NULL;
      for (size_t i = 0; i < h->n_events; i++)
        {
          struct cgin_event *event = &h->events[i];
          bool known = false;
          if (event->placed || !event->formula)
            continue;
          if (!make_terms (in, event, &known))
            return false;
          if (known)
            place (event, event->terms, list, n);
          else
            waiting = event;
        }
    }
  while (waiting && *n > before);
  return !waiting
         || cgin_fail_at (in, "formula of unknown events", waiting->formula);
}

bool
cgin_list_events (struct cgin *in, struct cgw_event *list, size_t *n)
{
  struct cgin_header *h = &in->header;

  *n = 0;
  name_events (h);
  for (size_t i = 0; i < h->n_events; i++)
    h->events[i].placed = false;
  for (size_t i = 0; i < h->n_listed; i++)
    place (&h->events[h->listed[i]], NULL, list, n);
  return list_derived (in, list, n);
}

void
cgin_events_free (struct cgin_header *header)
{
  for (size_t i = 0; i < header->n_events; i++)
    {
      struct cgin_event *event = &header->events[i];
      free (event->original);
      free (event->name);
      free (event->long_name);
      free (event->formula);
      free (event->terms);
    }
}
