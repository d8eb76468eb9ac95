/* sum_uthash.c - sums by position in a table of uthash.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "positions.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct entry
{
  struct cgw_pos pos;
  UT_hash_handle hh;
  uint64_t sums[];
};

struct table
{
  const struct workload *w;
  struct sink *sink;
  struct entry *entries;
};

static void *
table_open (const struct workload *w, struct sink *sink,
            const struct setup *setup, struct script *script)
{
  struct table *t = bench_allocate (1, sizeof *t);

  (void)setup, (void)script;
  t->w = w;
  t->sink = sink;
  return t;
}

static bool
table_begin (void *context)
{
  struct table *t = context;
  struct entry *e, *next;

  HASH_ITER (hh, t->entries, e, next)
    {
      HASH_DEL (t->entries, e);
      free (e);
    }
  return true;
}

static void
table_close (void *context)
{
  table_begin (context);
  free (context);
}

/* The hash is computed once, also for a new position.  */
static int
table_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  struct table *t = context;
  struct entry *e;
  unsigned hash;

  HASH_VALUE (pos, sizeof *pos, hash);
  HASH_FIND_BYHASHVALUE (hh, t->entries, pos, sizeof *pos, hash, e);
  if (!e)
    {
      e = calloc (1, sizeof *e + n * sizeof *cost);
      if (!e)
        return 1;
      memcpy (&e->pos, pos, sizeof *pos);
      HASH_ADD_BYHASHVALUE (hh, t->entries, pos, sizeof *pos, hash, e);
    }
  for (size_t i = 0; i < n; i++)
    e->sums[i] += cost[i];
  return 0;
}

static bool
table_end (void *context)
{
  struct table *t = context;
  struct entry *e, *next;
  struct sums s;

  sums_open (&s, t->w, HASH_COUNT (t->entries));
  HASH_ITER (hh, t->entries, e, next)
    sums_take (&s, &e->pos, e->sums);
  sums_write (&s, t->sink);
  return true;
}

/* There are no calls to add.  */
const struct contender sum_uthash = { .name = "uthash",
                                    .open = table_open,
                                    .close = table_close,
                                    .begin = table_begin,
                                    .cost = table_cost,
                                    .end = table_end,
                                    .check = check_strict };
