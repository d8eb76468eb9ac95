/* profile.c - sums keyed by a few integers, interned names, and look-ups in
   what a callgrind file says.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <stdlib.h>
#include <string.h>

void *
profile_resize (void *p, size_t n)
{
  p = realloc (p, n);
  if (!p)
    abort ();
  return p;
}

void *
profile_zeros (size_t n, size_t size)
{
  return memset (profile_resize (NULL, n * size + 1), 0, n * size);
}

void *
profile_grow (void *p, size_t n, size_t *capacity, size_t size)
{
  if (n < *capacity)
    return p;
  *capacity = n + n / 2 + 16;
  return profile_resize (p, *capacity * size);
}

/* The index.  */

/* Doubles the index when n rows fill two thirds of it; says whether the rows
   have to be entered again.  */
static bool
index_grow (struct profile_index *index, size_t n)
{
  if ((n + 1) * 3 < index->n_slots * 2)
    return false;
  index->n_slots = index->n_slots ? index->n_slots * 2 : 64;
  free (index->slots);
  index->slots = profile_zeros (index->n_slots, sizeof *index->slots);
  return true;
}

static void
index_enter (struct profile_index *index, uint64_t hash, size_t row)
{
  size_t i = hash & (index->n_slots - 1);
  while (index->slots[i])
    i = (i + 1) & (index->n_slots - 1);
  index->slots[i] = (uint32_t) row + 1;
}

static uint64_t
mix (uint64_t hash)
{
  hash ^= hash >> 32;
  hash *= UINT64_C (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* Sums.  */

void
profile_table_init (struct profile_table *t, size_t n_keys, size_t n_values)
{
  memset (t, 0, sizeof *t);
  t->n_keys = n_keys;
  t->n_values = n_values;
}

void
profile_table_free (struct profile_table *t)
{
  free (t->keys);
  free (t->values);
  free (t->overflow);
  free (t->index.slots);
}

static uint64_t
key_hash (const uint64_t *key, size_t n)
{
  uint64_t hash = n;
  for (size_t i = 0; i < n; i++)
    hash = mix (hash + key[i]);
  return hash;
}

size_t
profile_table_find (const struct profile_table *t, const uint64_t *key)
{
  if (!t->n)
    return PROFILE_NO_ROW;
  size_t mask = t->index.n_slots - 1;
  size_t i = key_hash (key, t->n_keys) & mask;
  for (; t->index.slots[i]; i = (i + 1) & mask)
    {
      size_t row = t->index.slots[i] - 1;
      if (!memcmp (&t->keys[row * t->n_keys], key, t->n_keys * sizeof *key))
        return row;
    }
  return PROFILE_NO_ROW;
}

/* Room for one more row of width integers.  */
static uint64_t *
grow_words (uint64_t *words, size_t rows, size_t *room, size_t width)
{
  if ((rows + 1) * width <= *room)
    return words;
  *room = (rows + rows / 2 + 16) * width;
  return profile_resize (words, *room * sizeof *words);
}

size_t
profile_table_row (struct profile_table *t, const uint64_t *key)
{
  size_t row = profile_table_find (t, key);
  if (row != PROFILE_NO_ROW)
    return row;

  row = t->n;
  t->keys = grow_words (t->keys, row, &t->key_room, t->n_keys);
  memcpy (&t->keys[row * t->n_keys], key, t->n_keys * sizeof *key);
  if (t->n_values)
    {
      t->values = grow_words (t->values, row, &t->value_room, t->n_values);
      memset (&t->values[row * t->n_values], 0,
              t->n_values * sizeof *t->values);
    }
  t->overflow = profile_grow (t->overflow, row, &t->overflow_room,
                              sizeof *t->overflow);
  t->overflow[row] = false;

  if (index_grow (&t->index, row))
    for (size_t i = 0; i < row; i++)
      index_enter (&t->index, key_hash (&t->keys[i * t->n_keys], t->n_keys),
                   i);
  index_enter (&t->index, key_hash (key, t->n_keys), row);
  return t->n++;
}

void
profile_table_add (struct profile_table *t, size_t row, size_t value,
                   uint64_t addend)
{
  uint64_t *sum = &t->values[row * t->n_values + value];
  if (addend > UINT64_MAX - *sum)
    t->overflow[row] = true;
  *sum += addend;
}

const uint64_t *
profile_table_key (const struct profile_table *t, size_t row)
{
  return &t->keys[row * t->n_keys];
}

const uint64_t *
profile_table_values (const struct profile_table *t, size_t row)
{
  return t->n_values ? &t->values[row * t->n_values] : NULL;
}

/* Names.  */

static uint64_t
text_hash (const char *text, size_t length)
{
  uint64_t hash = UINT64_C (0xcbf29ce484222325);
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char) text[i]) * UINT64_C (0x100000001b3);
  return mix (hash);
}

void
profile_names_init (struct profile_names *names)
{
  memset (names, 0, sizeof *names);
  profile_names_add (names, "???", 3);
}

void
profile_names_free (struct profile_names *names)
{
  for (size_t i = 0; i < names->n; i++)
    free (names->text[i]);
  free (names->text);
  free (names->index.slots);
}

static size_t
find_text (const struct profile_names *names, const char *text, size_t length)
{
  if (!names->n)
    return PROFILE_NO_ROW;
  size_t mask = names->index.n_slots - 1;
  size_t i = text_hash (text, length) & mask;
  for (; names->index.slots[i]; i = (i + 1) & mask)
    {
      size_t row = names->index.slots[i] - 1;
      if (!strncmp (names->text[row], text, length)
          && !names->text[row][length])
        return row;
    }
  return PROFILE_NO_ROW;
}

uint32_t
profile_names_add (struct profile_names *names, const char *text,
                   size_t length)
{
  if (!length && names->n)
    return 0;
  size_t row = find_text (names, text, length);
  if (row != PROFILE_NO_ROW)
    return (uint32_t) row;

  row = names->n;
  names->text = profile_grow (names->text, row, &names->room,
                              sizeof *names->text);
  names->text[row] = profile_resize (NULL, length + 1);
  memcpy (names->text[row], text, length);
  names->text[row][length] = 0;
  if (index_grow (&names->index, row))
    for (size_t i = 0; i < row; i++)
      index_enter (&names->index,
                   text_hash (names->text[i], strlen (names->text[i])), i);
  index_enter (&names->index, text_hash (text, length), row);
  return (uint32_t) names->n++;
}

size_t
profile_names_find (const struct profile_names *names, const char *text)
{
  if (!text || !*text)
    return 0;
  return find_text (names, text, strlen (text));
}

/* What a file says.  */

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

bool
profile_had_below_0 (const struct profile *p)
{
  for (size_t i = 0; i < p->n_parts; i++)
    for (size_t k = 0; k < p->parts[i].n_desc; k++)
      if (strstr (p->parts[i].desc[k], " below 0 ") != NULL)
        return true;
  return false;
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

uint64_t
profile_edges (const struct profile *p, const struct profile_at *from,
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
