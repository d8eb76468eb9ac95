/* load.c - reads a profile into a workload: the reader of cgw-recode hands its
   records over.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/cgin.h"
#include "../support/profile.h"
#include "workload.h"

#include <errno.h>
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
  const char *refused; /* why the file is no workload */
};

static enum cgw_status
refuse (struct load *l, const char *reason)
{
  l->refused = reason;
  return CGW_EINVAL;
}

static enum cgw_status
begin_part (void *context, const struct cgw_part *part, const char *creator)
{
  struct load *l = context;
  struct workload *w = l->w;

  (void)creator;
  if (w->event_names)
    return refuse (l, "it has several parts");
  w->script.n_events = w->n_event_names = part->n_events;
  w->event_names = bench_allocate (part->n_events, sizeof (char *));
  for (size_t i = 0; i < part->n_events; i++)
    {
      if (part->events[i].formula)
        return refuse (l, "it has derived events");
      const char *name = part->events[i].name;
      w->event_names[i] = bench_copy (name, strlen (name) + 1, 1);
    }
  return CGW_OK;
}

static void
add_name (void *context, const struct cgin_name *name)
{
  static const enum name_kind kinds[] = { [CGIN_OBJECT] = NAME_OBJECT,
                                          [CGIN_FILE] = NAME_FILE,
                                          [CGIN_FN] = NAME_FN };
  const struct load *l = context;

  workload_note (l->w, kinds[name->kind], name->handle, name->text,
                 name->file.handle, name->object.handle);
}

/* Leaves out the file where it is the function's own.  */
static enum cgw_status
simplify (struct load *l, struct cgw_pos *pos)
{
  if (pos->fn.handle == 0)
    return refuse (l, "it has costs of no function");
  if (pos->file.handle
      == workload_name (l->w, NAME_FN, pos->fn.handle)->file)
    pos->file.handle = 0;
  return CGW_OK;
}

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
  s->events[s->n] = (struct bench_event){ *pos, call };
  return simplify (l, &s->events[s->n++].pos);
}

static enum cgw_status
add_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
          size_t n)
{
  return add_event (context, pos, 0, cost, n);
}

static enum cgw_status
add_call (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t count, const uint64_t *cost, size_t n)
{
  struct load *l = context;
  struct script *s = &l->w->script;

  if (count == 0)
    return refuse (l, "it has calls that never happened");
  s->calls
      = profile_grow (s->calls, s->n_calls, &l->call_room, sizeof *s->calls);
  s->calls[s->n_calls] = (struct bench_call){ *to, count };
  /* A call's target is a place in its function's own file.  */
  s->calls[s->n_calls++].to.file.handle = 0;
  return to->fn.handle == 0 ? refuse (l, "it has calls of no function")
                            : add_event (l, from, (uint32_t)s->n_calls, cost,
                                         n);
}

static enum cgw_status
add_jump (void *context, const struct cgw_pos *from, const struct cgw_pos *to,
          uint64_t executed)
{
  (void)from, (void)to, (void)executed;
  return refuse (context, "it has jumps");
}

static enum cgw_status
add_cond_jump (void *context, const struct cgw_pos *from,
               const struct cgw_pos *to, uint64_t followed, uint64_t executed)
{
  (void)followed;
  return add_jump (context, from, to, executed);
}

void
workload_load (struct workload *w, const char *path)
{
  struct load l = { .w = w };
  struct cgin_sink sink = { .context = &l,
                            .name = add_name,
                            .begin_part = begin_part,
                            .cost = add_cost,
                            .call = add_call,
                            .jump = add_jump,
                            .cond_jump = add_cond_jump };
  struct cgin_error error = { 0, "" };
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    {
      fprintf (stderr, "%s: %s\n", path, strerror (errno));
      exit (1);
    }
  workload_begin (w, NULL);
  sink.names = w->names;
  bool ok = cgin_read (fd, &sink, &error);
  close (fd);
  if (ok)
    return;
  fprintf (stderr, "%s:%llu: %s\n", path, (unsigned long long)error.line,
           l.refused ? l.refused : error.text);
  exit (1);
}
