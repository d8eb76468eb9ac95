/* check.c - check the structs that callers pass.

   SPDX-License-Identifier: MIT  */

#include "writer.h"

#include "../format/events.h"
#include "../sized.h"
#include "../slots.h"
#include "../text/escape.h"

#include <string.h>

/* Whether one of the first n events has this name.  */
static bool
has_event (const struct cgw_event *events, size_t n, const char *name,
           size_t length)
{
  for (size_t i = 0; i < n; i++)
    if (strlen (events[i].name) == length
        && memcmp (events[i].name, name, length) == 0)
      return true;
  return false;
}

/* Check the name of event i.  With a long name or a formula it must be an
   identifier: of any other, KCachegrind's event: lines would define only the
   beginning.  */
static bool
name_is_right (const struct cgw_event *events, size_t i, struct cgwi_why *why)
{
  const struct cgw_event *e = &events[i];

  if (e->name == NULL || e->name[0] == '\0')
    return cgwi_because (why, CGWI_WHY_EVENT_NO_NAME, i, NULL);
  if (!cgwi_is_event_name (e->name))
    return cgwi_because (why, CGWI_WHY_EVENT_NAME, i, e->name);
  if ((e->formula != NULL || cgwi_has_long_name (e))
      && cgwi_identifier_length (e->name) != strlen (e->name))
    return cgwi_because (why, CGWI_WHY_EVENT_IDENTIFIER, i, e->name);
  if (has_event (events, i, e->name, strlen (e->name)))
    return cgwi_because (why, CGWI_WHY_EVENT_TWICE, i, e->name);
  return true;
}

/* A formula is wrong at `here`.  Of a long one, only the rest is shown.  */
static bool
wrong_formula (const struct cgw_event *events, size_t i, const char *here,
               enum cgwi_reason reason, struct cgwi_why *why)
{
  const char *formula = events[i].formula;
  size_t at = (size_t) (here - formula);
  bool is_long = at >= CGWI_REFUSED_TEXT / 2;

  cgwi_because (why, reason, i, is_long ? here : formula);
  why->value = is_long ? 0 : (uint32_t) at;
  return false;
}

/* Check the formula of event i, if it has one.  */
static bool
formula_is_right (const struct cgw_event *events, size_t i,
                  struct cgwi_why *why)
{
  const char *rest = events[i].formula;
  struct cgwi_term term;

  if (rest == NULL)
    return true;
  for (bool is_first = true; is_first || *rest != '\0'; is_first = false)
    {
      const char *here = rest;

      if (!cgwi_read_term (&rest, is_first, &term))
        return wrong_formula (events, i, here,
                              is_first ? CGWI_WHY_FORMULA_FIRST
                                       : CGWI_WHY_FORMULA_NEXT,
                              why);
      if (!has_event (events, i, term.name, term.length))
        return wrong_formula (events, i, term.name, CGWI_WHY_FORMULA_EVENT,
                              why);
    }
  return true;
}

/* Return how many events have costs, as the first one has; 0, and a reason:
   they are invalid.  */
static size_t
count_events (const struct cgw_part *part, struct cgwi_why *why)
{
  size_t n = 0;

  if (part->events == NULL || part->n_events == 0)
    return cgwi_because (why, CGWI_WHY_NO_EVENTS, 0, NULL);
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (!name_is_right (part->events, i, why)
          || !formula_is_right (part->events, i, why))
        return 0;
      n += part->events[i].formula == NULL;
    }
  if (n > CGW_EVENTS_MAX)
    {
      cgwi_because (why, CGWI_WHY_MANY_EVENTS, n, NULL);
      why->b = CGW_EVENTS_MAX;
      return 0;
    }
  return n;
}

/* Check the members of a part but its events.  */
static bool
part_is_right (const struct cgw_part *part, size_t n_events,
               struct cgwi_why *why)
{
  if (part->positions > CGW_INSTR_LINE)
    {
      *why = (struct cgwi_why){ .reason = CGWI_WHY_POSITIONS,
                                .parameter = CGWI_ARG_PART_POSITIONS,
                                .value = part->positions };
      return false;
    }
  if (part->n_summary > n_events)
    {
      cgwi_because (why, CGWI_WHY_SUMMARY_LONG, part->n_summary, NULL);
      why->b = n_events;
      return false;
    }
  if (part->n_summary > 0 && part->summary == NULL)
    return cgwi_because (why, CGWI_WHY_SUMMARY_NULL, part->n_summary, NULL);
  if (part->n_desc > 0 && part->desc == NULL)
    return cgwi_because (why, CGWI_WHY_DESC_NULL, part->n_desc, NULL);
  for (size_t i = 0; i < part->n_desc; i++)
    if (part->desc[i] == NULL)
      {
        cgwi_because (why, CGWI_WHY_DESC_NO_TEXT, i, NULL);
        why->b = part->n_desc;
        return false;
      }
  return true;
}

size_t
cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                struct cgwi_why *why)
{
  size_t n;

  return cgwi_take_struct (ours, sizeof *ours, theirs, CGWI_ARG_PART, why)
                 && (n = count_events (ours, why)) != 0
                 && part_is_right (ours, n, why)
             ? n
             : 0;
}

#define ALL_FLAGS                                                             \
  (CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS | CGW_NO_PAD              \
   | CGW_ZERO_CALLS | CGW_THREADS | CGW_WAIT | CGW_CACHEGRIND | CGW_REPLACE)

static bool
options_are_right (const struct cgw_options *o, struct cgwi_why *why)
{
  if ((o->flags & ~ALL_FLAGS) != 0)
    {
      cgwi_because (why, CGWI_WHY_UNKNOWN_FLAGS, 0, NULL);
      why->value = o->flags & ~ALL_FLAGS;
      return false;
    }
  if (o->buffer_size > SIZE_MAX / 8)
    return cgwi_because (why, CGWI_WHY_BUFFER_SIZE, o->buffer_size, NULL);
  if (o->queue_slots > CGWI_SLOTS_MAX)
    {
      cgwi_because (why, CGWI_WHY_QUEUE_SLOTS, o->queue_slots, NULL);
      why->b = CGWI_SLOTS_MAX;
      return false;
    }
  return true;
}

bool
cgwi_take_options (struct cgw_options *ours, const struct cgw_options *theirs,
                   struct cgwi_why *why)
{
  static const struct cgw_options defaults = CGW_OPTIONS_INIT;

  *ours = defaults;
  if (theirs == NULL
      || (cgwi_take_struct (ours, sizeof *ours, theirs, CGWI_ARG_OPTIONS, why)
          && options_are_right (ours, why)))
    return true;
  *ours = defaults;
  return false;
}
