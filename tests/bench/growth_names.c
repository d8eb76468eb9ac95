/* growth_names.c - cost per record from 10^2 to 10^6 names, each record in
   another function; cost and memory of adding the names.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "counted.h"
#include "growth.h"
#include "replay.h"
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  LEAST = 2,
  MOST = 6,
  PER_FILE = 10,    /* functions */
  RECORDS = 1000000 /* measured, for every number of names */
};

/* One number of names, and ns of all runs.  */
struct names
{
  struct grown g;
  size_t n;
  double *per_record;
  double *per_name;
  double bytes_per_name;
  struct quartiles record;
  struct quartiles name;
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

/* Adds the files, and then, measured, the functions, to a new writer.  */
static double
add_names (struct names *m)
{
  const struct workload *w = &m->g.w;
  struct cgw_options options = CGW_OPTIONS_INIT;
  struct cgw_file *files = bench_allocate (w->n_names, sizeof *files);
  struct cgw_writer *writer;
  size_t used = 0;

  options.allocate = counted_allocate;
  options.allocate_context = &used;
  options.write = sink_write;
  options.write_context = &m->g.sink;
  if (cgw_new (&writer, -1, &options) != CGW_OK)
    abort ();
  struct cgw_object object = cgw_add_object (writer, w->names[1]);
  for (size_t i = 0; i < w->n_names - w->n_fns; i++)
    files[i] = cgw_add_file (writer, w->names[i]);
  size_t before = used;
  double start = bench_time ();
  for (size_t i = 0; i < w->n_fns; i++)
    cgw_add_fn (writer, w->names[w->fns[i].name], files[w->fns[i].file],
                object);
  double end = bench_time ();
  if (cgw_error (writer) != CGW_OK)
    abort ();
  m->bytes_per_name = (double)(used - before) / (double)w->n_fns;
  cgw_free (writer);
  free (files);
  return (end - start) / (double)w->n_fns;
}

static void
print_names (struct names all[MOST + 1], unsigned most, size_t runs)
{

  printf (
      "\nns per record in another function, and ns and bytes per name that "
      "is added\n");
  for (unsigned i = LEAST; i <= most; i++)
    {
      all[i].record = quartiles (all[i].per_record, runs);
      all[i].name = quartiles (all[i].per_name, runs);
      printf ("  10^%u names %8.2f (%.2f - %.2f) %8.1f (%.1f - %.1f) %8.1f\n",
              i, all[i].record.median, all[i].record.first,
              all[i].record.third, all[i].name.median, all[i].name.first,
              all[i].name.third, all[i].bytes_per_name);
    }
  const struct workload *w = &all[most].g.w;
  printf ("  (names of %zu characters)\n", strlen (w->names[w->n_names - 1]));
  for (unsigned i = LEAST; i <= most; i++)
    {
      print_power ("ns_record_names", i, all[i].record.median);
      print_power ("ns_add_name", i, all[i].name.median);
      print_power ("bytes_per_name", i, all[i].bytes_per_name);
    }
  print_figure ("growth_names", "", "",
                all[most].record.median / all[LEAST].record.median);
}

void
grow_names (unsigned most, size_t runs)
{
  struct names all[MOST + 1] = { { .n = 0 } };
  size_t n = 100;

  for (unsigned i = LEAST; i <= most; i++, n *= 10)
    {
      all[i].n = n;
      make_workload (&all[i].g.w, n);
      grown_open (&all[i].g);
      all[i].per_record = bench_allocate (runs, sizeof (double));
      all[i].per_name = bench_allocate (runs, sizeof (double));
    }
  for (size_t run = 0; run < runs; run++)
    for (unsigned i = LEAST; i <= most; i++)
      {
        all[i].per_name[run] = add_names (&all[i]);
        all[i].per_record[run]
            = grown_run (&all[i].g, all[i].n, 1) / (double)RECORDS;
      }
  print_names (all, most, runs);
  for (unsigned i = LEAST; i <= most; i++)
    {
      grown_close (&all[i].g);
      free (all[i].per_record);
      free (all[i].per_name);
    }
}
