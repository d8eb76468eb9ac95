/* diff_sums.c - the sums of two profiles, and their differences.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "diff_sums.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

void
diff_sums_begin (struct diff_sums *d, size_t n_events, bool by_line)
{
  size_t costs = SIDES * n_events * sizeof (uint64_t);

  *d = (struct diff_sums){
    .n = n_events,
    .by_line = by_line,
    .names = { .key_size = sizeof (struct name_key),
               .entry_size = sizeof (struct name) },
    .functions = { .key_size = sizeof (struct function_key),
                   .entry_size = sizeof (struct function) },
    .places = { .key_size = sizeof (struct place_key),
                .entry_size = sizeof (struct place) + costs },
    .edges = { .key_size = sizeof (struct edge_key),
               .entry_size = sizeof (struct edge) + costs },
  };
}

void
diff_sums_free (struct diff_sums *d)
{
  for (uint32_t i = 0; i < d->names.n; i++)
    free (((struct name *) table_entry (&d->names, i))->text);
  table_free (&d->names);
  table_free (&d->functions);
  table_free (&d->places);
  table_free (&d->edges);
}

void
diff_sums_name (struct diff_sums *d, const struct cgin_name *n)
{
  struct name *name
      = table_add (&d->names, &(struct name_key){ n->kind, n->handle });

  if (name->text != NULL)
    return;
  name->text = copy_text (n->text);
  name->file = n->file.handle;
  name->object = n->object.handle;
}

const char *
diff_sums_text (const struct diff_sums *d, enum cgin_kind kind,
                uint32_t handle)
{
  const struct name *name
      = table_find (&d->names, &(struct name_key){ kind, handle });

  return name != NULL ? name->text : "???";
}

/* Adding.  */

static bool
add_costs (uint64_t *sums, const uint64_t *cost, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      if (cost[i] > UINT64_MAX - sums[i])
        return false;
      sums[i] += cost[i];
    }
  return true;
}

struct function *
diff_sums_function (const struct diff_sums *d, uint32_t fn)
{
  return table_find (&d->functions, &(struct function_key){ fn, 0 });
}

/* Takes note of a function, and of its lowest line.  */
static void
note_function (struct diff_sums *d, enum side side, const struct cgw_pos *pos)
{
  struct function *f
      = table_add (&d->functions, &(struct function_key){ pos->fn.handle, 0 });

  f->is_in[side] = true;
  if (pos->file.handle == 0 && pos->line != 0
      && (f->line[side] == 0 || pos->line < f->line[side]))
    f->line[side] = pos->line;
}

static struct place_key
key_of (const struct diff_sums *d, const struct cgw_pos *pos)
{
  struct place_key key = { .fn = pos->fn.handle };

  if (d->by_line)
    {
      key.file = pos->file.handle;
      key.line = pos->line;
    }
  return key;
}

enum cgw_status
diff_sums_cost (struct diff_sums *d, enum side side, const struct cgw_pos *pos,
                const uint64_t *cost)
{
  struct place_key key = key_of (d, pos);
  struct place *place = table_add (&d->places, &key);

  note_function (d, side, pos);
  return add_costs (place->costs + side * d->n, cost, d->n) ? CGW_OK
                                                            : CGW_EOVERFLOW;
}

enum cgw_status
diff_sums_call (struct diff_sums *d, enum side side,
                const struct cgw_pos *from, const struct cgw_pos *to,
                uint64_t count, const uint64_t *cost)
{
  const struct cgw_pos callee = { .fn = to->fn };
  struct edge_key key = { .from = key_of (d, from), .to = to->fn.handle };
  struct edge *edge = table_add (&d->edges, &key);

  note_function (d, side, from);
  note_function (d, side, &callee);
  return add_costs (&edge->count[side], &count, 1)
                 && add_costs (edge->costs + side * d->n, cost, d->n)
             ? CGW_OK
             : CGW_EOVERFLOW;
}

/* The profile.  */

/* What is more and what is less, of each event.  False: nothing.  */
static bool
differences (const struct diff_sums *d, const uint64_t *costs, uint64_t *more)
{
  bool any = false;

  for (size_t i = 0; i < d->n; i++)
    {
      uint64_t before = costs[i], after = costs[d->n + i];

      more[2 * i] = after > before ? after - before : 0;
      more[2 * i + 1] = before > after ? before - after : 0;
      any = any || before != after;
    }
  return any;
}

/* The line that stands for a function: readers show the later source, unless
   the function is gone.  */
static uint32_t
line_of (const struct diff_sums *d, uint32_t fn)
{
  const struct function *f = diff_sums_function (d, fn);

  return f->line[AFTER] != 0 ? f->line[AFTER] : f->line[BEFORE];
}

static struct cgw_pos
position (const struct diff_sums *d, const struct place_key *key)
{
  return (struct cgw_pos){ .fn = { key->fn },
                           .file = { key->file },
                           .line = d->by_line ? key->line
                                              : line_of (d, key->fn) };
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
diff_sums_fill (const struct diff_sums *d, struct cgw_profile *profile)
{
  uint64_t more[CGW_EVENTS_MAX];

  for (uint32_t i = 0; i < d->places.n; i++)
    {
      const struct place *place = table_entry (&d->places, i);
      struct cgw_pos pos = position (d, &place->key);

      if (differences (d, place->costs, more))
        cgw_profile_cost (profile, &pos, more, 2 * d->n);
    }
  for (uint32_t i = 0; i < d->edges.n; i++)
    {
      const struct edge *edge = table_entry (&d->edges, i);
      struct cgw_pos from = position (d, &edge->key.from);
      struct cgw_pos to = { .fn = { edge->key.to },
                            .line = line_of (d, edge->key.to) };

      if (differences (d, edge->costs, more))
        cgw_profile_call (profile, &from, &to, calls_of (edge), more,
                          2 * d->n);
    }
}
