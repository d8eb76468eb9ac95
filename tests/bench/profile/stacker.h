/* stacker.h - the interface of all that add whole stacks.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef STACKER_H
#define STACKER_H 1

#include "stacks.h"

struct stacker
{
  const char *name;
  void *(*open) (const struct stacks *s, struct sink *sink,
                 const struct cgw_options *options);
  void (*close) (void *context);

  /* A run: begin, any stacks, end, which writes.  False, or a status that is
     not 0: it failed.  */
  bool (*begin) (void *context);
  int (*add) (void *context, size_t stack, uint64_t cost);
  bool (*end) (void *context);
};

/* cgw_profile_stack.  */
extern const struct stacker stacker_libcgw;

/* Each stack expanded to its edges, in a table of the benchmark's own.  */
extern const struct stacker stacker_expanded;

/* A profile with a writer, and the frames with its handles.  */
struct stacked
{
  void *profile; /* way_profile's context */
  struct cgw_pos *frames;
};

void stacked_open (struct stacked *d, const struct stacks *s,
                   struct sink *sink, const struct cgw_options *options);
void stacked_close (struct stacked *d);

typedef int add_stack (void *context, size_t stack, uint64_t cost);

/* Hands over the stacks in this order.  0, or another number when one failed.
   Instructions are counted inside it.  */
int profile_replay_stacks (add_stack *add, void *context,
                           const uint32_t *order, size_t n);

/* The cost of the i-th stack that is handed over.  */
static inline uint64_t
stack_cost (size_t i)
{
  return 1 + i % 97;
}

#endif /* STACKER_H */
