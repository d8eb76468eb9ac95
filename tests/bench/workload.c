/* workload.c - workloads made from others, or from nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a cost goes into the record before it.  */
static bool
is_same_line (const struct script *s, const struct bench_event *e)
{
  const struct bench_event *last = s->n > 0 ? &s->events[s->n - 1] : NULL;

  return last && last->call == 0 && e->call == 0
         && last->pos.fn.handle == e->pos.fn.handle
         && last->pos.file.handle == e->pos.file.handle
         && last->pos.line == e->pos.line;
}

/* Takes over a record, without its address if there are only lines.  */
static void
append (struct script *s, const struct bench_event *e, const uint64_t *cost,
        unsigned positions)
{
  if (positions != CGW_LINE || !is_same_line (s, e))
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

static char *
copy_text (const char *text)
{
  return bench_copy (text, strlen (text) + 1, 1);
}

void
workload_note (struct workload *w, const struct cgin_name *name)
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

void
workload_begin (struct workload *w, struct heap *heap)
{
  *w = (struct workload){ .positions = CGW_INSTR_LINE,
                          .names = make_names (heap) };
  w->first = cgw_add_file (w->names, NULL).handle;
  for (int kind = 0; kind < NAME_KINDS; kind++)
    workload_note (w, &(struct cgin_name){ .kind = (enum cgin_kind)kind,
                                           .text = "???" });
}

static void
make_fns (struct workload *w, size_t n_fns, size_t n_files)
{
  struct cgw_object object = cgw_add_object (w->names, "/usr/bin/program");
  char path[64], text[64];

  workload_note (w, &(struct cgin_name){ .kind = CGIN_OBJECT,
                                         .handle = object.handle,
                                         .text = "/usr/bin/program" });
  for (size_t i = 0; i < n_fns; i++)
    {
      snprintf (path, sizeof path, "/usr/src/program/module%07zu.c",
                i % n_files);
      struct cgw_file file = cgw_add_file (w->names, path);
      workload_note (w, &(struct cgin_name){ .kind = CGIN_FILE,
                                             .handle = file.handle,
                                             .text = path });
      snprintf (text, sizeof text, "module_function_number%07zu", i);
      w->fns[i] = cgw_add_fn (w->names, text, file, object);
      workload_note (w, &(struct cgin_name){ CGIN_FN, w->fns[i].handle, text,
                                             file, object });
    }
}

void
workload_empty (struct workload *w, struct heap *heap, size_t n, size_t n_fns,
                size_t n_files)
{
  workload_begin (w, heap);
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
