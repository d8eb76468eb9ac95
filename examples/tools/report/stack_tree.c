/* stack_tree.c - stacks, joined where they begin alike.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "stack_tree.h"

#include "../base/memory.h"

#include <stdlib.h>

void
tree_begin (struct tree *t, size_t n_events, bool is_signed)
{
  size_t costs = SIDES * n_events * sizeof (uint64_t);

  *t = (struct tree){
    .n = n_events,
    .is_signed = is_signed,
    .nodes = { .key_size = sizeof (struct tree_key),
               .entry_size = sizeof (struct tree_node) + costs }
  };
}

static struct tree_node *
find (struct tree *t, uint32_t parent, uint32_t fn, uint32_t *index)
{
  struct tree_node *node
      = table_add (&t->nodes, &(struct tree_key){ parent, fn });

  *index = table_index (&t->nodes, node);
  return node;
}

void
tree_add (struct tree *t, enum side side, const struct cgw_pos *frames,
          size_t n_frames, const uint64_t *costs)
{
  uint32_t parent = TREE_ROOT;
  struct tree_node *node = NULL;

  while (n_frames > 0)
    node = find (t, parent, frames[--n_frames].fn.handle, &parent);
  if (node != NULL)
    sums_add (node->costs + side * t->n, costs, t->n, t->is_signed);
}

void
tree_match (struct tree *t, const struct sums *s)
{
  enum { GONE = TREE_ROOT - 1 };
  struct tree new = *t;
  uint32_t *places = resize (NULL, t->nodes.n, sizeof *places);

  new.nodes = (struct table){ .key_size = t->nodes.key_size,
                              .entry_size = t->nodes.entry_size };
  for (uint32_t i = 0; i < t->nodes.n; i++)
    {
      const struct tree_node *node = table_entry (&t->nodes, i);
      uint32_t fn = sums_matched (s, node->key.fn);
      uint32_t parent = node->key.parent == TREE_ROOT
                            ? TREE_ROOT
                            : places[node->key.parent];

      places[i] = GONE;
      if (parent != GONE && sums_function (s, fn) != NULL)
        sums_add (find (&new, parent, fn, &places[i])->costs, node->costs,
                  SIDES * t->n, t->is_signed);
    }
  free (places);
  table_free (&t->nodes);
  *t = new;
}

void
tree_free (struct tree *t)
{
  table_free (&t->nodes);
}
