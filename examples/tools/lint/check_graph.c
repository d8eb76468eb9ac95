/* check_graph.c - checks the graph of calls, from which speedscope makes a
   tree: are all functions in it, and do the costs fit?

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/memory.h"

#include <stdlib.h>

/* All calls of a function by another one.  */
struct edge
{
  struct edge_key
  {
    uint32_t caller, callee;
  } key;
  uint64_t line; /* of the first one's cost */
  bool has_costs;
};

/* Of the first event.  */
struct function_costs
{
  uint64_t self;
  uint64_t incoming; /* of calls of it */
  uint64_t outgoing; /* of its calls */
};

static struct function_costs *
costs_of (struct check *c, uint32_t function)
{
  c->graph.costs = resize_for (c->graph.costs, function, &c->graph.n_costs,
                               sizeof *c->graph.costs);
  return &c->graph.costs[function];
}

void
check_function_cost (struct check *c, uint64_t cost)
{
  if (c->names.fn != NO_FUNCTION)
    costs_of (c, c->names.fn)->self += cost;
}

void
check_edge (struct check *c, const uint64_t *costs, unsigned n, bool any)
{
  const struct edge_key key = { c->names.fn, c->names.callee };
  struct edge *e;

  if (key.caller == NO_FUNCTION || key.callee == NO_FUNCTION)
    return;
  if (n > 0)
    {
      costs_of (c, key.callee)->incoming += costs[0];
      costs_of (c, key.caller)->outgoing += costs[0];
    }
  e = table_add (&c->graph.edges, &key);
  if (e->line == 0)
    e->line = c->line;
  e->has_costs |= any;
}

/* A walk in depth through the functions, along their edges.  */

struct step
{
  uint32_t next;   /* edge to go along */
  uint32_t from;   /* the function before this one */
  bool seen;
  bool on_the_way; /* the walk came here, and did not go back yet */
};

struct walk
{
  struct check *c;
  const struct edge *edges; /* in the order of their callers */
  uint32_t n_edges;
  uint32_t n_functions;
  struct step *steps;
  bool costs; /* go along edges with costs only, and report cycles */
};

static void
arrive (struct walk *w, uint32_t f, uint32_t from)
{
  w->steps[f].from = from;
  w->steps[f].seen = w->steps[f].on_the_way = true;
}

static void
walk_from (struct walk *w, uint32_t f)
{
  arrive (w, f, NO_FUNCTION);
  while (f != NO_FUNCTION)
    {
      struct step *step = &w->steps[f];
      const struct edge *e = &w->edges[step->next];
      if (step->next == w->n_edges || e->key.caller != f)
        {
          step->on_the_way = false;
          f = step->from;
          continue;
        }
      step->next++;
      if (w->costs && !e->has_costs)
        continue;
      if (w->steps[e->key.callee].on_the_way)
        {
          if (w->costs && e->key.callee != f)
            report_at (w->c, RULE_CALL_CYCLE, e->line);
        }
      else if (!w->steps[e->key.callee].seen)
        {
          arrive (w, e->key.callee, f);
          f = e->key.callee;
        }
    }
}

static void
walk_begin (struct walk *w)
{
  for (uint32_t i = 0; i < w->n_functions; i++)
    w->steps[i] = (struct step){ .next = w->n_edges };
  for (uint32_t i = w->n_edges; i-- > 0;)
    w->steps[w->edges[i].key.caller].next = i;
}

/* Are there functions that no function that nothing calls leads to?  */
static void
check_roots (struct walk *w)
{
  w->costs = false;
  walk_begin (w);
  for (uint32_t i = 0; i < w->n_functions; i++)
    if (!function_at (w->c, i)->called)
      walk_from (w, i);
  for (uint32_t i = 0; i < w->n_functions; i++)
    if (!w->steps[i].seen)
      {
        report_at (w->c, RULE_RECURSIVE_ROOT, function_at (w->c, i)->line);
        walk_from (w, i);
      }
}

static void
check_cycles (struct walk *w)
{
  w->costs = true;
  walk_begin (w);
  for (uint32_t i = 0; i < w->n_functions; i++)
    if (!w->steps[i].seen)
      walk_from (w, i);
}

static void
check_sums (struct check *c)
{
  if (!c->records.any_call_cost)
    return;
  for (uint32_t i = 0; i < c->names.functions.n; i++)
    {
      const struct function *f = function_at (c, i);
      const struct function_costs *costs = costs_of (c, i);
      if (f->called && costs->self > costs->incoming)
        report_at (c, RULE_CALLED_AND_ROOT, f->line);
      else if (f->called
               && costs->self + costs->outgoing != costs->incoming)
        report_at (c, RULE_CALL_SUMS, f->line);
    }
}

static int
compare_edges (const void *a, const void *b)
{
  const struct edge *x = a, *y = b;

  if (x->key.caller != y->key.caller)
    return x->key.caller < y->key.caller ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

void
check_graph_end (struct check *c)
{
  struct table *edges = &c->graph.edges;
  struct walk w = { .c = c, .n_edges = edges->n,
                    .n_functions = c->names.functions.n };

  if (edges->n == 0)
    return;
  check_sums (c);
  /* None is looked for any more.  */
  qsort (edges->entries, edges->n, edges->entry_size, compare_edges);
  w.edges = table_entry (edges, 0);
  w.steps = resize (NULL, w.n_functions, sizeof *w.steps);
  check_roots (&w);
  check_cycles (&w);
  free (w.steps);
}

void
check_graph_begin (struct graph *g)
{
  g->edges = (struct table){ .key_size = sizeof (struct edge_key),
                             .entry_size = sizeof (struct edge) };
}

void
check_graph_free (struct graph *g)
{
  table_free (&g->edges);
  free (g->costs);
}
