/* contender_nothing.c - writes nothing: what the replay itself costs.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

static void *
nothing_open (const struct workload *w, struct sink *sink,
              const struct setup *setup, struct script *script)
{
  (void)w, (void)setup, (void)script;
  return sink;
}

static void
nothing_close (void *context)
{
  (void)context;
}

static bool
nothing_begin (void *context)
{
  (void)context;
  return true;
}

static int
nothing_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
              size_t n)
{
  (void)context, (void)pos, (void)cost, (void)n;
  return 0;
}

static int
nothing_call (void *context, const struct cgw_pos *from,
              const struct cgw_pos *to, uint64_t count,
              const uint64_t *inclusive_cost, size_t n)
{
  (void)context, (void)from, (void)to, (void)count;
  (void)inclusive_cost, (void)n;
  return 0;
}

const struct contender contender_nothing = { .name = "replay",
                                             .open = nothing_open,
                                             .close = nothing_close,
                                             .begin = nothing_begin,
                                             .cost = nothing_cost,
                                             .call = nothing_call,
                                             .end = nothing_begin };
