/* contexts.h - the calling contexts of a virtual processor: its calls as a
   tree, where each function counts for each way in which it was called.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#ifndef CONTEXTS_H
#define CONTEXTS_H 1

#include "../base/table.h"
#include "guest.h"

#include <cgw.h>

#include <stdbool.h>
#include <stdint.h>

enum { EVENTS_MAX = 4 };

struct costs
{
  uint64_t of[EVENTS_MAX]; /* by event */
};

/* A function that was called in another context.  */
struct context
{
  struct
  {
    const struct function *function;
    uint64_t caller; /* its number */
  } key;
  uint64_t site;      /* of all its calls, counted from 1; 0: there are others,
                         or it is unknown */
  struct costs costs; /* without those of calls */
  uint64_t period;    /* when it had its last ones */
};

/* A context, and its costs before the period.  */
struct former_costs
{
  uint32_t number;
  struct costs costs;
};

/* The number of what calls the outermost function.  */
enum { CONTEXT_ROOT };

/* Begins as {0}: not wanted.  */
struct contexts
{
  struct cgw_names *names; /* NULL: not wanted */
  uint32_t vcpu;           /* its number */
  uint32_t n_events;
  uint32_t now;            /* which one runs */
  struct costs start;      /* the counters when it began or went on */
  struct table all;        /* struct context, in the order of their numbers */
  uint32_t *recent;        /* numbers, by a hash */
  uint64_t period;         /* counts contexts_resume */
  struct former_costs *former; /* of contexts that had costs in the period */
  uint32_t n_former;
  uint32_t former_capacity;
  bool are_cut;            /* see run/tree.h */
};

void contexts_begin (struct contexts *x, struct cgw_names *names,
                     uint32_t vcpu, uint32_t n_events);
void contexts_free (struct contexts *x);

/* The number of the context of a function that was called from a site, which
   may be NULL, when so many calls were open.  */
uint32_t contexts_find (struct contexts *x, uint32_t caller,
                        const struct function *function,
                        const struct block *site, uint32_t depth);

/* From now on another context runs.  */
void contexts_go (struct contexts *x, uint32_t number,
                  const struct costs *counters);

/* A stack goes on: a period begins.  It may turn out that it was another one:
   then contexts_change moves what was counted in the period for a context of
   the stack, and those that it called, to a context of the other one.  */
void contexts_resume (struct contexts *x);
void contexts_change (struct contexts *x, uint32_t from, uint32_t to);

/* Moves all costs to a profile, as run/tree.h says; NULL: forgets them.  */
void contexts_move (struct contexts *x, const struct costs *counters,
                    struct cgw_profile *profile);

#endif /* CONTEXTS_H */
