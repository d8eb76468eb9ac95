/* stack_tree.h - stacks, joined where they begin alike.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STACK_TREE_H
#define STACK_TREE_H 1

#include "../format/sums.h"

#include <stdbool.h>
#include <stdint.h>

#define TREE_ROOT UINT32_MAX

struct tree_node
{
  struct tree_key
  {
    uint32_t parent; /* a node before it, or TREE_ROOT */
    uint32_t fn;
  } key;
  uint64_t costs[]; /* of the leaves: before, after */
};

struct tree
{
  struct table nodes;
  size_t n;           /* events */
  bool is_signed;
  bool is_estimated;
};

void tree_begin (struct tree *t, size_t n_events, bool is_signed);

/* Adds n costs of a stack, the leaf first, to one side.  */
void tree_add (struct tree *t, enum side side, const struct cgw_pos *frames,
               size_t n_frames, const uint64_t *costs);

/* Joins what is the same after sums_match, and leaves out functions that have
   no sums.  */
void tree_match (struct tree *t, const struct sums *s);

void tree_free (struct tree *t);

#endif /* STACK_TREE_H */
