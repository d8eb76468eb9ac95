/* contender_binary.c - appends raw structs: what a tool does that leaves the
   format to a later program.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The head of a record; n costs follow.  A call has its target and its count
   between the two.  */
struct head
{
  uint32_t fn;
  uint32_t file;
  uint32_t line;
  uint32_t is_call;
  uint64_t instr;
};

struct target
{
  struct head to;
  uint64_t count;
};

static void *
binary_open (const struct workload *w, struct sink *sink,
             const struct setup *setup, struct script *script)
{
  (void)w, (void)setup, (void)script;
  return out_new (sink);
}

static bool
binary_begin (void *context)
{
  out_restart (context);
  return true;
}

static inline char *
put_head (char *p, const struct cgw_pos *pos, uint32_t is_call)
{
  struct head h
      = { pos->fn.handle, pos->file.handle, pos->line, is_call, pos->instr };

  memcpy (p, &h, sizeof h);
  return p + sizeof h;
}

static int
binary_cost (void *context, const struct cgw_pos *pos, const uint64_t *cost,
             size_t n)
{
  struct out *o = context;
  size_t size = sizeof (struct head) + n * sizeof *cost;

  out_reserve (o, size);
  char *p = put_head (o->p, pos, 0);
  memcpy (p, cost, n * sizeof *cost);
  o->p += size;
  return 0;
}

static int
binary_call (void *context, const struct cgw_pos *from,
             const struct cgw_pos *to, uint64_t count,
             const uint64_t *inclusive_cost, size_t n)
{
  struct out *o = context;
  size_t size = sizeof (struct head) + sizeof (struct target)
                + n * sizeof *inclusive_cost;

  out_reserve (o, size);
  char *p = put_head (o->p, from, 1);
  p = put_head (p, to, 0);
  memcpy (p, &count, sizeof count);
  memcpy (p + sizeof count, inclusive_cost, n * sizeof *inclusive_cost);
  o->p += size;
  return 0;
}

static bool
binary_end (void *context)
{
  struct out *o = context;

  out_flush (o);
  return !o->failed;
}

/* The bytes not yet checked.  */
struct rest
{
  const char *bytes;
  size_t n;
};

/* Takes the next n bytes; false when there are fewer.  */
static bool
take (struct rest *r, void *to, size_t n)
{
  if (r->n < n)
    return false;
  memcpy (to, r->bytes, n);
  r->bytes += n;
  r->n -= n;
  return true;
}

static bool
is_head (const struct head *h, const struct cgw_pos *pos, bool is_call)
{
  return h->fn == pos->fn.handle && h->file == pos->file.handle
         && h->line == pos->line && h->instr == pos->instr
         && h->is_call == is_call;
}

/* Whether the rest begins with this event, which it is then without.  */
static bool
is_event (struct rest *r, const struct script *s, size_t i)
{
  const struct bench_event *e = &s->events[i];
  const struct bench_call *call = e->call ? &s->calls[e->call - 1] : NULL;
  uint64_t costs[CGW_EVENTS_MAX];
  struct head h;
  struct target t;
  size_t size = s->n_events * sizeof *costs;

  if (!take (r, &h, sizeof h) || !is_head (&h, &e->pos, call))
    return false;
  if (call
      && (!take (r, &t, sizeof t) || !is_head (&t.to, &call->to, false)
          || t.count != call->count))
    return false;
  return take (r, costs, size)
         && memcmp (costs, &s->costs[i * s->n_events], size) == 0;
}

static bool
binary_check (const struct workload *w, const char *bytes, size_t n, char *why,
              size_t size)
{
  struct rest r = { bytes, n };

  for (size_t i = 0; i < w->script.n; i++)
    if (!is_event (&r, &w->script, i))
      {
        snprintf (why, size, "record %zu is wrong", i);
        return false;
      }
  snprintf (why, size, "%zu bytes too many", r.n);
  return r.n == 0;
}

const struct contender contender_binary = { .name = "binary",
                                            .open = binary_open,
                                            .close = free,
                                            .begin = binary_begin,
                                            .cost = binary_cost,
                                            .call = binary_call,
                                            .end = binary_end,
                                            .check = binary_check };
