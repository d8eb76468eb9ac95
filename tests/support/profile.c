/* profile.c - look-ups in what a callgrind file says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <stdlib.h>
#include <string.h>

static void
free_events (struct profile_event *events, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      free (events[i].name);
      free (events[i].long_name);
      free (events[i].formula);
    }
  free (events);
}

static void
free_lines (char **lines, size_t n)
{
  for (size_t i = 0; i < n; i++)
    free (lines[i]);
  free (lines);
}

static void
free_part (struct profile_part *part)
{
  free (part->cmd);
  free_lines (part->desc, part->n_desc);
  free_lines (part->comments, part->n_comments);
  free_events (part->events, part->n_events);
  free_events (part->derived, part->n_derived);
  free (part->summary);
  free (part->totals);
  free (part->self);
}

void
profile_free (struct profile *p)
{
  if (!p)
    return;
  for (size_t i = 0; i < p->n_parts; i++)
    free_part (&p->parts[i]);
  free (p->parts);
  profile_names_free (&p->names);
  profile_table_free (&p->fns);
  profile_table_free (&p->costs);
  profile_table_free (&p->edges);
  profile_table_free (&p->jumps);
  free (p);
}

size_t
profile_event (const struct profile *p, const char *name)
{
  for (size_t i = 0; i < p->n_events; i++)
    if (!strcmp (p->parts[0].events[i].name, name))
      return i;
  return PROFILE_NO_ROW;
}

/* The function's row, or PROFILE_NO_ROW.  */
static size_t
find_fn (const struct profile *p, const char *object, const char *file,
         const char *fn)
{
  uint64_t key[FN_KEYS];
  key[FN_OBJECT] = profile_names_find (&p->names, object);
  key[FN_FILE] = profile_names_find (&p->names, file);
  key[FN_NAME] = profile_names_find (&p->names, fn);
  return profile_table_find (&p->fns, key);
}

static size_t
find_at (const struct profile *p, const struct profile_at *at)
{
  return find_fn (p, at->object, at->file, at->fn);
}

static size_t
find_source (const struct profile *p, const struct profile_at *at)
{
  return profile_names_find (&p->names, at->source ? at->source : at->file);
}

uint64_t
profile_cost (const struct profile *p, const char *object, const char *file,
              const char *fn, const char *source, uint64_t instr,
              uint64_t line, size_t event)
{
  struct profile_at at = { object, file, fn, source, instr, line };
  uint64_t key[COST_KEYS]
    = { find_at (p, &at), find_source (p, &at), instr, line };
  size_t row = profile_table_find (&p->costs, key);
  if (row == PROFILE_NO_ROW || event >= p->n_events)
    return 0;
  return profile_table_values (&p->costs, row)[event];
}

uint64_t
profile_self (const struct profile *p, const char *object, const char *file,
              const char *fn, size_t event)
{
  size_t row = find_fn (p, object, file, fn);
  uint64_t sum = 0;
  for (size_t i = 0; event < p->n_events && i < p->costs.n; i++)
    if (profile_table_key (&p->costs, i)[COST_FN] == row)
      sum += profile_table_values (&p->costs, i)[event];
  return sum;
}

struct profile_sum
profile_total (const struct profile *p, size_t event)
{
  struct profile_sum sum = { 0, false };
  for (size_t i = 0; event < p->n_events && i < p->n_parts; i++)
    {
      const struct profile_sum *self = &p->parts[i].self[event];
      sum.overflow |= self->overflow || self->value > UINT64_MAX - sum.value;
      sum.value += self->value;
    }
  return sum;
}

/* The sum of one value over all edges between two functions.  */
static uint64_t
sum_edges (const struct profile *p, const struct profile_at *from,
           const struct profile_at *to, size_t value)
{
  size_t from_row = find_at (p, from);
  size_t to_row = find_at (p, to);
  uint64_t sum = 0;
  for (size_t i = 0; i < p->edges.n; i++)
    {
      const uint64_t *key = profile_table_key (&p->edges, i);
      if (key[EDGE_FN] == from_row && key[EDGE_TO] == to_row)
        sum += profile_table_values (&p->edges, i)[value];
    }
  return sum;
}

uint64_t
profile_calls (const struct profile *p, const struct profile_at *from,
               const struct profile_at *to)
{
  return sum_edges (p, from, to, EDGE_COUNT);
}

uint64_t
profile_inclusive (const struct profile *p, const struct profile_at *from,
                   const struct profile_at *to, size_t event)
{
  return event < p->n_events ? sum_edges (p, from, to, EDGE_COST + event) : 0;
}

const uint64_t *
profile_edge (const struct profile *p, const struct profile_at *from,
              const struct profile_at *to)
{
  uint64_t key[EDGE_KEYS]
    = { find_at (p, from), find_source (p, from), from->instr, from->line,
        find_at (p, to), to->instr, to->line };
  size_t row = profile_table_find (&p->edges, key);
  return row == PROFILE_NO_ROW ? NULL : profile_table_values (&p->edges, row);
}

const uint64_t *
profile_jump (const struct profile *p, const struct profile_at *from,
              const struct profile_at *to, bool conditional)
{
  uint64_t key[JUMP_KEYS]
    = { find_at (p, from), find_source (p, from), from->instr, from->line,
        find_at (p, to), find_source (p, to), to->instr, to->line,
        conditional };
  size_t row = profile_table_find (&p->jumps, key);
  return row == PROFILE_NO_ROW ? NULL : profile_table_values (&p->jumps, row);
}
