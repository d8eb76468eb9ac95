/* one_part.c - makes one part of all parts of a file.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "one_part.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the i-th event of a part, or one->n_events.  */
static size_t
find (const struct one_part *one, const struct cgw_part *part, size_t i)
{
  char *key = unit_key (part->events, part->n_events, i);
  size_t k = 0;

  while (k < one->n_events && strcmp (one->known[k].key, key) != 0)
    k++;
  free (key);
  return k;
}

/* Derived events are left out: no reader of one part computes them.  */
static bool
look_at_event (struct one_part *one, const struct cgw_part *part, size_t i,
               const char *file)
{
  const struct cgw_event *event = &part->events[i];
  size_t k = find (one, part, i);
  uint64_t before;

  if (event->formula != NULL)
    return true;
  if (k < one->n_events)
    return file == NULL
           || unit_event_take (&one->known[k], file, event, &before);
  if (k == CGW_EVENTS_MAX)
    return true;
  one->known = resize_for_one (one->known, k, sizeof *one->known);
  one->known[one->n_events++] = unit_event_first (
      unit_key (part->events, part->n_events, i), file, event);
  return true;
}

bool
one_part_look (struct one_part *one, const struct cgw_part *part,
               const char *file)
{
  bool ok = true;

  one->number = one->n_parts++ == 0 ? part->number : 0;
  one->positions |= part->positions != 0 ? part->positions : CGW_LINE;
  for (size_t i = 0; i < part->n_events && ok; i++)
    ok = look_at_event (one, part, i, file);
  header_take (&one->header, part);
  return ok;
}

bool
one_part_begin (struct one_part *one, const struct cgw_part *part)
{
  size_t n = 0;

  one->is_same = true;
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      {
        size_t k = find (one, part, i);

        if (k == one->n_events
            || !unit_event_factor (&one->known[k], &part->events[i],
                                   &one->factor[n]))
          return one->is_same = false;
        one->column[n] = k;
        one->is_same &= k == n && !one->known[k].is_converted;
        n++;
      }
  return true;
}

bool
one_part_costs (const struct one_part *one, const uint64_t **cost, size_t *n,
                uint64_t room[CGW_EVENTS_MAX])
{
  if (one->is_same)
    return true;
  memset (room, 0, one->n_events * sizeof *room);
  for (size_t i = 0; i < *n; i++)
    {
      room[one->column[i]] = (*cost)[i];
      if (!unit_multiply (&room[one->column[i]], one->factor[i]))
        return false;
    }
  *cost = room;
  *n = one->n_events;
  return true;
}

void
one_part_header (struct one_part *one, struct cgw_part *part)
{
  one->events = resize (one->events, one->n_events, sizeof *one->events);
  for (size_t i = 0; i < one->n_events; i++)
    one->events[i]
        = (struct cgw_event){ .name = one->known[i].name,
                              .long_name = one->known[i].long_name };
  *part = (struct cgw_part) CGW_PART_INIT;
  part->events = one->events;
  part->n_events = one->n_events;
  part->positions = one->positions;
  part->cmd = one->header.cmd;
  part->desc = (const char *const *) one->header.desc;
  part->n_desc = one->header.n_desc;
  part->pid = one->header.pid;
  part->number = one->number;
  part->thread = one->header.thread;
}

void
one_part_free (struct one_part *one)
{
  header_free (&one->header);
  for (size_t i = 0; i < one->n_events; i++)
    unit_event_free (&one->known[i]);
  free (one->known);
  free (one->events);
}
