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
copy (struct workload *w, const struct workload *from)
{
  const struct script *all = &from->script;
  struct script *s = &w->script;

  *w = *from;
  w->borrowed = true;
  s->events = bench_copy (all->events, all->n, sizeof *s->events);
  s->calls = bench_copy (all->calls, all->n_calls, sizeof *s->calls);
  s->costs = bench_copy (all->costs, all->n * all->n_events, sizeof *s->costs);
}

void
workload_scatter (struct workload *w, const struct workload *from)
{
  const struct script *all = &from->script;
  size_t n_events = all->n_events;
  uint32_t *order = workload_order (all->n);

  copy (w, from);
  for (size_t i = 0; i < all->n; i++)
    {
      w->script.events[i] = all->events[order[i]];
      memcpy (&w->script.costs[i * n_events], &all->costs[order[i] * n_events],
              n_events * sizeof *all->costs);
    }
  free (order);
}

void
workload_multiply (struct workload *w, const struct workload *from,
                   size_t times)
{
  struct script *s = &w->script;

  copy (w, from);
  for (size_t i = 0; i < s->n * s->n_events; i++)
    s->costs[i] *= times;
  for (size_t i = 0; i < s->n_calls; i++)
    s->calls[i].count *= times;
}

size_t
workload_changes (const struct workload *w)
{
  const struct bench_event *e = w->script.events;
  size_t changes = 0;

  for (size_t i = 1; i < w->script.n; i++)
    changes += e[i].pos.fn.handle != e[i - 1].pos.fn.handle;
  return changes;
}

static char *
copy_text (const char *text)
{
  return bench_copy (text, strlen (text) + 1, 1);
}

/* Names: "???", an object, and for each function a file and itself.  */
static void
make_names (struct workload *w, size_t n_fns, size_t n_files)
{
  char text[64];

  w->n_fns = n_fns;
  w->n_names = 2 + n_files + n_fns;
  w->names = bench_allocate (w->n_names, sizeof *w->names);
  w->fns = bench_allocate (n_fns, sizeof *w->fns);
  w->names[0] = copy_text ("???");
  w->names[1] = copy_text ("/usr/bin/program");
  for (size_t i = 0; i < n_files; i++)
    {
      snprintf (text, sizeof text, "/usr/src/program/module%07zu.c", i);
      w->names[2 + i] = copy_text (text);
    }
  for (size_t i = 0; i < n_fns; i++)
    {
      snprintf (text, sizeof text, "module_function_number%07zu", i);
      w->names[2 + n_files + i] = copy_text (text);
      w->fns[i].object = 1;
      w->fns[i].file = (uint32_t)(2 + i % n_files);
      w->fns[i].name = (uint32_t)(2 + n_files + i);
    }
}

void
workload_empty (struct workload *w, size_t n, size_t n_events, size_t n_fns,
                size_t n_files)
{
  static const char *const names[]
      = { "Ir",   "Dr",   "Dw", "I1mr", "D1mr", "D1mw", "ILmr",
          "DLmr", "DLmw", "Bc", "Bcm",  "Bi",   "Bim" };

  *w = (struct workload){ .positions = CGW_INSTR_LINE };
  make_names (w, n_fns, n_files);
  w->event_names = bench_allocate (n_events, sizeof *w->event_names);
  for (size_t i = 0; i < n_events; i++)
    w->event_names[i] = copy_text (names[i]);
  w->script.n_events = n_events;
  w->script.events = bench_allocate (n, sizeof *w->script.events);
  w->script.costs = bench_allocate (n * n_events, sizeof *w->script.costs);
}

void
workload_add (struct workload *w, size_t fn, uint64_t instr, uint32_t line)
{
  struct script *s = &w->script;
  size_t i = s->n++;
  struct cgw_pos *pos = &s->events[i].pos;

  pos->fn.handle = (uint32_t)fn;
  pos->file.handle = w->fns[fn].file;
  pos->instr = instr;
  pos->line = line;
  /* Mostly small costs, and many that are 0, as profiles have them.  */
  s->costs[i * s->n_events] = 1 + i % 97;
  for (size_t k = 1; k < s->n_events; k++)
    s->costs[i * s->n_events + k] = (i + k) % 4 == 0 ? i * k % 1000 : 0;
}

void
workload_steps (struct workload *w, size_t n, size_t n_events, size_t n_fns)
{
  size_t each = (n + n_fns - 1) / n_fns;

  workload_empty (w, n, n_events, n_fns, n_fns);
  for (size_t i = 0; i < n; i++)
    workload_add (w, i / each, 0x401000 + 7 * i / 2, (uint32_t)(10 + i / 3));
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
