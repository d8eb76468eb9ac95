/* events.c - the events of a merged profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "events.h"

#include "../base/memory.h"
#include "../base/tool.h"
#include "../format/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_event
{
  struct unit_event is; /* the key of a derived event is its name */
  char *formula;        /* or NULL: it is counted */
  bool listed;
};

static struct known_event *
find (const struct events *e, const char *key)
{
  for (size_t i = 0; i < e->n_known; i++)
    if (strcmp (e->known[i].is.key, key) == 0)
      return &e->known[i];
  return NULL;
}

/* BEFORE "NAME" AFTER FILE, for messages.  Valid until the next one.  */
static const char *
sentence (const char *before, const char *name, const char *after,
          const char *file)
{
  static char text[800];

  snprintf (text, sizeof text, "%s \"%s\" %s%s", before, name, after, file);
  return text;
}

/* Taking note.  */

static void
add (struct events *e, const char *file, const struct cgw_event *event,
     const char *key)
{
  e->known = resize (e->known, e->n_known + 1, sizeof *e->known);
  e->known[e->n_known++] = (struct known_event){
    .is = unit_event_first (copy_text (key), file, event),
    .formula = copy_text (event->formula)
  };
}

static bool
same_or_missing (const char *a, const char *b)
{
  return a == NULL || b == NULL || strcmp (a, b) == 0;
}

/* Compares an event with what other inputs say of it.  */
static bool
compare (struct known_event *known, const char *file,
         const struct cgw_event *event)
{
  uint64_t before;

  if ((known->formula == NULL) != (event->formula == NULL))
    return tool_complain (file, 0,
                          sentence ("event", event->name,
                                    known->formula == NULL
                                        ? "is derived here, but counted in "
                                        : "is counted here, but derived in ",
                                    known->is.file));
  if (known->formula == NULL)
    return unit_event_take (&known->is, file, event, &before);
  if (known->is.differs == NULL
      && (!same_or_missing (known->is.long_name, event->long_name)
          || strcmp (known->formula, event->formula) != 0))
    known->is.differs = file;
  if (known->is.long_name == NULL)
    known->is.long_name = copy_text (event->long_name);
  return true;
}

static size_t
count (const struct cgw_part *part)
{
  size_t n = 0;

  while (n < part->n_events && part->events[n].formula == NULL)
    n++;
  return n;
}

/* To be freed.  */
static char *
key_of (const struct cgw_part *part, size_t i)
{
  return part->events[i].formula != NULL
             ? copy_text (part->events[i].name)
             : unit_key (part->events, part->n_events, i);
}

static void
forget (char **keys, size_t n)
{
  for (size_t i = 0; i < n; i++)
    free (keys[i]);
  free (keys);
}

/* Whether the events of a part are rather than the present ones the model for
   the result.  */
static bool
is_better (const struct events *e, char **keys, size_t n)
{
  int order = 0;

  if (n != e->n_all)
    return n > e->n_all;
  for (size_t i = 0; i < n && order == 0; i++)
    order = strcmp (keys[i], e->all[i]);
  return order < 0;
}

/* Makes the keys of a part's events the model if they are better; or else frees
   them.  */
static void
take_all (struct events *e, const char *file, char **keys,
          const struct cgw_part *part)
{
  size_t n = count (part);

  if (!is_better (e, keys, n))
    {
      forget (keys, part->n_events);
      return;
    }
  for (size_t i = n; i < part->n_events; i++)
    free (keys[i]);
  forget (e->all, e->n_all);
  e->all = keys;
  e->n_all = n;
  e->all_file = file;
}

bool
events_take (struct events *e, const char *file, const struct cgw_part *part)
{
  char **keys = resize (NULL, part->n_events, sizeof *keys);
  bool ok = true;

  for (size_t i = 0; i < part->n_events; i++)
    {
      const struct cgw_event *event = &part->events[i];
      struct known_event *known;

      keys[i] = key_of (part, i);
      known = find (e, keys[i]);
      if (known == NULL)
        add (e, file, event, keys[i]);
      else
        ok = ok && compare (known, file, event);
    }
  take_all (e, file, keys, part);
  return ok;
}

/* Making the list.  */

/* Returns e->n_all if there is none.  */
static size_t
find_in_all (const struct events *e, const char *key)
{
  size_t i = 0;

  while (i < e->n_all && strcmp (e->all[i], key) != 0)
    i++;
  return i;
}

