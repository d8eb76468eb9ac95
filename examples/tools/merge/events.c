/* events.c - the events of a merged profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "events.h"

#include "../base/memory.h"
#include "../base/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known_event
{
  char *name;
  char *long_name;     /* or NULL */
  char *formula;       /* or NULL: it is counted */
  const char *file;    /* the first that has it */
  bool differs;        /* the inputs disagree on its long name or formula */
  bool listed;
};

static struct known_event *
find (const struct events *e, const char *name, size_t length)
{
  for (size_t i = 0; i < e->n_known; i++)
    if (strncmp (e->known[i].name, name, length) == 0
        && e->known[i].name[length] == '\0')
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
add (struct events *e, const char *file, const struct cgw_event *event)
{
  e->known = resize (e->known, e->n_known + 1, sizeof *e->known);
  e->known[e->n_known++]
      = (struct known_event){ .name = copy_text (event->name),
                              .long_name = copy_text (event->long_name),
                              .formula = copy_text (event->formula),
                              .file = file };
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
  if ((known->formula == NULL) != (event->formula == NULL))
    return tool_complain (file, 0,
                          sentence ("event", event->name,
                                    known->formula == NULL
                                        ? "is derived here, but counted in "
                                        : "is counted here, but derived in ",
                                    known->file));
  if (!known->differs
      && (!same_or_missing (known->long_name, event->long_name)
          || !same_or_missing (known->formula, event->formula)))
    {
      known->differs = true;
      tool_warn (file, 0,
                 sentence (event->formula != NULL ? "derived event"
                                                  : "the long name of event",
                           event->name,
                           "is left out: it differs from that in ",
                           known->file));
    }
  if (known->long_name == NULL)
    known->long_name = copy_text (event->long_name);
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

/* Whether a part is rather than the present one the model for the result.  */
static bool
is_better (const struct events *e, const struct cgw_part *part)
{
  size_t n = count (part);
  int order = 0;

  if (n != e->n_all)
    return n > e->n_all;
  for (size_t i = 0; i < n && order == 0; i++)
    order = strcmp (part->events[i].name, e->all[i]);
  return order < 0;
}

static void
forget_all (struct events *e)
{
  for (size_t i = 0; i < e->n_all; i++)
    free (e->all[i]);
  free (e->all);
}

static void
take_all (struct events *e, const char *file, const struct cgw_part *part)
{
  forget_all (e);
  e->n_all = count (part);
  e->all = resize (NULL, e->n_all, sizeof *e->all);
  for (size_t i = 0; i < e->n_all; i++)
    e->all[i] = copy_text (part->events[i].name);
  e->all_file = file;
}

bool
events_take (struct events *e, const char *file, const struct cgw_part *part)
{
  for (size_t i = 0; i < part->n_events; i++)
    {
      const struct cgw_event *event = &part->events[i];
      struct known_event *known
          = find (e, event->name, strlen (event->name));

      if (known == NULL)
        add (e, file, event);
      else if (!compare (known, file, event))
        return false;
    }
  if (is_better (e, part))
    take_all (e, file, part);
  return true;
}

/* Making the list.  */

static bool
is_in_all (const struct events *e, const char *name)
{
  for (size_t i = 0; i < e->n_all; i++)
    if (strcmp (e->all[i], name) == 0)
      return true;
  return false;
}

/* An event of that name but for the unit, as Time_(10ns) and Time_(us).  */
static const char *
other_unit (const struct events *e, const char *name)
{
  size_t n = strcspn (name, "(");

  for (size_t i = 0; i < e->n_all && name[n] == '('; i++)
    if (strncmp (e->all[i], name, n + 1) == 0)
      return e->all[i];
  return NULL;
}

/* Refuses an event that the input with the most events lacks.  */
static bool
refuse (const struct events *e, const struct known_event *event)
{
  char text[600];
  const char *other = other_unit (e, event->name);

  if (other != NULL)
    snprintf (text, sizeof text,
              "event \"%s\" differs from \"%s\" in %s: different units "
              "cannot be added",
              event->name, other, e->all_file);
  else
    snprintf (text, sizeof text,
              "event \"%s\" is missing in %s: one input must have all "
              "events",
              event->name, e->all_file);
  return tool_complain (event->file, 0, text);
}

static int
compare_known (const void *a, const void *b)
{
  return strcmp (((const struct known_event *) a)->name,
                 ((const struct known_event *) b)->name);
}

static void
list (struct events *e, struct known_event *event)
{
  event->listed = true;
  e->list[e->n_list++]
      = (struct cgw_event){ event->name,
                            event->differs ? NULL : event->long_name,
                            event->formula };
}

/* Whether all events of a formula are listed.  cgin.h's formulas have blanks
   between their words.  */
static bool
is_computable (const struct events *e, const char *formula)
{
  for (const char *word = formula; *word != '\0'; word += strspn (word, " "))
    {
      size_t length = strcspn (word, " ");
      const struct known_event *event = find (e, word, length);

      if (strchr ("0123456789+-", *word) == NULL
          && (event == NULL || !event->listed))
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

          if (event->formula != NULL && !event->listed && !event->differs
              && is_computable (e, event->formula))
            list (e, event);
        }
    }
  while (e->n_list > before);
}

bool
events_settle (struct events *e)
{
  for (size_t i = 0; i < e->n_known; i++)
    if (e->known[i].formula == NULL && !is_in_all (e, e->known[i].name))
      return refuse (e, &e->known[i]);
  qsort (e->known, e->n_known, sizeof *e->known, compare_known);
  e->list = resize (NULL, e->n_known, sizeof *e->list);
  for (size_t i = 0; i < e->n_all; i++)
    list (e, find (e, e->all[i], strlen (e->all[i])));
  list_derived (e);
  for (size_t i = 0; i < e->n_known; i++)
    if (!e->known[i].listed && !e->known[i].differs)
      tool_warn (e->known[i].file, 0,
                 sentence ("derived event", e->known[i].name,
                           "is left out, because an event of its formula is",
                           ""));
  return true;
}

const char *
events_map (const struct events *e, const struct cgw_part *part, size_t *to)
{
  size_t n = count (part);

  for (size_t i = 0; i < n; i++)
    {
      for (to[i] = 0; to[i] < e->n_all; to[i]++)
        if (strcmp (e->all[to[i]], part->events[i].name) == 0)
          break;
      if (to[i] == e->n_all)
        return part->events[i].name;
    }
  return NULL;
}

void
events_free (struct events *e)
{
  for (size_t i = 0; i < e->n_known; i++)
    {
      free (e->known[i].name);
      free (e->known[i].long_name);
      free (e->known[i].formula);
    }
  free (e->known);
  forget_all (e);
  free (e->list);
}
