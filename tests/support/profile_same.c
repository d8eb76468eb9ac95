/* profile_same.c - whether two callgrind files mean the same.

   A row's key becomes a text, with names that undo the escapes; rows of equal
   texts are compared.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
is_escape (const char *at)
{
  return at[0] == '\\' && at[1] == 'x' && isxdigit ((unsigned char) at[2])
         && isxdigit ((unsigned char) at[3]);
}

/* The names with each \xHH as the byte.  \x00 stays: names are C strings.  */
static char **
plain_names (const struct profile_names *names)
{
  char **plain = profile_zeros (names->n, sizeof *plain);
  for (size_t i = 0; i < names->n; i++)
    {
      const char *text = names->text[i];
      char *to = plain[i] = profile_zeros (strlen (text) + 1, 1);
      while (*text)
        {
          unsigned byte = 0;
          if (is_escape (text))
            sscanf (text + 2, "%2x", &byte);
          *to++ = byte ? (char) byte : *text;
          text += byte ? 4 : 1;
        }
    }
  return plain;
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

/* Adds up a table by the numbers of its keys' texts.  */
static void
key_by_text (struct profile_table *to, struct profile_names *texts,
             const struct profile *p, const struct profile_table *from)
{
  char **names = plain_names (&p->names);
  profile_table_init (to, 1, from->n_values);
  for (size_t i = 0; i < from->n; i++)
    {
      char *text;
      size_t n;
      FILE *out = open_memstream (&text, &n);
      if (!out)
        abort ();
      put_key (out, names, &p->fns, profile_table_key (from, i),
               from->n_keys);
      fclose (out);
      uint64_t key = profile_names_add (texts, text, n);
      size_t row = profile_table_row (to, &key);
      for (size_t v = 0; v < from->n_values; v++)
        profile_table_add (to, row, v, profile_table_values (from, i)[v]);
      to->overflow[row] |= from->overflow[i];
      free (text);
    }
  for (size_t i = 0; i < p->names.n; i++)
    free (names[i]);
  free (names);
}

/* Whether b has each row of a, and with the same sums.  */
static bool
contains (FILE *why, const char *what, const struct profile_names *texts,
          const struct profile_table *a, const struct profile_table *b)
{
  for (size_t i = 0; i < a->n; i++)
    {
      const uint64_t *key = profile_table_key (a, i);
      size_t j = profile_table_find (b, key);
      if (j == PROFILE_NO_ROW ? all_zero (a, i) : same_values (a, i, b, j))
        continue;
      fprintf (why, "%s of %s: ", what, texts->text[*key]);
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
same_tables (FILE *why, const char *what, const struct profile *a,
             const struct profile_table *of_a, const struct profile *b,
             const struct profile_table *of_b)
{
  struct profile_names texts;
  struct profile_table one, two;
  profile_names_init (&texts);
  key_by_text (&one, &texts, a, of_a);
  key_by_text (&two, &texts, b, of_b);
  bool same = contains (why, what, &texts, &one, &two);
  if (same && !contains (why, what, &texts, &two, &one))
    {
      fprintf (why, " (second file first)");
      same = false;
    }
  profile_table_free (&one);
  profile_table_free (&two);
  profile_names_free (&texts);
  return same;
}

bool
profile_same (const struct profile *a, const struct profile *b, char *why,
              size_t size)
{
  char *text;
  size_t n;
  FILE *out = open_memstream (&text, &n);
  if (!out)
    abort ();
  bool same = a->n_events == b->n_events;
  if (!same)
    fprintf (out, "%zu events against %zu", a->n_events, b->n_events);
  same = same && same_tables (out, "cost", a, &a->costs, b, &b->costs)
         && same_tables (out, "call", a, &a->edges, b, &b->edges)
         && same_tables (out, "jump", a, &a->jumps, b, &b->jumps);
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
