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
  struct out *out;
  char *bytes;
  size_t n;
  uint32_t *lengths; /* of the header, each record, and what follows them */
  size_t n_lengths;
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

/* Notes the length of what ends at n.  The longest name is as long as the
   buffer, but who has such names?  */
static bool
end_record (struct copier *c, size_t n)
{
  size_t length = n - c->n;

  c->n = n;
  c->lengths[c->n_lengths++] = (uint32_t)length;
  return length <= BENCH_BUFFER;
}

static bool
write_event (const struct entrant *e, size_t i)
{
  const struct script *s = &e->script;
  const struct bench_event *event = &s->events[i];
  const uint64_t *cost = &s->costs[i * s->n_events];

  if (event->call == 0)
    return contender_libcgw.cost (e->context, &event->pos, cost, s->n_events)
           == 0;
  const struct bench_call *call = &s->calls[event->call - 1];
  return contender_libcgw.call (e->context, &event->pos, &call->to,
                                call->count, cost, s->n_events)
         == 0;
}

/* Lets libcgw write, and notes where each record ends.  */
static bool
prepare (struct copier *c, const struct workload *w)
{
  struct sink sink = { .fd = -1, .keep = true };
  struct entrant e;

  entrant_open (&e, &contender_libcgw, w, &sink);
  entrant_begin (&e);
  c->lengths = bench_allocate (e.script.n + 2, sizeof *c->lengths);
  bool ok = end_record (c, length (contender_writer (e.context)));
  for (size_t i = 0; ok && i < e.script.n; i++)
    ok = write_event (&e, i)
         && end_record (c, length (contender_writer (e.context)));
  entrant_end (&e);
  ok = ok && end_record (c, sink.n);
  entrant_close (&e);
  c->bytes = sink.bytes;
  return ok;
}

static void *
memcpy_open (const struct contender *self, const struct workload *w,
             struct sink *sink)
{
  struct copier *c = bench_allocate (1, sizeof *c);

  (void)self;
  c->out = out_new (sink);
  if (!prepare (c, w))
    bench_fail ("memcpy");
  return c;
}

static void
memcpy_close (void *context)
{
  struct copier *c = context;

  free (c->out);
  free (c->bytes);
  free (c->lengths);
  free (c);
}

static inline int
copy_next (struct copier *c)
{
  struct out *o = c->out;
  size_t n = *c->next++;

  out_reserve (o, n);
  memcpy (o->p, c->at, n);
  o->p += n;
  c->at += n;
  return 0;
}

static bool
memcpy_begin (void *context)
{
  struct copier *c = context;

  out_restart (c->out);
  c->at = c->bytes;
  c->next = c->lengths;
  copy_next (c);
  return true;
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
  struct copier *c = context;

  copy_next (c);
  out_flush (c->out);
  return !c->out->failed;
}

const struct contender contender_memcpy = { .open = memcpy_open,
                                            .close = memcpy_close,
                                            .begin = memcpy_begin,
                                            .cost = memcpy_cost,
                                            .call = memcpy_call,
                                            .end = memcpy_end };
