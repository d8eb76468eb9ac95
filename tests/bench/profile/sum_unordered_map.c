/* sum_unordered_map.c - sums by position in a std::unordered_map.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "positions.h"
#include "sum_map.h"

#include <stdlib.h>

struct table
{
  const struct workload *w;
  struct sink *sink;
  void *map;
};

static void *
table_open (const struct workload *w, struct sink *sink,
            const struct setup *setup, struct script *script)
{
  struct table *t = bench_allocate (1, sizeof *t);

  (void)setup;
  if (script->n_events != 1)
    bench_fail ("unordered_map");
  t->w = w;
  t->sink = sink;
  return t;
}

static bool
table_begin (void *context)
{
  struct table *t = context;

  sum_map_free (t->map);
  t->map = sum_map_new ();
  return true;
}

static void
table_close (void *context)
{
  sum_map_free (((struct table *)context)->map);
  free (context);
}

static int
table_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  (void)n;
  sum_map_add (((struct table *)context)->map, pos, *cost);
  return 0;
}

static void
take (void *context, const struct cgw_pos *pos, uint64_t sum)
{
  sums_take (context, pos, &sum);
}

static bool
table_end (void *context)
{
  struct table *t = context;
  struct sums s;

  sums_open (&s, t->w, sum_map_size (t->map));
  sum_map_each (t->map, take, &s);
  sums_write (&s, t->sink);
  return true;
}

/* There are no calls to add.  */
const struct contender sum_unordered_map = { .name = "unordered_map",
                                           .open = table_open,
                                           .close = table_close,
                                           .begin = table_begin,
                                           .cost = table_cost,
                                           .end = table_end,
                                           .check = check_strict };
