/* events.h - the events of a merged profile: those of the input that has all,
   and the derived events and long names on which the inputs agree.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef MERGE_EVENTS_H
#define MERGE_EVENTS_H 1

#include <cgw.h>
#include <stdbool.h>

struct known_event;

/* Begins as {0}.  */
struct events
{
  struct known_event *known; /* of all inputs */
  size_t n_known;
  /* The events of the input that has most of them, without derived ones, by
     their keys (see unit_key).  Of several, the one whose list is first in the
     alphabet, so that the order of the inputs does not matter.  */
  char **all;
  size_t n_all;
  const char *all_file;
  struct cgw_event *list; /* of the result */
  size_t n_list;
};

/* Takes note of the events of an input.  `file` must live as long as the
   events.  False: they conflict with those of another; a message was
   printed.  */
bool events_take (struct events *e, const char *file,
                  const struct cgw_part *part);

/* Makes the list.  False: no input has all events; a message was
   printed.  */
bool events_choose (struct events *e);

/* Where the costs of a part stand in the list: to[i] is the place of its i-th
   event that is not derived, and factor[i] is what its costs are multiplied by.
   Returns why an event cannot be added, or NULL.  */
const char *events_map (const struct events *e, const struct cgw_part *part,
                        size_t *to, uint64_t *factor);

void events_free (struct events *e);

#endif /* MERGE_EVENTS_H */