/* Refuses an event that the input with the most events lacks.  */
static bool
refuse (const struct events *e, const struct known_event *event)
{
  char text[600];

  snprintf (text, sizeof text,
            "event \"%s\" is missing in %s: one input must have all events",
            event->is.name, e->all_file);
  return tool_complain (event->is.file, 0, text);
}

static int
compare_known (const void *a, const void *b)
{
  return strcmp (((const struct known_event *) a)->is.name,
                 ((const struct known_event *) b)->is.name);
}

/* Leaves out what the inputs disagree on, but for the unit.  */
static void
leave_out (struct known_event *event)
{
  char *unit = unit_event_plain (&event->is);

  tool_warn (event->is.differs, 0,
             sentence (event->formula != NULL ? "derived event"
                                              : "the long name of event",
                       event->is.name, "is left out: it differs from that in ",
                       event->is.file));
  free (event->is.long_name);
  event->is.long_name = unit;
}

static void
list (struct events *e, struct known_event *event)
{
  event->listed = true;
  e->list[e->n_list++] = (struct cgw_event){
    event->is.name, event->is.long_name, event->formula
  };
}

/* Whether a formula may have an event's name, of n characters.  */
static bool
is_kept (const struct events *e, const char *name, size_t n)
{
  for (size_t i = 0; i < e->n_known; i++)
    if (strncmp (e->known[i].is.name, name, n) == 0
        && e->known[i].is.name[n] == '\0')
      return e->known[i].listed && !e->known[i].is.is_converted;
  return false;
}

/* Whether all events of a formula are listed, in the unit that they have there.
   cgin.h's formulas have blanks between their words.  */
static bool
is_computable (const struct events *e, const char *formula)
{
  for (const char *word = formula; *word != '\0'; word += strspn (word, " "))
    {
      size_t length = strcspn (word, " ");

      if (strchr ("0123456789+-", *word) == NULL
          && !is_kept (e, word, length))
        return false;
      word += length;
    }
  return true;
}

/* Adds the derived events, each behind those in its formula.  */
static void
list_derived (struct events *e)
{
  size_t before;

  do
    {
      before = e->n_list;
      for (size_t i = 0; i < e->n_known; i++)
        {
          struct known_event *event = &e->known[i];

          if (event->formula != NULL && !event->listed
              && event->is.differs == NULL
              && is_computable (e, event->formula))
            list (e, event);
        }
    }
  while (e->n_list > before);
}

bool
events_choose (struct events *e)
{
  for (size_t i = 0; i < e->n_known; i++)
    if (e->known[i].formula == NULL
        && find_in_all (e, e->known[i].is.key) == e->n_all)
      return refuse (e, &e->known[i]);
  qsort (e->known, e->n_known, sizeof *e->known, compare_known);
  for (size_t i = 0; i < e->n_known; i++)
    if (e->known[i].is.differs != NULL)
      leave_out (&e->known[i]);
  e->list = resize (NULL, e->n_known, sizeof *e->list);
  for (size_t i = 0; i < e->n_all; i++)
    list (e, find (e, e->all[i]));
  list_derived (e);
  for (size_t i = 0; i < e->n_known; i++)
    if (!e->known[i].listed && e->known[i].is.differs == NULL)
      tool_warn (e->known[i].is.file, 0,
                 sentence ("derived event", e->known[i].is.name,
                           "is left out, because an event of its formula is, "
                           "or has another unit",
                           ""));
  return true;
}

const char *
events_map (const struct events *e, const struct cgw_part *part, size_t *to,
            uint64_t *factor)
{
  size_t n = count (part);
  const char *wrong = NULL;

  for (size_t i = 0; i < n && wrong == NULL; i++)
    {
      char *key = key_of (part, i);

      to[i] = find_in_all (e, key);
      if (to[i] == e->n_all)
        wrong = "is missing in the first part";
      else if (!unit_event_factor (&find (e, key)->is, &part->events[i],
                                   &factor[i]))
        wrong = "has another unit in the first part";
      if (wrong != NULL)
        wrong = sentence ("event", part->events[i].name, wrong, "");
      free (key);
    }
  return wrong;
}

void
events_free (struct events *e)
{
  for (size_t i = 0; i < e->n_known; i++)
    {
      unit_event_free (&e->known[i].is);
      free (e->known[i].formula);
    }
  free (e->known);
  forget (e->all, e->n_all);
  free (e->list);
}
