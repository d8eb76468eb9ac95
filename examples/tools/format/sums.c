/* sums.c - the sums of a profile, or of two that are compared.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sums.h"

#include "../base/memory.h"
#include "cgin.h"
#include "cycles.h"

#include <stdlib.h>
#include <string.h>

void
sums_begin (struct sums *s, const struct cgw_names *names, size_t n_events,
            bool by_line, bool is_signed)
{
  size_t costs = SIDES * n_events * sizeof (uint64_t);

  *s = (struct sums){
    .names = names,
    .n = n_events,
    .by_line = by_line,
    .is_signed = is_signed,
    .functions = { .key_size = sizeof (struct sums_key),
                   .entry_size = sizeof (struct sums_function) + 2 * costs },
    .places = { .key_size = sizeof (struct place_key),
                .entry_size = sizeof (struct place) + costs },
    .edges = { .key_size = sizeof (struct edge_key),
               .entry_size = sizeof (struct edge) + costs },
    .wholes = { .key_size = sizeof (struct sums_key),
                .entry_size = sizeof (struct whole) + costs },
  };
}

void
sums_free (struct sums *s)
{
  table_free (&s->functions);
  table_free (&s->places);
  table_free (&s->edges);
  table_free (&s->wholes);
  table_free (&s->matches);
}

/* Adding.  */

void
sums_add (uint64_t *to, const uint64_t *costs, size_t n, bool is_signed)
{
  for (size_t i = 0; i < n; i++)
    to[i] = !is_signed && costs[i] > UINT64_MAX - to[i] ? UINT64_MAX
                                                        : to[i] + costs[i];
}

/* False: a sum passes 2^64-1.  */
static bool
add_costs (const struct sums *s, uint64_t *sums, const uint64_t *cost,
           size_t n)
{
  for (size_t i = 0; i < n && !s->is_signed; i++)
    if (cost[i] > UINT64_MAX - sums[i])
      return false;
  sums_add (sums, cost, n, s->is_signed);
  return true;
}

struct sums_function *
sums_function (const struct sums *s, uint32_t fn)
{
  return table_find (&s->functions, &(struct sums_key){ fn, 0 });
}

uint32_t
sums_index (const struct sums *s, uint32_t fn)
{
  return table_index (&s->functions, sums_function (s, fn));
}

/* Takes note of a function, and of its lowest line.  */
static void
note_function (struct sums *s, enum side side, const struct cgw_pos *pos)
{
  struct sums_function *f
      = table_add (&s->functions, &(struct sums_key){ pos->fn.handle, 0 });

  f->is_in[side] = true;
  if (pos->file.handle == 0 && pos->line != 0
      && (f->line[side] == 0 || pos->line < f->line[side]))
    f->line[side] = pos->line;
}

static struct place_key
key_of (const struct sums *s, const struct cgw_pos *pos)
{
  struct place_key key = { .fn = pos->fn.handle };

  if (s->by_line)
    {
      key.file = pos->file.handle;
      key.line = pos->line;
    }
  return key;
}

enum cgw_status
sums_cost (struct sums *s, enum side side, const struct cgw_pos *pos,
           const uint64_t *cost)
{
  struct place_key key = key_of (s, pos);
  struct place *place = table_add (&s->places, &key);

  note_function (s, side, pos);
  return add_costs (s, place->costs + side * s->n, cost, s->n)
             ? CGW_OK
             : CGW_EOVERFLOW;
}

enum cgw_status
sums_call (struct sums *s, enum side side, const struct cgw_pos *from,
           const struct cgw_pos *to, uint64_t count, const uint64_t *cost)
{
  const struct cgw_pos callee = { .fn = to->fn };
  struct edge_key key = { .from = key_of (s, from), .to = to->fn.handle };
  struct edge *edge = table_add (&s->edges, &key);

  note_function (s, side, from);
  note_function (s, side, &callee);
  if (count > UINT64_MAX - edge->count[side])
    return CGW_EOVERFLOW;
  edge->count[side] += count;
  return add_costs (s, edge->costs + side * s->n, cost, s->n) ? CGW_OK
                                                              : CGW_EOVERFLOW;
}

void
sums_whole (struct sums *s, enum side side, struct cgw_fn fn,
            const uint64_t *cost)
{
  struct whole *whole
      = table_add (&s->wholes, &(struct sums_key){ fn.handle, 0 });

  sums_add (whole->costs + side * s->n, cost, s->n, s->is_signed);
}

/* Summing up.  */

static void
clear (struct sums *s)
{
  memset (s->total, 0, sizeof s->total);
  for (uint32_t i = 0; i < s->functions.n; i++)
    {
      struct sums_function *f = table_entry (&s->functions, i);

      memset (f->calls, 0, sizeof f->calls);
      memset (f->costs, 0, 2 * SIDES * s->n * sizeof *f->costs);
    }
}

