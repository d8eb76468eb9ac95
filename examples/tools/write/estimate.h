/* estimate.h - makes stacks of the costs of functions and of their calls.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef ESTIMATE_H
#define ESTIMATE_H 1

#include <cgw.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a stack, the leaf first, with the costs of all events.  */
typedef void take_stack (void *context, const struct cgw_pos *frames,
                         size_t n_frames, const uint64_t *cost);

/* Functions and calls, which are added up.  */
struct call_graph;

struct call_graph *call_graph_new (size_t n_events);
void call_graph_cost (struct call_graph *g, uint32_t fn, const uint64_t *cost);
void call_graph_call (struct call_graph *g, uint32_t from, uint32_t to,
                      const uint64_t *cost);
bool call_graph_has_calls (const struct call_graph *g);

/* Passes on stacks, outside of which is `root`.  Their costs of each function,
   and of each event, add up to its own costs.  */
void call_graph_estimate (const struct call_graph *g, struct cgw_fn root,
                          take_stack *take, void *context);

void call_graph_free (struct call_graph *g);

#endif /* ESTIMATE_H */
