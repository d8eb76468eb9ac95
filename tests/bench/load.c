/* load.c - reads a profile into a workload: the reader of cgw-recode hands its
   records over.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../support/profile.h"
#include "workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct load
{
  struct workload *w;
  size_t event_room;
  size_t call_room;
  size_t cost_room;
};

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct workload *w = ((struct load *)context)->w;

  (void)creator;
  if (w->event_names)
    bench_fail ("reading a profile of several parts");
  w->script.n_events = w->n_event_names = part->n_events;
  w->event_names = bench_allocate (part->n_events, sizeof (char *));
  for (size_t i = 0; i < part->n_events; i++)
    {
      const char *name = part->events[i].name;

      if (part->events[i].formula)
        bench_fail ("reading a profile with derived events");
      w->event_names[i] = bench_copy (name, strlen (name) + 1, 1);
    }
  return CGW_OK;
}

static void
add_name (void *context, const struct cgin_name *name)
{
  workload_note (((struct load *)context)->w, name);
}

/* Leaves out the file where it is the function's own.  */
static enum cgw_status
add_event (struct load *l, const struct cgw_pos *pos, uint32_t call,
           const uint64_t *cost, size_t n)
{
  struct script *s = &l->w->script;
  size_t n_costs = s->n * s->n_events;

  s->events
      = profile_grow (s->events, s->n, &l->event_room, sizeof *s->events);
  for (size_t i = 0; i < s->n_events; i++)
    {
      s->costs = profile_grow (s->costs, n_costs + i, &l->cost_room,
                               sizeof *s->costs);
      s->costs[n_costs + i] = i < n ? cost[i] : 0;
    }
  struct bench_event *e = &s->events[s->n++];
  *e = (struct bench_event){ *pos, call };
  if (e->pos.file.handle
      == workload_name (l->w, CGIN_FN, pos->fn.handle)->file)
    e->pos.file.handle = 0;
  return CGW_OK;
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  return add_event (context, pos, 0, cost, n);
}

/* A call's target is a place in its function's own file.  */
static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct load *l = context;
  struct script *s = &l->w->script;

  s->calls
      = profile_grow (s->calls, s->n_calls, &l->call_room, sizeof *s->calls);
  s->calls[s->n_calls] = (struct bench_call){ *to, count };
  s->calls[s->n_calls++].to.file.handle = 0;
  return add_event (l, from, (uint32_t)s->n_calls, cost, n);
}

void
workload_load (struct workload *w, const char *path)
{
  struct load l = { .w = w };
  struct cgin_sink sink = { .context = &l,
                            .name = add_name,
                            .begin_part = begin_part,
                            .cost = add_cost,
                            .call = add_call };
  struct cgin_error error = { 0, "" };
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  workload_begin (w, NULL);
  sink.names = w->names;
  if (fd < 0 || !cgin_read (fd, &sink, &error))
    {
      fprintf (stderr, "%s:%llu: %s\n", path, (unsigned long long)error.line,
               error.text);
      bench_fail ("reading the profile");
    }
  close (fd);
}
