/* workload.c - workloads of a file, which the reader of cgw-recode hands over;
   made from others; and made up.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "workload.h"

#include "../support/profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *
copy_text (const char *text)
{
  return bench_copy (text, strlen (text) + 1, 1);
}

static void
note_name (struct workload *w, const struct cgin_name *name)
{
  struct bench_name **texts = &w->texts[name->kind];
  size_t n = w->n_texts[name->kind];
  size_t i = name->handle ? name->handle - w->first : 0;

  if (i >= n)
    {
      *texts = realloc (*texts, (2 * i + 1) * sizeof **texts);
      if (!*texts)
        bench_fail ("an allocation");
      memset (&(*texts)[n], 0, (2 * i + 1 - n) * sizeof **texts);
      w->n_texts[name->kind] = 2 * i + 1;
    }
  if (!(*texts)[i].text)
    (*texts)[i] = (struct bench_name){ copy_text (name->text),
                                       name->file.handle,
                                       name->object.handle };
}

/* No names but the unknown ones, with this heap or with malloc.  */
static void
begin (struct workload *w, struct heap *heap)
{
  *w = (struct workload){ .positions = CGW_INSTR_LINE,
                          .names = make_names (heap) };
  w->first = cgw_add_file (w->names, NULL).handle;
  for (int kind = 0; kind < NAME_KINDS; kind++)
    note_name (w, &(struct cgin_name){ .kind = (enum cgin_kind)kind,
                                       .text = "???" });
}

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
      if (part->events[i].formula)
        bench_fail ("reading a profile with derived events");
      w->event_names[i] = copy_text (part->events[i].name);
    }
  return CGW_OK;
}

static void
add_name (void *context, const struct cgin_name *name)
{
  note_name (((struct load *)context)->w, name);
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

  begin (w, NULL);
  sink.names = w->names;
  if (fd < 0 || !cgin_read (fd, &sink, &error))
    {
      fprintf (stderr, "%s:%llu: %s\n", path, (unsigned long long)error.line,
               error.text);
      bench_fail ("reading the profile");
    }
  close (fd);
}

/* Takes over a record.  With lines alone, it loses its address, and a cost goes
   into the record before if that is of the same line.  */
static void
append (struct script *s, const struct bench_event *e, const uint64_t *cost,
        unsigned positions)
{
  const struct bench_event *last = s->n > 0 ? &s->events[s->n - 1] : NULL;

  if (positions != CGW_LINE || !last || last->call != 0 || e->call != 0
      || last->pos.fn.handle != e->pos.fn.handle
      || last->pos.file.handle != e->pos.file.handle
      || last->pos.line != e->pos.line)
    {
      s->events[s->n] = *e;
      if (positions == CGW_LINE)
        s->events[s->n].pos.instr = 0;
      s->n++;
    }
  uint64_t *own = &s->costs[(s->n - 1) * s->n_events];
  for (size_t i = 0; i < s->n_events; i++)
    own[i] += cost[i];
}

void
workload_derive (struct workload *w, const struct workload *from,
                 size_t n_events, unsigned positions)
{
  const struct script *all = &from->script;
  struct script *s = &w->script;

  *w = *from;
  w->positions = positions;
  w->borrowed = true;
  if (n_events > all->n_events)
    n_events = all->n_events;
  *s = (struct script){ .n_calls = all->n_calls, .n_events = n_events };
  s->events = bench_allocate (all->n, sizeof *s->events);
  s->calls = bench_copy (all->calls, all->n_calls, sizeof *s->calls);
  s->costs = bench_allocate (all->n * n_events, sizeof *s->costs);
  for (size_t i = 0; i < all->n; i++)
    append (s, &all->events[i], &all->costs[i * all->n_events], positions);
  for (size_t i = 0; positions == CGW_LINE && i < s->n_calls; i++)
    s->calls[i].to.instr = 0;
}

uint32_t *
workload_order (size_t n)
{
  uint32_t *order = bench_allocate (n, sizeof *order);
  uint64_t random = 1;

  for (size_t i = 0; i < n; i++)
    {
      random = random * 6364136223846793005u + 1442695040888963407u;
      size_t k = (random >> 32) % (i + 1);
      order[i] = order[k];
      order[k] = (uint32_t)i;
    }
  return order;
}

static void
make_fns (struct workload *w, size_t n_fns, size_t n_files)
{
  struct cgw_object object = cgw_add_object (w->names, "/usr/bin/program");
  char path[64], text[64];

  note_name (w, &(struct cgin_name){ .kind = CGIN_OBJECT,
                                     .handle = object.handle,
                                     .text = "/usr/bin/program" });
  for (size_t i = 0; i < n_fns; i++)
    {
      snprintf (path, sizeof path, "/usr/src/program/module%07zu.c",
                i % n_files);
      struct cgw_file file = cgw_add_file (w->names, path);
      note_name (w, &(struct cgin_name){ .kind = CGIN_FILE,
                                         .handle = file.handle,
                                         .text = path });
      snprintf (text, sizeof text, "module_function_number%07zu", i);
      w->fns[i] = cgw_add_fn (w->names, text, file, object);
      note_name (w, &(struct cgin_name){ CGIN_FN, w->fns[i].handle, text,
                                         file, object });
    }
}

void
workload_empty (struct workload *w, struct heap *heap, size_t n, size_t n_fns,
                size_t n_files)
{
  begin (w, heap);
  w->fns = bench_allocate (n_fns, sizeof *w->fns);
  make_fns (w, n_fns, n_files);
  w->n_event_names = 1;
  w->event_names = bench_allocate (1, sizeof *w->event_names);
  w->event_names[0] = copy_text ("Ir");
  w->script.n_events = 1;
  w->script.events = bench_allocate (n, sizeof *w->script.events);
  w->script.costs = bench_allocate (n, sizeof *w->script.costs);
}

void
workload_add (struct workload *w, size_t fn, uint64_t instr, uint32_t line)
{
  struct script *s = &w->script;
  size_t i = s->n++;

  s->events[i].pos
      = (struct cgw_pos){ .fn = w->fns[fn], .instr = instr, .line = line };
  s->costs[i] = 1 + i % 97;
}

void
workload_free (struct workload *w)
{
  free (w->script.events);
  free (w->script.calls);
  free (w->script.costs);
  if (w->borrowed)
    return;
  for (int kind = 0; kind < NAME_KINDS; kind++)
    {
      for (size_t i = 0; i < w->n_texts[kind]; i++)
        free (w->texts[kind][i].text);
      free (w->texts[kind]);
    }
  for (size_t i = 0; i < w->n_event_names; i++)
    free (w->event_names[i]);
  free (w->event_names);
  free (w->fns);
  cgw_names_free (w->names);
}
