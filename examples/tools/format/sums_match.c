/* sums_match.c - which functions of two profiles are the same one, although
   their names differ: programs are built in other folders, and libraries have
   versions.

   A function that only one of the profiles has is compared by its name and by
   the last components of the paths of its file and its object; and what that
   leaves, by its name and its file alone.  One that is called by its address has
   no name.  Two functions are the same one if no others in either profile
   compare equal to them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "sums.h"

#include "../base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The functions of one key.  */
struct same
{
  uint32_t n[SIDES];
  uint32_t fn[SIDES]; /* the last ones */
};

/* A function of one profile, and the one of the second profile that it is.  */
struct matched
{
  uint32_t fn;
  uint32_t to;
};

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL ? slash + 1 : path;
}

/* Numbers the key of a function.  False: it has no name.  */
static bool
number_of (const struct sums *s, struct intern *keys, bool with_object,
           uint32_t fn, uint32_t *number)
{
  struct cgw_file file;
  struct cgw_object object;
  const char *text[3]
      = { cgw_fn_name (s->names, (struct cgw_fn){ fn }, &file, &object), "",
          "" };
  char *key, *end;

  if (strcmp (text[0], "???") == 0 || strncmp (text[0], "0x", 2) == 0)
    return false;
  text[1] = base_name (cgw_file_name (s->names, file));
  if (with_object)
    text[2] = base_name (cgw_object_name (s->names, object));
  key = resize (NULL,
                strlen (text[0]) + strlen (text[1]) + strlen (text[2]) + 3, 1);
  end = stpcpy (stpcpy (stpcpy (key, text[0]) + 1, text[1]) + 1, text[2]);
  *number = intern (keys, key, (size_t) (end - key));
  free (key);
  return true;
}

/* Adds the matches of one way to compare.  */
static void
match (struct sums *s, bool with_object)
{
  struct intern keys = { 0 };
  struct same *sames = NULL;
  uint32_t capacity = 0;

  for (uint32_t i = 0; i < s->functions.n; i++)
    {
      const struct sums_function *f = table_entry (&s->functions, i);
      enum side side = f->is_in[BEFORE] ? BEFORE : AFTER;
      uint32_t k;

      if (f->is_in[!side] || table_find (&s->matches, &f->key.fn) != NULL
          || !number_of (s, &keys, with_object, f->key.fn, &k))
        continue;
      sames = resize_for (sames, k, &capacity, sizeof *sames);
      sames[k].n[side]++;
      sames[k].fn[side] = f->key.fn;
    }
  for (uint32_t k = 0; k < keys.n; k++)
    if (sames[k].n[BEFORE] == 1 && sames[k].n[AFTER] == 1)
      {
        const uint32_t *fn = sames[k].fn;

        /* Both have an entry: neither is matched again.  */
        for (unsigned side = 0; side < SIDES; side++)
          ((struct matched *) table_add (&s->matches, &fn[side]))->to = fn[AFTER];
      }
  free (sames);
  intern_free (&keys);
}

uint32_t
sums_matched (const struct sums *s, uint32_t fn)
{
  const struct matched *m
      = s->matches.n != 0 ? table_find (&s->matches, &fn) : NULL;

  return m != NULL ? m->to : fn;
}

static struct table
empty_like (const struct table *t)
{
  return (struct table){ .key_size = t->key_size,
                         .entry_size = t->entry_size };
}

static void
replace (struct table *old, struct table *new)
{
  table_free (old);
  *old = *new;
}

static void
move_functions (struct sums *s)
{
  struct table t = empty_like (&s->functions);

  for (uint32_t i = 0; i < s->functions.n; i++)
    {
      const struct sums_function *from = table_entry (&s->functions, i);
      struct sums_function *to = table_add (
          &t, &(struct sums_key){ sums_matched (s, from->key.fn), 0 });

      for (unsigned side = 0; side < SIDES; side++)
        if (from->is_in[side])
          {
            to->is_in[side] = true;
            to->line[side] = from->line[side];
          }
    }
  replace (&s->functions, &t);
}

static void
move_places (struct sums *s)
{
  struct table t = empty_like (&s->places);

  for (uint32_t i = 0; i < s->places.n; i++)
    {
      const struct place *from = table_entry (&s->places, i);
      struct place_key key = from->key;
      struct place *to;

      key.fn = sums_matched (s, key.fn);
      to = table_add (&t, &key);
      sums_add (to->costs, from->costs, SIDES * s->n, s->is_signed);
    }
  replace (&s->places, &t);
}

static void
move_edges (struct sums *s)
{
  struct table t = empty_like (&s->edges);

  for (uint32_t i = 0; i < s->edges.n; i++)
    {
      const struct edge *from = table_entry (&s->edges, i);
      struct edge_key key = from->key;
      struct edge *to;

      key.from.fn = sums_matched (s, key.from.fn);
      key.to = sums_matched (s, key.to);
      to = table_add (&t, &key);
      sums_add (to->count, from->count, SIDES, false);
      sums_add (to->costs, from->costs, SIDES * s->n, s->is_signed);
    }
  replace (&s->edges, &t);
}

static void
move_wholes (struct sums *s)
{
  struct table t = empty_like (&s->wholes);

  for (uint32_t i = 0; i < s->wholes.n; i++)
    {
      const struct whole *from = table_entry (&s->wholes, i);
      struct whole *to = table_add (
          &t, &(struct sums_key){ sums_matched (s, from->key.fn), 0 });

      sums_add (to->costs, from->costs, SIDES * s->n, s->is_signed);
    }
  replace (&s->wholes, &t);
}

void
sums_match (struct sums *s)
{
  s->matches = (struct table){ .key_size = sizeof (uint32_t),
                               .entry_size = sizeof (struct matched) };
  match (s, true);
  match (s, false);
  if (s->matches.n == 0)
    return;
  move_functions (s);
  move_places (s);
  move_edges (s);
  move_wholes (s);
}
