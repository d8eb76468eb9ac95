/* profile_same.c - whether two callgrind files mean the same.

   Both profiles are keyed anew by common names, which undo the escapes, and
   then compared row by row.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One profile in the common keys.  */
struct common
{
  const struct profile *p;
  uint32_t *names;   /* number in p -> common number */
  uint32_t *fns;     /* row in p -> common row */
  struct profile_table costs;
  struct profile_table edges;
  struct profile_table jumps;
};

/* What both share.  */
struct shared
{
  struct profile_names names;
  struct profile_table fns;
};

static bool
is_escape (const char *at)
{
  return at[0] == '\\' && at[1] == 'x' && isxdigit ((unsigned char) at[2])
         && isxdigit ((unsigned char) at[3]);
}

/* The name with each \xHH as the byte.  \x00 stays: names are C strings.  */
static uint32_t
plain_name (struct profile_names *names, const char *text)
{
  char *plain = profile_resize (NULL, strlen (text) + 1);
  size_t n = 0;
  while (*text)
    {
      unsigned byte = 0;
      if (is_escape (text))
        sscanf (text + 2, "%2x", &byte);
      plain[n++] = byte ? (char) byte : *text;
      text += byte ? 4 : 1;
    }
  uint32_t number = profile_names_add (names, plain, n);
  free (plain);
  return number;
}

static void
map_names (struct common *c, struct shared *shared)
{
  const struct profile *p = c->p;
  c->names = profile_zeros (p->names.n, sizeof *c->names);
  c->fns = profile_zeros (p->fns.n, sizeof *c->fns);
  for (size_t i = 0; i < p->names.n; i++)
    c->names[i] = plain_name (&shared->names, p->names.text[i]);
  for (size_t i = 0; i < p->fns.n; i++)
    {
      uint64_t key[FN_KEYS];
      for (size_t k = 0; k < FN_KEYS; k++)
        key[k] = c->names[profile_table_key (&p->fns, i)[k]];
      c->fns[i] = (uint32_t) profile_table_row (&shared->fns, key);
    }
}

/* Copies a table; the first two words of a key, and if to is not 0 the word
   there and (if source) the one after it, are a function and a file.  */
static void
map_table (struct common *c, struct profile_table *to,
           const struct profile_table *from, size_t target, bool source)
{
  profile_table_init (to, from->n_keys, from->n_values);
  for (size_t i = 0; i < from->n; i++)
    {
      uint64_t key[JUMP_KEYS];
      memcpy (key, profile_table_key (from, i), from->n_keys * sizeof *key);
      key[0] = c->fns[key[0]];
      key[1] = c->names[key[1]];
      if (target)
        key[target] = c->fns[key[target]];
      if (source)
        key[target + 1] = c->names[key[target + 1]];
      size_t row = profile_table_row (to, key);
      for (size_t v = 0; v < from->n_values; v++)
        profile_table_add (to, row, v, profile_table_values (from, i)[v]);
      to->overflow[row] |= from->overflow[i];
    }
}

static void
common_init (struct common *c, const struct profile *p, struct shared *shared)
{
  c->p = p;
  map_names (c, shared);
  map_table (c, &c->costs, &p->costs, 0, false);
  map_table (c, &c->edges, &p->edges, EDGE_TO, false);
  map_table (c, &c->jumps, &p->jumps, JUMP_TO, true);
}

static void
common_free (struct common *c)
{
  free (c->names);
  free (c->fns);
  profile_table_free (&c->costs);
  profile_table_free (&c->edges);
  profile_table_free (&c->jumps);
}

/* Text of a row.  */

static void
put_fn (FILE *out, char **names, const struct profile_table *fns,
        uint64_t fn)
{
  const uint64_t *key = profile_table_key (fns, fn);
  fprintf (out, "%s\t%s\t%s", names[key[FN_OBJECT]], names[key[FN_FILE]],
       names[key[FN_NAME]]);
}

static void
put_key (FILE *out, char **names, const struct profile_table *fns,
         const uint64_t *key, size_t n_keys)
{
  put_fn (out, names, fns, key[COST_FN]);
  fprintf (out, "\t%s\t0x%" PRIx64 "\t%" PRIu64, names[key[COST_SOURCE]],
       key[COST_INSTR], key[COST_LINE]);
  if (n_keys == COST_KEYS)
    return;
  fprintf (out, "\t-> ");
  put_fn (out, names, fns, key[EDGE_TO]);
  if (n_keys == EDGE_KEYS)
    fprintf (out, "\t0x%" PRIx64 "\t%" PRIu64, key[EDGE_TO_INSTR],
         key[EDGE_TO_LINE]);
  else
    fprintf (out, "\t%s\t0x%" PRIx64 "\t%" PRIu64 "\t%s",
         names[key[JUMP_TO_SOURCE]], key[JUMP_TO_INSTR], key[JUMP_TO_LINE],
         key[JUMP_CONDITIONAL] ? "conditional" : "always");
}

