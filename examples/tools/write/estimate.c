/* estimate.c - makes stacks of the costs of functions and of their calls.

   From sums, stacks cannot be told: if a and b both call c, which calls d and
   e, nothing says whether d was reached from a.  So a function's cost is
   divided: what reaches it by one call is spent on its own code and on what it
   calls as all that reaches it is.  A function that is on a stack already is
   not called again.  So stacks end, however functions call each other.

   A stack that gets less than a small share of all costs is not followed.  So
   some functions get more than they have cost, and some less: all stacks are
   followed twice, first to learn how much each function gets, and then to
   divide what it has cost by that.  What got nothing on any stack gets one of
   its own.  So the estimate is of stacks alone: the costs of each function are
   exact.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "estimate.h"

#include "../base/memory.h"
#include "../base/table.h"

#include <stdlib.h>
#include <string.h>

/* Stacks with less than this share of the costs of each event are not
   followed.  */
enum { SHARES = 20000 };

/* And stacks have no more frames than this in all, with the costs of calls that
   are looked at: for graphs without end, and long chains that many calls
   reach.  */
enum { STEPS = 20 * 1000 * 1000 };

struct function
{
  uint32_t fn;
  bool is_on_stack;
  uint32_t first_edge; /* in `sorted` */
  uint32_t n_edges;
  /* For each event: own costs; what all stacks get; what stacks got already;
     costs by calls of others; own costs and those of calls.  */
  uint64_t costs[];
};
enum { OWN, WEIGHT, GIVEN, REACHED, INCLUSIVE, KINDS };

struct edge
{
  struct
  {
    uint32_t from; /* indices of functions */
    uint32_t to;
  } key;
  uint64_t cost[];
};

struct call_graph
{
  size_t n; /* events */
  struct table functions;
  struct table edges;
};