static void
add_places (struct sums *s, enum side side)
{
  for (uint32_t i = 0; i < s->places.n; i++)
    {
      const struct place *place = table_entry (&s->places, i);
      const uint64_t *costs = place->costs + side * s->n;
      struct sums_function *f = sums_function (s, place->key.fn);

      sums_add (sums_self (s, f, side), costs, s->n, s->is_signed);
      sums_add (s->total[side], costs, s->n, s->is_signed);
    }
}

/* The calls of a side, by the indices of functions.  */
struct calls
{
  struct cycles_edge *list;
  const uint64_t **costs;
  uint32_t n;
};

static struct calls
add_edges (struct sums *s, enum side side)
{
  struct calls calls
      = { .list = resize (NULL, s->edges.n, sizeof *calls.list),
          .costs = resize (NULL, s->edges.n, sizeof *calls.costs) };

  for (uint32_t i = 0; i < s->edges.n; i++)
    {
      const struct edge *edge = table_entry (&s->edges, i);
      const uint64_t *costs = edge->costs + side * s->n;
      uint64_t count = edge->count[side];

      if (count == 0 && cgin_is_zero (costs, s->n))
        continue;
      sums_add (&sums_function (s, edge->key.to)->calls[side], &count, 1,
                false);
      calls.costs[calls.n] = costs;
      calls.list[calls.n++]
          = (struct cycles_edge){ sums_index (s, edge->key.from.fn),
                                  sums_index (s, edge->key.to) };
    }
  return calls;
}

/* Sums up the inclusive costs of groups of functions, which calls within a
   group are not in.  */
static uint64_t *
sum_groups (struct sums *s, enum side side, const struct calls *calls,
            const uint32_t *group_of)
{
  size_t size = (size_t) s->functions.n * s->n;
  uint64_t *own = resize (NULL, 2 * size, sizeof *own), *in = own + size;

  memset (own, 0, 2 * size * sizeof *own);
  for (uint32_t i = 0; i < s->functions.n; i++)
    sums_add (&own[group_of[i] * s->n],
              sums_self (s, table_entry (&s->functions, i), side), s->n,
              s->is_signed);
  for (uint32_t i = 0; i < calls->n; i++)
    {
      uint32_t from = group_of[calls->list[i].from];
      uint32_t to = group_of[calls->list[i].to];

      if (from == to)
        continue;
      sums_add (&own[from * s->n], calls->costs[i], s->n, s->is_signed);
      sums_add (&in[to * s->n], calls->costs[i], s->n, s->is_signed);
    }
  for (size_t i = 0; i < size && !s->is_signed; i++)
    if (own[i] < in[i])
      own[i] = in[i];
  return own;
}

static void
lower (uint64_t *cost, uint64_t most)
{
  if (*cost > most)
    *cost = most;
}

static void
add_inclusive (struct sums *s, enum side side, const struct calls *calls)
{
  uint32_t *cycle_of = cycles_find (s->functions.n, calls->list, calls->n);
  uint32_t *alone = resize (NULL, s->functions.n, sizeof *alone);
  uint64_t *costs, *most;

  for (uint32_t i = 0; i < s->functions.n; i++)
    alone[i] = i;
  costs = sum_groups (s, side, calls, alone);
  most = sum_groups (s, side, calls, cycle_of);
  for (uint32_t i = 0; i < s->functions.n; i++)
    {
      uint64_t *inclusive
          = sums_inclusive (s, table_entry (&s->functions, i), side);

      for (size_t k = 0; k < s->n; k++)
        {
          inclusive[k] = costs[i * s->n + k];
          if (s->is_signed)
            continue;
          lower (&inclusive[k], most[cycle_of[i] * s->n + k]);
          lower (&inclusive[k], s->total[side][k]);
        }
    }
  free (cycle_of);
  free (alone);
  free (costs);
  free (most);
}

static void
take_wholes (struct sums *s, enum side side)
{
  for (uint32_t i = 0; i < s->wholes.n; i++)
    {
      const struct whole *whole = table_entry (&s->wholes, i);
      struct sums_function *f = sums_function (s, whole->key.fn);

      if (f != NULL)
        memcpy (sums_inclusive (s, f, side), whole->costs + side * s->n,
                s->n * sizeof *whole->costs);
    }
}

void
sums_add_up (struct sums *s)
{
  clear (s);
  for (enum side side = BEFORE; side < SIDES; side++)
    {
      struct calls calls;

      add_places (s, side);
      calls = add_edges (s, side);
      if (s->is_whole[side])
        take_wholes (s, side);
      else
        add_inclusive (s, side, &calls);
      free (calls.list);
      free (calls.costs);
    }
}