static void
put_values (FILE *out, const struct profile_table *t, size_t row)
{
  for (size_t v = 0; v < t->n_values; v++)
    fprintf (out, "%s%" PRIu64, v ? " " : "", profile_table_values (t, row)[v]);
  if (t->overflow[row])
    fprintf (out, " overflow");
}

/* Comparison.  */

static bool
all_zero (const struct profile_table *t, size_t row)
{
  for (size_t v = 0; v < t->n_values; v++)
    if (profile_table_values (t, row)[v])
      return false;
  return !t->overflow[row];
}

static bool
same_values (const struct profile_table *a, size_t i,
             const struct profile_table *b, size_t j)
{
  return a->overflow[i] == b->overflow[j]
         && !memcmp (profile_table_values (a, i), profile_table_values (b, j),
                     a->n_values * sizeof (uint64_t));
}

/* Whether b has each row of a, and with the same sums.  */
static bool
contains (FILE *why, const char *what, const struct shared *shared,
          const struct profile_table *a, const struct profile_table *b)
{
  for (size_t i = 0; i < a->n; i++)
    {
      const uint64_t *key = profile_table_key (a, i);
      size_t j = profile_table_find (b, key);
      if (j == PROFILE_NO_ROW ? all_zero (a, i) : same_values (a, i, b, j))
        continue;
      fprintf (why, "%s of ", what);
      put_key (why, shared->names.text, &shared->fns, key, a->n_keys);
      fprintf (why, ": ");
      put_values (why, a, i);
      fprintf (why, " against ");
      if (j == PROFILE_NO_ROW)
        fprintf (why, "nothing");
      else
        put_values (why, b, j);
      return false;
    }
  return true;
}

static bool
same_tables (FILE *why, const char *what, const struct shared *shared,
             const struct profile_table *a, const struct profile_table *b)
{
  if (!contains (why, what, shared, a, b))
    return false;
  if (contains (why, what, shared, b, a))
    return true;
  fprintf (why, " (second file first)");
  return false;
}

bool
profile_same (const struct profile *a, const struct profile *b, char *why,
              size_t size)
{
  char *text;
  size_t n;
  FILE *out = open_memstream (&text, &n);
  struct shared shared;
  struct common one, two;
  if (!out)
    abort ();
  profile_names_init (&shared.names);
  profile_table_init (&shared.fns, FN_KEYS, 0);
  common_init (&one, a, &shared);
  common_init (&two, b, &shared);
  bool same = a->n_events == b->n_events;
  if (!same)
    fprintf (out, "%zu events against %zu", a->n_events, b->n_events);
  same = same && same_tables (out, "cost", &shared, &one.costs, &two.costs)
         && same_tables (out, "call", &shared, &one.edges, &two.edges)
         && same_tables (out, "jump", &shared, &one.jumps, &two.jumps);
  common_free (&one);
  common_free (&two);
  profile_names_free (&shared.names);
  profile_table_free (&shared.fns);
  fclose (out);
  snprintf (why, size, "%s", text);
  free (text);
  return same;
}

/* Dump.  */

static int
by_text (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
dump_table (const struct profile *p, FILE *out, const char *what,
            const struct profile_table *t)
{
  char **lines = profile_zeros (t->n, sizeof *lines);
  for (size_t i = 0; i < t->n; i++)
    {
      size_t n;
      FILE *line = open_memstream (&lines[i], &n);
      if (!line)
        abort ();
      fprintf (line, "%s\t", what);
      put_key (line, p->names.text, &p->fns, profile_table_key (t, i),
               t->n_keys);
      fputc ('\t', line);
      put_values (line, t, i);
      fclose (line);
    }
  qsort (lines, t->n, sizeof *lines, by_text);
  for (size_t i = 0; i < t->n; i++)
    {
      fprintf (out, "%s\n", lines[i]);
      free (lines[i]);
    }
  free (lines);
}

void
profile_dump (const struct profile *p, FILE *out)
{
  dump_table (p, out, "cost", &p->costs);
  dump_table (p, out, "call", &p->edges);
  dump_table (p, out, "jump", &p->jumps);
}
