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
  enum cgwi_reason wrong = CGWI_WHY_NO_REASON;

  if (e->name == NULL || e->name[0] == '\0' || !cgwi_is_event_name (e->name))
    wrong = CGWI_WHY_EVENT_NAME;
  else if ((e->formula != NULL || cgwi_has_long_name (e))
           && cgwi_identifier_length (e->name) != strlen (e->name))
    wrong = CGWI_WHY_EVENT_IDENTIFIER;
  else if (has_event (events, i, e->name, strlen (e->name)))
    wrong = CGWI_WHY_EVENT_TWICE;
  *why = (struct cgwi_why){ .reason = wrong,
                            .parameter = CGWI_ARG_EVENT_NAME,
                            .value = (uint32_t) i,
                            .text = e->name };
  return wrong == CGWI_WHY_NO_REASON;
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
      bool is_term = cgwi_read_term (&rest, is_first, &term);

      if (!is_term || !has_event (events, i, term.name, term.length))
        return CGWI_BECAUSE (why, .reason = CGWI_WHY_FORMULA,
                             .parameter = CGWI_ARG_FORMULA,
                             .value = (uint32_t) i,
                             .text = is_term ? term.name : here);
    }
  return true;
}

/* Return how many events have costs, as the first one has; 0, and a reason:
   they are invalid.  */
static size_t
count_events (const struct cgw_part *part, struct cgwi_why *why)
{
  size_t n = 0;

  if (part->events == NULL && part->n_events != 0)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARRAY,
                         .parameter = CGWI_ARG_PART_EVENTS,
                         .value = cgwi_n_and_most (part->n_events, 0));
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (!name_is_right (part->events, i, why)
          || !formula_is_right (part->events, i, why))
        return 0;
      n += part->events[i].formula == NULL;
    }
  if (n > 0 && n <= CGW_EVENTS_MAX)
    return n;
  return CGWI_BECAUSE (why, .reason = CGWI_WHY_N_EVENTS,
                       .parameter = CGWI_ARG_EVENTS,
                       .value = cgwi_n_and_most (n, CGW_EVENTS_MAX));
}

/* Check the members of a part but its events.  */
static bool
part_is_right (const struct cgw_part *part, size_t n_events,
               struct cgwi_why *why)
{
  if (part->positions > CGW_INSTR_LINE)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_POSITIONS,
                         .parameter = CGWI_ARG_PART_POSITIONS,
                         .value = part->positions);
  if (part->n_summary > n_events)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_MANY_COSTS,
                         .parameter = CGWI_ARG_N_SUMMARY,
                         .value = cgwi_n_and_most (part->n_summary,
                                                   n_events));
  if (part->n_summary > 0 && part->summary == NULL)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARRAY,
                         .parameter = CGWI_ARG_SUMMARY,
                         .value = cgwi_n_and_most (part->n_summary, 0));
  if (part->n_desc > 0 && part->desc == NULL)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARRAY,
                         .parameter = CGWI_ARG_DESC,
                         .value = cgwi_n_and_most (part->n_desc, 0));
  for (size_t i = 0; i < part->n_desc; i++)
    if (part->desc[i] == NULL)
      return CGWI_BECAUSE (why, .reason = CGWI_WHY_NULL_ARGUMENT,
                           .parameter = CGWI_ARG_DESC_TEXT,
                           .value = (uint32_t) i);
  return true;
}

CGWI_COLD size_t
cgwi_take_part (struct cgw_part *ours, const struct cgw_part *theirs,
                struct cgwi_why *why)
{
  size_t n;

  if (!cgwi_take_struct (ours, sizeof *ours, theirs, CGWI_ARG_PART, why))
    return 0;
  ours->size = sizeof *ours; /* cgw_profile_write passes it on */
  return (n = count_events (ours, why)) != 0 && part_is_right (ours, n, why)
             ? n
             : 0;
}

#define ALL_FLAGS                                                             \
  (CGW_PLAIN_NAMES | CGW_ABSOLUTE | CGW_KEEP_ZEROS | CGW_NO_PAD              \
   | CGW_ZERO_CALLS | CGW_THREADS | CGW_WAIT | CGW_CACHEGRIND | CGW_REPLACE    \
   | CGW_PATH_EXPAND | CGW_PATH_STRICT)

static bool
options_are_right (const struct cgw_options *o, struct cgwi_why *why)
{
  if ((o->flags & ~ALL_FLAGS) != 0)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_UNKNOWN_FLAGS,
                         .a = o->flags & ~ALL_FLAGS);
  if (o->buffer_size > SIZE_MAX / 8) /* too much for an address space */
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_TOO_LARGE,
                         .parameter = CGWI_ARG_BUFFER_SIZE,
                         .a = o->buffer_size, .b = SIZE_MAX / 8);
  if (o->queue_slots > CGWI_SLOTS_MAX)
    return CGWI_BECAUSE (why, .reason = CGWI_WHY_TOO_LARGE,
                         .parameter = CGWI_ARG_QUEUE_SLOTS,
                         .a = o->queue_slots, .b = CGWI_SLOTS_MAX);
  return true;
}

bool
cgwi_take_options (struct cgw_options *ours, const struct cgw_options *theirs,
                   struct cgwi_why *why)
{
  static const struct cgw_options defaults = CGW_OPTIONS_INIT;

  *ours = defaults;
  if (theirs == NULL)
    return true;
  if (!cgwi_take_struct (ours, sizeof *ours, theirs, CGWI_ARG_OPTIONS, why)
      || !options_are_right (ours, why))
    {
      *ours = defaults;
      return false;
    }
  ours->size = sizeof *ours; /* cgw_profile_save passes them on */
  return true;
}
