/* contender_memcpy.c - copies the lines that libcgw wrote, one record at a
   time: what it takes to move the bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdlib.h>
#include <string.h>

struct copier
{
  const char *at;       /* the next record, */
  const uint32_t *next; /* and its length */
  char *p;              /* where it goes */
  struct sink *sink;
  struct sink lines;
  uint32_t *lengths; /* of the header, each record, and what follows them */
  size_t n;          /* their sum so far */
  _Alignas(4096) char bytes[BENCH_BUFFER];
};

/* Bytes of the file so far.  */
static size_t
length (struct cgw_writer *w)
{
  struct cgw_stats stats = CGW_STATS_INIT;

  if (cgw_get_stats (w, &stats) != CGW_OK)
    bench_fail ("cgw_get_stats");
  return (size_t)(stats.written + stats.buffered);
}

/* Notes where piece i of the file ends.  */
static void
note (struct copier *c, size_t i, size_t n)
{
  c->lengths[i] = (uint32_t)(n - c->n);
  if (n - c->n > BENCH_BUFFER)
    bench_fail ("memcpy of a record that is longer than the buffer");
  c->n = n;
}

/* Lets libcgw write, and notes where each record ends.  */
static void
prepare (struct copier *c, const struct workload *w)
{
  const struct script *s = &w->script;
  struct entrant e;

  c->n = 0;
  c->lines = (struct sink){ .fd = -1, .keep = true };
  c->lengths = bench_allocate (s->n + 2, sizeof *c->lengths);
  entrant_open (&e, &contender_libcgw, w, &c->lines);
  entrant_begin (&e);
  note (c, 0, length (contender_writer (e.context)));
  for (size_t i = 0; i < s->n; i++)
    {
      if (replay_record (s, &s->events[i], &s->costs[i * s->n_events],
                         e.contender, e.context)
          != 0)
        bench_fail ("memcpy");
      note (c, i + 1, length (contender_writer (e.context)));
    }
  entrant_end (&e);
  note (c, s->n + 1, c->lines.n);
  entrant_close (&e);
}

static void *
memcpy_open (const struct contender *self, const struct workload *w,
             struct sink *sink)
{
  struct copier *c = aligned_alloc (_Alignof(struct copier), sizeof *c);

  (void)self;
  if (!c)
    bench_fail ("an allocation");
  c->sink = sink;
  prepare (c, w);
  return c;
}

static void
memcpy_close (void *context)
{
  struct copier *c = context;

  sink_forget (&c->lines);
  free (c->lengths);
  free (c);
}

/* Not inlined: what each record takes is short.  */
__attribute__ ((noinline)) static void
flush (struct copier *c)
{
  const char *from = c->bytes;

  while (from < c->p)
    {
      ssize_t n = sink_write (c->sink, from, (size_t)(c->p - from));
      if (n <= 0)
        bench_fail ("memcpy");
      from += n;
    }
  c->p = c->bytes;
}

static inline int
copy_next (struct copier *c)
{
  size_t n = *c->next++;

  if (n > (size_t)(c->bytes + BENCH_BUFFER - c->p))
    flush (c);
  memcpy (c->p, c->at, n);
  c->p += n;
  c->at += n;
  return 0;
}

static bool
memcpy_begin (void *context)
{
  struct copier *c = context;

  c->p = c->bytes;
  c->at = c->lines.bytes;
  c->next = c->lengths;
  return copy_next (c) == 0;
}

static int
memcpy_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  (void)pos, (void)cost, (void)n;
  return copy_next (context);
}

static int
memcpy_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  (void)from, (void)to, (void)count, (void)inclusive_cost, (void)n;
  return copy_next (context);
}

static bool
memcpy_end (void *context)
{
  copy_next (context);
  flush (context);
  return true;
}

const struct contender contender_memcpy = { .open = memcpy_open,
                                            .close = memcpy_close,
                                            .begin = memcpy_begin,
                                            .cost = memcpy_cost,
                                            .call = memcpy_call,
                                            .end = memcpy_end };
