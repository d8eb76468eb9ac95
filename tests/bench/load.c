/* load.c - reads a profile into a workload: the reader of cgw-recode
   hands its records over.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "../../examples/common/cgin.h"
#include "../support/heap.h"
#include "../support/profile.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a kind of names, by their handles.  */
struct numbers
{
  uint32_t *of;
  size_t n;
  size_t room;
};

struct load
{
  struct workload *w;
  uint32_t first_handle;
  struct numbers numbers[CGIN_FN + 1];
  struct profile_names texts;
  struct profile_table fns;
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
  w->positions = part->positions;
  w->script.n_events = part->n_events;
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

/* The number that a handle stands for: that of a name, or the row of a
   function.  The handles of a names object follow each other.  */
static uint32_t *
number (struct load *l, enum cgin_kind kind, uint32_t handle)
{
  struct numbers *n = &l->numbers[kind];
  size_t i = handle ? handle - l->first_handle : 0;

  for (; n->n <= i; n->n++)
    {
      n->of = profile_grow (n->of, n->n, &n->room, sizeof *n->of);
      n->of[n->n] = 0;
    }
  return &n->of[i];
}

static void
add_name (void *context, const struct cgin_name *name)
{
  struct load *l = context;
  uint32_t text
      = name->text
            ? profile_names_add (&l->texts, name->text, strlen (name->text))
            : 0;
  uint64_t key[FN_KEYS];

  if (name->kind == CGIN_FN)
    {
      key[FN_OBJECT] = *number (l, CGIN_OBJECT, name->object.handle);
      key[FN_FILE] = *number (l, CGIN_FILE, name->file.handle);
      key[FN_NAME] = text;
      text = (uint32_t)profile_table_row (&l->fns, key);
    }
  *number (l, name->kind, name->handle) = text;
}

/* Turns the handle of a function into its index, and names the file.  */
static enum cgw_status
resolve (struct load *l, struct cgw_pos *pos)
{
  if (pos->fn.handle == 0)
    return refuse (l, "it has costs of no function");
  pos->fn.handle = *number (l, CGIN_FN, pos->fn.handle);
  pos->file.handle
      = pos->file.handle
            ? *number (l, CGIN_FILE, pos->file.handle)
            : (uint32_t)profile_table_key (&l->fns, pos->fn.handle)[FN_FILE];
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
  return resolve (l, &s->events[s->n++].pos);
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
  s->calls[s->n_calls].to.file.handle = 0;
  enum cgw_status status = resolve (l, &s->calls[s->n_calls++].to);
  return status == CGW_OK ? add_event (l, from, (uint32_t)s->n_calls, cost, n)
                          : status;
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
  (void)from, (void)to, (void)followed, (void)executed;
  return refuse (context, "it has jumps");
}

static enum cgw_status
ignore_comment (void *context, const char *text)
{
  (void)context, (void)text;
  return CGW_OK;
}

static void
ignore_warning (void *context, uint64_t line, const char *text)
{
  (void)context, (void)line, (void)text;
}

/* Hands names and functions to the workload.  */
static void
take_names (struct load *l)
{
  struct workload *w = l->w;

  w->names = l->texts.text;
  w->n_names = l->texts.n;
  l->texts.text = NULL;
  l->texts.n = 0;
  w->n_fns = l->fns.n;
  w->fns = bench_allocate (w->n_fns, sizeof *w->fns);
  for (size_t i = 0; i < w->n_fns; i++)
    {
      const uint64_t *key = profile_table_key (&l->fns, i);
      w->fns[i]
          = (struct bench_fn){ (uint32_t)key[FN_NAME], (uint32_t)key[FN_FILE],
                               (uint32_t)key[FN_OBJECT] };
    }
}

bool
workload_load (struct workload *w, const char *path)
{
  struct load l = { .w = w };
  struct cgin_sink sink = { .context = &l,
                            .name = add_name,
                            .begin_part = begin_part,
                            .cost = add_cost,
                            .call = add_call,
                            .jump = add_jump,
                            .cond_jump = add_cond_jump,
                            .comment = ignore_comment,
                            .warn = ignore_warning };
  struct cgin_error error = { 0, "" };
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  *w = (struct workload){ 0 };
  if (fd < 0)
    {
      fprintf (stderr, "%s: %s\n", path, strerror (errno));
      return false;
    }
  profile_names_init (&l.texts);
  profile_table_init (&l.fns, FN_KEYS, 0);
  sink.names = make_names (NULL);
  l.first_handle = cgw_add_file (sink.names, NULL).handle;
  bool ok = cgin_read (fd, &sink, &error);
  close (fd);
  take_names (&l);
  profile_names_free (&l.texts);
  profile_table_free (&l.fns);
  cgw_names_free (sink.names);
  for (int kind = 0; kind <= CGIN_FN; kind++)
    free (l.numbers[kind].of);
  if (!ok)
    fprintf (stderr, "%s:%llu: %s\n", path, (unsigned long long)error.line,
             l.refused ? l.refused : error.text);
  return ok;
}
