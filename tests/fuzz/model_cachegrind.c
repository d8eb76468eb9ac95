/* model_cachegrind.c - compare a file in the cachegrind format with the costs
   that are to be in it.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "fuzz.h"
#include "model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is in the file, less what is to be there, for one line.  */
struct row
{
  char *file;
  char *fn;
  uint64_t line;
  uint64_t cost[MODEL_EVENTS];
};

struct table
{
  struct row *rows;
  size_t n;
  size_t lines; /* of costs, in the file */
  bool has_summary;
};

/* Return the row of that line, made of zeros if it is new.  */
static struct row *
find (struct table *t, const char *file, const char *fn, uint64_t line)
{
  for (size_t i = 0; i < t->n; i++)
    if (t->rows[i].line == line && strcmp (t->rows[i].file, file) == 0
        && strcmp (t->rows[i].fn, fn) == 0)
      return &t->rows[i];
  t->rows = realloc (t->rows, (t->n + 1) * sizeof *t->rows);
  if (t->rows == NULL)
    abort ();
  t->rows[t->n] = (struct row){ .file = strdup (file), .fn = strdup (fn),
                                .line = line };
  return &t->rows[t->n++];
}

/* Read the numbers of a line: exactly n.  */
static void
read_numbers (const char *text, uint64_t *numbers, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      char *end;

      if (*text < '0' || *text > '9')
        fuzz_fail ("the file: too few numbers");
      numbers[i] = strtoull (text, &end, 10);
      text = *end == ' ' && i + 1 < n ? end + 1 : end;
    }
  if (*text != '\0')
    fuzz_fail ("the file: too many numbers: %s", text);
}

static void
check_summary (const struct model_writer *m, const char *numbers)
{
  uint64_t sum[MODEL_EVENTS];
  size_t n = model_n_events (m->shape);

  read_numbers (numbers, sum, n);
  for (size_t i = 0; i < n; i++)
    if (sum[i] != m->part[0].sum[i])
      fuzz_fail ("summary: %" PRIu64 ", not %" PRIu64, sum[i],
                 m->part[0].sum[i]);
}

/* Add a line of the body.  */
static void
read_line (const struct model_writer *m, struct table *t, const char *line,
           const char **file, const char **fn)
{
  uint64_t numbers[1 + MODEL_EVENTS];
  struct row *row;

  if (t->has_summary)
    fuzz_fail ("the file: a line after summary:");
  if (strncmp (line, "fl=", 3) == 0)
    *file = line + 3;
  else if (strncmp (line, "fn=", 3) == 0)
    *fn = line + 3;
  else if (strncmp (line, "summary: ", 9) == 0)
    {
      check_summary (m, line + 9);
      t->has_summary = true;
    }
  else
    {
      read_numbers (line, numbers, 1 + model_n_events (m->shape));
      row = find (t, *file, *fn, numbers[0]);
      t->lines++;
      for (size_t i = 0; i < model_n_events (m->shape); i++)
        row->cost[i] += numbers[1 + i];
    }
}

/* Read the lines, which end in NULs, behind the header.  */
static void
read_body (const struct model_writer *m, struct table *t, const char *bytes,
           const char *end)
{
  const char *file = "", *fn = "";
  bool in_body = false;

  for (; bytes < end; bytes += strlen (bytes) + 1)
    if (in_body)
      read_line (m, t, bytes, &file, &fn);
    else
      in_body = strncmp (bytes, "events: ", 8) == 0;
}

static void
subtract (struct row *row, const uint64_t *cost)
{
  for (size_t i = 0; i < MODEL_EVENTS; i++)
    row->cost[i] -= cost[i];
}

/* Return how many lines there are to be.  */
static size_t
subtract_records (const struct model_writer *m, struct table *t, uint64_t end)
{
  bool has_lines = model_positions (m->shape) & CGW_LINE;
  size_t n = 0;

  for (size_t i = 0; i < m->n_entries; i++)
    {
      const struct model_entry *e = &m->entry[i];
      const struct model_pos *at = &e->from;
      const struct model_name *file
          = at->file != NULL ? at->file : at->fn->file;

      if (e->kind != MODEL_COST || e->end > end)
        continue;
      n++;
      subtract (find (t, file->text->written, at->fn->text->written,
                      has_lines ? at->line : 0),
                e->cost);
    }
  return n;
}

static size_t
subtract_lost (const struct model_writer *m, struct table *t)
{
  const uint64_t *lost = m->part[0].lost_cost;

  if (lost[0] == 0 && lost[1] == 0 && lost[2] == 0)
    return 0;
  subtract (find (t, "???", "[lost]", 0), lost);
  return 1;
}

static void
check_and_free (struct table *t)
{
  for (size_t i = 0; i < t->n; i++)
    {
      struct row *row = &t->rows[i];

      for (size_t j = 0; j < MODEL_EVENTS; j++)
        if (row->cost[j] != 0)
          fuzz_fail ("the file: %s %s %" PRIu64 ": %" PRIu64 " too much",
                     row->file, row->fn, row->line, row->cost[j]);
      free (row->file);
      free (row->fn);
    }
  free (t->rows);
}

void
model_check_cachegrind (const struct model_writer *m, const char *bytes,
                        size_t n, uint64_t end, bool is_complete)
{
  struct table t = { NULL, 0, 0, false };
  char *copy = malloc (end + 1);
  size_t lines;

  if (copy == NULL || end > n)
    fuzz_fail ("the file has %zu bytes", n);
  memcpy (copy, end > 0 ? bytes : "", end);
  for (size_t i = 0; i < end; i++)
    if (copy[i] == '\n')
      copy[i] = '\0';
  copy[end] = '\0';
  read_body (m, &t, copy, copy + end);
  lines = subtract_records (m, &t, end);
  if (is_complete)
    lines += subtract_lost (m, &t);
  if (t.lines != lines)
    fuzz_fail ("the file: %zu lines of costs, not %zu", t.lines, lines);
  if (t.has_summary != (is_complete && !m->part[0].overflow))
    fuzz_fail ("the file: %s summary:", t.has_summary ? "has" : "lacks");
  check_and_free (&t);
  free (copy);
}
