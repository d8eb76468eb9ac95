/* joined.c - the parts of a file as one part.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "joined.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of an event, or j->n_events.  */
static size_t
find (const struct joined *j, const char *name)
{
  size_t i = 0;

  while (i < j->n_events && strcmp (j->events[i].name, name) != 0)
    i++;
  return i;
}

/* Derived events are left out: no reader of one part computes them.  */
static void
look_at_event (struct joined *j, const struct cgw_event *event)
{
  if (event->formula != NULL || j->n_events == CGW_EVENTS_MAX
      || find (j, event->name) < j->n_events)
    return;
  j->events = resize_for_one (j->events, j->n_events, sizeof *j->events);
  j->events[j->n_events++] = (struct cgw_event){
    .name = copy_text (event->name), .long_name = copy_text (event->long_name)
  };
}

void
joined_look (struct joined *j, const struct cgw_part *part)
{
  j->part = j->n_parts++ == 0 ? part->number : 0;
  j->positions |= part->positions != 0 ? part->positions : CGW_LINE;
  for (size_t i = 0; i < part->n_events; i++)
    look_at_event (j, &part->events[i]);
  header_take (&j->header, part);
}

bool
joined_begin (struct joined *j, const struct cgw_part *part)
{
  size_t n = 0;

  j->is_same = true;
  for (size_t i = 0; i < part->n_events; i++)
    if (part->events[i].formula == NULL)
      {
        j->column[n] = find (j, part->events[i].name);
        if (j->column[n] == j->n_events)
          return false;
        j->is_same &= j->column[n] == n;
        n++;
      }
  return true;
}

const uint64_t *
joined_costs (const struct joined *j, const uint64_t *cost, size_t *n,
              uint64_t room[CGW_EVENTS_MAX])
{
  if (j->is_same)
    return cost;
  memset (room, 0, j->n_events * sizeof *room);
  for (size_t i = 0; i < *n; i++)
    room[j->column[i]] = cost[i];
  *n = j->n_events;
  return room;
}

void
joined_part (const struct joined *j, struct cgw_part *part)
{
  *part = (struct cgw_part) CGW_PART_INIT;
  part->events = j->events;
  part->n_events = j->n_events;
  part->positions = j->positions;
  part->cmd = j->header.cmd;
  part->desc = (const char *const *) j->header.desc;
  part->n_desc = j->header.n_desc;
  part->pid = j->header.pid;
  part->number = j->part;
  part->thread = j->header.thread;
}

void
joined_free (struct joined *j)
{
  header_free (&j->header);
  for (size_t i = 0; i < j->n_events; i++)
    {
      free ((char *) (uintptr_t) j->events[i].name);
      free ((char *) (uintptr_t) j->events[i].long_name);
    }
  free (j->events);
}
