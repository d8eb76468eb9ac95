/* contender_memcpy.c - copies the lines that libcgw wrote, one record at a
   time: what it takes to move the bytes.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdio.h>
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
    abort ();
  return (size_t)(stats.written + stats.buffered);
}

static bool
write_event (const struct script *s, size_t i, void *libcgw)
{
  const struct bench_event *e = &s->events[i];
  const uint64_t *cost = &s->costs[i * s->n_events];

  if (e->call == 0)
    return contender_libcgw.cost (libcgw, &e->pos, cost, s->n_events) == 0;
  const struct bench_call *call = &s->calls[e->call - 1];
  return contender_libcgw.call (libcgw, &e->pos, &call->to, call->count, cost,
                                s->n_events)
         == 0;
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

/* Lets libcgw write, and notes where each record ends.  */
static bool
prepare (struct copier *c, const struct workload *w)
{
  struct sink sink = { .fd = -1, .keep = true };
  struct script script = w->script;
  void *libcgw = contender_libcgw.open (w, &sink, &script);
  struct cgw_writer *writer = contender_writer (libcgw);
  bool ok = contender_libcgw.begin (libcgw);

  c->lengths = bench_allocate (script.n + 2, sizeof *c->lengths);
  ok = ok && end_record (c, length (writer));
  for (size_t i = 0; ok && i < script.n; i++)
    ok = write_event (&script, i, libcgw) && end_record (c, length (writer));
  ok = ok && contender_libcgw.end (libcgw) && end_record (c, sink.n);
  contender_libcgw.close (libcgw);
  c->bytes = sink.bytes;
  return ok;
}

static void *
memcpy_open (const struct workload *w, struct sink *sink,
             struct script *script)
{
  struct copier *c = bench_allocate (1, sizeof *c);

  (void)script;
  c->out = out_new (sink);
  if (!prepare (c, w))
    abort ();
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

/* The same bytes as libcgw's.  */
static bool
memcpy_check (const struct workload *w, const char *bytes, size_t n, char *why,
              size_t size)
{
  struct copier c = { .n = 0 };
  bool same = prepare (&c, w) && c.n == n && memcmp (c.bytes, bytes, n) == 0;

  snprintf (why, size, "other bytes than libcgw's");
  free (c.bytes);
  free (c.lengths);
  return same;
}

const struct contender contender_memcpy
    = { "memcpy",    memcpy_open, memcpy_close, memcpy_begin, memcpy_cost,
        memcpy_call, memcpy_end,  memcpy_check, false };
