/* check_graph.c - checks the graph of calls, from which speedscope makes a
   tree: are all functions in it, and do the costs fit?

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "check.h"

#include "../base/memory.h"

#include <stdlib.h>

void
check_edge (struct check *c, const uint64_t *costs, unsigned n, bool any)
{
  uint64_t key = (uint64_t) c->fn << 32 | c->callee;
  uint32_t i;

  if (c->fn == NO_FUNCTION || c->callee == NO_FUNCTION)
    return;
  if (n > 0)
    {
      c->functions[c->callee].incoming += costs[0];
      c->functions[c->fn].outgoing += costs[0];
    }
  i = map_find (&c->edge_map, key);
  if (i == 0)
    {
      c->edges = resize_for_one (c->edges, c->n_edges, sizeof *c->edges);
      c->edges[c->n_edges++]
          = (struct edge){ .caller = c->fn, .callee = c->callee,
                           .line = c->line };
      i = (uint32_t) c->n_edges;
      map_add (&c->edge_map, key, i);
    }
  c->edges[i - 1].has_costs |= any;
}

/* A walk in depth through the functions, along their edges.  */

struct step
{
  size_t next;     /* edge to go along */
  uint32_t from;   /* the function before this one */
  bool seen;
  bool on_the_way; /* the walk came here, and did not go back yet */
};

struct walk
{
  struct check *c;
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
      const struct edge *e = &w->c->edges[step->next];
      if (step->next == w->c->n_edges || e->caller != f)
        {
          step->on_the_way = false;
          f = step->from;
          continue;
        }
      step->next++;
      if (w->costs && !e->has_costs)
        continue;
      if (w->steps[e->callee].on_the_way)
        {
          if (w->costs && e->callee != f)
            report (w->c->report, RULE_CALL_CYCLE, e->line);
        }
      else if (!w->steps[e->callee].seen)
        {
          arrive (w, e->callee, f);
          f = e->callee;
        }
    }
}

/* The edges are in the order of their callers.  */
static void
walk_begin (struct walk *w)
{
  struct check *c = w->c;

  for (size_t i = 0; i < c->n_functions; i++)
    w->steps[i] = (struct step){ .next = c->n_edges };
  for (size_t i = c->n_edges; i-- > 0;)
    w->steps[c->edges[i].caller].next = i;
}

/* Are there functions that no function that nothing calls leads to?  */
static void
check_roots (struct walk *w)
{
  struct check *c = w->c;

  w->costs = false;
  walk_begin (w);
  for (uint32_t i = 0; i < c->n_functions; i++)
    if (!c->functions[i].called)
      walk_from (w, i);
  for (uint32_t i = 0; i < c->n_functions; i++)
    if (!w->steps[i].seen)
      {
        report (c->report, RULE_RECURSIVE_ROOT, c->functions[i].line);
        walk_from (w, i);
      }
}

static void
check_cycles (struct walk *w)
{
  w->costs = true;
  walk_begin (w);
  for (uint32_t i = 0; i < w->c->n_functions; i++)
    if (!w->steps[i].seen)
      walk_from (w, i);
}

static void
check_sums (struct check *c)
{
  const struct function *f;

  if (!c->any_call_cost)
    return;
  for (size_t i = 0; i < c->n_functions; i++)
    {
      f = &c->functions[i];
      if (f->called && f->self > f->incoming)
        report (c->report, RULE_CALLED_AND_ROOT, f->line);
      else if (f->called && f->self + f->outgoing != f->incoming)
        report (c->report, RULE_CALL_SUMS, f->line);
    }
}

static int
compare_edges (const void *a, const void *b)
{
  const struct edge *x = a, *y = b;

  if (x->caller != y->caller)
    return x->caller < y->caller ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

void
check_graph_end (struct check *c)
{
  struct walk w = { .c = c };

  if (c->n_edges == 0)
    return;
  check_sums (c);
  qsort (c->edges, c->n_edges, sizeof *c->edges, compare_edges);
  w.steps = resize (NULL, c->n_functions, sizeof *w.steps);
  check_roots (&w);
  check_cycles (&w);
  free (w.steps);
}
