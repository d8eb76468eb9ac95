/* cycles.c - which nodes of a graph are in a cycle with each other: Tarjan's
   algorithm, with a stack of its own, for stacks of calls may be deep.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cycles.h"

#include "../base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct node
{
  uint32_t order; /* in which the search came there, from 1 */
  uint32_t low;   /* the lowest such number that it reaches */
  bool on_stack;
};

struct visit
{
  uint32_t node;
  uint32_t edge; /* the next one in the list of the node's */
};

struct search
{
  struct node *nodes;
  uint32_t *first;  /* per node, and one more: into targets */
  uint32_t *targets;
  uint32_t *component; /* the result */
  struct visit *visits;
  size_t n_visits;
  uint32_t *stack;
  uint32_t n_stack;
  uint32_t n_seen;
};

/* Lists the targets of each node.  */
static void
list_targets (struct search *s, uint32_t n, const struct cycles_edge *edges,
              uint32_t n_edges)
{
  s->first = resize (NULL, n + 2, sizeof *s->first);
  memset (s->first, 0, (n + 2) * sizeof *s->first);
  s->targets = resize (NULL, n_edges, sizeof *s->targets);
  for (uint32_t i = 0; i < n_edges; i++)
    s->first[edges[i].from + 2]++;
  for (uint32_t i = 2; i < n + 2; i++)
    s->first[i] += s->first[i - 1];
  for (uint32_t i = 0; i < n_edges; i++)
    s->targets[s->first[edges[i].from + 1]++] = edges[i].to;
}

static void
enter (struct search *s, uint32_t index)
{
  struct node *node = &s->nodes[index];

  node->order = node->low = ++s->n_seen;
  node->on_stack = true;
  s->stack[s->n_stack++] = index;
  s->visits[s->n_visits++] = (struct visit){ index, s->first[index] };
}

/* What is on the stack above a node that reaches none below it is in a cycle
   with it.  */
static void
leave (struct search *s, uint32_t index)
{
  struct node *node = &s->nodes[index];
  uint32_t top;

  if (node->low == node->order)
    do
      {
        top = s->stack[--s->n_stack];
        s->nodes[top].on_stack = false;
        s->component[top] = index;
      }
    while (top != index);
  if (s->n_visits > 0)
    {
      struct node *before = &s->nodes[s->visits[s->n_visits - 1].node];
      before->low = node->low < before->low ? node->low : before->low;
    }
}

static void
step (struct search *s)
{
  struct visit *visit = &s->visits[s->n_visits - 1];
  struct node *node = &s->nodes[visit->node];
  uint32_t index = visit->node;

  if (visit->edge == s->first[index + 1])
    {
      s->n_visits--;
      leave (s, index);
      return;
    }
  uint32_t target = s->targets[visit->edge++];
  const struct node *to = &s->nodes[target];
  if (to->order == 0)
    enter (s, target);
  else if (to->on_stack && to->order < node->low)
    node->low = to->order;
}

uint32_t *
cycles_find (uint32_t n, const struct cycles_edge *edges, uint32_t n_edges)
{
  struct search s = { .n_seen = 0 };

  list_targets (&s, n, edges, n_edges);
  s.nodes = resize (NULL, n, sizeof *s.nodes);
  memset (s.nodes, 0, n * sizeof *s.nodes);
  s.component = resize (NULL, n, sizeof *s.component);
  s.visits = resize (NULL, n, sizeof *s.visits);
  s.stack = resize (NULL, n, sizeof *s.stack);
  for (uint32_t i = 0; i < n; i++)
    if (s.nodes[i].order == 0)
      for (enter (&s, i); s.n_visits > 0;)
        step (&s);
  free (s.nodes);
  free (s.first);
  free (s.targets);
  free (s.visits);
  free (s.stack);
  return s.component;
}
