/* contender_table.c - what a tool does by hand that adds up before it writes: a
   hash table by position, sorted at the end, and fprintf.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdlib.h>

struct entry
{
  struct cgw_pos pos;
  uint64_t sum; /* 0: no entry */
};

/* By open addressing.  */
struct table
{
  struct entry *entries;
  size_t n;
  size_t n_slots; /* a power of two */
  void *stream;   /* of contender_fprintf */
};

static void *
table_open (const struct contender *c, const struct workload *w,
            struct sink *sink)
{
  struct table *t = bench_allocate (1, sizeof *t);

  t->stream = contender_fprintf.open (c, w, sink);
  return t;
}

static void
table_close (void *context)
{
  struct table *t = context;

  contender_fprintf.close (t->stream);
  free (t->entries);
  free (t);
}

static bool
table_begin (void *context)
{
  struct table *t = context;

  free (t->entries);
  t->n = 0;
  t->n_slots = 64;
  t->entries = bench_allocate (t->n_slots, sizeof *t->entries);
  return contender_fprintf.begin (t->stream);
}

static bool
is_same (const struct cgw_pos *a, const struct cgw_pos *b)
{
  return a->instr == b->instr && a->line == b->line
         && a->fn.handle == b->fn.handle && a->file.handle == b->file.handle;
}

static struct entry *
find (const struct table *t, const struct cgw_pos *pos)
{
  uint64_t h = pos->instr * UINT64_C (0x9e3779b97f4a7c15);
  size_t mask = t->n_slots - 1;

  h = (h ^ pos->line ^ (uint64_t)pos->fn.handle << 32)
      * UINT64_C (0x9e3779b97f4a7c15);
  size_t i = (size_t)(h >> 32) & mask;
  while (t->entries[i].sum != 0 && !is_same (&t->entries[i].pos, pos))
    i = (i + 1) & mask;
  return &t->entries[i];
}

static void
grow (struct table *t)
{
  struct table old = *t;

  t->n_slots *= 2;
  t->entries = bench_allocate (t->n_slots, sizeof *t->entries);
  for (size_t i = 0; i < old.n_slots; i++)
    if (old.entries[i].sum != 0)
      *find (t, &old.entries[i].pos) = old.entries[i];
  free (old.entries);
}

static int
table_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
            size_t n)
{
  struct table *t = context;
  struct entry *e = find (t, pos);

  (void)n;
  if (e->sum == 0)
    {
      if (4 * t->n > 3 * t->n_slots)
        {
          grow (t);
          e = find (t, pos);
        }
      t->n++;
      e->pos = *pos;
    }
  e->sum += *cost;
  return 0;
}

/* By function and address.  */
static int
compare (const void *a, const void *b)
{
  const struct cgw_pos *p = &((const struct entry *)a)->pos;
  const struct cgw_pos *q = &((const struct entry *)b)->pos;

  if (p->fn.handle != q->fn.handle)
    return p->fn.handle < q->fn.handle ? -1 : 1;
  return (p->instr > q->instr) - (p->instr < q->instr);
}

static bool
table_end (void *context)
{
  struct table *t = context;
  size_t n = 0;

  for (size_t i = 0; i < t->n_slots; i++)
    if (t->entries[i].sum != 0)
      t->entries[n++] = t->entries[i];
  qsort (t->entries, n, sizeof *t->entries, compare);
  for (size_t i = 0; i < n; i++)
    contender_fprintf.cost (t->stream, &t->entries[i].pos,
                            &t->entries[i].sum, 1);
  return contender_fprintf.end (t->stream);
}

const struct contender contender_table = { .open = table_open,
                                           .close = table_close,
                                           .begin = table_begin,
                                           .cost = table_cost,
                                           .end = table_end };
