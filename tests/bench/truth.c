/* truth.c - the sums and edges of a workload, added up by nobody's writer, and
   whether what a contender wrote is them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "truth.h"

#include "../support/reader.h"
#include "contender.h"

#include <stdlib.h>
#include <string.h>

static void
add_names (struct profile *p, uint32_t *numbers, const struct workload *w)
{
  profile_names_init (&p->names);
  for (size_t i = 0; i < w->n_names; i++)
    numbers[i]
        = profile_names_add (&p->names, w->names[i], strlen (w->names[i]));
}

/* The row of a workload's function.  */
static uint64_t
fn_row (struct profile *p, const uint32_t *numbers, const struct workload *w,
        struct cgw_fn fn)
{
  const struct bench_fn *f = &w->fns[fn.handle];
  uint64_t key[FN_KEYS];

  key[FN_OBJECT] = numbers[f->object];
  key[FN_FILE] = numbers[f->file];
  key[FN_NAME] = numbers[f->name];
  return profile_table_row (&p->fns, key);
}

static void
add_costs (struct profile_table *t, size_t row, size_t first,
           const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    profile_table_add (t, row, first + i, cost[i]);
}

static void
add_event (struct profile *p, const uint32_t *numbers,
           const struct workload *w, size_t i)
{
  const struct script *s = &w->script;
  const struct bench_event *e = &s->events[i];
  const uint64_t *cost = &s->costs[i * s->n_events];
  uint64_t key[EDGE_KEYS];

  /* The keys of costs and edges begin alike.  */
  key[EDGE_FN] = fn_row (p, numbers, w, e->pos.fn);
  key[EDGE_SOURCE] = numbers[e->pos.file.handle];
  key[EDGE_INSTR] = e->pos.instr;
  key[EDGE_LINE] = e->pos.line;
  if (e->call == 0)
    {
      add_costs (&p->costs, profile_table_row (&p->costs, key), 0, cost,
                 s->n_events);
      return;
    }
  const struct bench_call *call = &s->calls[e->call - 1];
  key[EDGE_TO] = fn_row (p, numbers, w, call->to.fn);
  key[EDGE_TO_INSTR] = call->to.instr;
  key[EDGE_TO_LINE] = call->to.line;
  size_t row = profile_table_row (&p->edges, key);
  profile_table_add (&p->edges, row, EDGE_COUNT, call->count);
  add_costs (&p->edges, row, EDGE_COST, cost, s->n_events);
}

struct profile *
truth_make (const struct workload *w)
{
  struct profile *p = bench_allocate (1, sizeof *p);
  uint32_t *numbers = bench_allocate (w->n_names, sizeof *numbers);

  p->n_events = w->script.n_events;
  add_names (p, numbers, w);
  profile_table_init (&p->fns, FN_KEYS, 0);
  profile_table_init (&p->costs, COST_KEYS, p->n_events);
  profile_table_init (&p->edges, EDGE_KEYS, EDGE_COST + p->n_events);
  profile_table_init (&p->jumps, JUMP_KEYS, JUMP_VALUES);
  for (size_t i = 0; i < w->script.n; i++)
    add_event (p, numbers, w, i);
  free (numbers);
  return p;
}

bool
check_text (const struct workload *w, const char *bytes, size_t n,
            unsigned reader_flags, char *why, size_t size)
{
  struct profile *read = profile_read (bytes, n, reader_flags, why, size);

  if (!read)
    return false;
  struct profile *truth = truth_make (w);
  bool same = profile_same (truth, read, why, size);
  profile_free (truth);
  profile_free (read);
  return same;
}

bool
check_strict (const struct workload *w, const char *bytes, size_t n, char *why,
              size_t size)
{
  return check_text (w, bytes, n, READER_STRICT, why, size);
}

bool
check_lenient (const struct workload *w, const char *bytes, size_t n,
               char *why, size_t size)
{
  return check_text (w, bytes, n, READER_LENIENT, why, size);
}
