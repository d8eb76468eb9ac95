/* growth.c - make bench-growth: whether a record costs the same after many
   others, and among many names; and what it costs to add a name.

   Usage: growth [LINES NAMES]: from 10^4 to 10^LINES lines (8) and from 10^2
   to 10^NAMES names (6).

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "contender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  LEAST_LINES = 4, /* powers of ten */
  MOST_LINES = 9,
  BLOCK = 10000, /* lines that are written over and over */
  BLOCK_FNS = 100,
  LEAST_NAMES = 2,
  MOST_NAMES = 6,
  PER_FILE = 10,    /* functions */
  RECORDS = 1000000 /* measured, for every number of names */
};

/* The library with a workload, in memory.  */
struct grown
{
  struct workload w;
  struct sink sink;
  struct entrant e;
};

/* Opens it, with the workload, and makes sure that what is measured is
   right.  */
static void
grown_open (struct grown *g)
{
  size_t n;

  g->sink = (struct sink){ .fd = -1 };
  entrant_open (&g->e, &contender_libcgw, &g->w, &g->sink, NULL);
  if (!entrant_check (&g->e, &g->w, "growth", "libcgw", &n))
    exit (1);
}

static void
grown_close (struct grown *g)
{
  entrant_close (&g->e);
  workload_free (&g->w);
}

static void
print_power (const char *name, size_t digits, double value)
{
  char suffix[16];

  snprintf (suffix, sizeof suffix, "_1e%zu", digits);
  print_figure (name, suffix, "", value);
}

/* Lines: the same over and over, so that what is read stays in the cache.  */

/* Thing i is 10^(LEAST_LINES + i) lines.  The small ones take no time, so they
   are run several times.  */
static void
run_lines (void *context, size_t i, double *values)
{
  struct entrant *e = context;
  size_t repeats = i <= 1 ? 20 : i == 2 ? 5 : 1;

  e->times = 1;
  for (size_t k = 0; k < i; k++)
    e->times *= 10;
  values[0] = 0;
  for (size_t k = 0; k < repeats; k++)
    values[0] += entrant_run (e) / (double)repeats;
}

static void
grow_lines (size_t n_events, size_t most, size_t runs)
{
  struct quartiles q[MOST_LINES + 1];
  struct grown g;
  size_t n = most - LEAST_LINES + 1;
  char name[32];

  workload_steps (&g.w, BLOCK, n_events, BLOCK_FNS);
  grown_open (&g);
  run_rounds (n, 1, runs, run_lines, &g.e, q);
  grown_close (&g);
  printf (
      "\nns per cost line, instr+line, %zu counter%s: median (quartiles)\n",
      n_events, n_events == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++)
    printf ("  10^%zu lines %8.2f (%.2f - %.2f)\n", LEAST_LINES + i,
            q[i].median, q[i].first, q[i].third);
  snprintf (name, sizeof name, "ns_line_%zu", n_events);
  for (size_t i = 0; i < n; i++)
    print_power (name, LEAST_LINES + i, q[i].median);
  snprintf (name, sizeof name, "growth_percent_lines_%zu", n_events);
  print_figure (name, "", "", 100 * (q[n - 1].median / q[1].median - 1));
}

/* Names: each record in another function.  */

/* One number of names.  */
struct names
{
  struct grown g;
  size_t n;
  double bytes; /* per name */
};

static void
add_record (struct workload *w, size_t fn)
{
  workload_add (w, fn, 0x401000 + 16 * fn, (uint32_t)(1 + fn % 1000));
}

/* First a record in each function, which defines its name, then those that are
   measured: in a scattered order, and each function as often as another.  */
static void
make_workload (struct workload *w, size_t n)
{
  uint32_t *order = workload_order (n);

  workload_empty (w, n + RECORDS, 1, n, n / PER_FILE);
  for (size_t i = 0; i < n; i++)
    add_record (w, i);
  for (size_t i = 0; i < RECORDS; i++)
    add_record (w, order[i % n]);
  free (order);
}

/* Adds the files, and then, measured, the functions, to new names that a
   writer uses.  Returns ns per function.  */
