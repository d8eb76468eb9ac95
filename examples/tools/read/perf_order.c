/* perf_order.c - puts records in the order of time.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "perf_order.h"

#include "../base/memory.h"

#include <stdlib.h>

/* What may wait: more than the buffers of any machine.  A file without rounds
   must not fill the memory.  */
#define MOST_WAITING ((size_t) 128 << 20)

struct perf_order_entry
{
  uint64_t time;
  size_t at; /* among the bytes: the record, then its bytes */
};

static size_t
padded (uint32_t size)
{
  return ((size_t) size + 7) / 8 * 8;
}

static size_t
append (struct perf_order_bytes *b, const struct perf_record *record)
{
  size_t at = b->used, n = sizeof *record + padded (record->size);

  if (b->size - b->used < n)
    {
      b->size = 2 * b->size + n + 65536;
      b->bytes = resize (b->bytes, b->size, 1);
    }
  memcpy (b->bytes + at, record, sizeof *record);
  memcpy (b->bytes + at + sizeof *record, record->bytes, record->size);
  b->used += n;
  return at;
}

static struct perf_record
record_at (const struct perf_order_bytes *b, size_t at)
{
  struct perf_record record;

  memcpy (&record, b->bytes + at, sizeof record);
  record.bytes = b->bytes + at + sizeof record;
  return record;
}

/* Of records with equal times the first comes first.  */
static int
compare (const void *a, const void *b)
{
  const struct perf_order_entry *x = a, *y = b;

  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Keeps the entries from number i on.  */
static void
keep (struct perf_order *o, size_t i)
{
  struct perf_order_bytes old = o->waiting;
  size_t n = 0;

  o->rest.used = 0;
  for (; i < o->n; i++)
    {
      struct perf_record record = record_at (&old, o->entries[i].at);

      o->entries[n].time = o->entries[i].time;
      o->entries[n++].at = append (&o->rest, &record);
    }
  o->n = n;
  o->waiting = o->rest;
  o->rest = old;
}

static void
sort (struct perf_order *o)
{
  if (o->n > 1)
    qsort (o->entries, o->n, sizeof *o->entries, compare);
}

/* Hands out the records up to a time, of those that are sorted.  */
static bool
hand_out (struct perf_order *o, uint64_t time)
{
  bool ok = true;
  size_t i = 0;

  for (; ok && i < o->n && o->entries[i].time <= time; i++)
    {
      struct perf_record record = record_at (&o->waiting, o->entries[i].at);

      ok = o->take (o->context, &record);
    }
  keep (o, i);
  return ok;
}

static bool
make_room (struct perf_order *o)
{
  if (o->waiting.used < MOST_WAITING)
    return true;
  o->is_full = true;
  sort (o);
  return hand_out (o, o->entries[o->n / 2].time);
}

bool
perf_order_add (struct perf_order *o, const struct perf_record *record,
                uint64_t time)
{
  if (!make_room (o))
    return false;
  if (o->n == o->capacity)
    {
      o->capacity = 2 * o->capacity + 1024;
      o->entries = resize (o->entries, o->capacity, sizeof *o->entries);
    }
  o->entries[o->n++]
      = (struct perf_order_entry){ time, append (&o->waiting, record) };
  if (time > o->newest)
    o->newest = time;
  return true;
}

bool
perf_order_round (struct perf_order *o)
{
  bool ok;

  sort (o);
  ok = hand_out (o, o->round);
  o->round = o->newest;
  return ok;
}

bool
perf_order_end (struct perf_order *o)
{
  sort (o);
  return hand_out (o, UINT64_MAX);
}

void
perf_order_free (struct perf_order *o)
{
  free (o->waiting.bytes);
  free (o->rest.bytes);
  free (o->entries);
}