static uint64_t
add (uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

struct call_graph *
call_graph_new (size_t n_events)
{
  struct call_graph *g = resize (NULL, 1, sizeof *g);

  *g = (struct call_graph){
    .n = n_events,
    .functions = { .key_size = sizeof (uint32_t),
                   .entry_size = sizeof (struct function)
                                 + KINDS * n_events * sizeof (uint64_t) },
    .edges = { .key_size = sizeof ((struct edge *) 0)->key,
               .entry_size
               = sizeof (struct edge) + n_events * sizeof (uint64_t) }
  };
  return g;
}

void
call_graph_free (struct call_graph *g)
{
  table_free (&g->functions);
  table_free (&g->edges);
  free (g);
}

static struct function *
function_at (const struct call_graph *g, uint32_t i)
{
  return table_entry (&g->functions, i);
}

static uint64_t *
costs_of (const struct call_graph *g, struct function *f, unsigned kind)
{
  return f->costs + kind * g->n;
}

void
call_graph_cost (struct call_graph *g, uint32_t fn, const uint64_t *cost)
{
  struct function *f = table_add (&g->functions, &fn);

  for (size_t k = 0; k < g->n; k++)
    costs_of (g, f, OWN)[k] = add (costs_of (g, f, OWN)[k], cost[k]);
}

static uint32_t
number_of (struct call_graph *g, uint32_t fn)
{
  return table_index (&g->functions, table_add (&g->functions, &fn));
}

/* A function's calls of itself cost nothing that it has not itself.  */
void
call_graph_call (struct call_graph *g, uint32_t from, uint32_t to,
                 const uint64_t *cost)
{
  struct edge edge;
  struct edge *e;

  if (from == to)
    return;
  edge.key.from = number_of (g, from);
  edge.key.to = number_of (g, to);
  e = table_add (&g->edges, &edge.key);
  for (size_t k = 0; k < g->n; k++)
    e->cost[k] = add (e->cost[k], cost[k]);
}

bool
call_graph_has_calls (const struct call_graph *g)
{
  return g->edges.n != 0;
}

/* The stack that is followed.  */

struct frame
{
  uint32_t function;
  uint32_t next;  /* of its edges */
  /* For each event: what reached the function; what it and the functions cost
     that it calls, but for those on the stack; how much of that had its part;
     and the part of the next call.  */
  uint64_t *cost;
};

struct estimate
{
  const struct call_graph *g;
  const struct edge **sorted; /* by caller */
  uint64_t *least;            /* of each event */
  struct cgw_fn root;
  take_stack *take;
  void *context;
  struct frame *frames;
  uint32_t n;
  uint32_t room;
  struct cgw_pos *stack; /* the leaf first, at the end of the room */
  uint64_t *part;        /* room for the costs of one stack */
  bool is_weighing;      /* stacks are followed for the first time */
  uint64_t steps;
};

static const struct edge *
edge_at (const struct call_graph *g, uint32_t i)
{
  return table_entry (&g->edges, i);
}

/* Sorts calls by callers, and else as they came.  */
static void
sort_edges (struct estimate *e)
{
  const struct call_graph *g = e->g;
  uint32_t first = 0;

  e->sorted = resize (NULL, g->edges.n, sizeof *e->sorted);
  for (uint32_t i = 0; i < g->edges.n; i++)
    function_at (g, edge_at (g, i)->key.from)->n_edges++;
  for (uint32_t i = 0; i < g->functions.n; i++)
    {
      struct function *f = function_at (g, i);

      f->first_edge = first;
      first += f->n_edges;
      f->n_edges = 0;
    }
  for (uint32_t i = 0; i < g->edges.n; i++)
    {
      const struct edge *edge = edge_at (g, i);
      struct function *f = function_at (g, edge->key.from);

      e->sorted[f->first_edge + f->n_edges++] = edge;
    }
}

/* Finds what each function and its calls cost, and what of it calls
   explain.  */
static void
sum_up (struct estimate *e)
{
  const struct call_graph *g = e->g;

  for (uint32_t i = 0; i < g->functions.n; i++)
    {
      struct function *f = function_at (g, i);

      for (size_t k = 0; k < g->n; k++)
        {
          costs_of (g, f, INCLUSIVE)[k] = costs_of (g, f, OWN)[k];
          e->least[k] = add (e->least[k], costs_of (g, f, OWN)[k]);
        }
    }
  for (size_t k = 0; k < g->n; k++)
    e->least[k] = e->least[k] / SHARES + 1;
  for (uint32_t i = 0; i < g->edges.n; i++)
    {
      const struct edge *edge = edge_at (g, i);
      uint64_t *from
          = costs_of (g, function_at (g, edge->key.from), INCLUSIVE);
      uint64_t *to = costs_of (g, function_at (g, edge->key.to), REACHED);

      for (size_t k = 0; k < g->n; k++)
        {
          from[k] = add (from[k], edge->cost[k]);
          to[k] = add (to[k], edge->cost[k]);
        }
    }
}

/* A cost times a share, which is at most 1.  32 bits of the share suffice for
   an estimate.  */
static uint64_t
multiply (uint64_t cost, uint64_t part, uint64_t all)
{
  while (all > UINT32_MAX)
    {
      part >>= 1;
      all >>= 1;
    }
  return cost / all * part + cost % all * part / all;
}

/* The part of a cost that lies between two sums, of `all`.  All parts add up to
   the cost, however each is rounded.  */
static uint64_t
divide (uint64_t cost, uint64_t before, uint64_t part, uint64_t all)
{
  uint64_t end = add (before, part);

  return multiply (cost, end < all ? end : all, all)
         - multiply (cost, before, all);
}

/* Passes on the stack with e->part.  */
static void
pass_on (const struct estimate *e)
{
  const struct call_graph *g = e->g;
  bool is_zero = true;

  for (size_t k = 0; k < g->n; k++)
    is_zero = is_zero && e->part[k] == 0;
  if (is_zero)
    return;
  for (uint32_t i = 0; i < e->n; i++)
    e->stack[i] = (struct cgw_pos){
      .fn = { function_at (g, e->frames[e->n - 1 - i].function)->fn }
    };
  e->stack[e->n] = (struct cgw_pos){ .fn = e->root };
  e->take (e->context, e->stack, e->n + 1, e->part);
}

/* Gives the leaf of the stack its part of what it has cost.  */
static void
give (struct estimate *e, const uint64_t *cost)
{
  const struct call_graph *g = e->g;
  struct function *f = function_at (g, e->frames[e->n - 1].function);
  const uint64_t *own = costs_of (g, f, OWN);
  uint64_t *weight = costs_of (g, f, WEIGHT), *given = costs_of (g, f, GIVEN);

  for (size_t k = 0; k < g->n; k++)
    if (e->is_weighing)
      weight[k] = add (weight[k], cost[k]);
    else
      {
        e->part[k] = weight[k] == 0
                         ? 0
                         : divide (own[k], given[k], cost[k], weight[k]);
        given[k] = add (given[k], cost[k]);
      }
  if (!e->is_weighing)
    pass_on (e);
}

static bool
is_followed (const struct estimate *e, const uint64_t *cost)
{
  for (size_t k = 0; k < e->g->n; k++)
    if (cost[k] >= e->least[k])
      return true;
  return false;
}

/* Puts a function on the stack, and gives it its own part of what reaches
   it.  */
static void
push (struct estimate *e, uint32_t function, const uint64_t *cost)
{
  const struct call_graph *g = e->g;
  struct function *f = function_at (g, function);
  uint32_t room = e->room;
  struct frame *frame;
  uint64_t *own = costs_of (g, f, OWN), *all, *passed;

  e->frames = resize_for (e->frames, e->n + 1, &e->room, sizeof *e->frames);
  if (room != e->room)
    e->stack = resize (e->stack, e->room, sizeof *e->stack);
  frame = &e->frames[e->n++];
  if (frame->cost == NULL)
    frame->cost = resize (NULL, 4 * g->n, sizeof *frame->cost);
  frame->function = function;
  frame->next = 0;
  memcpy (frame->cost, cost, g->n * sizeof *cost);
  all = frame->cost + g->n;
  passed = all + g->n;
  memcpy (all, own, g->n * sizeof *own);
  memcpy (passed, own, g->n * sizeof *own);
  f->is_on_stack = true;
  for (uint32_t i = 0; i < f->n_edges; i++)
    {
      const struct edge *edge = e->sorted[f->first_edge + i];

      if (!function_at (g, edge->key.to)->is_on_stack)
        for (size_t k = 0; k < g->n; k++)
          all[k] = add (all[k], edge->cost[k]);
    }
  e->steps += f->n_edges * (uint64_t) g->n + e->n;
  for (size_t k = 0; k < g->n; k++)
    passed[g->n + k]
        = all[k] == 0 ? cost[k] : divide (cost[k], 0, own[k], all[k]);
  give (e, passed + g->n);
}

/* Follows the next call of the innermost function.  False: there is none.  */
static bool
follow (struct estimate *e)
{
  const struct call_graph *g = e->g;
  struct frame *frame = &e->frames[e->n - 1];
  const struct function *f = function_at (g, frame->function);
  uint64_t *all = frame->cost + g->n, *passed = all + g->n;
  uint64_t *part = passed + g->n;

  while (frame->next < f->n_edges && e->steps < STEPS)
    {
      const struct edge *edge = e->sorted[f->first_edge + frame->next++];

      if (function_at (g, edge->key.to)->is_on_stack)
        continue;
      for (size_t k = 0; k < g->n; k++)
        {
          part[k] = all[k] == 0 ? 0
                                : divide (frame->cost[k], passed[k],
                                          edge->cost[k], all[k]);
          passed[k] = add (passed[k], edge->cost[k]);
        }
      if (is_followed (e, part))
        {
          push (e, edge->key.to, part);
          return true;
        }
    }
  return false;
}

static void
follow_all (struct estimate *e)
{
  while (e->n != 0)
    if (!follow (e))
      function_at (e->g, e->frames[--e->n].function)->is_on_stack = false;
}

/* From a function whose costs calls do not explain.  */
static void
follow_root (struct estimate *e, uint32_t i)
{
  const struct call_graph *g = e->g;
  struct function *f = function_at (g, i);
  uint64_t *cost = resize (NULL, g->n, sizeof *cost);

  for (size_t k = 0; k < g->n; k++)
    {
      uint64_t all = costs_of (g, f, INCLUSIVE)[k];
      uint64_t reached = costs_of (g, f, REACHED)[k];

      cost[k] = all > reached ? all - reached : 0;
    }
  if (is_followed (e, cost))
    {
      push (e, i, cost);
      follow_all (e);
    }
  free (cost);
}

static void
follow_roots (struct estimate *e)
{
  e->steps = 0;
  for (uint32_t i = 0; i < e->g->functions.n; i++)
    follow_root (e, i);
}

/* What a function has cost of an event goes to a stack of its own, if no other
   got any.  */
static void
give_rest (struct estimate *e, uint32_t i)
{
  const struct call_graph *g = e->g;
  struct function *f = function_at (g, i);

  for (size_t k = 0; k < g->n; k++)
    e->part[k] = costs_of (g, f, WEIGHT)[k] == 0 ? costs_of (g, f, OWN)[k] : 0;
  e->n = 1;
  e->frames[0].function = i;
  pass_on (e);
  e->n = 0;
}

void
call_graph_estimate (const struct call_graph *g, struct cgw_fn root,
                     take_stack *take, void *context)
{
  struct estimate e = { .g = g, .root = root, .take = take,
                        .context = context };

  e.least = resize (NULL, g->n, sizeof *e.least);
  memset (e.least, 0, g->n * sizeof *e.least);
  e.part = resize (NULL, g->n, sizeof *e.part);
  e.frames = resize_for (NULL, 1, &e.room, sizeof *e.frames);
  e.stack = resize (NULL, e.room, sizeof *e.stack);
  sort_edges (&e);
  sum_up (&e);
  e.is_weighing = true;
  follow_roots (&e);
  e.is_weighing = false;
  follow_roots (&e);
  for (uint32_t i = 0; i < g->functions.n; i++)
    give_rest (&e, i);
  for (uint32_t i = 0; i < e.room; i++)
    free (e.frames[i].cost);
  free (e.frames);
  free (e.stack);
  free (e.part);
  free (e.least);
  free (e.sorted);
}