static double
add_names (struct names *m)
{
  const struct workload *w = &m->g.w;
  struct heap heap = { 0 };
  struct cgw_names *names = make_names (&heap);
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_file *files = bench_allocate (w->n_names, sizeof *files);
  struct cgw_writer *writer;

  options.write = sink_write;
  options.write_context = &m->g.sink;
  if (cgw_new (&writer, names, -1, &options) != CGW_OK)
    bench_fail ("cgw_new");
  struct cgw_object object = cgw_add_object (names, w->names[1]);
  for (size_t i = 0; i < w->n_names - w->n_fns; i++)
    files[i] = cgw_add_file (names, w->names[i]);
  size_t before = heap.bytes;
  double start = bench_time ();
  for (size_t i = 0; i < w->n_fns; i++)
    cgw_add_fn (names, w->names[w->fns[i].name], files[w->fns[i].file],
                object);
  double end = bench_time ();
  if (cgw_error (writer, NULL) != CGW_OK)
    bench_fail ("cgw_add_fn");
  m->bytes = (double)(heap.bytes - before) / (double)w->n_fns;
  cgw_free (writer);
  cgw_names_free (names);
  free (files);
  return (end - start) / (double)w->n_fns;
}

static void
run_names (void *context, size_t i, double *values)
{
  struct names *m = context;
  struct entrant *e = &m[i].g.e;

  values[0] = add_names (&m[i]);
  entrant_begin (e);
  entrant_replay (e, 0, m[i].n);
  values[1] = entrant_replay (e, m[i].n, RECORDS) / RECORDS;
  entrant_end (e);
}

static void
print_names (const struct names *m, const struct quartiles *q, size_t n)
{
  const struct workload *w = &m[0].g.w;

  printf (
      "\nns per record in another function, and ns and bytes per name that "
      "is added\n");
  for (size_t i = 0; i < n; i++)
    {
      const struct quartiles *name = &q[2 * i], *record = &q[2 * i + 1];

      printf ("  10^%zu names %8.2f (%.2f - %.2f) %8.1f (%.1f - %.1f) %8.1f\n",
              LEAST_NAMES + i, record->median, record->first, record->third,
              name->median, name->first, name->third, m[i].bytes);
    }
  printf ("  (names of %zu characters)\n", strlen (w->names[w->n_names - 1]));
  for (size_t i = 0; i < n; i++)
    {
      print_power ("ns_record_names", LEAST_NAMES + i, q[2 * i + 1].median);
      print_power ("ns_add_name", LEAST_NAMES + i, q[2 * i].median);
      print_power ("bytes_per_name", LEAST_NAMES + i, m[i].bytes);
    }
  print_figure ("growth_names", "", "", q[2 * n - 1].median / q[1].median);
}

static void
grow_names (size_t most, size_t runs)
{
  struct names m[MOST_NAMES - LEAST_NAMES + 1];
  struct quartiles q[2 * (MOST_NAMES - LEAST_NAMES + 1)];
  size_t n = most - LEAST_NAMES + 1;
  size_t names = 100;

  for (size_t i = 0; i < n; i++, names *= 10)
    {
      m[i].n = names;
      make_workload (&m[i].g.w, names);
      grown_open (&m[i].g);
    }
  run_rounds (n, 2, runs, run_names, m, q);
  print_names (m, q, n);
  for (size_t i = 0; i < n; i++)
    grown_close (&m[i].g);
}

/* A power of ten from the command line.  */
static size_t
power (const char *text, size_t least, size_t most)
{
  char *end;
  unsigned long n = strtoul (text, &end, 10);

  if (!*text || *end || n < least || n > most)
    {
      fputs ("Usage: growth [LINES NAMES]\n", stderr);
      exit (2);
    }
  return n;
}

int
main (int argc, char **argv)
{
  size_t lines = argc == 3 ? power (argv[1], 5, MOST_LINES) : 8;
  size_t names = argc == 3 ? power (argv[2], 3, MOST_NAMES) : 6;
  size_t runs = runs_wanted (7);

  if (argc != 1 && argc != 3)
    power ("", 0, 0);
  grow_lines (1, lines, runs);
  grow_lines (13, lines, runs);
  grow_names (names, runs);
  return fflush (stdout) || ferror (stdout) ? 1 : 0;
}
