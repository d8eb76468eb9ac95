/* diff_profile.c - the differences of two profiles, as a profile.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff_output.h"

/* What is more and what is less, of each event.  False: nothing.  */
static bool
differences (const struct sums *s, const uint64_t *costs, uint64_t *more)
{
  bool any = false;

  for (size_t i = 0; i < s->n; i++)
    {
      uint64_t before = costs[i], after = costs[s->n + i];

      more[2 * i] = after > before ? after - before : 0;
      more[2 * i + 1] = before > after ? before - after : 0;
      any = any || before != after;
    }
  return any;
}

/* The line that stands for a function: readers show the later source, unless
   the function is gone.  */
static uint32_t
line_of (const struct sums *s, uint32_t fn)
{
  const struct sums_function *f = sums_function (s, fn);

  return f->line[AFTER] != 0 ? f->line[AFTER] : f->line[BEFORE];
}

static struct cgw_pos
position (const struct sums *s, const struct place_key *key)
{
  return (struct cgw_pos){ .fn = { key->fn },
                           .file = { key->file },
                           .line = s->by_line ? key->line
                                              : line_of (s, key->fn) };
}

/* Calls of the later profile, or else of the earlier one.  */
static uint64_t
calls_of (const struct edge *edge)
{
  uint64_t count
      = edge->count[AFTER] != 0 ? edge->count[AFTER] : edge->count[BEFORE];

  return count != 0 ? count : 1;
}

/* Errors are the profile's: they show up when it is written.  */
void
diff_fill (const struct sums *s, struct cgw_profile *profile)
{
  uint64_t more[CGW_EVENTS_MAX];

  for (uint32_t i = 0; i < s->places.n; i++)
    {
      const struct place *place = table_entry (&s->places, i);
      struct cgw_pos pos = position (s, &place->key);

      if (differences (s, place->costs, more))
        cgw_profile_cost (profile, &pos, more, 2 * s->n);
    }
  for (uint32_t i = 0; i < s->edges.n; i++)
    {
      const struct edge *edge = table_entry (&s->edges, i);
      struct cgw_pos from = position (s, &edge->key.from);
      struct cgw_pos to = { .fn = { edge->key.to },
                            .line = line_of (s, edge->key.to) };

      if (differences (s, edge->costs, more))
        cgw_profile_call (profile, &from, &to, calls_of (edge), more,
                          2 * s->n);
    }
}
