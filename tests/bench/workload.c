/* workload.c - workloads made from others, or from nothing.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *
bench_allocate (size_t n, size_t size)
{
  void *p = calloc (n > 0 ? n : 1, size);

  if (!p)
    {
      fputs ("bench: no memory\n", stderr);
      exit (1);
    }
  return p;
}

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
  uint64_t *own;

  if (positions == CGW_LINE && is_same_line (s, e))
    own = &s->costs[(s->n - 1) * s->n_events];
  else
    {
      s->events[s->n] = *e;
      if (positions == CGW_LINE)
        s->events[s->n].pos.instr = 0;
      own = &s->costs[s->n * s->n_events];
      s->n++;
    }
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
  *s = (struct script){ .n_calls = all->n_calls, .n_events = n_events };
  s->events = bench_allocate (all->n, sizeof *s->events);
  s->calls = bench_allocate (all->n_calls, sizeof *s->calls);
  s->costs = bench_allocate (all->n * n_events, sizeof *s->costs);
  for (size_t i = 0; i < all->n; i++)
    append (s, &all->events[i], &all->costs[i * all->n_events], positions);
  memcpy (s->calls, all->calls, all->n_calls * sizeof *s->calls);
  for (size_t i = 0; positions == CGW_LINE && i < s->n_calls; i++)
    s->calls[i].to.instr = 0;
}

static char *
copy_text (const char *text)
{
  return strcpy (bench_allocate (strlen (text) + 1, 1), text);
}

void
workload_steps (struct workload *w, size_t n)
{
  static const char *const names[]
      = { "???", "/usr/bin/program", "/src/program.c", "work" };
  struct script *s = &w->script;

  *w = (struct workload){ .n_names = 4,
                          .n_fns = 1,
                          .positions = CGW_INSTR_LINE };
  w->names = bench_allocate (w->n_names, sizeof *w->names);
  for (size_t i = 0; i < w->n_names; i++)
    w->names[i] = copy_text (names[i]);
  w->fns = bench_allocate (1, sizeof *w->fns);
  w->fns[0] = (struct bench_fn){ .object = 1, .file = 2, .name = 3 };
  w->event_names = bench_allocate (1, sizeof *w->event_names);
  w->event_names[0] = copy_text ("Ir");
  s->n = n;
  s->n_events = 1;
  s->events = bench_allocate (n, sizeof *s->events);
  s->costs = bench_allocate (n, sizeof *s->costs);
  for (size_t i = 0; i < n; i++)
    {
      s->events[i].pos = (struct cgw_pos){ .file = { 2 } };
      s->events[i].pos.instr = 0x401000 + 7 * i / 2;
      s->events[i].pos.line = (uint32_t)(10 + i / 3);
      s->costs[i] = 1 + i % 97;
    }
}

void
workload_free (struct workload *w)
{
  free (w->script.events);
  free (w->script.calls);
  free (w->script.costs);
  if (w->borrowed)
    return;
  for (size_t i = 0; i < w->n_names; i++)
    free (w->names[i]);
  for (size_t i = 0; i < w->script.n_events; i++)
    free (w->event_names[i]);
  free (w->names);
  free (w->event_names);
  free (w->fns);
}
